#!/usr/bin/env python3
"""How fast package transformer trains and samples, beside PyTorch in eager mode on the same two processors: the same
sizes (106 thousand parameters), the same batch (16 sequences of 64 scored tokens), AdamW with clipped gradients,
and 64 sequences sampled at once with a cache. The loss is that of GRPO; ours takes its derivative by each
log-probability, like package learn.

Both take turns, so that other work on the machine slows both. The output is the median of each side, and of the
ratios of neighbours in time. On a busy machine give --threads 1, as PyTorch's threads wait for one another.

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch && /tmp/torch/bin/python bench/model.py
"""

import argparse
import os
import pathlib
import platform
import re
import statistics
import subprocess
import tempfile
import time

import torch
from torch import nn
from torch.nn import functional as F

VOCAB, CONTEXT, LAYERS, WIDTH, HEADS, HIDDEN = 64, 65, 2, 64, 4, 256
HEAD = WIDTH // HEADS
SEQUENCES, SLOTS = 16, 64
ROOT = pathlib.Path(__file__).resolve().parent.parent


def normalised(x):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


def turned(x, cos, sin):
    """Rotary positions; x is … × position × column of a head."""
    lo, hi = x.chunk(2, -1)
    return torch.cat((lo * cos - hi * sin, lo * sin + hi * cos), -1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.up = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)
        self.shift = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x, at, cache=None):
        """x is sequence × position × column. With a cache, x is the position whose angles are given, and the cache ends there."""
        cos, sin = at
        read = normalised(x)
        if cache is None:
            before = F.pad(read, (0, 0, 1, -1))
        else:
            before, cache["before"] = cache["before"], read
        batch, length = x.shape[:2]
        q, k, v = self.qkv(read + before * self.shift).view(batch, length, 3, HEADS, HEAD).permute(2, 0, 3, 1, 4)
        q, k = turned(q, cos, sin), turned(k, cos, sin)
        if cache is not None:
            n = cache["used"]
            cache["keys"][:, :, n:n + 1], cache["values"][:, :, n:n + 1] = k, v
            k, v = cache["keys"][:, :, :n + 1], cache["values"][:, :, :n + 1]
            cache["used"] = n + 1
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.down(F.relu(self.up(normalised(x))).square())


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, VOCAB, bias=False)
        angles = torch.outer(torch.arange(CONTEXT), 10000.0 ** (-torch.arange(HEAD // 2) / (HEAD // 2)))
        self.cos, self.sin = angles.cos(), angles.sin()

    def forward(self, tokens):
        x, n = self.embed(tokens), tokens.shape[1]
        for layer in self.layers:
            x = layer(x, (self.cos[:n], self.sin[:n]))
        return self.head(normalised(x))

    def step(self, tokens, caches):
        x, n = self.embed(tokens), caches[0]["used"]
        for layer, cache in zip(self.layers, caches):
            x = layer(x, (self.cos[n:n + 1], self.sin[n:n + 1]), cache)
        return self.head(normalised(x))


class Trainer:
    def __init__(self):
        self.model = Transformer()
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=1e-3, betas=(0.9, 0.95))
        self.tokens = torch.randint(VOCAB, (SEQUENCES, CONTEXT))
        self.advantages = torch.randn(SEQUENCES, 1)
        self.sampled = torch.full((SEQUENCES, CONTEXT - 1), -4.16)

    def __call__(self):
        """Makes a step, and returns the number of tokens."""
        self.optimiser.zero_grad()
        logits = self.model(self.tokens[:, :-1])
        log_probs = F.log_softmax(logits, -1).gather(-1, self.tokens[:, 1:, None])[..., 0]
        ratio = (log_probs - self.sampled).exp()
        loss = -torch.minimum(ratio * self.advantages, ratio.clamp(0.8, 1.2) * self.advantages).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        return SEQUENCES * (CONTEXT - 1)


class Sampler:
    def __init__(self):
        self.model = Transformer()

    @torch.inference_mode()
    def __call__(self):
        """Fills the contexts of all slots, and returns the number of tokens."""
        shape = (SLOTS, HEADS, CONTEXT, HEAD)
        caches = [{"used": 0, "before": torch.zeros(SLOTS, 1, WIDTH), "keys": torch.empty(shape), "values": torch.empty(shape)}
                  for _ in range(LAYERS)]
        tokens = torch.zeros(SLOTS, 1, dtype=torch.long)
        for _ in range(CONTEXT - 1):
            probs = F.softmax(self.model.step(tokens, caches)[:, 0], -1)
            tokens = torch.multinomial(probs, 1)
        return SLOTS * (CONTEXT - 1)


def rate(work, seconds):
    """Tokens per second."""
    began, tokens = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        tokens += work()
    return tokens / (time.perf_counter() - began)


def ours(binary, benchmark, seconds):
    """Tokens per second, and the share of the limit in percent, from a benchmark of package transformer."""
    out = subprocess.run([binary, "-test.run", "^$", "-test.bench", f"^{benchmark}$", "-test.benchtime", f"{seconds}s"],
                         check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT / "tiny/transformer").stdout
    share, tokens = re.search(r"([\d.]+) %limit\s+([\d.]+) tokens/s", out).groups()
    return float(tokens), float(share)


def processor():
    info = pathlib.Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", info.read_text()) if info.exists() else None
    return found[1] if found else platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    os.environ["GOMAXPROCS"] = str(args.threads)
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "transformer.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "./tiny/transformer"], check=True, cwd=ROOT)
        works = {"training": (Trainer(), "BenchmarkTrain/106k"), "sampling": (Sampler(), f"BenchmarkSample/slots={SLOTS}")}
        for work, _ in works.values():
            rate(work, args.seconds)  # warms up
        found = {name: [] for name in works}
        for _ in range(args.rounds):
            for name, (work, benchmark) in works.items():
                found[name].append((rate(work, args.seconds), *ours(binary, benchmark, args.seconds)))
    print(f"{args.threads} threads of {processor()}; PyTorch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}")
    trained = statistics.median(theirs for theirs, _, _ in found["training"])
    for name, rounds in found.items():
        theirs, mine, share = (statistics.median(column) for column in zip(*rounds))
        ratio = statistics.median(mine / theirs for theirs, mine, _ in rounds)
        print(f"{name}: PyTorch {theirs:,.0f} tokens/s, ours {mine:,.0f} ({share:.0f} % of the limit): {ratio:.2f} times, "
              f"{mine / trained:.2f} times PyTorch's training")


if __name__ == "__main__":
    main()
