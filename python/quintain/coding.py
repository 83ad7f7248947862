"""Rewards of programs, by tests that a server (``quintain serve``) runs in its sandbox."""

from __future__ import annotations

import concurrent.futures
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quintain.rewards import text_of
from quintain.sessions import Gateway

__all__ = ["code_reward", "code_score"]


def code_score(tests: Mapping[str, Any] | str, reply: str, url: str | None = None, key: str | None = None, patience: float = 600) -> float:
    """The score of the program in a reply, 0 to 1. The tests are an object, or its JSON (docs/code-problems.md). A server
    that is busy is asked again for ``patience`` seconds; then, and for any other fault, there is an :class:`Error`, and
    no score. Without ``url`` the address is that of ``QUINTAIN_URL``, and without ``key`` the key that of
    ``QUINTAIN_KEY``."""
    body = {"tests": json.loads(tests) if isinstance(tests, str) else tests, "reply": reply}
    return float(json.loads(Gateway(url, key, patience, hold=600).ask("POST", "/v1/code/grade", body))["score"])


def code_reward(url: str | None = None, key: str | None = None, column: str = "tests", at_once: int = 32) -> Callable[..., list[float]]:
    """A reward function of TRL: the score of each completion by the tests in a column of the data set. Up to ``at_once``
    programs are judged at the same time."""

    def code(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float]:
        texts = [text_of(c) for c in completions]
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(lambda one: code_score(one[0], one[1], url, key), zip(columns[column], texts)))

    return code
