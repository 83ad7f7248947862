"""Sessions of the gateway: agents written in Python, whose model is the policy of a run."""

from __future__ import annotations

import collections
import hashlib
import http.client
import importlib
import json
import logging
import os
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any

from quintain.errors import Error, SessionError

__all__ = ["Agent", "Session", "agent", "group", "session"]

AGAIN = (429, 502, 503, 504, 507)  # statuses after which a request is sent again
WAIT = 5  # seconds for which the gateway may hold a request for sessions
MOST_FAILURES = 20  # sessions in a row, after which a loop gives up

_log = logging.getLogger("quintain")
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Session:
    """One episode that a program plays. Make one with :func:`session`, and use it in a ``with`` block.

    A block that ends by an exception ends its session as failed: it has no reward then, which is not a reward of 0.
    """

    id: str
    key: str
    """The API key of the agent."""
    group: str
    """The ID of its group."""
    problem: str
    """The ID of its problem."""
    prompt: str
    """The question; empty if there is none."""
    metadata: Any

    def __init__(self, gateway: Gateway, group: str, made: Mapping[str, Any]):
        self._gateway, self.group = gateway, group
        self.id, self.key, self.problem = made["id"], made["key"], made["problem"]
        self.prompt, self.metadata = made.get("prompt", ""), made.get("metadata")
        self._ended = False

    @property
    def openai_url(self) -> str:
        """The base address for OpenAI's SDKs."""
        return f"{self._gateway.url}/sessions/{self.id}/v1"

    @property
    def anthropic_url(self) -> str:
        """The base address for Anthropic's SDKs."""
        return f"{self._gateway.url}/sessions/{self.id}"

    @property
    def env(self) -> dict[str, str]:
        """The variables by which the SDKs find the session, for a program that you start."""
        return {
            "OPENAI_BASE_URL": self.openai_url, "OPENAI_API_KEY": self.key,
            "ANTHROPIC_BASE_URL": self.anthropic_url, "ANTHROPIC_API_KEY": self.key,
        }  # fmt: skip

    def openai(self, **options: Any) -> Any:
        """A client ``openai.OpenAI`` of this session."""
        return _package("openai").OpenAI(base_url=self.openai_url, api_key=self.key, **options)

    def async_openai(self, **options: Any) -> Any:
        """A client ``openai.AsyncOpenAI`` of this session."""
        return _package("openai").AsyncOpenAI(base_url=self.openai_url, api_key=self.key, **options)

    def anthropic(self, **options: Any) -> Any:
        """A client ``anthropic.Anthropic`` of this session."""
        return _package("anthropic").Anthropic(base_url=self.anthropic_url, api_key=self.key, **options)

    def async_anthropic(self, **options: Any) -> Any:
        """A client ``anthropic.AsyncAnthropic`` of this session."""
        return _package("anthropic").AsyncAnthropic(base_url=self.anthropic_url, api_key=self.key, **options)

    def reward(
        self, reward: float, *, right: bool = False, malformed: bool = False, why: str = "", call: str | None = None, add: bool = False
    ) -> None:
        """Reward the session, or one of its calls. A later reward replaces an earlier one, or with ``add`` is added."""
        body = {"reward": float(reward), "right": right, "malformed": malformed, "why": why, "mode": "add" if add else "set"}
        self._post("reward", {**body, **({"call": call} if call else {})})

    def end(self, answer: str | None = None, *, failed: str | None = None, why: str = "") -> None:
        """End the session: it takes no more calls. ``answer`` is what its task's grader judges, in place of the last
        reply; ``failed`` is ``"agent"``, ``"infra"`` or ``"cancelled"``."""
        self._post("end", {"answer": answer or "", "failed": failed or "", "why": why[:1000]})
        self._ended = True

    def state(self) -> dict[str, Any]:
        """What the gateway knows of the session: its state, outcome, reward, and counts of its calls."""
        view: dict[str, Any] = json.loads(self._gateway.ask("GET", f"/v1/sessions/{self.id}"))
        return view

    def calls(self) -> list[dict[str, Any]]:
        """The calls of the session, with their tokens and log-probabilities."""
        return [json.loads(line) for line in self._gateway.ask("GET", f"/v1/sessions/{self.id}/calls").splitlines()]

    def _post(self, what: str, body: Mapping[str, Any]) -> None:
        self._gateway.ask("POST", f"/v1/sessions/{self.id}/{what}", body)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None:
            if not self._ended:
                self.end()
            return
        try:
            self.end(failed="agent" if isinstance(error, Exception) else "cancelled", why=f"{type(error).__name__}: {error}")
        except Error as fault:  # the first error says more
            _log.warning("session %s cannot be ended: %s", self.id, fault)

    def __repr__(self) -> str:
        return f"Session({self.id!r}, group={self.group!r})"


