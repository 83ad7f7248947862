#!/usr/bin/env python3
"""Run `quintain env serve` for the real run-api of Atropos and for `quintain hub`, each killed and restarted
meanwhile, and read the output of `quintain env process` with Atropos' own tools.

Batches are taken by the functions of Atropos' example trainer that register it and read batches, with NumPy instead
of PyTorch. No group may come twice, except for the batch that was unacknowledged when the hub of Quintain was killed,
which it hands out again. That hub must get all groups; run-api forgets its groups when it is killed.
"""

import argparse
import collections
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types

import numpy
import requests

BATCH, SIZE, STEPS = 32, 4, 40  # sequences of a batch and of a group; steps of the trainer

SETTINGS = """
env:
  group_size: {size}
  max_num_workers: 16
  total_steps: {steps}
  batch_size: 1024
  max_token_length: 8192
  max_batches_offpolicy: 3
  steps_per_eval: 10
  eval_handling: STOP_TRAIN
  num_eval_samples_per_task: 1
  min_batch_allocation: 0.5
  ensure_scores_are_not_same: false
  use_wandb: false
  wandb_name: conformance
  complexity_mode: random
openai:
  - model_name: fake
    base_url: {model}/v1
    server_type: vllm
    num_requests_for_eval: 8
slurm: false
testing: false
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def example_trainer():
    """The modules api and data of Atropos' example trainer, without the parts that need PyTorch."""

    class Tensor(numpy.ndarray):
        def view(self, *shape):
            return self.reshape(shape) if all(isinstance(n, int) for n in shape) else super().view(*shape)

    torch = types.ModuleType("torch")
    torch.Tensor, torch.tensor = Tensor, lambda values: numpy.asarray(values).view(Tensor)
    torch.cuda = types.SimpleNamespace(is_available=lambda: False)
    torch.__spec__ = importlib.machinery.ModuleSpec("torch", None)
    sys.modules["torch"] = torch
    package = types.ModuleType("example_trainer")
    package.__path__ = importlib.util.find_spec("example_trainer").submodule_search_locations
    sys.modules["example_trainer"] = package
    api, data, config = (importlib.import_module(f"example_trainer.{name}") for name in ("api", "data", "config"))
    del sys.modules["torch"]  # others must not find it
    return api, data, config


class Trainer(threading.Thread):
    """Registers, and reads batches until it is told to end. It registers again with a restarted hub."""

    def __init__(self, modules, url):
        super().__init__(daemon=True)
        self.api, self.data, self.config = modules
        self.url, self.seen, self.faults, self.batches, self.ended = url, collections.Counter(), [], 0, threading.Event()
        self.settings = self.config.TrainingConfig(
            model_name="fake", batch_size=BATCH, gradient_accumulation_steps=1, seq_len=8192, training_steps=STEPS, atropos_url=url, save_path="checkpoints",
        )
        self.get_batch = self.api.get_batch.__wrapped__  # without its pauses before retries
        self.data.get_batch = self.spy

    def spy(self, url):
        """get_batch, which also counts the groups that come."""
        if self.ended.is_set():
            raise EOFError
        reply = self.get_batch(url=url)
        for group in reply["batch"] or []:
            self.seen[json.dumps(group["tokens"])] += 1
            self.check(group)
        if reply["batch"]:
            self.batches += 1
            size = sum(len(group["tokens"]) for group in reply["batch"])
            if size != BATCH:
                self.faults.append(f"a batch has {size} sequences")
        return reply

    def check(self, group):
        """The promises of Atropos' environment about a group."""
        size = len(group["tokens"])
        rows = all(len(group[f][i]) == len(group["tokens"][i]) for f in ("masks", "inference_logprobs") for i in range(size))
        masked = all((m == -100) == (p == 1.0) and m in (-100, t) for row in zip(group["tokens"], group["masks"], group["inference_logprobs"]) for t, m, p in zip(*row))
        if size != SIZE or len(group["scores"]) != SIZE or len(group["overrides"]) != SIZE or not rows or not masked:
            self.faults.append("a group with mismatched parts")
        if group["messages"] is not None or group["advantages"] is not None or group["env_id"] is None:
            self.faults.append(f"a group with messages, advantages or no env_id: {group['env_id']}")

    def run(self):
        registered = False
        while not self.ended.is_set():
            try:
                if not registered:
                    self.api.register_trainer.__wrapped__(self.settings)
                    registered = True
                for tokens, labels, advantages, temperatures, logprobs in self.data.get_data(BATCH, 8192, self.url)[0]:
                    if logprobs is None or tokens[0].shape != labels[0].shape or logprobs[0].shape != labels[0].shape or temperatures[0].max() != 1:
                        self.faults.append("the trainer lacks data")
            except EOFError:
                return
            except RuntimeError:  # it does not know the trainer any more
                registered = False
            except requests.RequestException:
                time.sleep(0.1)
            except Exception as fault:
                self.faults.append(f"the trainer ended: {type(fault).__name__}: {fault}")
                return


