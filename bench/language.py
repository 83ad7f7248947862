#!/usr/bin/env python3
"""How fast package transformer samples and trains a language model of the sizes of SmolLM2-135M (random numbers; rank 16
on all matrices), beside PyTorch in eager mode with transformers in float32, on the same two processors. A step reads 8
prompts of 113 tokens, samples 8 replies of 8 or 9 tokens to each, and trains on them. PyTorch makes it in two ways: with
each prompt read once, its keys and values repeated for its replies, in sampling and in training (the gradient stops at
the prompt); and with a prompt for every reply, as trainers do it.

The sides take turns. The output is the median of each, and of the ratios of neighbours in time.

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch transformers && /tmp/torch/bin/python bench/language.py
"""

import argparse
import copy
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import torch
from torch import nn
from torch.nn import functional as F
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROMPTS, REPLIES, LENGTH, REPLY = 8, 8, 113, 9


class Adapted(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(16, linear.in_features) / linear.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(linear.out_features, 16))

    def forward(self, x):
        return self.linear(x) + 2 * F.linear(F.linear(x, self.a), self.b)


class Step:
    def __init__(self):
        torch.manual_seed(1)
        config = LlamaConfig(vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9,
                             num_key_value_heads=3, max_position_embeddings=8192, rms_norm_eps=1e-5, tie_word_embeddings=True)
        self.model = LlamaForCausalLM(config).requires_grad_(False).eval()
        for layer in self.model.model.layers:
            for part in (layer.self_attn, layer.mlp):
                for name, child in list(part.named_children()):
                    if isinstance(child, nn.Linear):
                        setattr(part, name, Adapted(child))
        self.trained = [p for p in self.model.parameters() if p.requires_grad]
        self.optimiser = torch.optim.AdamW(self.trained, lr=1e-4, betas=(0.9, 0.95))
        self.prompts = torch.randint(49152, (PROMPTS, LENGTH))
        self.real = torch.arange(REPLY) < REPLY - 1 + torch.arange(PROMPTS * REPLIES)[:, None] % 2

    @torch.no_grad()
    def sample(self, prompts, repeat):
        """Returns the replies to prompts, and the cache of all prompts but their last tokens."""
        cache = DynamicCache()
        self.model(prompts[:, :-1], past_key_values=cache, use_cache=True, logits_to_keep=1)
        if repeat > 1:
            cache.batch_repeat_interleave(repeat)
        kept = copy.deepcopy(cache)
        token, replies = prompts[:, -1:].repeat_interleave(repeat, 0), []
        for _ in range(REPLY):
            logits = self.model(token, past_key_values=cache, use_cache=True).logits[:, -1]
            token = torch.multinomial(F.softmax(logits, -1), 1)
            replies.append(token)
        return torch.cat(replies, 1), kept

    def learn(self, log_probs):
        self.optimiser.zero_grad()
        (-(log_probs * self.real).sum() / self.real.sum()).backward()
        nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.optimiser.step()

    def shared(self):
        replies, cache = self.sample(self.prompts, REPLIES)
        last = self.prompts[:, -1:].repeat_interleave(REPLIES, 0)
        logits = self.model(torch.cat((last, replies[:, :-1]), 1), past_key_values=cache, use_cache=True).logits
        self.learn(F.log_softmax(logits, -1).gather(-1, replies[..., None])[..., 0])

    def apart(self):
        prompts = self.prompts.repeat_interleave(REPLIES, 0)
        replies, _ = self.sample(prompts, 1)
        whole = torch.cat((prompts, replies), 1)
        logits = self.model(whole[:, :-1], use_cache=False, logits_to_keep=REPLY).logits
        self.learn(F.log_softmax(logits, -1).gather(-1, replies[..., None])[..., 0])


class Generation:
    """Continues sequences after the prompts of a step."""

    def __init__(self, step, sequences):
        self.step, self.sequences = step, sequences

    @torch.no_grad()
    def __call__(self):
        """Returns tokens a second."""
        model, cache = self.step.model, DynamicCache()
        prompts = self.step.prompts[torch.arange(self.sequences) // 8 % PROMPTS]
        logits = model(prompts, past_key_values=cache, use_cache=True, logits_to_keep=1).logits[:, -1]
        began = time.perf_counter()
        for _ in range(16):
            logits = model(torch.multinomial(F.softmax(logits, -1), 1), past_key_values=cache, use_cache=True).logits[:, -1]
        return 16 * self.sequences / (time.perf_counter() - began)


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def ours(binary, benchmark, unit, times):
    out = subprocess.run([binary, "-test.run", "^$", "-test.bench", f"^{benchmark}$", "-test.benchtime", times],
                         check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT / "tiny/transformer").stdout
    return float(re.search(rf"([\d.]+) {unit}", out)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default="float32", help="of our products with frozen matrices")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    os.environ["GOMAXPROCS"] = str(args.threads)
    step, found = Step(), {}
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "transformer.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "./tiny/transformer"], check=True, cwd=ROOT)
        step.shared()  # warms up
        for _ in range(args.rounds):
            mine = ours(binary, f"BenchmarkLanguageStep/{args.precision}", "s/step", "2x")
            for name in ("shared", "apart"):
                theirs = seconds(getattr(step, name))
                found.setdefault(f"step, prompts {name}, seconds", []).append((theirs, mine, theirs / mine))
            for n in (1, 8, 32, 64):
                theirs, mine = Generation(step, n)(), ours(binary, f"BenchmarkLanguageSample/{args.precision}/slots={n}", "tokens/s", "16x")
                found.setdefault(f"sampling {n} sequences, tokens a second", []).append((theirs, mine, mine / theirs))
    print(f"{args.threads} threads; PyTorch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}")
    for name, rounds in found.items():
        theirs, mine, ratio = (statistics.median(column) for column in zip(*rounds))
        print(f"{name}: PyTorch {theirs:,.2f}, ours {mine:,.2f}: {ratio:.2f} times as fast")


if __name__ == "__main__":
    main()
