#!/usr/bin/env python3
"""Compare `quintain env serve` with an environment on Atropos' BaseEnv that works like its ReasoningGym environment.

    go build -o quintain ./cmd/quintain
    conformance/python bench/environment.py --quintain ./quintain

Atropos' package does not contain that environment, so `Peer` below is our own: problems of reasoning-gym, one request
for all replies of a group through its ManagedServer, answers and scores by reasoning-gym, its loop, its posts. Both
use the same `quintain policy fake`, which answers at once like vLLM, play the same tasks in groups of the same size,
keep groups of equal scores, and post to a hub: the real run-api, or `quintain hub`. This process takes the batches.
The processor time of a group shows the work of each process, even where others use the same processors.
"""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

SIZE, BATCH, AHEAD = 8, 32, 64  # sequences of a group and of a batch; batches that may wait
SIX = ["gcd", "chain_sum", "count_primes", "spell_backward", "word_sorting", "number_sorting"]  # quick to make
SYSTEM = 8 * "Think the problem through between <think> and </think>. Then give your final answer between <answer> and </answer>, exactly once. "  # as long as ours
REPLIES = [f"<think>{n * 'so '}</think><answer>{a}</answer>" for n, a in ((1, "1"), (2, "2"), (3, "4"), (4, "word"), (5, "12"))]  # short: the server is not measured


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def make_tokenizer(folder):
    """A tokenizer with the bytes of the text as tokens, like `quintain policy fake`."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    plain = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or 174 <= b]  # written as themselves, the others from 256 on
    letters = {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(b for b in range(256) if b not in plain)}
    tok = Tokenizer(models.BPE(vocab={letter: b for b, letter in letters.items()}, merges=[]))
    tok.pre_tokenizer, tok.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False), decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tok)
    fast.chat_template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"
    fast.save_pretrained(folder)


def play_as_peer(url, model, tokenizer, *tasks):
    """Run the environment on BaseEnv, until the process is killed."""
    import reasoning_gym
    from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig, ScoredDataGroup
    from reasoning_gym.utils import extract_answer

    class Peer(BaseEnv):
        """Plays reasoning-gym like Atropos' environment."""

        name = "peer"

        async def setup(self):
            self.rng, self.iter = random.Random(1), 0

        async def evaluate(self, *_, **__):
            pass

        async def get_next_item(self):
            data = reasoning_gym.create_dataset(self.rng.choice(tasks), size=1, seed=self.iter)
            self.iter += 1
            return data[0], data

        def score_answer(self, text, item, data):
            rest = re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL | re.IGNORECASE)
            if len(re.findall(r"<answer>.*?</answer>", rest, flags=re.DOTALL | re.IGNORECASE)) > 1:
                return 0.0
            answer = extract_answer(text, tag_name="answer")
            best = 0.0
            for form in (answer, f"<answer>{answer}</answer>") if answer is not None else ():
                with contextlib.suppress(Exception):
                    best = max(best, min(1.0, max(0.0, data.score_answer(form, item))))
            return best

        async def collect_trajectories(self, item):
            item, data = item
            messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": item["question"]}]
            prompt = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
            room = self.config.max_token_length - len(self.tokenizer.encode(prompt))

            async with self.server.managed_server(tokenizer=self.tokenizer) as managed:
                reply = await managed.completion(prompt=prompt, n=self.config.group_size, max_tokens=room, temperature=1.0, top_p=0.95)
                nodes = managed.get_state()["nodes"]
            group = ScoredDataGroup(tokens=[], masks=[], scores=[], inference_logprobs=[], overrides=[])
            for choice, node in zip(reply.choices, nodes, strict=True):
                group["tokens"].append(node.tokens)
                group["masks"].append(node.masked_tokens)
                group["inference_logprobs"].append(node.logprobs)
                group["scores"].append(self.score_answer(choice.text, item, data))
                group["overrides"].append({"set_advantage_to_zero": True} if choice.finish_reason == "length" else {})
            group["group_overrides"] = {}
            return group, []

    config = BaseEnvConfig(
        group_size=SIZE, max_num_workers=64, max_token_length=16384, steps_per_eval=0, total_steps=10**9, use_wandb=False, wandb_name="peer", rollout_server_url=url,
        tokenizer_name=tokenizer, max_batches_offpolicy=AHEAD, ensure_scores_are_not_same=False,
    )
    servers = [APIServerConfig(base_url=model + "/v1", api_key="x", model_name="fake", server_type="vllm", tokenizer_name=tokenizer, health_check=False, num_max_requests_at_once=128)]
    asyncio.run(Peer(config, servers, slurm=False, testing=False).env_manager())


