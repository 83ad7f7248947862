"""Scenarios in Python, for ``quintain run --environment command:``.

>>> import quintain
>>> @quintain.scenario
... def double(problem):
...     number = problem.random.randint(1, 99)
...     reply = yield f"What is twice {number}?"
...     return 1.0 if reply.strip() == str(2 * number) else 0.0

``quintain.serve_scenario(double)`` at the end of the file makes a program of it.
"""

from __future__ import annotations

import dataclasses
import http.server
import inspect
import json
import os
import random
import re
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, BinaryIO, Union, overload

from quintain.errors import Error
from quintain.problems import Problem

__all__ = ["Draw", "Play", "Reply", "Scenario", "Step", "scenario", "serve_scenario"]

PROTOCOL = 2  # the newest of docs/formats/scenario.md

Messages = Union[str, Sequence[Mapping[str, Any]]]
"""The next text for the model: a user message, or messages in the form of OpenAI's chat completions."""


@dataclasses.dataclass(frozen=True)
class Draw:
    """Names a problem of a scenario that makes its own. Equal draws must give equal problems, in every process."""

    seed: int
    level: int
    index: int
    params: Mapping[str, Any]
    """The parameters of the level."""

    @property
    def random(self) -> random.Random:
        """A fresh random generator each time: always the same numbers for the same draw."""
        return random.Random(f"{self.seed}/{self.level}/{self.index}")


class Reply(str):
    """The model's reply, a text with further facts."""

    finish: str
    """Why it ended: "stop", or "length" if a limit cut it."""
    tool_calls: list[dict[str, Any]]
    """The tool calls in it, in the form of OpenAI's chat completions."""
    call_fault: str
    """Why the tool calls cannot be read, which then stand in the text; empty: they can."""

    @property
    def answer(self) -> str:
        """The text between <answer> and </answer> outside of the thinking, also of thinking that a limit cut; empty
        unless it is there exactly once."""
        outside = self.rpartition("</think>")[2].partition("<think>")[0]
        found = re.findall(r"<answer>(.*?)</answer>", outside, re.DOTALL | re.IGNORECASE)
        return found[0].strip() if len(found) == 1 else ""


@dataclasses.dataclass(frozen=True)
class Step:
    """The consequences of a reply, if they exceed a text or a reward."""

    messages: Messages = ()
    """The next text for the model. A step that ends the episode needs none."""
    reward: float = 0.0
    """For the last reply alone."""
    grade: str | None = None
    """An answer for the task to grade: its verdict replaces reward, right, answer, malformed and why."""
    right: bool | None = None
    """Whether the reply is fully right; None: if the reward is 1."""
    answer: str = ""
    """The judged answer, for people."""
    malformed: bool = False
    """Whether the reply had no readable answer."""
    truncated: bool = False
    """Whether a limit ended the episode, and not the task."""
    why: str = ""
    """The reason for the reward, for people."""
    tools: Sequence[Mapping[str, Any]] | None = None
    """What the model may call from here on: name, description and parameters (JSON Schema) of each; None: as before."""
    metrics: Mapping[str, float] | None = None
    """Further numbers, never added to the reward. Those of the first messages are left out."""
    record: Mapping[str, Any] | None = None
    """A record of your own, for people, of at most 64 KiB."""


Play = Generator[Union[Messages, Step], Reply, Union[float, Step]]
"""What a scenario's function returns: annotated with it, ``reply = yield "…"`` is a :class:`Reply` for editors and type checkers."""


