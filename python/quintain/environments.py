"""Tasks and scenarios as environments for ``environment_factory`` of TRL's GRPOTrainer, where a model answers by
calling tools.

>>> import quintain
>>> rows = quintain.environments.rows(quintain.task("word_ladder").problems(count=2))
>>> environment = quintain.TaskEnvironment()  # as the trainer does for each rollout
>>> environment.reset(**rows[0])
>>> environment.submit_answer("I do not know")
'The answer is submitted.'
>>> environment.get_reward()
0.0

All public methods but reset and get_reward are tools: models read their names, types and documentation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from quintain.errors import Error
from quintain.problems import Problem, grade
from quintain.scenarios import Draw, Messages, Play, Reply, Scenario, Step

__all__ = ["ScenarioEnvironment", "TaskEnvironment", "rows"]

OVER = "The episode is over."


def rows(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Problems as rows of a data set, with prompts that ask the question without mentioning tags."""
    return [{**one, "prompt": one["prompt"] if isinstance(one["prompt"], list) else [{"role": "user", "content": one["prompt"]}]} for one in problems]


class TaskEnvironment:
    """The problem of a row, with a tool to answer it. The reward is the score of the last attempt, 0 without one. If
    a problem cannot be graded, get_reward raises the error, which the trainer would swallow elsewhere."""

    def __init__(self, attempts: int = 1):
        if attempts < 1:
            raise ValueError(f"attempts is {attempts}, want 1 or more")
        self._attempts = attempts
        self._problem, self._left, self._score = "", 0, 0.0
        self._fault: Exception | None = None

    def reset(self, problem: str, **_: Any) -> None:
        """Begin with the problem of a row of :func:`rows`."""
        self._problem, self._left, self._score, self._fault = problem, self._attempts, 0.0, None

    def submit_answer(self, answer: str) -> str:
        """
        Submit the answer to the problem.

        Args:
            answer: The answer alone, in the form that the problem asks for.

        Returns:
            Whether another attempt is possible.
        """
        if self._left == 0:
            return "No attempt is left."
        self._left -= 1
        try:
            self._score = grade(self._problem, str(answer)).score
        except Error as fault:
            self._fault = fault
            raise
        if self._attempts == 1:
            return "The answer is submitted."
        if self._score == 1:
            self._left = 0
            return "The answer is right."
        return f"The answer is not right. Attempts left: {self._left}."

    def get_reward(self) -> float:
        """The score of the last attempt."""
        if self._fault:
            raise self._fault
        return self._score


class ScenarioEnvironment:
    """An episode of a scenario in Python, with a tool to reply. Its opening follows the prompt of the row, which may
    be left out. The reward is the sum over all replies. get_reward raises an error of the scenario."""

    def __init__(self, scenario: Scenario):
        self._scenario = scenario
        self._episode: Play | None = None
        self._reward = 0.0
        self._problem = ""
        self._fault: Exception | None = None

    def reset(self, problem: str = "", seed: int = 1, level: int = 0, index: int = 0, **row: Any) -> str:
        """Begin with the problem of a row or, in a scenario that makes its own, of seed, level and index."""
        if self._episode is not None:
            self._episode.close()
        self._reward, self._fault, self._problem = 0.0, None, problem
        of: Any = Draw(seed, level, index, self._scenario.levels[level])
        if self._scenario.tasks:
            of = {**row, "problem": problem, "seed": seed, "level": level, "index": index}
        self._episode = self._scenario.play(of)
        said = next(self._episode)
        return _text(said.messages if isinstance(said, Step) else said)

    def reply(self, text: str) -> str:
        """
        Reply to what was said last.

        Args:
            text: The reply.

        Returns:
            What is said next.
        """
        try:
            return self._answer(str(text))
        except Exception as fault:
            self._episode, self._fault = None, fault
            raise

    def _answer(self, text: str) -> str:
        if self._episode is None:
            return OVER
        reply = Reply(text)
        reply.finish, reply.tool_calls = "stop", []
        try:
            said = self._episode.send(reply)
        except StopIteration as end:
            self._episode = None
            self._earn(end.value)
            return OVER
        if not isinstance(said, Step):
            return _text(said)
        self._earn(said)
        return _text(said.messages)

    def _earn(self, what: float | Step) -> None:
        if isinstance(what, Step) and what.grade is not None:
            self._reward += grade(self._problem, what.grade).score
        else:
            self._reward += float(what.reward if isinstance(what, Step) else what)
        if not math.isfinite(self._reward):
            raise ValueError(f"the reward is {self._reward}, want a finite number")

    def get_reward(self) -> float:
        """The sum of the rewards."""
        if self._fault:
            raise self._fault
        return self._reward


def _text(said: Messages) -> str:
    """The text of messages, without their roles."""
    return said if isinstance(said, str) else "\n\n".join(str(message["content"]) for message in said)
