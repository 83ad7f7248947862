"""Rewards of programs, by tests that a server (``quintain serve``) runs in its sandbox."""

from __future__ import annotations

import concurrent.futures
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

# verl loads this file by its path, so relative imports fail.
from quintain.rewards import scored
from quintain.sessions import Gateway

__all__ = ["code_problems", "code_reward", "code_score", "compute_score"]

OURS = "write_program"  # the data set that every server has


def code_score(tests: Mapping[str, Any] | str, reply: str, url: str | None = None, key: str | None = None, patience: float = 600, dataset: str = OURS) -> float:
    """The score of the program in a reply, 0 to 1. The tests are an object, or its JSON (docs/code-problems.md), or the
    ID of a problem in a data set of the server, which then has the tests. A server that is busy is asked again for
    ``patience`` seconds; then, and for any other fault, there is an :class:`Error`, and no score. Without ``url`` the
    address is that of ``QUINTAIN_URL``, and without ``key`` the key that of ``QUINTAIN_KEY``."""
    if isinstance(tests, str) and not tests.lstrip().startswith("{"):
        body: dict[str, Any] = {"dataset": dataset, "problem": tests, "reply": reply}
    else:
        body = {"tests": json.loads(tests) if isinstance(tests, str) else tests, "reply": reply}
    return float(json.loads(Gateway(url, key, patience, hold=600).ask("POST", "/v1/code/grade", body))["score"])


def code_problems(
    dataset: str = OURS, count: int = 1000, offset: int = 0, url: str | None = None, key: str | None = None, seed: int = 1, level: int = 0
) -> list[dict[str, Any]]:
    """Problems of a data set of the server, as rows for TRL: ``prompt``, a list with one message, ``problem``, the ID for
    :func:`code_reward`, and ``task``, the data set. ``seed`` and ``level`` are those of write_program, which gives 1,000
    problems at most."""
    body = {"dataset": dataset, "offset": offset, "limit": count, "config": {"extra": {"seed": seed, "level": level}}}
    rows = json.loads(Gateway(url, key).ask("POST", "/get_prompts", body))
    return [{"prompt": [{"role": "user", "content": row["prompt"]}], "problem": row["id"], "task": dataset} for row in rows]


def code_reward(
    url: str | None = None, key: str | None = None, column: str = "tests", at_once: int = 32, dataset: str = OURS
) -> Callable[..., list[float | None]]:
    """A reward function of TRL: the score of each completion by the tests, or the ID of a problem, in a column of the
    data set. Up to ``at_once`` programs are judged at the same time, and equal replies to a problem once. A row without tests
    is another function's: its score is None."""

    def code(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float | None]:
        return scored(columns[column], completions, score)

    def score(rows: list[Any], texts: list[str]) -> list[float]:
        asked = [(one if isinstance(one, str) else json.dumps(one), text) for one, text in zip(rows, texts)]
        different = list(dict.fromkeys(asked))
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            scores = dict(zip(different, pool.map(lambda one: code_score(one[0], one[1], url, key, dataset=dataset), different)))
        return [scores[one] for one in asked]

    return code


def compute_score(
    data_source: str, solution_str: str, ground_truth: Mapping[str, Any] | str, extra_info: Any = None, url: str | None = None, key: str | None = None, **_: Any
) -> float:
    """The score of the program in a reply, for ``custom_reward_function`` of verl. The ground truth is that of
    :func:`code_score`; an ID is that of a problem in the data set which the data source names after ``quintain/``."""
    dataset = data_source.removeprefix("quintain/") if data_source.startswith("quintain/") else OURS
    return code_score(ground_truth, solution_str, url, key, dataset=dataset)
