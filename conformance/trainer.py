#!/usr/bin/env python3
"""Run the trainer of docs/trainer.md, verbatim, against a hub that is killed meanwhile.

Every group that was put must be trained on once.
"""
import argparse
import collections
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

import requests

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "trainer.md"
LINES = 14  # most lines of the trainer
BATCH, SIZE = 64, 8  # sequences of a batch, as on the page, and of a group


class Done(Exception):
    """All groups were trained on."""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(quintain, port, data):
    hub = subprocess.Popen([quintain, "hub", "--port", str(port), "--data", data, "--with", "hub.lease=5s"], stderr=subprocess.PIPE, text=True)
    for line in hub.stderr:
        if "listening on" in line:
            threading.Thread(target=hub.stderr.read, daemon=True).start()
            return hub
    raise SystemExit(f"the hub ended with status {hub.wait()}")


def put(url, groups):
    """Send groups, each with a name, until each has arrived."""
    for i in range(groups):
        group = {"id": f"g{i}", "tokens": [[i, j] for j in range(SIZE)], "masks": [[-100, j] for j in range(SIZE)], "scores": [i] * SIZE}
        while True:
            try:
                requests.post(f"{url}/scored_data", json=group, timeout=60).raise_for_status()
                break
            except requests.RequestException:
                time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--groups", type=int, default=400)
    parser.add_argument("--kills", type=int, default=4)
    options = parser.parse_args()
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL).group(1)
    port, trained = free_port(), collections.Counter()
    code = code.replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    if len(code.splitlines()) > LINES:
        raise SystemExit(f"the trainer of {PAGE.name} has more than {LINES} lines")

    def train(batch):
        sequences = sum(len(group["tokens"]) for group in batch)
        if sequences != BATCH:
            raise SystemExit(f"a batch has {sequences} sequences, want {BATCH}")
        if sum(trained.values()) == options.groups:
            raise Done
        trained.update(group["tokens"][0][0] for group in batch)
        time.sleep(0.02)
        return True

    ended = threading.Event()

    def run():
        try:
            exec(compile(code, str(PAGE), "exec"), {"train": train})
        except Done:
            pass
        finally:
            ended.set()

    with tempfile.TemporaryDirectory() as data:
        hub = start(options.quintain, port, data)
        threading.Thread(target=run, daemon=True).start()
        putting = threading.Thread(target=put, args=(f"http://127.0.0.1:{port}", options.groups), daemon=True)
        putting.start()
        for kill in range(options.kills):
            while sum(trained.values()) < options.groups * (kill + 1) // (options.kills + 2) and not ended.is_set():
                time.sleep(0.01)
            hub.kill()
            hub.wait()
            hub = start(options.quintain, port, data)
        putting.join()
        for i in range(BATCH // SIZE):  # the batch that ends the trainer
            put_last = {"tokens": [[options.groups, j] for j in range(SIZE)], "masks": [[-100, j] for j in range(SIZE)], "scores": [i] * SIZE}
            requests.post(f"http://127.0.0.1:{port}/scored_data", json=put_last, timeout=60).raise_for_status()
        done = ended.wait(120)
        hub.terminate()
        hub.wait()
    wrong = [i for i in range(options.groups) if trained[i] != 1]
    if not done or wrong:
        print(f"{len(trained)} of {options.groups} groups were trained on; not exactly once: {wrong[:10]}", file=sys.stderr)
        sys.exit(1)
    print(f"{options.groups} groups, each trained on once, over {options.kills} kills of the hub")


if __name__ == "__main__":
    main()
