"""Workers of a run as actors of Ray."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import ray

from quintain.errors import ProgramError
from quintain.hub import Batch, Hub
from quintain.program import path
from quintain.run import flag, with_key

__all__ = ["Workers"]

# A worker ends as by SIGTERM when the actor has gone, whose end of the pipe is its standard input.
TIED = 'exec 3<&0; (read -r _ <&3; kill -TERM $$ 2>/dev/null) & exec "$0" "$@" 3<&- </dev/null'
SHOWN = 4000  # last bytes of a log


class _Worker:
    """An actor: one process of ``quintain worker``. If that is killed, Ray starts the actor again."""

    def __init__(self, flags: list[str], key: str | None):
        self._log = tempfile.TemporaryFile()
        reading, writing = os.pipe()
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            pipe.write(key or "")
        if key is not None:
            flags = [*flags, f"--coordinator-key-file=/dev/fd/{reading}"]
        self._process = subprocess.Popen(
            ["sh", "-c", TIED, path(), "worker", *flags],
            stdin=subprocess.PIPE, stdout=self._log, stderr=self._log, pass_fds=[reading], start_new_session=True,
        )  # fmt: skip
        os.close(reading)
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        if self._process.wait() < 0:
            os._exit(1)
        assert self._process.stdin
        self._process.stdin.close()

    def state(self) -> dict[str, Any]:
        written = os.fstat(self._log.fileno()).st_size
        log = os.pread(self._log.fileno(), SHOWN, max(0, written - SHOWN)).decode(errors="replace")
        return {"pid": self._process.pid, "status": self._process.poll(), "log": log}

    def drain(self, timeout: float) -> dict[str, Any]:
        self._process.terminate()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.terminate()  # cuts what is under way
            self._process.wait(timeout)
        return self.state()


class Workers:
    """``n`` workers of the run at ``coordinator``, an address or ``@`` and the file with it, which Ray spreads over its
    nodes: each an actor with one process of ``quintain worker``, with ``slots`` episodes at once.

    ``key`` is the coordinator's key of the role worker, and ``trainer_key`` that of :meth:`batches`. ``options`` are
    those of the actors, such as ``{"num_gpus": 1}``. Every further keyword is a flag of ``quintain worker --help``,
    with ``_`` for ``-``; ``settings`` has other settings by their keys. A dead actor starts again, and the coordinator grants what it held to others. The end of a
    ``with`` block drains the workers.
    """

    def __init__(self, n: int, coordinator: str, slots: int = 0, run: str = "default", key: str | None = None,
                 trainer_key: str | None = None, options: Mapping[str, Any] = {}, settings: Mapping[str, Any] = {}, **keywords: Any):  # fmt: skip
        self._coordinator, self._run, self._key = coordinator, run, trainer_key
        flags = [flag(name, value) for name, value in {"coordinator": coordinator, "slots": slots, **keywords}.items()]
        flags += [with_key(key, value) for key, value in {"worker.run": run, **settings}.items()]
        actor = ray.remote(_Worker).options(**{
            "num_cpus": 1, **options, "max_restarts": -1, "max_task_retries": 0, "scheduling_strategy": "SPREAD",
        })  # fmt: skip
        self.actors = [actor.remote([*flags, f"--with=worker.name=ray-{i}"], key) for i in range(n)]
        """The actors, of Ray."""

    def states(self) -> list[dict[str, Any] | None]:
        """Of each worker its process (``pid``), how it ended (``status``; None: it runs), and its ``log``; None for an
        actor that is starting."""
        return [_reply(actor.state.remote()) for actor in self.actors]

    def drain(self, timeout: float = 120) -> None:
        """End the workers and their actors: what they have not begun goes back at once, and groups under way have
        ``grace``, or ``timeout`` seconds if that is less. A worker that had failed raises a :class:`ProgramError`."""
        asked = [actor.drain.remote(timeout) for actor in self.actors]
        ends = [_reply(one) for one in asked]
        for actor in self.actors:
            ray.kill(actor)
        self.actors = []
        for end in ends:
            if end and end["status"] > 0:
                raise ProgramError(f"a worker ended with status {end['status']}: {end['log'].strip()}")

    def batches(self, batch_size: int, steps: int | None = None, lease: str | None = None, timeout: float | None = None,
                **registration: Any) -> Iterator[Batch]:  # fmt: skip
        """Batches of the run as arrays, as :meth:`quintain.Hub.register` and :meth:`quintain.Hub.batches` give them."""
        address = self._coordinator
        if address.startswith("@"):
            address = pathlib.Path(address[1:]).read_text(encoding="utf-8").strip()
        hub = Hub(address, run=self._run, key=self._key)
        hub.register(batch_size, **registration)
        yield from hub.batches(steps, lease, timeout)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.drain()


def _reply(asked: Any) -> dict[str, Any] | None:
    """What an actor replies; None: it has died, or is starting."""
    try:
        found: dict[str, Any] = ray.get(asked)
        return found
    except ray.exceptions.RayActorError:
        return None
