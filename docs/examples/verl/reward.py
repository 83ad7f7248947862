"""verl's reward manager with our rewards: its own loader finds compute_score in quintain.rewards, and its manager
grades replies.

The rows are those of a data set for verl. Each problem gets three replies: a right answer, a wrong one, and one
without tags.
"""

import asyncio
import json
import pathlib
import sys

import numpy
import quintain
import torch
import verl
from omegaconf import OmegaConf
from verl.trainer.ppo.reward import load_reward_manager

COUNT, LENGTH = 100, 64  # problems, and tokens of a reply


class Bytes:
    """A tokenizer with bytes as tokens."""

    pad = 0

    def encode(self, text):
        tokens = list(text.encode())
        return tokens + [self.pad] * (LENGTH - len(tokens))

    def decode(self, tokens, skip_special_tokens=False):
        return bytes(t for t in tokens if t != self.pad).decode()


def replies():
    """Rows of a data set with a reply to each, and the expected rewards."""
    for row in quintain.rewards.verl_rows(quintain.task("count_bits").problems(count=COUNT, chat=True)):
        solution = json.loads(row["reward_model"]["ground_truth"])["instance"]["solution"]
        yield row, f"<think>I count.</think><answer>{solution}</answer>", 1.0
        yield row, f"<answer>{solution + 1}</answer>", 0.0
        yield row, f"It is {solution}.", 0.0


async def grade(manager, row, reply):
    tokens = torch.tensor([manager.tokenizer.encode(reply)])
    fields = {name: numpy.array([row[name]], dtype=object) for name in ("data_source", "reward_model", "extra_info")}
    data = verl.DataProto.from_dict({"responses": tokens, "attention_mask": (tokens != Bytes.pad).long()}, non_tensors=fields)
    return (await manager.run_single(data))["reward_score"]


async def main():
    reward = OmegaConf.load(pathlib.Path(verl.__file__).parent / "trainer" / "config" / "reward" / "reward.yaml")
    reward.custom_reward_function.path = "pkg://quintain.rewards"  # as reward.custom_reward_function.path=… of a run of verl
    manager = load_reward_manager(OmegaConf.create({"reward": reward}), Bytes())
    due, got = [], []
    for row, reply, score in replies():
        due.append(score)
        got.append(await grade(manager, row, reply))
    wrong = sum(a != b for a, b in zip(due, got))
    print(f"{type(manager).__name__} of verl {verl.__version__}: {len(got)} replies, mean reward {sum(got) / len(got):.3f}, {wrong} unexpected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
