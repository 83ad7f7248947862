#!/usr/bin/env python3
"""Run an environment on Atropos' own BaseEnv, and a trainer like its examples, with `quintain hub`.

The environment runs its own loop (`env_manager`, which `serve` runs): it registers, polls its status, plays against a
model server of ours and posts groups, compressed by its own code, until its own rule ends it. Its tokenizer is made
here and has a token for each byte. The trainer registers and polls for batches. Every group must arrive exactly once
and unchanged, in batches of the registered size. The cases: single groups, lists of groups, groups of half the
registered size, two environments with a minimum each, and the path of another run.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import logging
import os
import random
import sys
import tempfile
import threading
import time
import urllib.request
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import hub_parity

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", WANDB_MODE="disabled", TOKENIZERS_PARALLELISM="false")
GROUPS = 8  # groups that each environment sends
SECONDS = 90  # time limit for one case
SENT = "tokens masks scores advantages ref_logprobs messages inference_logprobs overrides group_overrides images env_id".split()


def make_tokenizer(folder):
    """A tokenizer with bytes as tokens: every text has one encoding, and nothing is downloaded."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    specials = ["<pad>", "<end>"]
    vocab = {t: i for i, t in enumerate(specials + sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tok = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tok.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", eos_token="<end>")
    fast.chat_template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}<end>{% endfor %}"
    fast.save_pretrained(folder)


class Model:
    """A server for chat completions with replies that always differ."""

    def __init__(self):
        model = self
        self.calls, self.rng, self.lock = 0, random.Random(3), threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, reply):
                body = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.answer({"object": "list", "data": [{"id": "toy", "object": "model"}]})

            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with model.lock:
                    model.calls += 1
                    texts = [f"naïve 漢字 {model.rng.random()} \"x\"" for _ in range(asked.get("n") or 1)]
                choices = [{"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": t}} for i, t in enumerate(texts)]
                usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                self.answer({"id": "x", "object": "chat.completion", "created": 1, "model": "toy", "choices": choices, "usage": usage})

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, client_address):
                pass  # a client that hangs up is not an error

        self.http = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


def environment_class():
    """The class of our Atropos environment; its base class is imported only now."""
    from atroposlib.envs.base import BaseEnv, ScoredDataGroup

    class Probe(BaseEnv):
        """Plays groups with random scores, and records its posts."""

        name = "probe"
        kind = "single"  # or list, or halves

        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.sent, self.items = [], 0

        async def setup(self):
            pass

        async def evaluate(self, *_, **__):
            pass

        async def get_next_item(self):
            if self.items >= GROUPS:
                return None
            self.items += 1
            return {"question": f"{self.config.wandb_name} {self.items}?"}

        async def collect_trajectories(self, item):
            size = self.config.group_size // (2 if self.kind == "halves" else 1)
            reply = await self.server.chat_completion(messages=[{"role": "user", "content": item["question"]}], n=size, max_tokens=64)
            group = ScoredDataGroup(tokens=[], masks=[], scores=[], messages=[], inference_logprobs=[], overrides=[])
            for i, choice in enumerate(reply.choices):
                question, said = (self.tokenizer.encode(text, add_special_tokens=False) for text in (item["question"], choice.message.content))
                group["tokens"].append(question + said)
                group["masks"].append([-100] * len(question) + said)
                group["scores"].append(float(i) + random.random())
                group["inference_logprobs"].append([1.0] * len(question) + [-random.random() for _ in said])
                group["messages"].append([{"role": "user", "content": item["question"]}, {"role": "assistant", "content": choice.message.content, "n": 2**60 + 1}])
                group["overrides"].append({"set_advantage_to_zero": bool(i % 2)})
            group["group_overrides"] = {"group_size": size, "nonce": random.random()}
            return ([group, {**group, "group_overrides": {"group_size": size, "nonce": random.random()}}] if self.kind == "list" else group), []

        def _post_json_with_compression(self, session, url, payload, **options):
            self.sent.extend(json.loads(json.dumps(payload if isinstance(payload, list) else [payload])))
            return super()._post_json_with_compression(session, url, payload, **options)

    return Probe


def make_environment(probe, case, number, options):
    """An environment for a case, made from settings as usual."""
    from atroposlib.envs.base import APIServerConfig, BaseEnvConfig

    config = BaseEnvConfig(
        group_size=4, max_num_workers=4, max_token_length=1024, steps_per_eval=0, total_steps=options["steps"], use_wandb=False, wandb_name=f"{case['name']}{number}",
        rollout_server_url=options["url"], tokenizer_name=options["tokenizer"], max_batches_offpolicy=64, min_batch_allocation=case.get("minimum"), ensure_scores_are_not_same=False,
    )
    servers = [APIServerConfig(base_url=options["model"], api_key="x", model_name="toy", health_check=False)]
    env = probe(config, servers, slurm=False, testing=False)
    env.kind = case["kind"]
    return env


