"""Tasks, their problems and their grades."""

from __future__ import annotations

import dataclasses
import functools
import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from quintain import grading, pipe
from quintain.errors import ProgramError
from quintain.grading import Gradable
from quintain.program import path

__all__ = ["Problem", "Task", "Verdict", "grade", "grade_all", "judge_all", "task", "tasks"]

AT_ONCE = 1000  # problems that a stream draws at once


class Problem(TypedDict):
    """A problem as a flat dict, a row of a data set."""

    prompt: Any
    """The prompt: a text, or a list of messages."""
    task: str
    level: int
    """Level of difficulty, 0 is the easiest; -1: the task has its own params."""
    seed: int
    index: int
    problem: str
    """The whole problem as JSON, with everything needed to grade. It holds the solution: do not show it to a model."""


class Verdict(NamedTuple):
    """The grade of an answer."""

    score: float
    """From 0 to 1, fully right."""
    malformed: bool
    """There is no readable answer."""
    reason: str
    """Why the score is below 1, for people."""


@dataclasses.dataclass(frozen=True)
class Task:
    """A task at a level, or with its own params. Make one with :func:`task`."""

    name: str
    level: int = 0
    params: Mapping[str, Any] | None = None

    def problems(self, seed: int = 1, count: int = 1000, start: int = 0, chat: bool = False, examples: int = 0) -> list[Problem]:
        """Problems from the stream of a seed, beginning with number ``start``: always the same ones.
        ``datasets.Dataset.from_list`` takes the list. With ``chat``, prompts are messages, and the first demands
        the form of the reply; with ``examples``, so many solved problems stand before the question, none of them held out."""
        if count < 0 or start < 0 or not 0 <= seed < 1 << 64:
            raise ValueError(f"count is {count}, start {start} and seed {seed}; want 0 or more, and a seed below 2**64")
        how = {"level": self.level} if self.params is None else {"params": dict(self.params)}
        fixed = json.dumps({"task": self.name, "seed": seed, **how})[:-1]
        drawn = _draw(fixed, range(start, start + count))
        chat = chat or examples > 0
        prompts = pipe.ask(lambda _: [f'{{"open":{raw},"settings":{{"examples":{examples:d}}}}}'.encode() for raw in drawn]) if chat else []
        rows: list[Problem] = []
        for number, raw in enumerate(drawn):
            one = json.loads(raw)
            prompt = prompts[number]["messages"] if chat else one["prompt"]
            rows.append(Problem(prompt=prompt, task=one["task"], level=one["level"], seed=seed, index=one["index"], problem=raw))
        return rows

    def stream(self, seed: int = 1, start: int = 0, chat: bool = False, examples: int = 0) -> Iterator[Problem]:
        """All problems from the stream of a seed, without end."""
        while True:
            yield from self.problems(seed, AT_ONCE, start, chat, examples)
            start += AT_ONCE

    def grade(self, problem: Gradable, answer: str | None) -> Verdict:
        """Grade an answer; None: no answer."""
        return grade(problem, answer)

    def grade_all(self, problems: Sequence[Gradable], answers: Sequence[str | None]) -> list[Verdict]:
        """Grade the answers to problems, on all cores."""
        return grade_all(problems, answers)


def task(name: str, level: int = 0, params: Mapping[str, Any] | None = None) -> Task:
    """The named task at a level; params, its own settings, replace the level. ``composite`` is all tasks in turn."""
    found = Task(name, level, params)
    found.problems(count=1)  # raises an error for a wrong name or level
    return found


def tasks() -> list[str]:
    """The names of all tasks."""
    done = subprocess.run([path(), "tasks", "list", "--json"], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise ProgramError(done.stderr.decode(errors="replace").strip())
    return [json.loads(line)["name"] for line in done.stdout.splitlines()]


def grade(problem: Gradable, answer: str | None) -> Verdict:
    """Grade an answer to a problem of any task; None: no answer."""
    return grade_all([problem], [answer])[0]


def grade_all(problems: Sequence[Gradable], answers: Sequence[str | None]) -> list[Verdict]:
    """Grade the answers to problems of any tasks, on all cores."""
    return _verdicts(grading.grade("answers", problems, answers))


def judge_all(problems: Sequence[Gradable], replies: Sequence[str | None]) -> list[Verdict]:
    """Grade whole replies of a model, on all cores. The answer stands between <answer> and </answer>, exactly once
    and outside of <think>…</think>; otherwise the verdict is malformed."""
    return _verdicts(grading.grade("replies", problems, replies))


def _verdicts(parts: Iterable[grading.Marks]) -> list[Verdict]:
    new = functools.partial(tuple.__new__, Verdict)  # as Verdict._make does, without its check
    verdicts: list[Verdict] = []
    for marks in parts:
        verdicts.extend(map(new, zip(*marks)))
    return verdicts


def _draw(fixed: str, indexes: range) -> list[str]:
    """The JSON of problems. The program keeps them, so only their numbers go back to it."""
    used: tuple[pipe.Names, list[int]] = pipe.Names(), []

    def request(names: pipe.Names) -> list[bytes]:
        nonlocal used
        numbers = [next(names.numbers) for _ in indexes]
        used = names, numbers
        return [f'{{"draw":{fixed},"index":{index}}},"as":{number}}}'.encode() for index, number in zip(indexes, numbers)]

    drawn = [raw.decode() for raw in pipe.ask_raw(request)]
    names, numbers = used
    names.keep(dict(zip(drawn, numbers)))
    return drawn
