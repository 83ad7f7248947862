#!/usr/bin/env python3
"""The task of docs/deploy/skypilot: SkyPilot reads it, and the commands that it would run on two nodes play here.

    REQUIREMENTS=skypilot.txt conformance/python conformance/skypilot.py --quintain bin/quintain
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

TASK = pathlib.Path(__file__).resolve().parent.parent / "docs" / "deploy" / "skypilot" / "quintain.yaml"
KEYS = {"WORKER_KEY": "w0rker", "TRAINER_KEY": "tra1ner"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def read(folder, program):
    """The task, as sky launch reads it in a folder with the program."""
    os.chdir(folder)
    (folder / "bin").mkdir()
    shutil.copy(program, folder / "bin" / "quintain")
    os.environ["HOME"] = str(folder)
    import sky
    import yaml

    task = sky.Task.from_yaml_config(yaml.safe_load(TASK.read_text()), secrets_overrides=list(KEYS.items()))
    secrets = {name: value.get_secret_value() for name, value in task.secrets.items()}
    if task.num_nodes != 2 or secrets != KEYS or task.file_mounts != {"~/quintain": "./bin/quintain"}:
        raise SystemExit(f"SkyPilot reads {task.num_nodes} nodes, the secrets {secrets} and the mounts {task.file_mounts}")
    print(task)
    return task


def start(task, folder, rank, port):
    """Start what the task runs on a node, whose home is a folder here."""
    home = folder / f"node-{rank}"
    home.mkdir()
    shutil.copy(folder / "bin" / "quintain", home / "quintain")
    shapes = "--tasks chain_sum --complexity-mode none --with rules.keep_equal=true --group-size 4 --exam-problems 0"
    own = {
        "HOME": str(home), "SKYPILOT_NODE_RANK": str(rank), "SKYPILOT_NODE_IPS": "127.0.0.1\n127.0.0.1", "ENGINE_PORT": str(free_port()),
        "ENGINE": "~/quintain policy fake --port $ENGINE_PORT --first-token 1s", "WORKER": "--slots 16", "RUN": f"--consumer hub --tokenizer bytes {shapes}",
    }  # fmt: skip
    script = task.run.replace("8000", str(port))
    with (home / "log").open("wb") as log:
        return subprocess.Popen(["bash", "-c", script], cwd=home, env={**os.environ, **task.envs, **KEYS, **own}, stdout=log, stderr=log)


def names(port):
    """The workers that play."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/runs/default/workers", headers={"X-API-Key": KEYS["TRAINER_KEY"]})
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return {w["name"] for w in json.load(reply)["workers"] if w["leases"]}
    except OSError:
        return set()


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("--quintain", required=True, type=pathlib.Path)
    program = flags.parse_args().quintain.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder, port = pathlib.Path(name), free_port()
        task = read(folder, program)
        nodes = [start(task, folder, rank, port) for rank in range(2)]
        try:
            end = time.monotonic() + 60
            while names(port) != {"node-0", "node-1"}:
                if time.monotonic() > end or any(node.poll() is not None for node in nodes):
                    raise SystemExit("no two workers: " + "\n".join((folder / f"node-{i}" / "log").read_text() for i in range(2)))
                time.sleep(0.1)
            print("the workers of both nodes play")
        finally:
            for node in reversed(nodes):
                node.send_signal(signal.SIGTERM)
            for node in nodes:
                node.wait(60)
        print("both nodes have ended")


if __name__ == "__main__":
    main()
