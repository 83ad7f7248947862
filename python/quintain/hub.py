"""The client of a hub."""

from __future__ import annotations

import http.client
import json
import logging
import os
import threading
import time
import urllib.parse
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quintain import arrays
from quintain.arrays import Batch
from quintain.errors import HubError

__all__ = ["Batch", "Hub"]

AGAIN = (429, 502, 503, 504, 507)  # statuses after which a request is sent again
WAIT = 25  # seconds for which the hub may hold a request for a batch
SILENCE = 5  # seconds after which a request that is sent again says so

log = logging.getLogger("quintain")


class Hub:
    """A hub, and one of its runs: as a named trainer, as an environment, or both.

    A hub that does not answer, or is full, is asked again for ``patience`` seconds; then the request raises a
    :class:`HubError`, as it does if the hub refuses. After five seconds it warns, by the logger ``quintain``, and so it
    does while there is no batch. Threads may share a Hub; each has a connection of its own.
    """

    def __init__(self, url: str = "http://127.0.0.1:8000", run: str = "default", trainer: str = "trainer", key: str | None = None, patience: float = 120):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url is {url!r}, want http://HOST:PORT")
        self._parts = parts
        self._base = f"{parts.path.rstrip('/')}/v1/runs/{urllib.parse.quote(run)}"
        self._me = {"trainer": trainer}
        self._key = {"Authorization": f"Bearer {key}"} if key else {}
        self._patience = patience
        self._local = threading.local()

    def register(
        self, batch_size: int, max_token_len: int = 1 << 20, steps: int = 1 << 30, starting_step: int = 0, unit: str = "sequences", most: int = 0
    ) -> None:
        """Register as a trainer with batches of this size, in sequences, episodes or groups, and at most ``most`` if that
        is more. Unacknowledged batches of this trainer come again."""
        body = {
            "wandb_group": "", "wandb_project": "", "batch_size": batch_size, "max_token_len": max_token_len, "checkpoint_dir": "",
            "save_checkpoint_interval": 0, "starting_step": starting_step, "num_steps": steps, "batch_unit": unit, "max_batch_size": most,
        }  # fmt: skip
        self._post("/register", self._me, body)

    def post(self, groups: Sequence[Mapping[str, Any]]) -> list[str]:
        """Post groups, which need at least ``tokens``, ``masks`` and ``scores``, and return their names. On return
        they are on disk, each once, however often the request was sent. A group with an ``id`` is kept once,
        whoever sends it."""
        reply = self._post("/groups", {}, [_plain(group) for group in groups], {"Idempotency-Key": uuid.uuid4().hex})
        return [group["id"] for group in reply["groups"]]

    def batch(self, wait: float = WAIT, lease: str | None = None) -> Batch | None:
        """The next batch, or None if there is none within the timeout in seconds. It is this trainer's until the
        lease, such as ``"30m"``, ends."""
        query = {**self._me, "wait": str(min(wait, 300.0)), **({"lease": lease} if lease else {})}
        status, headers, body = self._ask("POST", "/batches", query, None, {"Accept": "application/vnd.quintain.arrays"})
        if status == 204:
            return None
        number, step, attempt = (int(headers[f"Quintain-{name}"]) for name in ("Batch", "Step", "Attempt"))
        batch = arrays.parse(body, number, step, attempt)
        if len(batch) != int(headers["Quintain-Sequences"]):
            raise HubError(f"batch {number} has {len(batch)} sequences, but its header says {headers['Quintain-Sequences']}")
        return batch

    def batches(self, steps: int | None = None, lease: str | None = None, timeout: float | None = None) -> Iterator[Batch]:
        """Batches, a number of them or without end. Each is acknowledged when the loop comes back for the next; a
        loop left early gives its batch back. Without a batch for ``timeout`` seconds, it raises a TimeoutError."""
        done = 0
        while steps is None or done < steps:
            batch = self._next(lease, timeout)
            kept = False
            try:
                yield batch
                kept = True
            finally:
                if not kept:
                    self.give_back(batch)
            self.acknowledge(batch)
            done += 1

    def _next(self, lease: str | None, timeout: float | None) -> Batch:
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = WAIT if end is None else end - time.monotonic()
            batch = self.batch(max(0, min(WAIT, left)), lease)
            if batch is not None:
                return batch
            if left <= 0:
                raise TimeoutError(f"the hub has had no batch for {timeout} s")
            waiting = self.stats()["queue"]["waiting"]
            log.warning("no batch yet: %d groups with %d sequences wait at the hub; the run's log and page say what it drops", waiting["groups"], waiting["sequences"])

    def acknowledge(self, batch: Batch) -> None:
        """Keep a batch for good: it never comes again. An error with status 409 or 410 says that another trainer has
        it."""
        self._post(f"/batches/{batch.number}/ack", self._me)

    def give_back(self, batch: Batch) -> None:
        """Let another trainer have a batch. It does nothing if the batch is acknowledged, or another's."""
        try:
            self._ask("POST", f"/batches/{batch.number}/nack", self._me, None, {}, patience=2)
        except HubError as fault:
            if fault.status not in (0, 404, 409, 410):
                raise

    def tell_version(self, version: int, servers: Mapping[str, int] | None = None) -> None:
        """Report the weights of the inference servers: the trainer's step that made them. `servers` are those of single
        servers, by their addresses, in place of all reported before; None: those stay."""
        self._post("/version", self._me, {"version": version} if servers is None else {"version": version, "servers": dict(servers)})

    def stats(self) -> dict[str, Any]:
        """The contents and counts of the run."""
        _, _, body = self._ask("GET", "/stats", {}, None, {})
        stats: dict[str, Any] = json.loads(bytes(body))
        return stats

    def _post(self, path: str, query: Mapping[str, str], body: Any = None, headers: Mapping[str, str] = {}) -> Any:
        text = None if body is None else json.dumps(body).encode()
        _, _, reply = self._ask("POST", path, query, text, {**headers, **({"Content-Type": "application/json"} if text else {})})
        return json.loads(bytes(reply))

    def _ask(self, method: str, path: str, query: Mapping[str, str], body: bytes | None, headers: Mapping[str, str], patience: float | None = None) -> tuple[int, http.client.HTTPMessage, memoryview]:
        """Send a request, repeatedly if need be: all requests may be repeated."""
        target = f"{self._base}{path}?{urllib.parse.urlencode(query)}"
        begin, pause, warned = time.monotonic(), 0.05, False
        end = begin + (self._patience if patience is None else patience)
        while True:
            try:
                status, reply_headers, reply = self._once(method, target, body, {**self._key, **headers})
                if status < 300:
                    return status, reply_headers, reply
                fault = HubError(f"{method} {path}: {status} {bytes(reply[:500]).decode(errors='replace')}", status)
                if status not in AGAIN:
                    raise fault
            except (OSError, http.client.HTTPException) as broken:
                fault = HubError(f"{method} {path}: the hub at {self._parts.netloc} does not answer: {broken!r}")
            now = time.monotonic()
            if now + pause > end:
                raise fault
            if not warned and now > begin + SILENCE:
                log.warning("%s; it is asked again for %.0f s", fault, end - now)
                warned = True
            time.sleep(pause)
            pause = min(2 * pause, 2.0)

    def _once(self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, http.client.HTTPMessage, memoryview]:
        connection = self._connection()
        try:
            connection.request(method, target, body, dict(headers))
            reply = connection.getresponse()
            return reply.status, reply.headers, self._read(reply)
        except BaseException:
            self._local.connection = 0, None  # the reply may still come, and half a request may be left in it
            connection.close()
            raise

    def _read(self, reply: http.client.HTTPResponse) -> memoryview:
        """The body of a reply, in memory that this thread's next reply overwrites."""
        buffer: NDArray[np.uint8] | None = getattr(self._local, "buffer", None)
        if buffer is None:
            buffer = np.empty(1 << 18, np.uint8)
        filled = 0
        while read := reply.readinto(buffer.data[filled:]):
            filled += read
            if filled == len(buffer):
                buffer, full = np.empty(4 * filled, np.uint8), buffer
                buffer[:filled] = full
        if reply.length:
            raise http.client.IncompleteRead(b"", reply.length)
        self._local.buffer = buffer
        return buffer.data[:filled]

    def _connection(self) -> http.client.HTTPConnection:
        owner, connection = getattr(self._local, "connection", (0, None))
        if connection is None or owner != os.getpid():  # after a fork it is the parent's
            kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
            connection = kind(str(self._parts.hostname), self._parts.port, timeout=WAIT + 60)
            self._local.connection = os.getpid(), connection
        found: http.client.HTTPConnection = connection
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_local"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._local = threading.local()


def _plain(group: Mapping[str, Any]) -> dict[str, Any]:
    """A group without NumPy arrays."""
    return {name: _list(value) for name, value in group.items()}


def _list(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_list(one) for one in value] if isinstance(value, (list, tuple)) and value and not isinstance(value[0], (int, float, str)) else value
