"""Games of TextArena for one player."""

from __future__ import annotations

import textarena
from quintain_host import Refused, nearest
from textarena.envs.registration import ENV_REGISTRY

PACKAGE, KNOWN = "textarena", ("0.7.4",)

# What the observation wrappers of TextArena leave out. Whatever they leave out, a refused move is told.
HIDDEN = {
    "": set(), "LLMObservationWrapper": set(), "GameMessagesObservationWrapper": set(), "GameMessagesAndCurrentBoardObservationWrapper": set(),
    "GameBoardObservationWrapper": {"GAME_MESSAGE", "GAME_ACTION_DESCRIPTION"},
}  # fmt: skip


def names():
    return ENV_REGISTRY


class Guest:
    def __init__(self, name: str, args: dict):
        if name not in ENV_REGISTRY:
            raise Refused(f"textarena has no game of this name{nearest(name, ENV_REGISTRY)}")
        if "others" in args:
            raise Refused("others: the games of textarena name no legal moves, so nobody can play at random; games of several players cannot be played yet")
        self.name, self.args = name, args
        state = self.make(0).state
        self.about = {"right_at": 1.0}
        if state.max_turns:  # invalid moves are no turns, and each turn may have as many as are allowed
            self.about["max_turns"] = (state.max_turns + 1) * (1 + getattr(state, "error_allowance", 0))

    def make(self, seed: int):
        env, fault, players = textarena.make(env_id=self.name, **self.args), None, 1
        try:
            env.reset(num_players=1, seed=seed)
            players = env.state.num_players  # some games take one for two
        except (AssertionError, ValueError) as refused:
            fault, players = refused, self.players(seed)
        if players > 1:
            raise Refused(f"it is a game of {players} players, and only games of one can be played yet") from fault
        if fault:
            raise fault
        return env

    def players(self, seed: int) -> int:
        """How many players the game wants; 0: it is not known."""
        for count in range(2, 16):
            try:
                textarena.make(env_id=self.name, **self.args).reset(num_players=count, seed=seed)
                return count
            except (AssertionError, ValueError):
                pass
        return 0

    def open(self, seed: int, split: str) -> Game:
        return Game(self.make(seed))


class Game:
    def __init__(self, env):
        self.env, self.inner, self.wrapper, self.said = env, env, "", ""
        while isinstance(self.inner, textarena.Wrapper):
            if isinstance(self.inner, textarena.ObservationWrapper):
                self.wrapper = self.wrapper or type(self.inner).__name__
            self.inner = self.inner.env

    def begin(self) -> dict:
        return {"text": self.new()}

    def step(self, text: str) -> dict:
        errors = getattr(self.env.state, "error_count", 0)
        done, _ = self.env.step(action=text)
        if not done:
            return {"text": self.new(), "malformed": getattr(self.env.state, "error_count", 0) > errors}
        rewards, info = self.env.close()
        mine = (info or {}).get(0) or {}
        return {"end": "terminated", "reward": (rewards or {}).get(0), "malformed": bool(mine.get("invalid_move")), "why": str(mine.get("reason") or ""), "info": mine}

    def new(self) -> str:
        """What the player has not read; its own moves are not told again."""
        if self.wrapper not in HIDDEN:  # a wrapper that is not known: its text, but for what it began with before
            told = str(self.env.get_observation()[1])
            new = told[len(self.said) :] if told.startswith(self.said) else told
            self.said = told
        else:
            _, seen = self.inner.get_observation()
            new = "\n".join(self.line(who, text) for who, text, kind in seen if self.shown(kind))
        return new.strip() or "Go on."

    def shown(self, kind) -> bool:
        """Whether a message is told. Some games swap what they say of a move, whose kind is then a text."""
        return isinstance(kind, textarena.ObservationType) and kind.name != "PLAYER_ACTION" and kind.name not in HIDDEN[self.wrapper]

    def line(self, who: int, text: str) -> str:
        return f"[{self.env.state.role_mapping.get(who, f'Player {who}')}] {text}"

    def close(self) -> None:
        pass