class Scenario:
    """A scenario; :func:`scenario` makes it from a function."""

    def __init__(self, play: Callable[[Any], Play], **options: Any):
        self.play = play
        self.name: str = options.pop("name") or play.__name__
        self.version: int = options.pop("version")
        self.tasks: bool = options.pop("tasks")
        self.levels = list(options.pop("levels") or [{}])
        self.solve: Callable[[Any], str] | None = options.pop("solve")
        self.grade: Callable[[Any, Mapping[str, Any]], Union[float, Step, None]] | None = options.pop("grade")
        self.settings: Mapping[str, Any] | None = options.pop("settings")
        self.parallel: int = options.pop("parallel")
        self.replayable: bool = options.pop("replayable")
        if not inspect.isgeneratorfunction(play):
            raise TypeError(f"{self.name} is not a generator: it must yield the texts for the model, and return the reward")

    def hello(self, protocol: int = PROTOCOL) -> dict[str, Any]:
        """The scenario's introduction, by a protocol or an older one."""
        about = {"protocol": min(protocol, PROTOCOL), "name": self.name, "version": self.version, "doc": inspect.getdoc(self.play) or "", "parallel": self.parallel}
        if self.settings is not None:
            about["settings"] = self.settings
        if self.replayable:
            about["replayable"] = True
        if self.grade is not None and protocol > 1:
            about["grades"] = True
        if not self.tasks:
            about |= {"levels": self.levels, "solves": self.solve is not None}
        return about

    def problem(self, raw: dict[str, Any]) -> Draw | Problem:
        """The problem of a request, as the function gets it."""
        if self.tasks:
            return Problem(prompt=raw["prompt"], task=raw["task"], level=raw["level"], seed=int(raw["seed"]), index=raw["index"], problem=json.dumps(raw))
        return Draw(int(raw["seed"]), raw["level"], raw["index"], raw["params"])


@overload
def scenario(play: Callable[[Any], Play]) -> Scenario: ...
@overload
def scenario(
    *, name: str = "", version: int = 1, tasks: bool = False, levels: Sequence[Mapping[str, Any]] = (),
    solve: Callable[[Any], str] | None = None, grade: Callable[[Any, Mapping[str, Any]], Union[float, Step, None]] | None = None,
    settings: Mapping[str, Any] | None = None, parallel: int = 1, replayable: bool = False,
) -> Callable[[Callable[[Any], Play]], Scenario]: ...  # fmt: skip
def scenario(
    play: Callable[[Any], Play] | None = None, *, name: str = "", version: int = 1, tasks: bool = False, levels: Sequence[Mapping[str, Any]] = (),
    solve: Callable[[Any], str] | None = None, grade: Callable[[Any, Mapping[str, Any]], Union[float, Step, None]] | None = None,
    settings: Mapping[str, Any] | None = None, parallel: int = 1, replayable: bool = False,
) -> Any:  # fmt: skip
    """Make a scenario from a generator function, which plays an episode: it yields the texts for the model, gets each
    :class:`Reply`, and returns the reward. The first yield must depend on the problem alone. Instead of a text or
    a reward, it may yield or return a :class:`Step`.

    The function gets a :class:`Draw`, for problems of its own: one level, unless ``levels`` has the parameters of
    several, the easiest first. With ``tasks`` it plays the problems of tasks, and gets a :class:`Problem`, which
    :func:`quintain.grade` takes.

    Raise ``version`` whenever a text or a reward changes. ``solve`` returns a right answer, so that ``--policy
    script`` can play. ``grade`` grades an episode that was played before, for ``quintain regrade``: it gets the problem
    and the episode (messages, answer, metrics, record, solution), and returns a reward, a :class:`Step`, or None if it
    needs the running episode. ``settings`` are those that differ from the defaults: they tell problems apart. ``parallel`` is
    the number of threads that play. ``replayable`` promises that an episode depends on its problem and the replies
    alone: then another machine may go on with it.
    """
    options: dict[str, Any] = {"name": name, "version": version, "tasks": tasks, "levels": levels, "solve": solve, "grade": grade, "settings": settings, "parallel": parallel, "replayable": replayable}
    if play is not None:
        return Scenario(play, **options)
    return lambda play: Scenario(play, **options)


def serve_scenario(plays: Scenario, port: int | None = None, host: str = "127.0.0.1") -> None:
    """Play episodes until standard input ends; printed text goes to standard error. With a port, be an HTTP server
    instead."""
    server = _Server(plays)
    if port is None:
        server.serve_pipes()
        return
    with _HTTPServer((host, port), _Handler) as listener:
        listener.server = server
        print(f"scenario {plays.name} on http://{host}:{listener.server_port}", file=sys.stderr, flush=True)
        listener.serve_forever()


class _Unknown(Error):
    """The episode is unknown."""


