"""Tasks, their problems and their grades."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, Union

from quintain import pipe
from quintain.errors import Error, ProgramError
from quintain.program import path

__all__ = ["Problem", "Task", "Verdict", "grade", "grade_all", "judge_all", "task", "tasks"]

AT_ONCE = 1000  # problems that are drawn at once by a stream


class Problem(TypedDict):
    """A problem as a flat dict, a row of a data set."""

    prompt: Any
    """What the model reads: a text, or a list of messages."""
    task: str
    level: int
    """Level of difficulty, 0 is the easiest; -1: the task has its own params."""
    seed: int
    index: int
    problem: str
    """The whole problem as JSON, with all that grading needs. It holds the solution: do not show it to a model."""


Gradable = Union[Mapping[str, Any], str]
"""A :class:`Problem`, or the JSON in its ``problem``."""


class Verdict(NamedTuple):
    """The grade of an answer."""

    score: float
    """From 0 to 1, fully right."""
    malformed: bool
    """There is no answer, or it cannot be read."""
    reason: str
    """Why the score is below 1, for people."""


@dataclasses.dataclass(frozen=True)
class Task:
    """A task at a level, or with params of its own. Make one with :func:`task`."""

    name: str
    level: int = 0
    params: Mapping[str, Any] | None = None

    def problems(self, seed: int = 1, count: int = 1000, start: int = 0, chat: bool = False) -> list[Problem]:
        """Problems of the stream of a seed, from number ``start`` on: always the same ones. ``datasets.Dataset.from_list``
        takes the list. With ``chat``, prompts are messages, and the first says in which form to reply."""
        if count < 0 or start < 0 or not 0 <= seed < 1 << 64:
            raise ValueError(f"count is {count}, start {start} and seed {seed}; want 0 or more, and a seed below 2**64")
        how = {"level": self.level} if self.params is None else {"params": dict(self.params)}
        fixed = json.dumps({"task": self.name, "seed": seed, **how})[:-1]
        drawn = pipe.ask_raw([f'{{"draw":{fixed},"index":{index}}}}}'.encode() for index in range(start, start + count)])
        prompts = pipe.ask([b'{"open":%b}' % one for one in drawn]) if chat else []
        rows: list[Problem] = []
        for number, raw in enumerate(drawn):
            one = json.loads(raw)
            prompt = prompts[number]["messages"] if chat else one["prompt"]
            rows.append(Problem(prompt=prompt, task=one["task"], level=one["level"], seed=seed, index=one["index"], problem=raw.decode()))
        return rows

    def stream(self, seed: int = 1, start: int = 0, chat: bool = False) -> Iterator[Problem]:
        """All problems of the stream of a seed; it has no end."""
        while True:
            yield from self.problems(seed, AT_ONCE, start, chat)
            start += AT_ONCE

    def grade(self, problem: Gradable, answer: str | None) -> Verdict:
        """Grade an answer; None is none."""
        return grade(problem, answer)

    def grade_all(self, problems: Sequence[Gradable], answers: Sequence[str | None]) -> list[Verdict]:
        """Grade the answers to problems, on all cores."""
        return grade_all(problems, answers)


def task(name: str, level: int = 0, params: Mapping[str, Any] | None = None) -> Task:
    """The task of a name, at a level; params, its own settings, may take the place of the level. ``composite`` is all tasks in
    turn."""
    found = Task(name, level, params)
    found.problems(count=1)  # tells of a wrong name or level now
    return found


def tasks() -> list[str]:
    """The names of all tasks."""
    done = subprocess.run([path(), "tasks", "list", "--json"], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise ProgramError(done.stderr.decode(errors="replace").strip())
    return [json.loads(line)["name"] for line in done.stdout.splitlines()]


def grade(problem: Gradable, answer: str | None) -> Verdict:
    """Grade an answer to a problem of any task; None is none."""
    return grade_all([problem], [answer])[0]


def grade_all(problems: Sequence[Gradable], answers: Sequence[str | None]) -> list[Verdict]:
    """Grade the answers to problems of any tasks, on all cores."""
    return _verdicts(b"answer", problems, answers)


def judge_all(problems: Sequence[Gradable], replies: Sequence[str | None]) -> list[Verdict]:
    """Grade whole replies of a model, on all cores. The answer is what the reply has between <answer> and </answer>, once and
    outside of <think>…</think>; otherwise the verdict is malformed."""
    return _verdicts(b"reply", problems, replies)


def _verdicts(name: bytes, problems: Iterable[Gradable], texts: Iterable[str | None]) -> list[Verdict]:
    lines = []
    for problem, text in zip(problems, texts, strict=True):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"an {name.decode()} is a {type(text).__name__}, want a str, or None")
        lines.append(b'{"problem":%b,"%b":%b}' % (_raw(problem), name, json.dumps(text).encode()))
    return [Verdict(float(v["score"]), v["malformed"], v["reason"]) for v in pipe.ask(lines)]


def _raw(problem: Gradable) -> bytes:
    """The JSON of a problem, on one line."""
    raw = problem if isinstance(problem, str) else problem.get("problem")
    if not isinstance(raw, str):
        raise TypeError("a problem is what Task.problems returns, or the JSON that it has as problem")
    if not raw.startswith('{"task":') or not raw.endswith("}") or "\n" in raw:  # not as the program wrote it
        try:
            raw = json.dumps(json.loads(raw))
        except ValueError as fault:
            raise Error(f"the problem is no JSON: {fault}") from fault
    return raw.encode()
