#!/usr/bin/env python3
"""Let agent frameworks and command-line agents play sessions of the gateway, and check every token that their trainer gets.

    REQUIREMENTS=programs.txt PIP_NO_DEPS=1 conformance/python conformance/agent_programs.py --quintain bin/quintain

It is agent_clients.py for programs that are large, or want packages of their own: each runs in a process, undisturbed.
The engine answers with calls of the tool that the program offers, a shell for those of the command line, three times, and
then with an answer. A request without tools, for a title or the like, gets the answer at once.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys

from agent_clients import CALLS, MODELS, Agent, Check, Handler, Server, asks, engine, examine, label_of, leave, tokenizer_of

HERE = pathlib.Path(__file__).resolve().parent
PLAIN, OLDER, NPM = "programs.txt", "programs-older.txt", "programs-npm.txt"
SHELL = [("I look.\n", "echo 1"), ("<think>\nLet me see.\n</think>\n\nOnce more.\n", 'echo "a" | wc -c'), ("", "echo 1 &&  echo 2")]


def shell(name, **more):
    """Replies that call a shell."""
    return [before + asks(name, json.dumps({"command": command, **more})) for before, command in SHELL]


def fields(**values):
    """A reply in the form of DSPy."""
    return "\n\n".join(f"[[ ## {k} ## ]]\n{v}" for k, v in {**values, "completed": ""}.items())


SUMS = [asks("add", '{"a": 1, "b": 2}'), "I add them.\n" + asks("add", '{"a":6,"b":7}'), "<think>\nLet me see.\n</think>\n\n" + asks("add", '{"b": 3, "a": -4}')]
REPLIES = {
    "add": SUMS,
    "mcp__calc__add": [text.replace('"add"', '"mcp__calc__add"') for text in SUMS],
    "Bash": shell("Bash", description="Looks"),
    "Agent": [asks("Agent", '{"description": "Add", "prompt": "Add. (session claude_subagent-0)", "subagent_type": "general-purpose", "run_in_background": false}')],
    "add_text": [text.replace('"a":6,"b":7', '"a": 6, "b": 7') for text in SUMS[:2]],
    "exec_command": [text.replace('"command"', '"cmd"') for text in shell("exec_command")],
    "multi_agent_v1__close_agent": [asks("multi_agent_v1__close_agent", '{"target": "019a0000-0000-7000-8000-000000000000"}')],
    "bash": shell("bash", description="Looks"),
    "run_shell_command": shell("run_shell_command", description="Looks", is_background=False),
    "terminal": shell("terminal"),
    "finish": [asks("finish", '{"message": "It is 15."}')],
    "react": [fields(next_thought="I add.", next_tool_name="add", next_tool_args='{"a": 1, "b": 2}')],
    "react_finish": [fields(next_thought="Done.", next_tool_name="finish", next_tool_args="{}")],
    "react_answer": [fields(reasoning="It is a sum.", answer="It is 15.")],
    "answer": ["It is 15.", "<think>\nLet me see.\n</think>\n\nIt is **15**."],
}  # fmt: skip
# Programs, each with its packages and the tool that the engine calls.
PROGRAMS = [
    (Agent("langchain_messages"), PLAIN, "add"),
    (Agent("langchain_thinking"), PLAIN, "add"),
    (Agent("langgraph_chat"), PLAIN, "add"),
    (Agent("langgraph_messages"), PLAIN, "add"),
    (Agent("mcp_chat"), PLAIN, "add"),
    (Agent("claude_agent_sdk"), PLAIN, "mcp__calc__add"),
    (Agent("dspy_chat", streams=False, classes={"root": 5}, sequences=5), PLAIN, "react"),
    (Agent("qwen_agent_raw"), PLAIN, "add"),
    (Agent("qwen_agent_text"), PLAIN, "add_text"),  # it writes calls anew, with these spaces
    (Agent("strands_chat"), OLDER, "add"),
    (Agent("openhands_chat"), OLDER, "terminal"),
    (Agent("ai_chat"), NPM, "add"),
    (Agent("ai_responses"), NPM, "add"),
    (Agent("ai_responses_stateless"), NPM, "add"),
    (Agent("ai_messages"), NPM, "add"),
    (Agent("ai_compatible"), NPM, "add"),
    (Agent("agents_js_responses"), NPM, "add"),
    (Agent("agents_js_chat"), NPM, "add"),
    (Agent("claude_code", streams=False), NPM, "Bash"),
    (Agent("claude_subagent", streams=False, classes={"root": 2, "extends": 4}, sequences=2), NPM, "Agent"),
    (Agent("codex", streams=False), NPM, "exec_command"),
    (Agent("codex_namespace", streams=False), NPM, "multi_agent_v1__close_agent"),
    (Agent("opencode", streams=False, classes={"root": 2, "extends": 3}, sequences=2), NPM, "bash"),  # it asks for a title
    (Agent("qwen_code", streams=False), NPM, "run_shell_command"),
]  # fmt: skip
PACKAGES = {agent.loop: packages for agent, packages, _ in PROGRAMS}
TOOLS = {agent.loop: tool for agent, _, tool in PROGRAMS}


def due(prompt):
    """The kind of reply that is due."""
    label = label_of(prompt)
    tool = TOOLS[label.rsplit("-", 1)[0]] if label else "answer"
    said = prompt.count("<|im_start|>assistant") - 1
    if tool == "react":
        done = len(re.findall(r"\"observation_\d|\[\[ ## observation|observation_\d+", prompt))
        return tool if done < CALLS else "react_finish" if "next_tool_name" in prompt else "react_answer"
    if tool == "Agent":
        tool = "Bash" if "cc_is_subagent=true" in prompt else "Agent" if not said else "answer"
    elif not tool.startswith("add") and f'"name": "{tool}"' not in prompt:
        return "answer"  # a title
    if said < CALLS:
        return tool
    return "finish" if tool == "terminal" else "answer"


def newer_python():
    """A Python of at least 3.12, which some packages want; pyenv keeps its own out of the path."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    for python in ("python3", "python3.12", "python3.13", *sorted(pyenv.glob("versions/3.*/bin/python3"))):
        with contextlib.suppress(OSError):
            asked = subprocess.run([python, "-c", "import sys; print(sys.version_info >= (3, 12))"], capture_output=True, text=True, check=False)
            if asked.stdout.strip() == "True":
                return str(python)
    raise SystemExit("there is no Python of at least 3.12")


