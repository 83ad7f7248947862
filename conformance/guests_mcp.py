#!/usr/bin/env python3
"""Play tasks of quintain with the tools of MCP servers made with the package mcp, over pipes and over HTTP, by a model
of this script: results of calls are in the conversation, the task scores the answer, and a server that dies or hangs,
or ends its HTTP session gives no score. No server outlives its episode by much, or the run.
"""
import argparse
import contextlib
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

import fake_chat

SERVER = '''
import os, sys, time
from mcp.server.mcpserver import MCPServer
open(os.environ["STARTS"], "a").write(f"{os.getpid()}\\n")
m = MCPServer("calc")
state = {"calls": 0}
@m.tool()
def evaluate(expression: str) -> str:
    "Evaluate an arithmetic expression of numbers, + - * / and brackets."
    if set(expression) - set("0123456789+-*/(). "):
        raise ValueError("only numbers and + - * / ( )")
    state["calls"] += 1
    return str(eval(expression, {"__builtins__": {}}))
@m.tool()
def crash() -> str:
    "End the server."
    os._exit(3)
@m.tool()
def hang() -> str:
    "Wait."
    time.sleep(3600)
@m.tool()
def secret() -> str:
    "Tell the variables."
    return " ".join(sorted(os.environ))
if len(sys.argv) > 1:
    m.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    m.run()
'''


