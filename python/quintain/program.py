"""The program in the wheel."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from quintain.errors import ProgramError

__all__ = ["path", "start"]


@functools.cache
def path() -> str:
    """The path of this package's program ``quintain``."""
    for candidate in _candidates():
        if candidate.is_file():
            return str(candidate)
    raise ProgramError("the program quintain is not installed with the package: install its wheel again")


def start(*args: str, **streams: Any) -> subprocess.Popen[bytes]:
    """Start the program so that a terminal's Ctrl-C reaches only Python."""
    own: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        own = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        return subprocess.Popen([path(), *args], **own, **streams)
    except OSError as fault:
        raise ProgramError(f"the program cannot be started: {fault}") from fault


def _candidates() -> Iterator[pathlib.Path]:
    name = "quintain.exe" if sys.platform == "win32" else "quintain"
    try:
        installed = importlib.metadata.files("quintain") or []
    except importlib.metadata.PackageNotFoundError:
        installed = []
    yield pathlib.Path(__file__).parents[1] / "bin" / name  # pip install --target records wrong paths
    for file in installed:
        found = pathlib.Path(os.path.abspath(str(file.locate())))
        if file.name == name and found.is_file() and found.stat().st_size == file.size:
            yield found