@contextlib.contextmanager
def model(quintain):
    """A model server that answers at once."""
    port = free_port()
    server = subprocess.Popen([quintain, "policy", "fake", "--port", str(port), "--first-token", "0s", "--rate", "0", "--length", "uniform:12-40"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def start(command, url):
    """A hub that answers."""
    hub = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(900):
        with contextlib.suppress(requests.RequestException):
            if requests.get(url + "/info", timeout=5).ok:
                return hub
        time.sleep(0.1)
    raise SystemExit(f"{command[0]} does not answer")


def until(what, done, seconds=60):
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            return [f"{what}: not within {seconds} s"]
        time.sleep(0.05)
    return []


def idle(trainer):
    """Whether no batch comes: the queue in run-api's status leaves out the batches that it has formed."""
    before = trainer.batches
    time.sleep(3)
    return trainer.batches == before


def serve(quintain, modules, scratch, ours):
    """The environment with a hub that is killed and restarted in the middle."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = ([quintain, "hub", "--data", str(scratch / "hub")] if ours else [sys.executable, "-m", "atroposlib.cli.run_api"]) + ["--host", "127.0.0.1", "--port", str(port)]
    faults = []
    with model(quintain) as address, open(scratch / "log", "w+", encoding="utf-8") as log:
        settings, report = scratch / "reasoning_gym.yaml", scratch / "report.json"
        settings.write_text(SETTINGS.format(size=SIZE, steps=STEPS, model=address))
        hub = start(command, url)
        trainer = Trainer(modules, url)
        env = subprocess.Popen([quintain, "env", "serve", "--config", settings, "--env.rollout_server_url", url, "--data", scratch / "data",
                                "--tokenizer", "bytes", "--report", report], stdout=subprocess.DEVNULL, stderr=log)
        with contextlib.redirect_stdout(io.StringIO()):
            trainer.start()
            faults += until("ten batches", lambda: trainer.batches >= 10)
            if not ours:  # it would lose any number of batches
                env.send_signal(signal.SIGSTOP)
                faults += until("the batches of run-api", lambda: idle(trainer))
            hub.send_signal(signal.SIGKILL)
            hub.wait()
            env.send_signal(signal.SIGCONT)
            time.sleep(3)  # it plays ahead, and its groups wait
            before, hub = trainer.batches, start(command, url)
            faults += until("batches after the hub was started again", lambda: trainer.batches >= before + 10)
            faults += until("the end of the environment", lambda: env.poll() is not None, 120)
            env.kill()
            faults += until("the last groups", lambda: idle(trainer))
        trainer.ended.set()
        trainer.join()
        hub.terminate()
        hub.wait()
        log.seek(0)
        told = log.read()
    if env.returncode:
        faults.append(f"the environment ended with status {env.returncode}:\n{told[-2000:]}")
        return faults + trainer.faults
    made = json.loads(report.read_text())
    twice = sum(n > 1 for n in trainer.seen.values())
    sent, dropped = made["groups_sent"], made["groups_dropped"].get("unsure", 0)
    lost = sent - len(trainer.seen)
    most = BATCH // SIZE - 1  # groups too few for a batch in the end
    if not ours:
        most += BATCH // SIZE - 1 + dropped  # groups too few for a batch when it was killed
    if twice > (BATCH // SIZE if ours else 0) or max(trainer.seen.values()) > 2 or lost > most or lost < -dropped:
        faults.append(f"of {sent} groups {len(trainer.seen)} came, and {twice} of them twice")
    if "waiting for the hub" not in told or told.count("registered with the hub") != (1 if ours else 2):
        faults.append(f"the environment says\n{told}")
    exams = (scratch / "data" / "examinations.jsonl").read_text().splitlines()
    if not exams:
        faults.append("there was no evaluation")
    name = "quintain hub" if ours else "run-api"
    print(f"{name}: {sent} groups sent, {len(trainer.seen)} came, {twice} twice, {dropped} unsure, {trainer.batches} batches, {len(exams)} evaluations")
    return faults + trainer.faults


def make_groups(quintain, scratch, count):
    """The file that process writes. The replies are solutions and nonsense, so that scores differ."""
    path = scratch / "groups.jsonl"
    replies = scratch / "replies.jsonl"
    replies.write_text("".join(json.dumps({"text": f"<think>x</think><answer>{n}</answer>"}) + "\n" for n in (0, 1, 2, 3, 5, 7, 12, "True")))
    port = free_port()
    server = subprocess.Popen([quintain, "policy", "fake", "--port", str(port), "--first-token", "0s", "--rate", "0", "--replies", replies], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        done = subprocess.run([quintain, "env", "process", "--env.total_steps", str(count), "--env.group_size", "8", "--env.include_messages", "--env.min_batch_allocation", "None",
                               "--env.data_path_to_save_groups", path, "--openai.base_url", f"http://127.0.0.1:{port}/v1", "--openai.model_name", "fake",
                               "--openai.server_type", "vllm", "--tokenizer", "bytes", "--tasks", "gcd,count_primes"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=scratch, timeout=120, check=False)
    finally:
        server.terminate()
        server.wait()
    if done.returncode:
        raise SystemExit(done.stderr)
    return path


def tool(name, lines, scratch, flags):
    """The output of a tool of Atropos that acts as a trainer of groups."""
    import hub_clients

    tokenizer, out, port = scratch / "tokenizer", scratch / f"{name}.jsonl", free_port()
    if not tokenizer.exists():
        hub_clients.make_tokenizer(str(tokenizer))
    url = f"http://127.0.0.1:{port}"
    hub = start([sys.executable, "-m", "atroposlib.cli.run_api", "--host", "127.0.0.1", "--port", str(port)], url)
    script = pathlib.Path(sys.executable).parent / name
    process = subprocess.Popen([script, out, "--api-url", url, "--group-size", "8", "--tokenizer", tokenizer, "--save-messages", *flags],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        until("registration", lambda: requests.get(url + "/info", timeout=5).json()["batch_size"] > 0)
        for line in lines:
            requests.post(url + "/scored_data", line.encode(), headers={"Content-Type": "application/json"}, timeout=60).raise_for_status()
        faults = until(name, lambda: process.poll() is not None)
    finally:
        process.kill()
        hub.terminate()
        hub.wait()
    if process.wait():
        faults.append(f"{name} ended with status {process.returncode}: {process.stderr.read()[-500:]}")
    return (out.read_text().splitlines() if out.exists() else []), faults


def process(quintain, scratch):
    """The output of process, read by Atropos' page maker and by its makers of data sets."""
    from atroposlib.frontend.jsonl2html import generate_html

    path = make_groups(quintain, scratch, 128)
    lines = path.read_text().splitlines()
    groups, faults = [json.loads(line) for line in lines], []
    if len(groups) != 128 or any(len(set(g["scores"])) < 2 or len(g["messages"]) != 8 for g in groups):
        faults.append(f"process wrote {len(groups)} groups, want 128 with different scores")
    page = scratch / "groups.html"
    with contextlib.redirect_stdout(io.StringIO()):
        generate_html(str(path), str(page))
    if (shown := page.read_text().count("reward-")) < 8 * len(groups):
        faults.append(f"Atropos' page shows {shown} scores of {8 * len(groups)}")
    sft, more = tool("atropos-sft-gen", lines, scratch, ["--num-seqs-to-save", "40", "--tasks-per-step", "16"])
    faults += more
    if len(sft) < 40 or any(json.loads(line)["score"] <= 0 or json.loads(line)["messages"][-1]["role"] != "assistant" for line in sft):
        faults.append(f"atropos-sft-gen made {len(sft)} lines")
    dpo, more = tool("atropos-dpo-gen", lines, scratch, ["--num-seqs-to-save", "40"])
    faults += more
    if len(dpo) < 40 or any(json.loads(line)["pos"][-1]["content"] == json.loads(line)["neg"][-1]["content"] for line in dpo):
        faults.append(f"atropos-dpo-gen made {len(dpo)} lines")
    print(f"process: {len(groups)} groups, {shown} scores on Atropos' page, {len(sft)} lines of atropos-sft-gen, {len(dpo)} of atropos-dpo-gen")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    quintain = os.path.abspath(parser.parse_args().quintain)
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
    faults = []
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        for part in ("run-api", "hub", "process"):
            (scratch / part).mkdir()
        faults += process(quintain, scratch / "process")
        modules = example_trainer()
        faults += serve(quintain, modules, scratch / "run-api", False)
        faults += serve(quintain, modules, scratch / "hub", True)
    for fault in faults[:10]:
        print("FAILED", fault)
    print(f"env: {len(faults)} faults")
    sys.stdout.flush()
    os._exit(1 if faults else 0)


if __name__ == "__main__":
    main()
