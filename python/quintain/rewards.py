"""Rewards in the forms of trainers: TRL's and verl's."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

# verl loads this file by its path, so relative imports fail.
from quintain import math as mathematics
from quintain.grading import grade
from quintain.problems import Problem

__all__ = ["grpo", "accuracy", "compute_score", "verl_rows"]


def grpo(prompts: Sequence[Any], completions: Sequence[Any], problem: Sequence[Any], **_: Any) -> list[float | None]:
    """The score of each completion by the task of its problem: a reward function of TRL. Make the data set from
    ``task.problems(chat=True)``: TRL passes its column ``problem``. A row without a problem, as in a mixed data set, is
    another function's: its score is None."""
    return scored(problem, completions, lambda rows, texts: [score for marks in grade("replies", rows, texts) for score in marks.scores])


def accuracy(prompts: Sequence[Any], completions: Sequence[Any], solution: Sequence[Any], **_: Any) -> list[float | None]:
    """1 for each completion whose final answer equals the column ``solution``, otherwise 0: a reward function of TRL
    for mathematical data sets. A solution is a text, a number, or a list of answers of which one is enough; a row
    without one is another function's: its score is None."""
    return scored(solution, completions, equal)


def compute_score(data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **_: Any) -> float:
    """The score of a reply, for ``custom_reward_function`` of verl. Rows with a data source that begins with
    ``quintain/`` have a problem as ground truth (see :func:`verl_rows`), all others a mathematical answer: a text, a
    number, or a list of answers of which one is enough."""
    if data_source.startswith("quintain/"):
        return next(grade("replies", [ground_truth], [solution_str])).scores[0]
    return equal([ground_truth], [solution_str])[0]


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


def scored(column: Sequence[Any], completions: Sequence[Any], score: Callable[[list[Any], list[str]], list[float]]) -> list[float | None]:
    """The scores of completions by a column of the data set; None for a row in which it is empty."""
    ours = [(row, text_of(c)) for row, c in zip(column, completions, strict=True) if not empty(row)]
    scores = iter(score([row for row, _ in ours], [text for _, text in ours]))
    return [None if empty(row) else next(scores) for row in column]


def empty(value: Any) -> bool:
    """Whether a field of a data set has no value: None, or NaN, which pandas writes for it."""
    return value is None or (isinstance(value, float) and value != value)


def equal(truths: list[Any], texts: list[str]) -> list[float]:
    """1 for each text whose final answer equals one of its mathematical truths, otherwise 0."""
    lists = [answers(truth) for truth in truths]
    golds, asked = [one for some in lists for one in some], [text for some, text in zip(lists, texts) for _ in some]
    found = iter(mathematics.verify_all(golds, asked))
    return [float(any([next(found).equal for _ in some])) for some in lists]


def answers(truth: Any) -> list[str]:
    """The answers of a ground truth as texts: of verl's rows it may be a number, or a list or array of alternatives."""
    if isinstance(truth, str):
        return [truth]
    if isinstance(truth, Sequence) or getattr(truth, "ndim", 0):
        return [one for each in truth for one in answers(each)]
    try:
        return [format(decimal.Decimal(str(truth)), "f")]
    except decimal.InvalidOperation:
        raise TypeError(f"a ground truth is a {type(truth).__name__}, want a text, a number or a list of them") from None


def text_of(completion: Any) -> str:
    """The text of a completion: itself, or that of the assistant's last message. What a tool or a user says is never a
    reply: without a message of the assistant the text is empty."""
    if isinstance(completion, str):
        return completion
    messages = [completion] if isinstance(completion, Mapping) else completion or []
    said = [message for message in messages if message.get("role") == "assistant"]
    content = said[-1].get("content") if said else None
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content or [] if part.get("type") == "text" and isinstance(part.get("text"), str))
