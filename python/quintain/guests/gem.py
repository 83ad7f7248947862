"""Environments of gem: its games, questions and reasoning tasks."""

from __future__ import annotations

import importlib

import gem
from gem.envs.registration import ENV_REGISTRY
from gem.utils.constants import TERMINAL_STATE, LanguageGameReward
from quintain_host import Refused, nearest

PACKAGE, KNOWN = "gem-llm", ("0.1.0",)


def names():
    return ENV_REGISTRY


class Guest:
    def __init__(self, name: str, args: dict):
        if name not in ENV_REGISTRY:
            raise Refused(f"gem has no environment of this name{nearest(name, ENV_REGISTRY)}")
        self.name, self.args = name, args
        wraps = args.pop("wrap", None) or []
        self.wraps = [wrapper(path) for path in ([wraps] if isinstance(wraps, str) else wraps)]
        env = self.make()
        turns = None if getattr(env, "_is_random", False) else getattr(env, "max_turns", None)  # else it is drawn with the game
        self.about = {"right_at": 1.0, **({"max_turns": turns + 1} if isinstance(turns, int) else {})}

    def make(self):
        env = gem.make(self.name, **self.args)
        for wrap in self.wraps:
            env = wrap(env)
        return env

    def open(self, seed: int, split: str) -> Episode:
        return Episode(self.make(), seed)


class Episode:
    def __init__(self, env, seed: int):
        self.env, self.seed = env, seed

    def begin(self) -> dict:
        seen, info = self.env.reset(seed=self.seed)
        return {"text": text(seen, info)}

    def step(self, said: str) -> dict:
        seen, reward, terminated, truncated, info = self.env.step(said)
        told = {"reward": reward, "text": text(seen, info)}
        if not terminated and not truncated:
            return told
        why = "" if seen == TERMINAL_STATE else str(seen)
        return {**told, "end": "terminated" if terminated else "truncated", "malformed": reward == LanguageGameReward.format_error_reward, "why": why, "info": info}

    def close(self) -> None:
        pass


def text(seen, info: dict) -> str:
    """An observation, and what the environment says after it."""
    after = (info or {}).get("suffix")
    return f"{seen}\n{after}" if after else str(seen)


def wrapper(path: str):
    """A wrapper by its name, such as gem.wrappers.observation_wrapper:WrapperFactory."""
    module, _, name = path.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        raise Refused(f"wrap: there is no {path!r}; want a class as MODULE:NAME") from None
