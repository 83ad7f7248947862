"""One warm process of the program, behind a pipe, for all threads of a Python process."""

from __future__ import annotations

import atexit
import collections
import itertools
import json
import os
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from quintain.errors import Error, ProgramError
from quintain.program import start

__all__ = ["Names", "ask", "ask_each", "ask_raw", "close", "PATIENCE"]

PATIENCE = 120.0
"""Seconds without any answer after which the process counts as stuck, and is killed."""

STARTS = 3  # times that a request is sent, each time to a new process, if processes die
LONGEST = 64 << 20  # most bytes of a line that the program reads
WIDE = 1 << 20  # bytes that a pipe holds, where that can be set
KEPT = 24 << 20  # characters of problems with numbers; the program keeps at least the last 32 MiB


class _Died(Exception):
    """The process ended before it had answered; the text says how."""


class Names:
    """The problems that a process keeps, by their JSON, and their numbers. A number takes effect once the process has
    answered the request that brought it: it works on several requests at once."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.numbers = itertools.count(1)
        self._size = 0  # characters of the problems

    def keep(self, named: Mapping[str, int]) -> None:
        """Use these numbers from now on."""
        self._size += sum(map(len, named))
        if self._size > KEPT:
            self.known, self._size = {}, 0
        self.known.update(named)


Request = Callable[[Names], Sequence[bytes]]
"""Makes the lines of a request, for a process that knows problems by these names."""


class _Ticket:
    """The pending answers to some requests."""

    def __init__(self, count: int):
        self.count = count
        self.lines: list[bytes] = []
        self.done = threading.Event()
        self.fault = ""

    def take(self, lines: list[bytes], at: int) -> int:
        """Take the missing answers out of lines, from at on, and return where the rest begins."""
        end = at + self.count - len(self.lines)
        self.lines += lines[at:end]
        if len(self.lines) == self.count:
            self.done.set()
        return min(end, len(lines))


class _Process:
    """A process of the program, and the thread that reads its answers."""

    def __init__(self) -> None:
        self._log = tempfile.TemporaryFile(buffering=0)  # its messages when it fails
        try:
            self._process = start("serve", "pipe", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, bufsize=0)
        except ProgramError:
            self._log.close()
            raise
        assert self._process.stdin and self._process.stdout
        self._in, self._out = self._process.stdin, self._process.stdout
        if sys.platform != "win32":
            os.set_blocking(self._in.fileno(), False)
        for file in (self._in, self._out):
            _widen(file.fileno())
        self._gate = threading.Lock()  # held only briefly: waiting, fault
        self._waiting: collections.deque[_Ticket] = collections.deque()
        self.fault = ""  # how it ended
        self.whole = True  # no request was left half written
        self.names = Names()
        self._moved = time.monotonic()  # when it last took or answered something
        try:
            threading.Thread(target=self._read, name="quintain", daemon=True).start()
        except BaseException:  # such as KeyboardInterrupt; nobody knows this process yet
            self.kill()
            raise

    def send(self, lines: Sequence[bytes]) -> _Ticket:
        """Send requests, and return their ticket. One thread at a time may call it."""
        ticket = _Ticket(len(lines))
        if not lines:
            ticket.done.set()
            return ticket
        self.whole = False  # a signal may interrupt the next lines anywhere
        try:
            self._moved = time.monotonic()
            with self._gate:
                if self.fault:
                    raise _Died(self.fault)
                self._waiting.append(ticket)
            self._write(b"\n".join(lines) + b"\n")
        except (OSError, ValueError) as fault:  # its end of the pipe is closed, or ours is
            self.kill()
            ticket.done.wait()
            raise _Died(ticket.fault) from fault
        self.whole = True
        return ticket

    def _write(self, text: bytes) -> None:
        rest = memoryview(text)
        while rest:
            taken = self._in.write(rest[: 1 << 20])
            if taken:
                rest = rest[taken:]
                self._moved = time.monotonic()
                continue
            with selectors.DefaultSelector() as room:
                room.register(self._in, selectors.EVENT_WRITE)
                room.select(1)
            self._check()

    def _check(self) -> None:
        """Kill the process if it is stuck."""
        if time.monotonic() - self._moved > PATIENCE:
            self.kill()
            raise ProgramError(f"the program did not answer for {PATIENCE:.0f} s, and was killed")

    def wait(self, ticket: _Ticket) -> list[bytes]:
        """Wait for the answers to requests."""
        while not ticket.done.wait(1):
            self._check()
        if ticket.fault:
            raise _Died(ticket.fault)
        return ticket.lines

    def _read(self) -> None:
        """Deliver answers to the waiting threads until the process ends, then tell them how it ended."""
        try:
            self._deliver()
        except OSError:
            pass
        finally:
            self.kill()
            status = self._process.wait()
            self._log.seek(0)
            said = self._log.read()[-1000:].decode(errors="replace").strip()
            with self._gate:
                self.fault = f"the program ended with status {status}" + (f": {said}" if said else "")
            for ticket in self._waiting:
                ticket.fault = self.fault
                ticket.done.set()
            for file in (self._in, self._out, self._log):
                file.close()

    def _deliver(self) -> None:
        parts: list[bytes] = []  # of an unfinished line
        while part := self._out.read(1 << 20):
            self._moved = time.monotonic()
            parts.append(part)
            if b"\n" not in part:
                continue
            lines = b"".join(parts).split(b"\n")
            parts = [lines.pop()]
            at = 0
            while at < len(lines):
                at = self._waiting[0].take(lines, at)
                if self._waiting[0].done.is_set():
                    self._waiting.popleft()

    def kill(self) -> None:
        """End the process at once."""
        if self._process.poll() is None:
            self._process.kill()

    def close(self) -> None:
        """Let the process end."""
        self._in.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self.kill()

    def forget(self) -> None:
        """Leave the process to the parent, after a fork."""
        for file in (self._in, self._out, self._log):
            file.close()
        self._process.returncode = 0  # not a child of this process


_Sent = tuple[_Process, _Ticket]


def _widen(file: int) -> None:
    """Let a pipe hold more, so that it is written and read in fewer parts."""
    try:
        import fcntl

        fcntl.fcntl(file, fcntl.F_SETPIPE_SZ, WIDE)
    except (ImportError, AttributeError, OSError):  # only Linux has it, and may refuse
        pass


class _Pipe:
    """The one process of this Python process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # held during sends; `with` alone leaves no gap for a signal
        self._sending = False
        self._process: _Process | None = None

    def send(self, request: Request) -> _Sent | None:
        """Send a request; None: the process has died, and :meth:`receive` sends it again."""
        try:
            return self._send(request)
        except _Died:
            return None

    def receive(self, request: Request, sent: _Sent | None) -> list[bytes]:
        """The answers to a sent request."""
        fault = _Died()
        for _ in range(STARTS):
            try:
                process, ticket = sent or self._send(request)
                return process.wait(ticket)
            except _Died as died:  # the requests change nothing, so they may be repeated
                fault, sent = died, None
        raise ProgramError(f"{fault} ({STARTS} times)")

    def _send(self, request: Request) -> _Sent:
        with self._lock:
            if self._sending:
                raise Error("a signal handler sent a request while its own thread was sending one; use quintain outside of handlers")
            try:
                self._sending = True
                if self._process is not None and not self._process.whole:
                    self._process.kill()  # text after half a request would be misread
                if self._process is None or self._process.fault or not self._process.whole:
                    self._process = _Process()
                lines = request(self._process.names)
                for line in lines:
                    if len(line) > LONGEST:
                        raise Error(f"a request has {len(line)} bytes, the limit is {LONGEST}")
                return self._process, self._process.send(lines)
            finally:
                self._sending = False

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.close()
                self._process = None

    def forget(self) -> None:
        process = self._process
        self.__init__()  # type: ignore[misc]  # another thread of the parent may have held the lock
        if process is not None:
            process.forget()


_pipe = _Pipe()
atexit.register(_pipe.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pipe.forget)


def ask_each(requests: Sequence[Request]) -> Iterator[list[dict[str, Any]]]:
    """Send requests, and return the answers to each, in order. The first failure raises an :class:`Error`. If the
    process dies, unanswered requests are written anew for the next one."""
    sent = [_pipe.send(request) for request in requests]
    for request, ticket in zip(requests, sent):
        yield json.loads(b"[" + b",".join(_whole(_pipe.receive(request, ticket))) + b"]")


def ask(request: Request) -> list[dict[str, Any]]:
    """Like :func:`ask_each`, for one request."""
    return next(ask_each([request]))


def ask_raw(request: Request) -> list[bytes]:
    """Like :func:`ask`, with the answers as JSON."""
    return _whole(_pipe.receive(request, None))


def _whole(answers: list[bytes]) -> list[bytes]:
    """The answers, if none is an error."""
    for answer in answers:
        if answer.startswith(b'{"error":'):
            _, _, why = json.loads(answer)["error"].partition(": ")  # it begins with the number of the line
            raise Error(why)
    return answers


def close() -> None:
    """End the process. The next request starts another."""
    _pipe.close()
