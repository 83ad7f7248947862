"""Environments that ask the model themselves: many episodes at once, on one event loop.

An adapter of such an environment has PACKAGE and KNOWN, as the others do, and a class Guest:

    Guest(name, part, args)    loads the environment; what is left in args belongs to it
    .module                    the name of the environment's own module; empty: it has none
    .serving()                 an asynchronous context, in which it plays
    .about()                   fields of the hello, among them splits; called while it serves
    .play(row, split, models)  plays an episode; models has an address, ``url`` and ``key``, by role
    .grade(row, messages)      grades an episode that was played before; None: it needs its state

Both return the fields of the answer, with the environment's own value as ``reward``, and numbers of any kind in
``metrics``. It raises Again where the replies of the model are not the cause.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
import traceback

from quintain_host import VERSION, Again, Fault, Refused, adapter, arguments, clip, metrics, number, pack, remedy, send, snake, source


def serve(scheme: str, name: str, given: str, requests, answers: int) -> None:
    """Answer requests until their end."""
    asyncio.run(Loops(scheme, name, given, answers).run(requests))


class Loops:
    def __init__(self, scheme: str, name: str, given: str, answers: int):
        self.scheme, self.name, self.given, self.answers = scheme, name, given, answers
        self.hello, self.guest, self.stack = None, None, contextlib.AsyncExitStack()
        self.playing: dict[int, asyncio.Task] = {}

    async def run(self, requests) -> None:
        lines, loop = asyncio.Queue(), asyncio.get_running_loop()

        def read() -> None:  # a pipe has no place in every event loop
            for line in requests:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, None)

        threading.Thread(target=read, daemon=True).start()
        async with self.stack:
            while (line := await lines.get()) is not None:
                await self.take(json.loads(line))
            for task in self.playing.values():
                task.cancel()
            await asyncio.gather(*self.playing.values(), return_exceptions=True)

    async def take(self, request: dict) -> None:
        episode = request["id"]
        if "play" in request:
            self.playing[episode] = asyncio.create_task(self.play(episode, request["play"], request["models"]))
        elif "grade" in request:
            self.playing[episode] = asyncio.create_task(self.play(episode, request["grade"]["problem"], None, request["grade"]["messages"]))
        elif "close" in request and episode in self.playing:
            self.playing[episode].cancel()  # which answers play
        elif "close" in request:
            self.say(episode, {})
        elif "hello" in request:
            self.say(episode, await self.introduce())
        else:
            self.say(episode, {"error": "the request has none of hello, play, grade and close"})

    def say(self, episode: int, fields: dict) -> None:
        try:
            line = pack({"id": episode, **fields})
        except (TypeError, ValueError) as fault:
            line = pack({"id": episode, "error": f"the answer cannot be written: {fault}"})
        send(self.answers, line)

    async def introduce(self) -> dict:
        """Load the environment, and serve it."""
        try:
            if self.hello is None:
                self.hello = await self.load()
            return {"hello": self.hello}
        except Refused as fault:
            why = str(fault)
        except (Exception, SystemExit) as fault:
            traceback.print_exc()
            why = f"it cannot be played: {remedy(fault)}"
        return {"error": f"{self.scheme}:{self.name}: {why}"}

    async def load(self) -> dict:
        given = json.loads(self.given) if self.given else {}
        part = given.pop("part", "")
        args = arguments(json.dumps(given))
        settings, system = {"name": self.name, **({"part": part} if part else {}), **args}, adapter(self.scheme)
        sys.path.append(os.getcwd())  # an environment may be a folder here
        self.guest = system.Guest(self.name, part, args)
        if args:
            raise Refused(f"the environment has no argument {sorted(args)[0]!r}")
        await self.stack.enter_async_context(self.guest.serving())
        return {
            "protocol": 2, "name": snake("_".join(filter(None, [self.scheme, self.name, part]))), "version": VERSION,
            "doc": f"The environment {self.name} of {system.PACKAGE}, which asks the model itself.", "settings": settings, "drives": True, "grades": True,
            "source": source(self.scheme, system, self.guest.module), **self.guest.about(),
        }  # fmt: skip

    async def play(self, episode: int, problem: dict, models: dict | None, messages: list = ()) -> None:
        """Play an episode or, without models, grade one."""
        try:
            if models is None:
                said = await self.guest.grade(problem["index"], messages)
            else:
                said = await self.guest.play(problem["index"], problem["params"].get("split", ""), models)
            fields = {"needs_state": True} if said is None else self.judged(said)
        except asyncio.CancelledError:
            fields = {"error": "the episode is given up"}
        except (Exception, SystemExit) as fault:
            if not isinstance(fault, (Again, Fault)):
                traceback.print_exc()
            why = str(fault) if isinstance(fault, (Again, Fault)) else f"{type(fault).__name__}: {fault}"
            fields = {"error": clip(why), **({"again": True} if isinstance(fault, Again) else {})}
        del self.playing[episode]
        self.say(episode, fields)

    def judged(self, said: dict) -> dict:
        """What the guest said of an episode, as fields of an answer."""
        reward = number(said.get("reward"))
        if reward is None:
            raise Fault("the episode ends without a reward")
        right_at = self.hello.get("right_at")
        return {**said, "reward": reward, "metrics": metrics(said.get("metrics")), "right": right_at is not None and reward >= right_at - 1e-9}
