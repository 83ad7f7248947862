"""Rewards of programs, by tests that a server (``quintain serve``) runs in its sandbox."""

from __future__ import annotations

import concurrent.futures
import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quintain.errors import Error

__all__ = ["code_reward", "code_score"]

AGAIN = {429, 503, 504}  # statuses of a server that is busy, or is not there yet
WAIT = 600.0  # seconds for an answer
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def code_score(tests: Mapping[str, Any] | str, reply: str, url: str | None = None, key: str | None = None, patience: float = 600) -> float:
    """The score of the program in a reply, 0 to 1. The tests are an object, or its JSON (docs/code-problems.md). A server
    that is busy is asked again for ``patience`` seconds; then, and for any other fault, there is an :class:`Error`, and
    no score. Without ``url`` the address is that of ``QUINTAIN_URL``, and without ``key`` the key that of
    ``QUINTAIN_KEY``."""
    url = (url or os.environ.get("QUINTAIN_URL") or "http://127.0.0.1:8000").rstrip("/")
    key = key or os.environ.get("QUINTAIN_KEY")
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
    body = json.dumps({"tests": json.loads(tests) if isinstance(tests, str) else tests, "reply": reply}).encode()
    end, pause = time.monotonic() + patience, 0.1
    while True:
        try:
            with _direct.open(urllib.request.Request(f"{url}/v1/code/grade", body, headers), timeout=WAIT) as answer:
                return float(json.load(answer)["score"])
        except urllib.error.HTTPError as refused:
            fault = Error(f"{url}: {refused.code} {refused.read(500).decode(errors='replace')}")
            if refused.code not in AGAIN:
                raise fault from None
        except (OSError, http.client.HTTPException) as broken:
            fault = Error(f"{url} does not answer: {broken!r}")
        if time.monotonic() + pause > end:
            raise fault
        time.sleep(pause)
        pause = min(2 * pause, 5.0)


def code_reward(url: str | None = None, key: str | None = None, column: str = "tests", at_once: int = 32) -> Callable[..., list[float]]:
    """A reward function of TRL: the score of each completion by the tests in a column of the data set. Up to ``at_once``
    programs are judged at the same time."""

    def code(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float]:
        texts = [c if isinstance(c, str) else c[-1]["content"] for c in completions]
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(lambda one: code_score(one[0], one[1], url, key), zip(columns[column], texts)))

    return code
