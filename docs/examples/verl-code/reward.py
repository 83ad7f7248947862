"""verl's reward manager with rewards of programs: its own loader finds compute_score in quintain.coding, and its manager
grades replies by tests that run in the sandbox of this machine.

The rows are those of a data set for verl. Each problem gets three replies: a right program, a wrong one, and none.
"""

import asyncio
import contextlib
import json
import pathlib
import socket
import sys

import numpy
import torch
import verl
from omegaconf import OmegaConf
from quintain import program
from verl.trainer.ppo.reward import load_reward_manager

COUNT, LENGTH = 50, 256  # problems, and tokens of a reply


class Bytes:
    """A tokenizer with bytes as tokens."""

    pad = 0

    def encode(self, text):
        tokens = list(text.encode())
        return tokens + [self.pad] * (LENGTH - len(tokens))

    def decode(self, tokens, skip_special_tokens=False):
        return bytes(t for t in tokens if t != self.pad).decode()


@contextlib.contextmanager
def serving():
    """Run quintain serve, and give its address."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    server = program.start("serve", f"--port={port}", "--log-level=error")
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def replies():
    """Rows of a data set with a reply to each, and the expected rewards."""
    for n in range(COUNT):
        tests = {"language": "python", "kind": "stdin", "cases": [{"input": str(x), "output": str(n * x + 1)} for x in (0, 3, 10)]}
        row = {
            "data_source": "mine",
            "prompt": [{"role": "user", "content": f"Write a program in Python that reads a number x and prints {n}x + 1."}],
            "reward_model": {"style": "rule", "ground_truth": json.dumps(tests)},
            "extra_info": {"index": n, "split": "train"},
        }
        yield row, f"<think>I write it.</think>\n```python\nprint({n} * int(input()) + 1)\n```", 1.0
        yield row, f"```python\nprint({n} * int(input()) + 2)\n```", 0.0
        yield row, "I do not know.", 0.0


async def grade(manager, row, reply):
    tokens = torch.tensor([manager.tokenizer.encode(reply)])
    fields = {name: numpy.array([row[name]], dtype=object) for name in ("data_source", "reward_model", "extra_info")}
    data = verl.DataProto.from_dict({"responses": tokens, "attention_mask": (tokens != Bytes.pad).long()}, non_tensors=fields)
    return (await manager.run_single(data))["reward_score"]


async def main():
    reward = OmegaConf.load(pathlib.Path(verl.__file__).parent / "trainer" / "config" / "reward" / "reward.yaml")
    with serving() as url:  # the settings are those of README.md
        reward.custom_reward_function.path = "pkg://quintain.coding"
        reward.custom_reward_function.reward_kwargs = {"url": url}
        manager = load_reward_manager(OmegaConf.create({"reward": reward}), Bytes())
        due, got = [], []
        for row, reply, score in replies():
            due.append(score)
            got.append(await grade(manager, row, reply))
    wrong = sum(a != b for a, b in zip(due, got))
    print(f"{type(manager).__name__} of verl {verl.__version__}: {len(got)} programs, mean reward {sum(got) / len(got):.3f}, {wrong} unexpected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
