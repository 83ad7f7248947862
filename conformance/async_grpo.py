#!/usr/bin/env python3
"""Run the trainer of docs/async-grpo.md, verbatim, with each of its ways to load weights, between Quintain and its
fake server, or a real vLLM with small models of random weights.

No sequence may be older than the bound when it is trained on, no label newer than the server's weights, and none
unknown, unless the server begins with the label of another run; no episode may fail because weights are loaded. Then
some calls of the page are left out: labels may become too old, never too new. With vLLM, log-probabilities tell which
weights sampled a token: those of its label, or newer ones.

    REQUIREMENTS=vllm.txt PIP_NO_DEPS=1 conformance/python conformance/async_grpo.py --server vllm
"""
import argparse
import collections
import contextlib
import json
import pathlib
import re
import sys
import tempfile
import time

import requests

from serving import free_port, started, training

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "async-grpo.md"
UNTRAINED = -100
NEAR = 1e-3  # tolerance of log-probabilities
MAX_LAG = 2
PAUSES = ("/pause", "/resume", "/pause_generation", "/continue_generation")
# shape, calls left out, label of the weights at the start
FAKES = [("vllm", (), 0), ("sglang", (), 0), ("vllm", PAUSES, 0), ("sglang", PAUSES, 0), ("vllm", ("/update_weight_version",), 0), ("vllm", (), 10), ("sglang", (), 10)]
REAL = [("vllm", (), "default"), ("vllm", (), 10)]


class Done(Exception):
    """The trainer gets no more batches."""


class Fake:
    """Our server. Its weights are their number."""

    def __init__(self, port):
        self.url, self.flags = f"http://127.0.0.1:{port}", ["--tokenizer", "bytes"]

    def save(self, n):
        return f"my-run/step-{n}"

    def foreign(self, *sequence):
        return 0


class Vllm:
    """A real vLLM, and all weights that it has had."""

    def __init__(self, port, folder):
        import servers

        self.url, self.folder, self.models = f"http://127.0.0.1:{port}", folder, []
        self.flags = [*servers.by_tokens(folder), "--max-tokens", "48", "--with", "rules.min_trainable=1"]

    def save(self, n):
        import tiny_llama

        self.models.append(tiny_llama.Llama(n))
        self.models[n].save(self.folder / f"step-{n}")
        return str(self.folder / f"step-{n}")

    def foreign(self, tokens, masks, logprobs, versions):
        """The number of tokens sampled neither by the weights of their label nor by newer ones."""
        sampled = [(i, max(versions[i], 0)) for i, mask in enumerate(masks) if mask != UNTRAINED]
        oldest = min(label for _, label in sampled)
        true = [model.logprobs(tokens) for model in self.models[oldest:]]
        return sum(all(abs(of[i - 1] - logprobs[i]) > NEAR for of in true[label - oldest :]) for i, label in sampled)


@contextlib.contextmanager
def fake(quintain, shape, label):
    port = free_port()
    with started([quintain, "policy", "fake", "--port", str(port), "--shape", shape, "--weight-version", str(label), "--rate", "100", "--length", "uniform:20-120"], "listening"):
        yield Fake(port)


@contextlib.contextmanager
def vllm(quintain, shape, label):
    import servers
    import tiny_llama

    with tempfile.TemporaryDirectory() as name:
        folder, model = pathlib.Path(name), tiny_llama.Llama(0)
        model.save(folder / "model")
        with servers.serving(shape, folder, model) as port:
            requests.post(f"http://127.0.0.1:{port}/update_weight_version", json={"new_version": str(label)}, timeout=60).raise_for_status()
            yield Vllm(port, folder)


SERVERS = {"fake": fake, "vllm": vllm}


class Watch:
    """The trainer's loaded weights and its batches."""

    def __init__(self, server, seconds, label):
        self.server, self.seconds, self.step, self.loaded = server, seconds, 0, 0
        self.unknown = MAX_LAG + 1 if label else 0  # batches that may begin before the trainer's first word
        self.lags, self.faults = collections.Counter(), []

    def save(self, n):
        self.loaded = n
        return self.server.save(n)

    def train(self, batch):
        for group in batch:
            for tokens, masks, logprobs, versions in zip(*(group[name] for name in ("tokens", "masks", "inference_logprobs", "versions"))):
                if foreign := self.server.foreign(tokens, masks, logprobs, versions):
                    self.faults.append(f"step {self.step}: {foreign} tokens sampled by other weights than those of their label or newer ones")
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


def play(options, shape, without, label):
    """Run the trainer of the page with a server of a shape, and return the faults. Calls with a path in without are
    left out. The server begins with a label for the version of its weights."""
    loop, *loads = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    code = next(load for load in loads if ("update_weights_from_disk" in load) == (shape == "sglang")) + loop
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

    with contextlib.ExitStack() as programs:
        folder = programs.enter_context(tempfile.TemporaryDirectory())
        server = programs.enter_context(SERVERS[options.server](options.quintain, shape, label))
        watch = Watch(server, options.seconds, label)
        run, hub = programs.enter_context(training(options.quintain, server.url, folder, [
            "--policy", "server", "--tasks", "chain_sum", "--max-lag", str(MAX_LAG), "--steps", str(options.steps), *server.flags]))
        code = code.replace("http://127.0.0.1:8000/v1/runs/default", hub).replace("http://127.0.0.1:8001", server.url).replace("wait=30", "wait=10")
        requests.Session.post = post
        try:
            exec(compile(code, str(PAGE), "exec"), {"train": watch.train, "save": watch.save})
        except Done:
            if watch.step == options.steps:
                run.wait(120)
                with open(f"{folder}/report.json", encoding="utf-8") as report:
                    failed = json.load(report)["episodes"].get("infra_failed", 0)
                if failed:
                    watch.faults.append(f"{failed} episodes failed")
        finally:
            requests.Session.post = send
    if watch.step != (MAX_LAG + 1 if starved else options.steps):
        watch.faults.append(f"there were {watch.step} batches")
    left_out = f" without {', '.join(without)}" if without else ""
    print(f"{shape}{left_out}, from label {label}: {watch.step} steps, sequences by their lag {dict(sorted(watch.lags.items()))}, {len(watch.faults)} faults")
    return watch.faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--server", default="fake", choices=SERVERS)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=0.5, help="that a step takes")
    options = parser.parse_args()
    faults = [fault for case in (REAL if options.server == "vllm" else FAKES) for fault in play(options, *case)]
    for fault in faults[:10]:
        print(fault, file=sys.stderr)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