class Model(fake_chat.Handler):
    """A chat server that makes the calls of a plan, and then gives the last result as its answer."""

    plan = []

    def do_POST(self):
        asked = self.asked()
        results = [m["content"] for m in asked["messages"] if m["role"] == "tool"]
        question = next(m["content"] for m in reversed(asked["messages"]) if m["role"] == "user")
        message = {"role": "assistant", "content": f"<answer>{results[-1] if results else ''}</answer>"}
        if len(results) < len(self.plan):
            name, arguments = self.plan[len(results)]
            if arguments == "?":
                arguments = {"expression": max(re.findall(r"[-+*/() \d]+", question), key=len).strip()}
            call = {"id": f"c{len(results)}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            message = {"role": "assistant", "content": "", "tool_calls": [call]} if asked.get("tools") else {"role": "assistant", "content": "no tools"}
        reason = "tool_calls" if "tool_calls" in message else "stop"
        self.answer({"id": "x", "object": "chat.completion", "created": 0, "model": "m", "usage": {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10},
                     "choices": [{"index": i, "message": message, "finish_reason": reason} for i in range(asked.get("n") or 1)]})


class Trial:
    def __init__(self, program, folder, port, count):
        self.program, self.folder, self.port, self.count, self.wrong, self.n = program, folder, port, count, [], 0
        self.starts = folder / "starts"
        self.script = folder / "calc.py"
        self.script.write_text(SERVER)
        self.line = f"mcp:'{sys.executable}' '{self.script}'"

    def eval(self, tools, plan, *flags):
        """The episodes of an evaluation: (outcome, score, error), and what its tools said."""
        Model.plan, self.n = plan, self.n + 1
        out = self.folder / f"out{self.n}"
        done = subprocess.run([self.program, "eval", "--policy", "openai", "--model", "m", "--url", f"http://127.0.0.1:{self.port}/v1", "--tasks", "chain_sum:0", "--count", str(self.count),
                               "--with", "environment.keys=STARTS", "--with", "run.replays=1", "--with", "policy.retries=0", "--with", "exam.max_failed=1", "--out", out, *flags,
                               *(f for t in tools for f in ("--tools", t))], capture_output=True, text=True, timeout=600, env={**os.environ, "STARTS": str(self.starts), "MY_TOKEN": "x"})
        if not (out / "report.json").exists():
            return [("none", None, done.stderr[-1000:])], []
        records = subprocess.run([self.program, "export", "records", "--data", out], capture_output=True, text=True, check=True).stdout
        episodes = [e for line in records.splitlines() for e in json.loads(line)["episodes"]]
        told = [m["content"] for e in episodes for t in e["turns"] or [] for m in t["observed"] if m["role"] == "tool"]
        rows = json.loads((out / "report.json").read_text())["rows"]
        scores = [e["score"] for p in rows[0]["problems"] for e in p["episodes"] if e["outcome"] == "scored"]
        return [(e["outcome"], scores.pop(0) if e["outcome"] == "scored" else None, e.get("error") or "") for e in episodes], told

    def expect(self, what, got, outcome, score, says=""):
        episodes, told = got
        if len(episodes) != self.count or any(e[0] != outcome or e[1] != score or says not in e[2] for e in episodes):
            self.wrong.append(f"{what}: {episodes}, want {self.count} times {outcome} with {score} and {says!r}")
        return told

    def gone(self, what):
        """No server is left of those that were started."""
        until = time.monotonic() + 20
        left = [int(n) for n in self.starts.read_text().split()]
        while (left := [n for n in left if pathlib.Path(f"/proc/{n}/stat").exists() or alive(n)]) and time.monotonic() < until:
            time.sleep(0.1)
        if left:
            self.wrong.append(f"{what}: the servers {left} are left")
        self.starts.write_text("")


def alive(pid):
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def pipes(trial):
    line = trial.line
    told = trial.expect("a call", trial.eval([line], [("evaluate", "?")]), "scored", 1)
    if len(told) != 4 or not all(re.fullmatch(r"-?\d+", t) for t in told):
        trial.wrong.append(f"a call: the results are {told}")
    trial.gone("a call")
    told = trial.expect("wrong calls are told", trial.eval([line], [("evaluate", {"x": 1}), ("evaluate", {"expression": "import"}), ("evaluat", {}), ("secret", {}), ("evaluate", "?")]), "scored", 1)
    for says in ("xpression", "Error executing tool evaluate", "there is no tool", "STARTS"):
        if not any(says in t for t in told):
            trial.wrong.append(f"wrong calls: {says!r} is not among the results {told[:5]}")
    if any("MY_TOKEN" in t for t in told):
        trial.wrong.append("a server gets a variable that nobody passed on")
    trial.expect("a server that dies", trial.eval([line], [("crash", {})]), "env_failed", None, "the server ended")
    trial.expect("a server that hangs", trial.eval([line], [("hang", {})], "--with", "tools.call_time=1s"), "env_failed", None, "no answer in time")
    trial.gone("servers that fail")
    told = trial.expect("one session for all", trial.eval([line], [("evaluate", "?")], "--with", "tools.share=4"), "scored", 1)
    if len(trial.starts.read_text().split()) != 1:
        trial.wrong.append(f"one session for all: {trial.starts.read_text()!r}")
    trial.gone("one session for all")


@contextlib.contextmanager
def served(trial):
    """The address of a server over HTTP, until the end of the block."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    server = subprocess.Popen([sys.executable, trial.script, str(port)], env={**os.environ, "STARTS": str(trial.starts)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"mcp:http://127.0.0.1:{port}/mcp"
    finally:
        server.kill()
        server.wait()


def web(trial):
    with served(trial) as url:
        told = trial.expect("a call over HTTP", trial.eval([url], [("evaluate", "?")]), "scored", 1)
        if len(told) != 4:
            trial.wrong.append(f"a call over HTTP: the results are {told}")
        told = trial.expect("two servers", trial.eval([url, trial.line], [("calc__evaluate", {"expression": "1+1"}), ("calc2__evaluate", "?")]), "scored", 1)
        episodes, _ = trial.eval([url], [("crash", {})], "--with", "tools.restarts=1")
        if any(e[0] in ("scored", "model_failed") for e in episodes):
            trial.wrong.append(f"a server over HTTP that dies: {episodes}")
    episodes, _ = trial.eval([url], [("evaluate", "?")])
    if episodes[0][0] != "none" or "tools.servers" not in episodes[0][2]:
        trial.wrong.append(f"a server that is away: {episodes}")


def killed(trial):
    """No server outlives a run that is killed."""
    trial.gone("servers over HTTP")
    Model.plan = [("hang", {})]
    run = subprocess.Popen([trial.program, "eval", "--policy", "openai", "--model", "m", "--url", f"http://127.0.0.1:{trial.port}/v1", "--tasks", "chain_sum:0", "--count", "4",
                            "--with", "environment.keys=STARTS", "--out", trial.folder / "killed", "--tools", trial.line],
                           env={**os.environ, "STARTS": str(trial.starts)}, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while len(trial.starts.read_text().split()) < 5 and time.monotonic() < until:
        time.sleep(0.1)
    run.kill()
    run.wait()
    trial.gone("a run that is killed")


def short(trial):
    """A wrong call is told and a right one answered, over pipes and over HTTP; a server that dies in a call gives no score."""
    with served(trial) as url:
        for tools in (trial.line, url):
            told = trial.expect(f"calls of {tools}", trial.eval([tools], [("evaluate", {"expression": "import"}), ("evaluate", "?")]), "scored", 1)
            if sum("Error executing tool evaluate" in t for t in told) != trial.count:
                trial.wrong.append(f"calls of {tools}: the results are {told}")
            trial.expect(f"the death of {tools}", trial.eval([tools], [("crash", {})], "--with", "tools.restarts=1"), "env_failed", None)
    trial.gone("servers of the short part")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("--short", action="store_true", help="a few calls and two deaths")
    args = parser.parse_args()
    model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(os.path.abspath(args.quintain), pathlib.Path(folder), model.server_port, 1 if args.short else 4)
        for part in (short,) if args.short else (pipes, web, killed):
            began = time.monotonic()
            part(trial)
            print(f"{part.__name__}: {time.monotonic() - began:.0f} s", flush=True)
    for fault in trial.wrong:
        print("FAILED", fault)
    print(f"MCP servers as tools: {trial.n} evaluations of {trial.count} episodes, {len(trial.wrong)} faults")
    raise SystemExit(1 if trial.wrong else 0)


if __name__ == "__main__":
    main()