def session(problem: Mapping[str, Any] | str | None = None, *, url: str | None = None, key: str | None = None, **fields: Any) -> Session:
    """A new session of the gateway at ``url``, else at $QUINTAIN_URL, else on this machine; ``key`` is the caller's, or
    $QUINTAIN_KEY.

    Its problem is the next one of the run; or a problem of your own, a name or a dict with a ``prompt``, which you
    reward yourself. Further fields are those of ``POST /v1/sessions``, such as ``prompt``, ``group`` and ``limits``.
    Sessions of one group answer the same question; without a ``group`` it is a group of one.
    """
    [made] = _make(problem, url, key, {"of": 1, "count": 1, **fields})
    return made


def group(n: int | None = None, problem: Mapping[str, Any] | str | None = None, *, url: str | None = None, key: str | None = None, **fields: Any) -> list[Session]:
    """``n`` sessions that answer the same question, as :func:`session` makes them; None: as many as a group of the run
    has."""
    return _make(problem, url, key, {**({} if n is None else {"of": n, "count": n}), **fields})


class Agent:
    """A function that plays sessions. :func:`agent` makes one."""

    def __init__(self, play: Callable[[Any, Session], float | None]):
        self._play = play
        self.__doc__, self.__name__ = play.__doc__, getattr(play, "__name__", "agent")

    def __call__(self, problem: Any, session: Session) -> float | None:
        return self._play(problem, session)

    def run(
        self, problems: Iterable[Mapping[str, Any] | str] | None = None, *, parallel: int = 8, group_size: int | None = None,
        stop: threading.Event | None = None, url: str | None = None, key: str | None = None, **fields: Any,
    ) -> int:  # fmt: skip
        """Play groups of sessions, ``parallel`` at once in threads, and return the number of those that ended well.

        It ends when ``stop`` is set, with Ctrl-C, after the last of ``problems``, or with the last error after 20
        failed sessions in a row. Without ``problems`` the run draws them, without end; the function then gets a dict
        with ``id``, ``prompt`` and ``metadata``. Sessions under way are played to their end."""
        source = _Source(problems, group_size, url, key, fields, stop or threading.Event())
        threads = [threading.Thread(target=self._work, args=(source,), name=f"quintain-{n}", daemon=True) for n in range(parallel)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            source.stop.set()
            for thread in threads:
                thread.join()
        if source.error:
            raise source.error
        return source.played

    def _work(self, source: _Source) -> None:
        try:
            for problem, one in source:
                source.note(self._one(problem, one))
        except Exception as error:
            source.give_up(error)

    def _one(self, problem: Any, one: Session) -> Exception | None:
        """Play a session. It returns the error that ended it."""
        try:
            with one:
                reward = self._play(problem, one)
                if reward is not None:
                    one.reward(reward)
        except Exception as error:
            _log.warning("session %s failed: %s: %s", one.id, type(error).__name__, error)
            return error
        return None


def agent(play: Callable[[Any, Session], float | None]) -> Agent:
    """Make an agent of a function of a problem and a session. It returns the reward; None: the problem's task judges the
    last reply, or the function has rewarded the session itself.

    >>> @quintain.agent
    ... def solve(problem, session):
    ...     reply = session.openai().chat.completions.create(model="policy", messages=[{"role": "user", "content": session.prompt}])
    ...     return float("42" in reply.choices[0].message.content)
    >>> solve.run(parallel=16)
    """
    return Agent(play)


class _Source:
    """The sessions that the threads of an agent play, made a group at a time."""

    def __init__(
        self, problems: Iterable[Mapping[str, Any] | str] | None, size: int | None, url: str | None, key: str | None, fields: Mapping[str, Any], stop: threading.Event
    ):
        self._problems = None if problems is None else iter(problems)
        self._make: Callable[[Any], list[Session]] = lambda problem: group(size, problem, url=url, key=key, stop=stop, **fields)
        self._ready: collections.deque[tuple[Any, Session]] = collections.deque()
        self._lock, self.stop = threading.Lock(), stop
        self.error: Exception | None = None
        self.played = self._failures = 0

    def __iter__(self) -> Iterator[tuple[Any, Session]]:
        while (item := self._next()) is not None:
            yield item

    def _next(self) -> tuple[Any, Session] | None:
        with self._lock:
            if not self._ready:
                if self.stop.is_set():
                    return None
                problem: Any = None
                if self._problems is not None and (problem := next(self._problems, None)) is None:
                    return None
                for one in self._make(problem):
                    given = {"id": one.problem, "prompt": one.prompt, "metadata": one.metadata} if problem is None else problem
                    self._ready.append((given, one))
            return self._ready.popleft() if self._ready else None

    def note(self, error: Exception | None) -> None:
        with self._lock:
            self.played += error is None
            self._failures = 0 if error is None else self._failures + 1
        if error and self._failures >= MOST_FAILURES:
            self.give_up(error)

    def give_up(self, error: Exception) -> None:
        with self._lock:
            self.error = self.error or error
            self._ready.clear()  # they end when they have been idle for long
        self.stop.set()


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        raise ImportError(f"the client needs the package {name}, which is not installed: pip install {name}", name=name) from None


def _make(problem: Mapping[str, Any] | str | None, url: str | None, key: str | None, fields: dict[str, Any]) -> list[Session]:
    stop = fields.pop("stop", None)
    gateway = Gateway(url, key)
    body = {**_named(problem), **fields}
    reply = json.loads(gateway.ask("POST", f"/v1/sessions?wait={WAIT}", body, stop or threading.Event(), patient=True) or "{}")
    return [Session(gateway, reply["group"], made) for made in reply.get("sessions", [])]


def _named(problem: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """The name and the question of a problem of the caller's own; nothing for the run's next."""
    if problem is None or isinstance(problem, str):
        return {"name": problem} if problem else {}
    prompt = problem.get("prompt", "")
    if not isinstance(prompt, str):  # messages
        prompt = "\n\n".join(message["content"] for message in prompt)
    text = json.dumps(problem, sort_keys=True, ensure_ascii=False, default=str)
    return {"name": f"{problem.get('task', 'own')}-{hashlib.sha256(text.encode()).hexdigest()[:24]}", "prompt": prompt}


class Gateway:
    """Requests to a server, which may be sent again. It may hold one for ``hold`` seconds."""

    def __init__(self, url: str | None, key: str | None, patience: float = 120, hold: float = WAIT):
        self.url = (url or os.environ.get("QUINTAIN_URL") or "http://127.0.0.1:8000").rstrip("/")
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url is {self.url!r}, want http://HOST:PORT")
        self._key = key or os.environ.get("QUINTAIN_KEY")
        self._patience = patience
        self._hold = hold

    def ask(self, method: str, path: str, body: Any = None, stop: threading.Event | None = None, patient: bool = False) -> str:
        """The text of a reply. A gateway that does not answer is asked again for a while; a patient request waits for
        as long as the gateway says 429, or until ``stop`` is set: then the text is empty."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex, **({"Authorization": f"Bearer {self._key}"} if self._key else {})}
        request = urllib.request.Request(self.url + path, None if body is None else json.dumps(body).encode(), headers, method=method)
        end, pause = time.monotonic() + self._patience, 0.05
        while True:
            if stop is not None and stop.is_set():
                return ""
            try:
                with _direct.open(request, timeout=self._hold + 60) as reply:
                    text: str = reply.read().decode()
                    return text
            except urllib.error.HTTPError as refused:
                fault = SessionError(f"{method} {path}: {refused.code} {refused.read(500).decode(errors='replace')}", refused.code)
                if refused.code not in AGAIN:
                    raise fault from None
                if refused.code == 429 and patient:
                    end = time.monotonic() + self._patience
            except (OSError, http.client.HTTPException) as broken:
                fault = SessionError(f"{method} {path}: the gateway at {self.url} does not answer: {broken!r}")
            if time.monotonic() + pause > end:
                raise fault
            time.sleep(pause)
            pause = min(2 * pause, 2.0)
