"""Rewards in the forms of trainers: TRL's and verl's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

# verl loads this file by its path, so relative imports fail.
from quintain import math as mathematics
from quintain.grading import grade
from quintain.problems import Problem

__all__ = ["grpo", "accuracy", "compute_score", "verl_rows"]


def grpo(prompts: Sequence[Any], completions: Sequence[Any], problem: Sequence[str], **_: Any) -> list[float]:
    """The score of each completion by the task of its problem: a reward function of TRL. Make the data set from
    ``task.problems(chat=True)``: TRL passes its column ``problem``."""
    return [score for marks in grade("replies", problem, [text_of(c) for c in completions]) for score in marks.scores]


def accuracy(prompts: Sequence[Any], completions: Sequence[Any], solution: Sequence[str], **_: Any) -> list[float]:
    """1 for each completion whose final answer equals the column ``solution``, otherwise 0: a reward function of TRL
    for mathematical data sets."""
    return [float(v.equal) for v in mathematics.verify_all(solution, [text_of(c) for c in completions])]


def compute_score(data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None, **_: Any) -> float:
    """The score of a reply, for ``custom_reward_function`` of verl. Rows with a data source that begins with
    ``quintain/`` have a problem as ground truth (see :func:`verl_rows`), all others a mathematical answer."""
    if data_source.startswith("quintain/"):
        return next(grade("replies", [ground_truth], [solution_str])).scores[0]
    return float(mathematics.verify(ground_truth, solution_str).equal)


def verl_rows(problems: Iterable[Problem], split: str = "train") -> list[dict[str, Any]]:
    """Problems as rows of a data set of verl. Make them with ``chat=True``."""
    return [
        {
            "data_source": f"quintain/{one['task']}",
            "prompt": one["prompt"] if isinstance(one["prompt"], list) else [{"role": "user", "content": one["prompt"]}],
            "ability": "reasoning",
            "reward_model": {"style": "rule", "ground_truth": one["problem"]},
            "extra_info": {"index": number, "split": split},
        }
        for number, one in enumerate(problems)
    ]


def text_of(completion: Any) -> str:
    """The text of a completion: itself, or the content of its last message."""
    if isinstance(completion, str):
        return completion
    content = completion[-1]["content"] if completion else ""
    if isinstance(content, list):  # parts, some perhaps without text
        return "".join(part.get("text", "") for part in content)
    return content or ""
