#!/usr/bin/env python3
"""Run the trainer of docs/async-grpo.md, verbatim, with each of its ways to load weights, between Quintain and its
fake server.

No sequence may be older than the bound when it is trained on, no label newer than the server's weights, and none
unknown, unless the server begins with the label of another run; no episode may fail because weights are loaded. Then
some calls of the page are left out: labels may become too old, never too new.
"""
import argparse
import collections
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

import requests

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "async-grpo.md"
UNTRAINED = -100
MAX_LAG = 2
PAUSES = ("/pause", "/resume", "/pause_generation", "/continue_generation")


class Done(Exception):
    """The trainer gets no more batches."""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(command, says):
    """Start a program, and return it after its first output."""
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lines = []
    for line in program.stderr:
        lines.append(line)
        if says in line:
            threading.Thread(target=program.stderr.read, daemon=True).start()
            return program
    raise SystemExit(f"{command[1]} ended with status {program.wait()}\n{''.join(lines)}")


class Watch:
    """The trainer's loaded weights and its batches."""

    def __init__(self, steps, seconds, label):
        self.steps, self.seconds, self.step, self.loaded = steps, seconds, 0, 0
        self.unknown = MAX_LAG + 1 if label else 0  # batches that may begin before the trainer's first word
        self.lags, self.faults = collections.Counter(), []

    def save(self, n):
        self.loaded = n
        return f"my-run/step-{n}"

    def train(self, batch):
        for group in batch:
            for masks, versions in zip(group["masks"], group["versions"]):
                labels = [v for v, mask in zip(versions, masks) if mask != UNTRAINED]
                if max(labels) > self.loaded:
                    self.faults.append(f"step {self.step}: a label {max(labels)}, and the server had {self.loaded} at most")
                if min(labels) < 0:
                    if self.step >= self.unknown:
                        self.faults.append(f"step {self.step}: the version is unknown")
                    continue
                if self.step - min(labels) > MAX_LAG:
                    self.faults.append(f"step {self.step}: a label {min(labels)}, and the bound is {MAX_LAG}")
                self.lags[self.step - min(labels)] += 1
        self.step += 1
        time.sleep(self.seconds)


def play(options, shape, without, label=0):
    """Run the trainer of the page with a server of a shape, and return the faults. Calls with a path in without are
    left out. The server begins with a label for the version of its weights."""
    loop, *loads = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    code = next(load for load in loads if ("update_weights_from_disk" in load) == (shape == "sglang")) + loop
    server_port, hub_port = free_port(), free_port()
    code = code.replace("127.0.0.1:8000", f"127.0.0.1:{hub_port}").replace("127.0.0.1:8001", f"127.0.0.1:{server_port}").replace("wait=30", "wait=10")
    watch = Watch(options.steps, options.seconds, label)
    starved = "/update_weight_version" in without  # then all samples soon look too old
    send = requests.Session.post

    def post(session, url, **rest):
        path = url[url.index("/", 8):].split("?")[0]
        if path in without:
            answer = requests.Response()
            answer.status_code = 200
            return answer
        if path.endswith("/batches") and watch.step == options.steps:
            raise Done
        answer = send(session, url, **rest)
        if answer.status_code == 204 and starved and watch.step > MAX_LAG:
            raise Done
        return answer

    with tempfile.TemporaryDirectory() as data:
        programs = [start([options.quintain, "fake-server", "--port", str(server_port), "--shape", shape, "--weight-version", str(label), "--rate", "100", "--length", "uniform:20-120"], "listening")]
        try:
            programs.append(start([
                options.quintain, "run", "--policy", "server", "--url", f"http://127.0.0.1:{server_port}", "--tokenizer", "bytes", "--consumer", "hub",
                "--tasks", "chain_sum", "--keep-equal", "--batch-size", "64", "--group-size", "8", "--max-lag", str(MAX_LAG), "--steps", str(options.steps), "--port", str(hub_port), "--data", data, "--report", f"{data}/report.json",
            ], "hub on"))
            requests.Session.post = post
            exec(compile(code, str(PAGE), "exec"), {"train": watch.train, "save": watch.save})
        except Done:
            if watch.step == options.steps:
                programs[1].wait(120)
                with open(f"{data}/report.json", encoding="utf-8") as report:
                    failed = json.load(report)["episodes"].get("infra_failed", 0)
                if failed:
                    watch.faults.append(f"{failed} episodes failed")
        finally:
            requests.Session.post = send
            for program in programs:
                program.kill()
                program.wait()
    if watch.step != (MAX_LAG + 1 if starved else options.steps):
        watch.faults.append(f"there were {watch.step} batches")
    left_out = f" without {', '.join(without)}" if without else ""
    print(f"{shape}{left_out}, from label {label}: {watch.step} steps, sequences by their lag {dict(sorted(watch.lags.items()))}, {len(watch.faults)} faults")
    return watch.faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=0.5, help="that a step takes")
    options = parser.parse_args()
    faults = []
    for shape, without in (("vllm", ()), ("sglang", ()), ("vllm", PAUSES), ("sglang", PAUSES), ("vllm", ("/update_weight_version",))):
        faults += play(options, shape, without)
    for shape in ("vllm", "sglang"):  # still labelled by an earlier run
        faults += play(options, shape, (), 10)
    for fault in faults[:10]:
        print(fault, file=sys.stderr)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