class Recording(Handler):
    """Passes requests on, and writes them and their replies down."""

    def do_GET(self):
        self.do_POST()

    def do_HEAD(self):
        self.do_POST()

    def do_POST(self):
        body = self.body()
        status, headers, text = self.pass_on(self.server.gateway, body)
        with open(self.server.record, "a", encoding="utf-8") as file:
            file.write(json.dumps([self.command, self.path, body.decode(), status, text.decode()]) + "\n")
        self.send(status, headers, text)


class Programs(Check):
    disturbances = (False,)

    def __init__(self, gateway, engine, record):
        super().__init__(gateway, engine, True)
        self.proxy.record, self.proxy.RequestHandlerClass = record, Recording
        if not record:
            self.proxy.url = gateway

    def answer(self, agent, to):
        packages = PACKAGES[agent.loop]
        given, env = [agent.loop, json.dumps(to._asdict())], {**os.environ, "PIP_NO_DEPS": "1", "REQUIREMENTS": packages, "PACKAGES": packages}
        if packages == NPM:
            command = [HERE / "node", HERE / "program_loops.mjs"]
        else:
            command, env = [HERE / "python", HERE / "program_loops.py"], {**env, "PYTHON": newer_python() if packages == OLDER else "python3"}
        done = subprocess.run(command + given, env=env, capture_output=True, text=True, check=False, timeout=300, stdin=subprocess.DEVNULL)
        if "\nANSWER\n" not in done.stdout:
            raise RuntimeError((done.stdout + done.stderr)[-2500:])
        return done.stdout.split("\nANSWER\n")[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("--record", help="a file for all requests and replies")
    parser.add_argument("--parallel", type=int, default=2, help="programs at once")
    parser.add_argument("programs", nargs="*", help="such as codex; none: all")
    options = parser.parse_args()
    chosen = [agent for agent, _, _ in PROGRAMS if not options.programs or agent.loop in options.programs]
    folder = tokenizer_of(MODELS["qwen3"])
    with engine(options.quintain, folder, REPLIES) as model:
        model.due = due
        well = examine(options, folder, model, chosen, lambda url: Programs(url, model, options.record))
    leave(well)


if __name__ == "__main__":
    main()