class Trainer(threading.Thread):
    """Registers, and takes batches until it is told to end."""

    def __init__(self, url, batch_size):
        super().__init__(daemon=True)
        self.url, self.batch_size, self.groups, self.faults, self.ended = url, batch_size, [], [], threading.Event()

    def call(self, path, body=None):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode() if body else None, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as reply:
            return json.loads(reply.read())

    def run(self):
        try:
            uuid = self.call("/register", {**hub_parity.TRAINER, "batch_size": self.batch_size, "max_token_len": 4096, "starting_step": 0, "num_steps": 1000})["uuid"]
            assert isinstance(uuid, int)
            while not self.ended.is_set():
                batch = self.call("/batch")["batch"]
                if batch is None:
                    self.ended.wait(0.2)
                    continue
                self.groups += batch
                size = sum(len(g["tokens"]) for g in batch)
                if size != self.batch_size:
                    self.faults.append(f"a batch has {size} sequences, want {self.batch_size}")
        except Exception as fault:
            self.faults.append(f"the trainer ended: {type(fault).__name__}: {fault}")


def content(group):
    """The fields that must arrive unchanged, as JSON text, so that integers and floats differ."""
    return json.dumps([group.get(field) for field in SENT])


async def serve(envs):
    """Run the loops of environments to their end. Loops that take too long are cancelled."""
    loops = [asyncio.create_task(env.env_manager()) for env in envs]
    done, late = await asyncio.wait(loops, timeout=SECONDS)
    for loop in late:
        loop.cancel()
    faults = [f"an environment's loop did not end in {SECONDS} s"] * len(late)
    for loop in done:
        if loop.exception():
            faults.append(f"an environment's loop failed: {type(loop.exception()).__name__}: {loop.exception()}")
    return faults


def run_case(probe, case, options):
    """Run one case: (summary, faults)."""
    batch = 8
    per_item = {"list": 2, "single": 1, "halves": 1}[case["kind"]]
    size = 2 if case["kind"] == "halves" else 4
    sequences = GROUPS * per_item * size * case["envs"]
    # The environment's own rule ends it when the steps made and the waiting batches
    # exceed its total.
    options = {**options, "steps": sequences // batch - 1}
    trainer = Trainer(options["url"], batch)
    trainer.start()
    envs = [make_environment(probe, case, i, options) for i in range(case["envs"])]
    faults = asyncio.run(serve(envs))
    deadline = time.monotonic() + 20
    sent = [g for env in envs for g in env.sent]
    while len(trainer.groups) < len(sent) and time.monotonic() < deadline and not trainer.faults:
        time.sleep(0.1)
    trainer.ended.set()
    trainer.join()
    want, got = (collections.Counter(content(g) for g in groups) for groups in (sent, trainer.groups))
    if want != got or not sent:
        faults.append(f"{len(sent)} groups were sent, {sum((want - got).values())} did not arrive unchanged, {sum((got - want).values())} arrived that were not sent, or arrived twice")
    return f"{len(sent)} groups of {case['envs']} environments, {len(trainer.groups)} arrived", faults + trainer.faults


CASES = [
    {"name": "single", "kind": "single", "envs": 1},
    {"name": "list", "kind": "list", "envs": 1},
    {"name": "halves", "kind": "halves", "envs": 1},
    {"name": "minimums", "kind": "single", "envs": 2, "minimum": 0.5},
    {"name": "run", "kind": "single", "envs": 1, "path": "/v1/runs/exp2"},
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        tokenizer = os.path.join(scratch, "tokenizer")
        make_tokenizer(tokenizer)
        probe, model = environment_class(), Model()
        logging.disable(logging.CRITICAL)
        for case in CASES:
            with hub_parity.server([os.path.abspath(args.quintain), "hub", "--data", os.path.join(scratch, case["name"])]) as side:
                url = f"http://127.0.0.1:{side.connection.port}"
                if "path" in case:
                    side.ask("PUT", case["path"])
                options = {"url": url + case.get("path", ""), "tokenizer": tokenizer, "model": model.url}
                with contextlib.redirect_stdout(open(os.devnull, "w", encoding="utf-8")):
                    told, faults = run_case(probe, case, options)
                side.connection.close()
            print(f"{case['name']:9} {told}", *(f"FAILED {fault}" for fault in faults), sep="\n  " if faults else " ", flush=True)
            failed += bool(faults)
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.stdout.flush()
    os._exit(1 if failed or not model.calls else 0)  # do not wait for the threads of the clients


if __name__ == "__main__":
    main()