def common(quintain):
    """The tasks that both have."""
    from reasoning_gym.factory import DATASETS

    lines = subprocess.run([quintain, "tasks", "list", "--json"], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    ours = {json.loads(line)["name"] for line in lines}
    return [name for name in DATASETS if name in ours]


def fetch(url, path, body=None):
    request = urllib.request.Request(url + path, json.dumps(body).encode() if body else None, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.read()


def ask(url, path, body=None):
    return json.loads(fetch(url, path, body))


def started(command, url, path, log):
    """A process that answers at url + path."""
    process = subprocess.Popen(command, stdout=log, stderr=log)
    for _ in range(600):
        with contextlib.suppress(OSError):
            ask(url, path)
            return process
        time.sleep(0.1)
    raise SystemExit(f"{command}: no answer")


def memory(process):
    """Megabytes of memory: the peak, and the pages not of a file."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as lines:
        fields = dict(line.split(":", 1) for line in lines)
    return [int(fields[name].split()[0]) / 1e3 for name in ("VmHWM", "RssAnon")]


def spent(process):
    """Seconds of processor time of a process."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as line:
        user, system = line.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def measure(side, hub, seconds, to):
    """Groups per second, the longest pause without one, and the memory of an environment."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    serve = [to["quintain"], "hub", "--data", to["scratch"] / f"hub-{side}"] if hub == "quintain hub" else [sys.executable, "-m", "atroposlib.cli.run_api"]
    if side == "ours":
        env = [to["quintain"], "env", "serve", "--hub", url, "--data", to["scratch"] / hub.replace(" ", "-"), "--env.group_size", str(SIZE), "--env.max_num_workers", "64",
               "--env.total_steps", "1000000000", "--env.max_batches_offpolicy", str(AHEAD), "--env.steps_per_eval", "0", "--env.min_batch_allocation", "None",
               "--env.ensure_scores_are_not_same", "False", "--env.complexity_mode", "None", "--openai.base_url", to["model"] + "/v1", "--openai.model_name", "fake",
               "--openai.server_type", "vllm", "--tokenizer", "bytes", "--tasks", ",".join(to["tasks"])]
    else:
        env = [sys.executable, __file__, "--peer", url, to["model"], to["tokenizer"], *to["tasks"]]
    with open(to["scratch"] / "log", "w+", encoding="utf-8") as log:
        api = started([*serve, "--host", "127.0.0.1", "--port", str(port)], url, "/info", subprocess.DEVNULL)
        ask(url, "/register", {"wandb_group": "g", "wandb_project": "p", "batch_size": BATCH, "max_token_len": 16384, "checkpoint_dir": "c",
                               "save_checkpoint_interval": 0, "starting_step": 0, "num_steps": 10**9})
        ask(url, "/batch")
        process = subprocess.Popen(env, stdout=log, stderr=log)
        try:
            begin = last = None
            groups, pause, deadline = 0, 0.0, time.monotonic() + 120
            while begin is None or time.monotonic() < begin + seconds:
                batch, now = fetch(url, "/batch"), time.monotonic()
                if process.poll() is not None or begin is None and now > deadline:
                    log.seek(0)
                    raise SystemExit(f"{side}: the environment does not play:\n{log.read()[-3000:]}")
                if len(batch) < 100:  # no batch
                    time.sleep(0.01)
                    continue
                if begin is None:
                    begin = last = now  # the first batch is the warm-up
                    before = [spent(p) for p in (process, api, to["server"])]
                    continue
                groups += BATCH // SIZE
                pause, last = max(pause, now - last), now
            cost = [1e3 * (spent(p) - b) / groups for p, b in zip((process, api, to["server"]), before)]
            return groups / (time.monotonic() - begin), pause, *memory(process), *cost
        finally:
            for one in (process, api):
                one.kill()
                one.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain")
    parser.add_argument("--seconds", type=float, default=30, help="of each measurement")
    parser.add_argument("--all", action="store_true", help="play all tasks, the default of Atropos' environment, not six that are quick to make")
    parser.add_argument("--peer", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", WANDB_MODE="disabled", TOKENIZERS_PARALLELISM="false")
    if options.peer:
        return play_as_peer(*options.peer)
    with tempfile.TemporaryDirectory() as name:
        scratch, port = pathlib.Path(name), free_port()
        make_tokenizer(scratch / "tokenizer")
        replies = scratch / "replies.jsonl"
        replies.write_text("".join(json.dumps({"text": text}) + "\n" for text in REPLIES))
        quintain = os.path.abspath(options.quintain)
        to = {"quintain": quintain, "scratch": scratch, "model": f"http://127.0.0.1:{port}", "tokenizer": scratch / "tokenizer", "tasks": common(quintain) if options.all else SIX}
        with open(scratch / "model.log", "w", encoding="utf-8") as log:
            model = started([to["quintain"], "policy", "fake", "--port", str(port), "--first-token", "0s", "--rate", "0", "--shape", "vllm", "--interval", "4096", "--replies", replies],
                            to["model"], "/v1/models", log)
            to["server"] = model
            try:
                print(f"{os.cpu_count()} cores; groups of {SIZE}, tasks {'all ' + str(len(to['tasks'])) if options.all else ', '.join(SIX)}; {options.seconds:.0f} s each\n")
                print("| hub | environment | groups/s | longest pause, s | memory, MB: most | without files | processor time of a group, ms: environment | hub | server |\n|---|---|--:|--:|--:|--:|--:|--:|--:|")
                for hub in ("run-api", "quintain hub"):
                    rows = {}
                    for side in ("ours", "theirs"):
                        rows[side] = rate, pause, most, own, *cost = measure(side, hub, options.seconds, to)
                        print(f"| {hub} | {side} | {rate:.1f} | {pause:.2f} | {most:.0f} | {own:.0f} | {' | '.join(f'{c:.2f}' for c in cost)} |", flush=True)
                    (rate, _, *ours), (rival, _, *theirs) = rows["ours"], rows["theirs"]
                    less = " | ".join(f"{b / a:.1f}" for a, b in zip(ours[:3], theirs))
                    print(f"| {hub} | ratio | {rate / rival:.1f} | | {less} | | |", flush=True)
            finally:
                model.kill()
                model.wait()


if __name__ == "__main__":
    main()
