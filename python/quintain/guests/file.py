"""A Python file of one's own, with reset and step: as functions, or in one class.

reset(seed) returns the opening text; step(reply) returns (text, reward, done), or as in Gymnasium (text, reward,
terminated, truncated, information); solve(), if there is one, a reply that earns everything. Each episode has the file anew.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys

from quintain_host import Refused

PACKAGE, KNOWN = "a file", ()


class Guest:
    def __init__(self, name: str, args: dict):
        self.file, self.args = name, args
        with open(name, "rb") as code:
            digest = hashlib.sha256(code.read()).hexdigest()[:32]
        self.about = {"source": {"system": "python", "package": name, "version": digest[:8], "digest": digest}}
        if not hasattr(self.fresh(), "solve"):
            self.solve = None

    def fresh(self):
        spec = importlib.util.spec_from_file_location("environment", self.file)
        if spec is None:
            raise Refused("it is no Python file")
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except ModuleNotFoundError as fault:
            raise Refused(f"it needs the module {fault.name}, which {sys.executable} has not") from None
        if plays(module):
            return module
        found = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == "environment" and plays(c)]
        if len(found) != 1:
            raise Refused(f"it has {len(found)} classes with reset and step, and no such functions: want one class, or functions")
        return found[0](**self.args)

    def open(self, seed: int, split: str) -> Play:
        return Play(self.fresh(), seed)

    def solve(self, seed: int, split: str) -> str:
        env = self.fresh()
        begin(env, seed)
        return env.solve()


def plays(of) -> bool:
    return callable(getattr(of, "reset", None)) and callable(getattr(of, "step", None))


def begin(env, seed: int):
    takes = inspect.signature(env.reset).parameters
    return env.reset(seed=seed) if "seed" in takes else env.reset(seed) if takes else env.reset()


class Play:
    def __init__(self, env, seed: int):
        self.env, self.seed = env, seed

    def begin(self) -> dict:
        said = begin(self.env, self.seed)
        return {"text": text(said[0] if isinstance(said, tuple) else said)}

    def step(self, reply: str) -> dict:
        said = self.env.step(reply)
        if not isinstance(said, tuple) or len(said) not in (3, 5):
            raise TypeError(f"step returns {said!r}, want (text, reward, done)")
        observation, reward, done, *more = said
        end = "terminated" if done else "truncated" if more and more[0] else None
        return {"end": end, "reward": reward, "info": more[1] if more else None, **({} if end else {"text": text(observation)})}

    def close(self) -> None:
        pass


def text(observation) -> str:
    return observation if isinstance(observation, str) else repr(observation)
