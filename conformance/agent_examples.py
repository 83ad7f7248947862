#!/usr/bin/env python3
"""Run the examples of sessions as their heads say, until a trainer has groups of them.

    REQUIREMENTS=agents.txt PIP_NO_DEPS=1 conformance/python conformance/agent_examples.py --quintain bin/quintain

The head of an example has two commands. The first starts the gateway: it is run with the address, the tokenizer and the
data folder of this test. The second starts the agents. The engine is our fake server with the tokenizer of a real model.
"""
import argparse
import contextlib
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import agent_clients
import examples
from agent_clients import THOUGHT, asks
from serving import call, free_port, started

ROOT = examples.ROOT
LINES = 60  # of an example, at most
GROUPS = 3  # until the trainer has so many
ANSWERS = {"answer": ["<answer>3</answer>", THOUGHT + "<answer>7</answer>", "42"]}
EXAMPLES = {  # what the model says
    "openai_tools.py": {"tool": [asks("calculate", '{"expression": "1 + 2"}'), THOUGHT + asks("calculate", '{"expression": "__import__"}')], **ANSWERS},
    "anthropic_tools.py": {"tool": [asks("stock", '{"article": "nails"}'), "I look.\n" + asks("stock", '{"article": "beer"}')], **ANSWERS},
    "openai_agents.py": {"tool": [asks("guess", '{"number": 50}'), asks("guess", '{"number": 7}')], **ANSWERS},
    "smolagents_tools.py": {"tool": [asks("reverse", '{"text": "abc"}')], "final_answer": [asks("final_answer", '{"answer": "cba"}')]},
    "tools.mts": {"tool": [asks("binary", '{"number": 5}'), asks("binary", '{"number": 0.5}')], **ANSWERS},
}


def commands(example):
    """The two commands of an example."""
    text = (ROOT / "docs" / "examples" / "sessions" / example).read_text(encoding="utf-8")
    if text.count("\n") > LINES:
        raise SystemExit(f"{example}: has {text.count(chr(10))} lines, want {LINES} at most")
    found = re.findall(r"^(?:// )?    ((?:quintain|python|npx) .*)$", text, re.MULTILINE)
    if len(found) != 2 or found[1].split()[-1] != f"docs/examples/sessions/{example}":
        raise SystemExit(f"{example}: want two commands, quintain run … and that of the example; found {found}")
    return [shlex.split(command) for command in found]


def batches(hub, example, agents):
    """A trainer that takes groups; it returns their sequences."""
    call("POST", f"{hub}/register", {
        "wandb_group": "", "wandb_project": "", "batch_size": 1, "batch_unit": "groups", "max_token_len": 1 << 20, "checkpoint_dir": "",
        "save_checkpoint_interval": 0, "starting_step": 0, "num_steps": 1 << 30,
    })  # fmt: skip
    found, until = [], time.monotonic() + 120
    while len(found) < GROUPS and time.monotonic() < until:
        headers, reply = call("POST", f"{hub}/batches?wait=2")
        if reply.get("batch"):
            found += reply["batch"]
            call("POST", f"{hub}/batches/{headers['Quintain-Batch']}/ack")
        elif agents.poll() is not None:
            raise SystemExit(f"{example}: ended with status {agents.returncode}\n{agents.stdout.read()}")
    return found


def play(options, example, tokenizer, site):
    """Play an example; returns a line about it."""
    first, second = commands(example)
    began, port = time.monotonic(), free_port()
    environment = {**os.environ, "PYTHONPATH": str(site), "QUINTAIN_URL": f"http://127.0.0.1:{port}", "HF_HUB_OFFLINE": "1"}
    with tempfile.TemporaryDirectory() as scratch, agent_clients.engine(options.quintain, tokenizer, EXAMPLES[example]) as engine:
        own = {"quintain": options.quintain, "http://127.0.0.1:8001": engine.url, "my-model": tokenizer}
        flags = ["--port", str(port), "--data", f"{scratch}/data", "--with", "rules.keep_equal=true", "--group-size", "4", "--batch-size", "8", "--max-tokens", "500", "--exam-problems", "0"]
        with started([own.get(word, word) for word in first] + flags, "hub on"):
            command = [str(ROOT / "conformance" / "node"), second[-1]] if second[0] == "npx" else [sys.executable, *second[1:]]
            with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True) as agents:
                try:
                    groups = batches(f"http://127.0.0.1:{port}/v1/runs/default", example, agents)
                    os.killpg(agents.pid, signal.SIGINT)
                    said, _ = agents.communicate(timeout=60)
                finally:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(agents.pid, signal.SIGKILL)
    rewards = sorted({score for group in groups for score in group["scores"]})
    tokens = sum(mask != agent_clients.UNTRAINED for group in groups for masks in group["masks"] for mask in masks)
    if len(groups) < GROUPS or second[0] == "python" and agents.returncode:
        raise SystemExit(f"{example}: {len(groups)} groups, status {agents.returncode}\n{said[-3000:]}")
    want = GROUPS * 4 * (4 if example.startswith("smolagents") else 1)  # it rewrites its history: a sequence for each call
    if sum(len(g["tokens"]) for g in groups) != want or not tokens:
        raise SystemExit(f"{example}: {[len(g['tokens']) for g in groups]} sequences, want {want}")
    return f"{len(groups)} groups, {sum(len(g['tokens']) for g in groups)} sequences, {tokens} trained tokens, rewards {rewards}, {time.monotonic() - began:.1f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("examples", nargs="*", help="such as tools.mts; none: all")
    options = parser.parse_args()
    tokenizer = agent_clients.tokenizer_of(agent_clients.MODEL)
    with tempfile.TemporaryDirectory() as folder:
        site = examples.install(pathlib.Path(folder))
        for example in options.examples or EXAMPLES:
            print(f"{example}: {play(options, example, tokenizer, site)}", flush=True)


if __name__ == "__main__":
    main()
