"""Mathematical answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from quintain import pipe

__all__ = ["Verdict", "verify", "verify_all"]


class Verdict(NamedTuple):
    """Whether an answer equals its reference; as a bool, the same."""

    equal: bool
    reason: str
    """The rule that decided, from docs/math.md."""
    extracted: str
    """The final answer found in the text."""

    def __bool__(self) -> bool:
        return self.equal


def verify(gold: str, answer: str) -> Verdict:
    """Compare the final answer in a model's text with a reference."""
    return verify_all([gold], [answer])[0]


def verify_all(golds: Sequence[str], answers: Sequence[str]) -> list[Verdict]:
    """Compare answers with references, on all cores."""
    lines = []
    for gold, answer in zip(golds, answers, strict=True):
        if not isinstance(gold, str) or not isinstance(answer, str):
            raise TypeError("a reference or an answer is not a str")
        lines.append(json.dumps({"gold": gold, "answer": answer}).encode())
    return [Verdict(v["equal"], v["reason"], v["extracted"]) for v in pipe.ask(lambda _: lines)]
