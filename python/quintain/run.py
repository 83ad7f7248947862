"""Runs of the program, which play, grade, queue and train."""

from __future__ import annotations

import difflib
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

from quintain.errors import ProgramError
from quintain.program import path, start

__all__ = ["Run"]


class Run:
    """A run: ``quintain run`` as a separate process.

    Each keyword is a flag of ``quintain run --help``, with ``_`` for ``-``; ``settings`` has those of
    ``quintain settings``, by their keys: ``Run("my-run", policy="server", group_size=16, settings={"run.grace": "1m"})``.
    A list is written with commas. The port defaults to any free one. The run goes on if Python ends, and another run
    on the same folder continues it. A ``with`` block stops it at the end. A keyword that is no flag of
    ``quintain run`` raises a TypeError at once.
    """

    def __init__(
        self, data: str | os.PathLike[str] = "quintain-data", settings: Mapping[str, Any] | None = None, **keywords: Any
    ):
        for name in keywords:
            if name not in _flags():
                near = difflib.get_close_matches(name, _flags(), 1)
                raise TypeError(f"Run() has no setting {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        self.data = pathlib.Path(data)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="quintain-"))
        weakref.finalize(self, _remove, folder, os.getpid())
        self._log = folder / "log"
        self._report = pathlib.Path(keywords.pop("report", None) or folder / "report.json")
        flags = [f"--data={self.data}", f"--report={self._report.absolute()}"]
        flags += [flag(name, value) for name, value in {"port": 0, **keywords}.items() if value is not None]
        flags += [with_key(key, value) for key, value in (settings or {}).items()]
        with self._log.open("wb") as log:
            self._process = start("run", *flags, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)

    @property
    def running(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    def log(self) -> str:
        """The run's log so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def url(self, timeout: float = 30) -> str:
        """The address of the run's hub, as soon as it listens: ``quintain.Hub(run.url())``."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if found := re.search(r"hub on (https?://\S+:\d+)", self.log()):
                return found[1]
            if not self.running:
                self._raise()
            time.sleep(0.02)
        raise TimeoutError(f"the run does not listen after {timeout} s: {self.log()[-500:]}")

    def metrics(self, follow: bool = False) -> Iterator[dict[str, Any]]:
        """The run's rows of metrics, as docs/metrics.md describes them; with ``follow``, also those to come, until it
        ends."""
        file = self.data / "metrics.jsonl"
        at, rest = 0, b""
        while True:
            last = not (follow and self.running)
            if file.exists():
                with file.open("rb") as f:
                    f.seek(at)
                    text = f.read()
                at += len(text)
                *lines, rest = (rest + text).split(b"\n")
                yield from map(json.loads, lines)
            if last:
                return
            time.sleep(0.2)

    def wait(self, timeout: float | None = None) -> dict[str, Any]:
        """Wait for the end of the run, and return its report. It raises a :class:`ProgramError` if the run fails, and
        a TimeoutError if it goes on after the timeout, in seconds."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"the run still goes on after {timeout} s") from None
        if self._process.returncode != 0 or not self._report.exists():
            self._raise()
        report: dict[str, Any] = json.loads(self._report.read_bytes())
        return report

    def stop(self, timeout: float = 60) -> None:
        """End the run like Ctrl-C: it keeps everything. After the timeout, in seconds, it is killed; even then,
        everything it has acknowledged is on disk."""
        if self.running:
            if sys.platform == "win32":
                self._process.send_signal(signal.CTRL_BREAK_EVENT)
            else:
                self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _raise(self) -> None:
        raise ProgramError(f"the run ended with status {self._process.returncode}: {self.log()[-1000:].strip()}")


def _remove(folder: pathlib.Path, owner: int) -> None:
    """Remove a folder, unless this is a fork of its process."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def _flags() -> frozenset[str]:
    """The names of the flags of ``quintain run``."""
    usage = subprocess.run([path(), "run", "--help"], check=True, capture_output=True, text=True).stdout
    return frozenset(flag.replace("-", "_") for flag in re.findall(r"^ +(?:-\w, )?--([\w-]+)", usage, re.MULTILINE))


def flag(name: str, value: Any) -> str:
    """A setting as a flag of the program."""
    return f"--{name.replace('_', '-')}={_text(value)}"


def with_key(key: str, value: Any) -> str:
    """A setting by its key, for the program."""
    return f"--with={key}={_text(value)}"


def _text(value: Any) -> str:
    """A value as a flag has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value)
