"""Grading: requests to the program, and its answers."""

from __future__ import annotations

import json
import operator
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Union

from quintain import pipe
from quintain.errors import Error

__all__ = ["Marks", "grade"]

PART = 2000  # answers sent before the next ones are written, while the program works
MOST = 250  # answers per line; one core grades a line
LONG = 1 << 20  # bytes of a line with more than one answer

Gradable = Union[Mapping[str, Any], str]
"""A :class:`quintain.Problem`, or the JSON in its ``problem``."""


class Marks(NamedTuple):
    """The verdicts on some answers, in order."""

    scores: list[float]
    malformed: list[bool]
    reasons: list[str]


def grade(kind: str, problems: Iterable[Gradable], texts: Iterable[str | None]) -> Iterator[Marks]:
    """Grade texts, with a problem for each: ``answers``, or whole ``replies``. The first verdicts are ready while the
    program grades the rest."""
    raws, read = _raws(problems), list(texts)
    if len(raws) != len(read):
        raise ValueError(f"there are {len(raws)} problems and {len(read)} {kind}")
    for sort in set(map(type, read)):
        if not issubclass(sort, (str, types.NoneType)):
            raise TypeError(f"one of the {kind} is a {sort.__name__}, want a str, or None")
    parts = [_Part(kind, raws[at : at + PART], read[at : at + PART]) for at in range(0, len(read), PART)]
    for part, found in zip(parts, pipe.ask_each([part.lines for part in parts])):
        for one in part.marks(found):
            yield Marks(list(map(float, one["scores"])), one["malformed"], one["reasons"])


def _raws(problems: Iterable[Gradable]) -> list[str]:
    """The JSON of problems."""
    given = list(problems)
    raws: list[Any] = given
    if not all(issubclass(sort, str) for sort in set(map(type, given))):
        try:
            raws = list(map(operator.itemgetter("problem"), given))  # nearly always all of them have it
        except (KeyError, TypeError):
            raws = [one if isinstance(one, str) else one.get("problem") for one in given]
    if not all(issubclass(sort, str) for sort in set(map(type, raws))):
        raise TypeError("a problem is an element of Task.problems, or the JSON in its problem")
    return raws


class _Part:
    """Some texts and their problems on the way to the program, which gets each problem once and then its number."""

    def __init__(self, kind: str, raws: list[str], texts: list[str | None]):
        self.kind, self.raws, self.texts = kind, raws, texts
        self.whole = False  # use no number from earlier requests

    def lines(self, names: pipe.Names) -> list[bytes]:
        """The requests to a process that knows some problems."""
        self.names, self.fresh = names, dict[str, int]()
        count = len(self.texts)
        step = min(MOST, count // 8 + 1)
        return [line for at in range(0, count, step) for line in self._cut(at, min(at + step, count))]

    def _cut(self, begin: int, end: int) -> list[bytes]:
        raws = self.raws[begin:end]
        known = [None] if self.whole else list(map(self.names.known.get, raws))
        problems = self._named(raws) if None in known else str(known)
        line = f'{{"problems":{problems},"{self.kind}":{json.dumps(self.texts[begin:end])}}}'.encode()
        if len(line) < LONG or end - begin == 1:
            return [line]
        middle = (begin + end) // 2
        return self._cut(begin, middle) + self._cut(middle, end)

    def _named(self, raws: list[str]) -> str:
        """Problems; those unknown to the process get a number."""
        known = {} if self.whole else self.names.known
        fresh: dict[str, int] = {}
        items = []
        for raw in raws:
            number = known.get(raw, 0) or fresh.get(raw, 0)
            if not number:
                number = fresh[raw] = next(self.names.numbers)
                items.append(f"[{number},{_plain(raw)}]")
            else:
                items.append(str(number))
        self.fresh.update(fresh)
        return f"[{','.join(items)}]"

    def marks(self, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The verdicts in the answers."""
        if any("forgotten" in one for one in found):
            self.whole = True
            found = pipe.ask(self.lines)
        self.names.keep(self.fresh)
        return found


def _plain(raw: str) -> str:
    """The JSON of a problem, on one line."""
    if raw.startswith('{"task":') and raw.endswith("}") and "\n" not in raw:  # as the program wrote it
        return raw
    try:
        return json.dumps(json.loads(raw))
    except ValueError as fault:
        raise Error(f"the problem is not JSON: {fault}") from fault
