"""Asynchronous GRPO in PyTorch: a server, a run of Quintain that plays against it, and a trainer, all at once.

The server samples from a copy of the weights. The trainer takes batches from the run's hub, makes a step, loads its
weights into the server and tells the hub, while the run plays on: no sequence is more than MAX_LAG steps old when it
is trained on.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import quintain
import torch
from torch import nn

WIDTH, LAYERS, HEADS, CONTEXT = 64, 2, 4, 64
STEPS, GROUP, BATCH, MOST, MAX_LAG, CLIP, RATE = 100, 16, 128, 8, 2, 0.2, 1e-3  # MOST: tokens of a reply
TASK = {"name": "count_bits", "params": {"min_n": 1, "max_n": 7}}
PAD, END, OTHER = 0, 1, 2
WORD = re.compile(r"</?\w+>|[A-Za-z]+|\d+|\S")


class Vocabulary:
    """A token for each word, number and sign of some texts, and for the two tags of an answer."""

    def __init__(self, texts):
        words = {word for text in texts for word in WORD.findall(text)} | {*"0123456789", "<answer>", "</answer>"}
        self.words = ["", "", "?", *sorted(words)]
        self.numbers = {word: number for number, word in enumerate(self.words)}

    def encode(self, text):
        return [self.numbers.get(word, OTHER) for word in WORD.findall(text)]

    def decode(self, tokens):
        return "".join(self.words[t] for t in tokens)


class Transformer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.embed, self.place = nn.Embedding(size, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, size)

    def forward(self, tokens):
        """The log-probabilities of the token after each."""
        length = tokens.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length, device=tokens.device)
        x = self.embed(tokens) + self.place(torch.arange(length, device=tokens.device))
        return nn.functional.log_softmax(self.head(self.layers(x, mask, is_causal=True)), -1)

    def chosen(self, tokens):
        """The log-probability of each token after the first."""
        return self(tokens[:, :-1]).gather(-1, tokens[:, 1:, None])[..., 0]

    @torch.no_grad()
    def sample(self, prompt, count):
        """Replies as lists of (token, log-probability); an unfinished one lacks END."""
        tokens, told = torch.tensor([prompt] * count, device=self.head.weight.device), []
        while len(told) < MOST and not (tokens == END).any(1).all():
            likely = self(tokens)[:, -1]
            new = torch.multinomial(likely.exp(), 1)
            tokens, told = torch.cat([tokens, new], 1), [*told, likely.gather(1, new)]
        rows = zip(tokens[:, len(prompt) :].tolist(), torch.cat(told, 1).tolist())
        return [list(zip(row, likely))[: row.index(END) + 1 if END in row else MOST] for row, likely in rows]


class Server(ThreadingHTTPServer):
    """An inference server for chat completions that reports tokens and log-probabilities."""

    daemon_threads, request_queue_size = True, 256

    def __init__(self, vocabulary, device):
        super().__init__(("127.0.0.1", 0), Handler)
        self.vocabulary, self.model, self.lock = vocabulary, Transformer(len(vocabulary.words)).to(device), threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def load(self, weights):
        with self.lock:
            self.model.load_state_dict(weights)

    def complete(self, asked):
        prompt = self.vocabulary.encode(asked["messages"][-1]["content"])
        with self.lock:
            replies = self.model.sample(prompt, asked.get("n") or 1)
        choices = [{
            "index": i, "finish_reason": "stop" if reply[-1][0] == END else "length", "token_ids": [t for t, _ in reply],
            "message": {"role": "assistant", "content": self.vocabulary.decode(t for t, _ in reply)},
            "logprobs": {"content": [{"token": self.vocabulary.words[t], "logprob": p} for t, p in reply]},
        } for i, reply in enumerate(replies)]
        return {"object": "chat.completion", "model": "tiny", "prompt_token_ids": prompt, "choices": choices}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "tiny", "object": "model"}]})

    def do_POST(self):
        self.answer(self.server.complete(json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def imitated(problem, vocabulary):
    """A sequence of the warm-up: one answer in four is right, the others are random."""
    solution = json.loads(problem["problem"])["instance"]["solution"]
    answer = solution if random.random() < 0.25 else random.randint(0, 9)
    return vocabulary.encode(f"{problem['prompt']}<answer>{answer}</answer>") + [END]


def warm_up(model, vocabulary, problems, steps=60, size=64):
    """Teach the form of a reply, and little more."""
    optimiser = torch.optim.AdamW(model.parameters(), 3e-3)
    for _ in range(steps):
        rows = [imitated(problem, vocabulary) for problem in random.sample(problems, size)]
        tokens = torch.tensor([row + [PAD] * (CONTEXT - len(row)) for row in rows], device=model.head.weight.device)
        reply = (tokens == vocabulary.numbers["<answer>"]).cumsum(1)[:, 1:] * (tokens[:, 1:] != PAD)
        loss = -(model.chosen(tokens) * reply).sum() / reply.sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def grpo_loss(model, batch):
    """The clipped loss of a batch, with the log-probabilities that the server reported when it sampled."""
    device = model.head.weight.device
    tokens, trained, old = (torch.from_numpy(batch.padded(part))[:, first:].to(device) for part, first in ((batch.tokens, 0), (batch.trained, 1), (batch.logprobs, 1)))
    used = torch.from_numpy(~batch.masked).to(device)  # the others were cut by a limit: not trained on, nor compared with
    scores, group = torch.from_numpy(batch.scores).float().to(device), torch.from_numpy(batch.group).long().to(device)
    count = torch.bincount(group, used.float())
    mean = torch.bincount(group, scores * used) / count
    deviation = (torch.bincount(group, (scores - mean[group]) ** 2 * used) / count).sqrt()
    advantage = torch.where(used, (scores - mean[group]) / (deviation[group] + 1e-4), 0)[:, None].float()
    ratio = torch.where(trained, model.chosen(tokens.long()) - old, 0).exp()
    gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
    return -(gain * trained).sum() / trained.sum()


def play(server, folder):
    """A run that plays against the server; its hub keeps the batches for us."""
    mixture = pathlib.Path(folder, "mixture.yaml")
    mixture.write_text(json.dumps({"datasets": [TASK]}))
    return quintain.Run(
        f"{folder}/data", policy="openai", url=f"http://127.0.0.1:{server.server_address[1]}/v1", model="tiny", consumer="hub", mixture=mixture,
        group_size=GROUP, batch_size=BATCH, max_lag=MAX_LAG, steps=STEPS,
        settings={"policy.token_ids": True, "rules.min_trainable": 1, "rules.keep_equal": True},
    )  # fmt: skip


def train(model, hub, server):
    """Train on each batch, and return the mean rewards of the batches and the number of tokens by their age in steps."""
    optimiser, rewards, lags = torch.optim.AdamW(model.parameters(), RATE, weight_decay=0), [], collections.Counter()
    hub.register(batch_size=BATCH, unit="episodes")
    hub.tell_version(0)
    for step, batch in enumerate(hub.batches(steps=STEPS, timeout=120)):
        optimiser.zero_grad()
        grpo_loss(model, batch).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        server.load(model.state_dict())
        hub.tell_version(step + 1)
        lags.update((step - batch.versions[batch.trained].clip(0)).tolist())  # -1: sampled before the hub knew of version 0
        rewards.append(float(batch.scores.mean()))
    return rewards, lags


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="where the model samples and trains: cpu, cuda")
    device = parser.parse_args().device
    torch.set_num_threads(1)  # the model is too small for more
    torch.manual_seed(1)
    random.seed(1)
    problems = quintain.task(**TASK).problems(seed=2, count=2000)
    vocabulary = Vocabulary(p["prompt"] for p in problems)
    server, model = Server(vocabulary, device), Transformer(len(vocabulary.words)).to(device)
    warm_up(model, vocabulary, problems)
    server.load(model.state_dict())
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, play(server, folder) as run:
        rewards, lags = train(model, quintain.Hub(run.url(), trainer="pytorch"), server)
    first, last = sum(rewards[:10]) / 10, sum(rewards[-10:]) / 10
    print(f"tokens by age in steps: {dict(sorted(lags.items()))}")
    print(f"mean reward {first:.2f} in the first ten of {len(rewards)} steps, {last:.2f} in the last ten, {time.monotonic() - began:.0f} s")
    return 0 if last > first + 0.2 and max(lags) <= MAX_LAG else 1


if __name__ == "__main__":
    sys.exit(main())
