"""Environments of Gymnasium whose actions and observations can be told in words."""

from __future__ import annotations

import inspect
import json
import re

import gymnasium
import numpy
from gymnasium import spaces
from quintain_host import Refused, nearest, plain

PACKAGE, KNOWN = "gymnasium", ("1.4.0",)

MOST_NUMBERS = 64  # of a Box or MultiDiscrete
SECTIONS = ("Description", "Action Space", "Observation Space", "Starting State", "Rewards", "Episode End")  # of a docstring, for the model
COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def names():
    return gymnasium.registry


class Guest:
    def __init__(self, name: str, args: dict):
        if ":" not in name and name not in gymnasium.registry:
            raise Refused(f"gymnasium has no environment of this name{nearest(name, gymnasium.registry)}")
        self.name, self.args = name, args
        env = self.make()
        if "ansi" in env.metadata.get("render_modes", ()) and "render_mode" not in args:
            self.args = {**args, "render_mode": "ansi"}
            env = self.make()
        self.drawn = self.args.get("render_mode") == "ansi"
        action = described(env.action_space, "action space")
        if not self.drawn:
            described(env.observation_space, "observation space")
        self.system = f"{manual(env.unwrapped)}\n\nEach of your replies is one action: write {action}, as JSON, between <action> and </action>, once.".strip()
        spec = env.spec
        self.about = {} if spec is None or spec.reward_threshold is None else {"right_at": float(spec.reward_threshold)}
        if spec is not None and spec.max_episode_steps:
            self.about["max_turns"] = spec.max_episode_steps + 1  # an action that does not fit is told once
        env.close()

    def make(self):
        return gymnasium.make(self.name, disable_env_checker=True, **self.args)

    def open(self, seed: int, split: str) -> Episode:
        return Episode(self, self.make(), seed)


class Episode:
    def __init__(self, guest: Guest, env, seed: int):
        self.guest, self.env, self.seed, self.warned = guest, env, seed, False

    def begin(self) -> dict:
        seen, _ = self.env.reset(seed=self.seed)
        return {"system": self.guest.system, "text": self.text(seen)}

    def step(self, text: str) -> dict:
        try:
            action = read(text, self.env.action_space)
        except ValueError as fault:
            if self.warned:
                return {"end": "terminated", "reward": 0.0, "malformed": True, "why": str(fault)}
            self.warned = True
            return {"text": f"This is no action: {fault}. Nothing has happened; the next time ends the episode.", "malformed": True, "why": str(fault)}
        seen, reward, terminated, truncated, info = self.env.step(action)
        told = {"reward": reward, "text": self.text(seen), "answer": text}
        if not terminated and not truncated:
            return told
        return {**told, "end": "terminated" if terminated else "truncated", "info": info}

    def text(self, seen) -> str:
        """An observation: the picture in characters if there is one, else the numbers."""
        if not self.guest.drawn:
            return json.dumps(values(seen))
        picture = self.env.render()
        return coloured("".join(picture) if isinstance(picture, list) else str(picture)).strip("\n") or "Go on."

    def close(self) -> None:
        self.env.close()


def manual(env) -> str:
    """What an environment's own docstring says of its rules."""
    first, *parts = re.split(r"^ *## +(.*?) *$", inspect.cleandoc(type(env).__doc__ or ""), flags=re.MULTILINE)
    kept = [f"{title}: {inspect.cleandoc(body)}" for title, body in zip(parts[::2], parts[1::2]) if title in SECTIONS]
    return "\n\n".join([first.strip(), *kept]).strip()


def described(space, what: str) -> str:
    """A space in words."""
    if isinstance(space, spaces.Discrete):
        return f"a whole number from {space.start} to {space.start + space.n - 1}"
    if isinstance(space, spaces.Text):
        return f"a text of {space.min_length} to {space.max_length} characters, of {''.join(sorted(space.character_set))}"
    if isinstance(space, spaces.Dict):
        return "an object with " + " and ".join(f"{json.dumps(k)}: {described(s, what)}" for k, s in space.spaces.items())
    if isinstance(space, spaces.Tuple):
        return "a list of " + " and ".join(described(s, what) for s in space.spaces)
    if not isinstance(space, (spaces.Box, spaces.MultiDiscrete)):
        raise Refused(f"the {what} is {space}; want Discrete, MultiDiscrete, Box, Text, or a Dict or Tuple of them")
    size = int(numpy.prod(space.shape))
    if size > MOST_NUMBERS:
        raise Refused(f"the {what} has {size} numbers, want at most {MOST_NUMBERS}")
    form = " lists of ".join(map(str, space.shape)) or "one"
    if isinstance(space, spaces.MultiDiscrete):
        least = numpy.asarray(space.start)
        return f"a list of {form} whole numbers, from {values(least)} to {values(least + space.nvec - 1)}"
    return f"a list of {form} numbers, from {values(space.low)} to {values(space.high)}"


def read(text: str, space):
    """The action of a reply. A ValueError says why there is none."""
    found = re.findall(r"<action>(.*?)</action>", text, re.DOTALL)
    if len(found) != 1:
        raise ValueError("there is nothing between <action> and </action>" if not found else f"there are {len(found)} actions")
    try:
        told = json.loads(found[0])
    except (ValueError, RecursionError):
        raise ValueError("the text between <action> and </action> is not JSON") from None
    action = shaped(told, space)
    if not space.contains(action):
        raise ValueError(f"it is not {described(space, 'action space')}")
    return action


def shaped(told, space):
    """A value of JSON as one of a space; ValueError: it has another form."""
    wrong = ValueError(f"it is not {described(space, 'action space')}")
    if isinstance(space, spaces.Dict):
        if not isinstance(told, dict) or set(told) != set(space.spaces):
            raise wrong
        return {k: shaped(told[k], s) for k, s in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        if not isinstance(told, list) or len(told) != len(space.spaces):
            raise wrong
        return tuple(map(shaped, told, space.spaces))
    if isinstance(space, spaces.Text):
        return told
    if isinstance(space, spaces.Discrete):
        if type(told) is not int or abs(told) >= 1 << 62:
            raise wrong
        return told
    numbers = (int,) if numpy.issubdtype(space.dtype, numpy.integer) else (int, float)
    if not all(type(n) in numbers and abs(n) < 1e18 for n in flat(told)):
        raise wrong
    try:
        made = numpy.array(told, dtype=space.dtype)
    except (ValueError, OverflowError, TypeError):
        raise wrong from None
    if made.shape != space.shape:
        raise wrong
    return made


def flat(told):
    """The numbers in lists."""
    if not isinstance(told, list):
        return [told]
    return [n for part in told for n in flat(part)]


def values(seen):
    """An observation as JSON holds it; numbers have six digits."""
    seen = plain(seen)
    if isinstance(seen, dict):
        return {str(k): values(v) for k, v in seen.items()}
    if isinstance(seen, numpy.ndarray):
        return values(seen.tolist())
    if isinstance(seen, (list, tuple)):
        return [values(v) for v in seen]
    return float(f"{seen:.6g}") if isinstance(seen, float) else seen


def coloured(picture: str) -> str:
    """A picture with its colours in words: {red:S}."""
    return re.sub(r"\x1b\[[\d;]*?[34](\d)(?:;\d+)*m(.*?)\x1b\[0m", lambda m: f"{{{COLOURS[int(m[1]) % 8]}:{m[2]}}}", picture, flags=re.DOTALL)
