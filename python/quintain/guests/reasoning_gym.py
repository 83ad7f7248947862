"""Data sets of reasoning-gym, judged by the package itself."""

from __future__ import annotations

import re

import reasoning_gym
from quintain_host import Refused, plain, spoken

PACKAGE, KNOWN = "reasoning-gym", ("0.1.25",)

SYSTEM = "Think as long as you need. Then write your final answer between <answer> and </answer>, once, with nothing else between them."


def names():
    from reasoning_gym.factory import DATASETS

    return DATASETS


class Guest:
    def __init__(self, name: str, args: dict):
        self.name, self.args = name, args
        self.size, self.seed = args.pop("size", None), args.pop("seed", None)
        if self.seed is not None and self.size is None:
            raise Refused("seed: it is that of a data set of known size; name its size, too")
        if self.size is not None and not (isinstance(self.size, int) and self.size > 0):
            raise Refused(f"size: is {self.size!r}, want 1 or more")
        self.rows = self.size and reasoning_gym.create_dataset(name, size=self.size, seed=self.seed or 0, **args)
        self.about = {"right_at": 1.0, "max_turns": 1}
        if self.size:
            self.about["splits"] = [{"name": "all", "size": self.size}]
        try:
            self.solve(0, "all")
        except Refused:
            self.solve = None  # the package names no answers here

    def entry(self, seed: int):
        """The data set and the entry of a problem."""
        if self.rows:
            return self.rows, self.rows[seed]
        one = reasoning_gym.create_dataset(self.name, size=1, seed=seed, **self.args)
        return one, one[0]

    def open(self, seed: int, split: str) -> Question:
        return Question(*self.entry(seed))

    def solve(self, seed: int, split: str) -> str:
        rows, entry = self.entry(seed)
        answer = entry["answer"]
        if not isinstance(answer, str) or plain(rows.score_answer(answer, entry)) < 1:
            raise Refused("the package gives no full answer to this problem")
        return answer

    def grade(self, seed: int, split: str, messages: list) -> dict:
        question = self.open(seed, split)
        if question.begin()["text"] not in [m.get("content") for m in messages]:
            raise Refused("the package asks something else now")
        return question.step(spoken(messages[-1].get("content") or ""))


class Question:
    def __init__(self, rows, entry: dict):
        self.rows, self.entry = rows, entry

    def begin(self) -> dict:
        return {"system": SYSTEM, "text": self.entry["question"]}

    def step(self, text: str) -> dict:
        found = re.findall(r"<answer>(.*?)</answer>", text, re.DOTALL)
        answer = found[0].strip() if len(found) == 1 else None
        why = "" if found else "there is no answer between <answer> and </answer>"
        if len(found) > 1:
            why = f"there are {len(found)} answers"
        return {"end": "terminated", "reward": self.rows.score_answer(answer, self.entry), "answer": answer or "", "malformed": answer is None, "why": why}

    def close(self) -> None:
        pass