class _Server:
    """Answers requests."""

    def __init__(self, plays: Scenario):
        self.plays = plays
        self.episodes: dict[int, Play] = {}

    def serve_pipes(self) -> None:
        out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)  # printed text must not come between the answers
        reading, writing = threading.Lock(), threading.Lock()
        workers = [threading.Thread(target=self._work, args=(reading, writing, out)) for _ in range(self.plays.parallel - 1)]
        for worker in workers:
            worker.start()
        self._work(reading, writing, out)
        for worker in workers:
            worker.join()
        for number in list(self.episodes):
            self._forget(number)

    def _work(self, reading: threading.Lock, writing: threading.Lock, out: BinaryIO) -> None:
        while True:
            with reading:
                line = sys.stdin.buffer.readline()
            if not line:
                return
            answer = self.answer(line)[1] + b"\n"
            with writing:
                while answer:
                    answer = answer[out.write(answer) or 0 :]

    def answer(self, line: bytes) -> tuple[int, bytes]:
        """The HTTP status and the answer to a request."""
        request = json.loads(line)
        number = request["id"]
        try:
            return 200, json.dumps({"id": number, **self._do(request)}, allow_nan=False).encode()
        except Exception as fault:
            unknown = isinstance(fault, _Unknown)
            if not unknown:
                traceback.print_exc()
            self._forget(number)
            return 404 if unknown else 200, json.dumps({"id": number, "error": f"{type(fault).__name__}: {fault}"}).encode()

    def _do(self, request: dict[str, Any]) -> dict[str, Any]:
        number = request["id"]
        if "hello" in request:
            return {"hello": self.plays.hello(request["hello"]["protocol"])}
        if "solve" in request:
            if self.plays.solve is None:
                raise Error("there is no solve")
            return {"solution": str(self.plays.solve(self.plays.problem(request["solve"])))}
        if "grade" in request:
            if self.plays.grade is None:
                raise Error("there is no grade")
            said = self.plays.grade(self.plays.problem(request["grade"]["problem"]), request["grade"])
            if said is None:
                return {"needs_state": True}
            return _judged(said if isinstance(said, Step) else Step(reward=said))
        if "open" in request:
            episode = self.episodes[number] = self.plays.play(self.plays.problem(request["open"]))
            try:
                said = next(episode)
            except StopIteration:
                raise Error("the episode ended before its first message") from None
            first = said if isinstance(said, Step) else Step(messages=said)
            return {"messages": _messages(first.messages), **({} if first.tools is None else {"tools": list(first.tools)})}
        if "close" in request:
            self._forget(number)
            return {}
        return self._step(number, request["step"])

    def _step(self, number: int, step: dict[str, Any]) -> dict[str, Any]:
        if number not in self.episodes:
            raise _Unknown(f"there is no episode {number}")
        reply = Reply(step["text"])
        reply.finish, reply.tool_calls, reply.call_fault = step["finish"], step.get("tool_calls") or [], step.get("call_fault", "")
        try:
            said = self.episodes[number].send(reply)
        except StopIteration as end:
            del self.episodes[number]
            last = end.value if isinstance(end.value, Step) else Step(reward=end.value)
            return {**_judged(last), "end": "truncated" if last.truncated else "terminated"}
        going = said if isinstance(said, Step) else Step(messages=said)
        return {**_judged(going), "messages": _messages(going.messages)}

    def _forget(self, number: int) -> None:
        episode = self.episodes.pop(number, None)
        if episode is not None:
            try:
                episode.close()
            except Exception:
                traceback.print_exc()


def _messages(said: Messages) -> list[dict[str, Any]]:
    """The messages that an episode yields."""
    if isinstance(said, str):
        return [{"role": "user", "content": said}]
    if not said or not all(isinstance(m, Mapping) for m in said):
        raise TypeError(f"the episode yields {said!r}, want a text, messages or a Step with messages")
    return [dict(m) for m in said]


def _judged(step: Step) -> dict[str, Any]:
    """The fields of a step, without its messages and its end."""
    beside: dict[str, Any] = {} if step.tools is None else {"tools": list(step.tools)}
    if step.metrics is not None:
        beside["metrics"] = {name: float(value) for name, value in step.metrics.items()}
    if step.record is not None:
        beside["record"] = dict(step.record)
    if step.grade is not None:
        return {"grade": step.grade, **beside}
    if not isinstance(step.reward, (int, float)):
        raise TypeError(f"the reward is {step.reward!r}, want a number")
    reward = float(step.reward)
    right = reward == 1 if step.right is None else bool(step.right)
    return {**beside, "reward": reward, "right": right, "answer": step.answer, "malformed": step.malformed, "why": step.why}


class _HTTPServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    server: _Server


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and answer go together
    server: _HTTPServer

    def do_POST(self) -> None:
        status, answer = self.server.server.answer(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass
