#!/usr/bin/env python3
"""Play environments behind the peers' own servers, OpenEnv's or those of the Open Reward Standard, by quintain and by
the peers' own clients, with the same replies: rewards, ends and what is read must be equal, and at least half of the
episodes must earn more than nothing. Then let the environments fail: each fault must have its type, and no reward.

"""
import argparse
import asyncio
import contextlib
import itertools
import json
import os
import pathlib
import queue
import random
import subprocess
import tempfile
import threading
import time

import uvicorn

EPISODES = 50


class Guest:
    """quintain's client of a server."""

    def __init__(self, program, scheme, url):
        self.process = subprocess.Popen([program, scheme, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.numbers, self.waiting, self.lock = itertools.count(1), {}, threading.Lock()
        threading.Thread(target=self.read, daemon=True).start()
        self.hello = self.ask(0, {"hello": {"protocol": 2, "least": 1}})["hello"]

    def read(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            self.waiting[answer["id"]].put(answer)

    def ask(self, number, request):
        answers = self.waiting.setdefault(number, queue.Queue())
        with self.lock:
            self.process.stdin.write(json.dumps({"id": number, **request}) + "\n")
            self.process.stdin.flush()
        return answers.get(timeout=120)

    def play(self, index, split, policy):
        """An episode: (rewards, ended, messages that were read, the last answer)."""
        number = next(self.numbers)
        params = {"split": split} if split else {}
        seen = self.ask(number, {"open": {"task": "t", "version": 1, "seed": "7", "level": 0, "index": index, "params": params, "prompt": "", "instance": {}}})
        rewards, read = [], []
        while not seen["error"] and not seen["end"]:
            read.append(seen["messages"])
            seen = self.ask(number, {"step": policy(seen["messages"])})
            if not seen["error"]:
                rewards.append(seen["reward"] or 0)
        self.ask(number, {"close": {}})
        return rewards, seen["end"] == "terminated", read, seen

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


@contextlib.contextmanager
def playing(program, scheme, url):
    guest = Guest(program, scheme, url)
    try:
        yield guest
    finally:
        guest.close()


@contextlib.contextmanager
def running(app):
    """Run a server in a thread, and give its URL."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def guesses(index):
    """What to guess, by what was said: a search that halves, or in every third episode one that counts."""
    low, high, last = 1, 20, 0

    def guess(said):
        nonlocal low, high, last
        if "higher" in said:
            low = last + 1
        elif "lower" in said:
            high = last - 1
        last = last + 1 if index % 3 == 0 else (low + high) // 2
        return last
    return guess


class Report:
    def __init__(self):
        self.wrong, self.played, self.earned = [], 0, 0

    def same(self, what, ours, theirs):
        self.played += 1
        self.earned += sum(theirs[0]) > 0
        if ours != theirs:
            self.wrong.append(f"{what}: quintain gets {ours}, the peer's client {theirs}")

    def fault(self, what, got, again, says):
        if not got["error"] or got["again"] != again or says not in got["error"]:
            self.wrong.append(f"{what}: {got['error'] or got}, again {got['again']}; want again {again} and {says!r}")

    def done(self, name):
        if self.earned * 2 < self.played:
            self.wrong.append(f"only {self.earned} of {self.played} episodes earn something")
        print(f"{name}: {self.played} episodes with the same replies, {self.earned} earn something, {len(self.wrong)} wrong")
        for line in self.wrong[:20]:
            print("FAILED", line)
        raise SystemExit(1 if self.wrong else 0)


def openenv(program):
    from fastmcp import FastMCP
    from openenv.core import GenericEnvClient
    from openenv.core.env_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.mcp_environment import MCPEnvironment
    from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
    from openenv.core.env_server.types import Action, Observation, State
    from pydantic import Field

    class Guess(Action):
        guess: int = Field(..., ge=1, le=20)

    class Heard(Observation):
        text: str = ""

    resets = []

    class Guessing(Environment):
        SUPPORTS_CONCURRENT_SESSIONS = True
        fault = None

        def reset(self, seed=None, episode_id=None, **more):
            if self.fault == "reset":
                raise RuntimeError("no game today")
            resets.append(seed)
            self.now, self.number = State(episode_id=episode_id, step_count=0), random.Random(seed).randint(1, 20)
            return Heard(text="I think of a number from 1 to 20.", reward=None)

        def step(self, action):
            self.now.step_count += 1
            if self.fault == "step":
                raise RuntimeError("unlucky")
            if self.fault == "nan":
                return Heard(done=True, reward=float("nan"))
            if action.guess == self.number:
                return Heard(text="Right.", done=True, reward=1.0)
            return Heard(text="higher" if action.guess < self.number else "lower", done=self.now.step_count >= 5, reward=0.0)

        @property
        def state(self):
            return self.now

    class Splitting(Guessing):
        def list_splits(self):
            return ["train", "test"]

        def list_tasks(self, split):
            return [{"index": i} for i in range(9)]

        def num_tasks(self, split):
            return 9

        def get_task(self, split, index):
            return {"index": index}

        def reset(self, seed=None, episode_id=None, split=None, index=None):
            seen = super().reset(seed=seed)
            self.number = 1 + index + 9 * (split == "test")
            return seen

    class Adding(MCPEnvironment):
        SUPPORTS_CONCURRENT_SESSIONS = True

        def __init__(self):
            server = FastMCP("adding")
            super().__init__(server)
            self.now, self.sum, self.goal = State(), 0, None

            @server.tool
            def add(n: int) -> str:
                """Adds a number."""
                if n > 100:
                    raise ValueError("too much")
                self.sum += n
                return f"The sum is {self.sum}."

        def reset(self, seed=None, episode_id=None, **more):
            self.sum, self.goal = 0, random.Random(seed).randint(1, 9)
            return Observation(done=False, reward=None, metadata={"goal": self.goal})

        def judge(self, seen):
            if seen.error is None and self.goal is not None:
                seen.done, seen.reward = self.sum >= self.goal, float(self.sum == self.goal)
            return seen

        def step(self, action, timeout_s=None, **more):
            seen = super().step(action, timeout_s=timeout_s)
            return self.judge(seen) if isinstance(action, CallToolAction) else seen

        async def step_async(self, action, timeout_s=None, **more):
            seen = await super().step_async(action, timeout_s=timeout_s)
            return self.judge(seen) if isinstance(action, CallToolAction) else seen

        def _step_impl(self, action, timeout_s=None, **more):
            raise ValueError("no such action")

        @property
        def state(self):
            return self.now

    def theirs(url, reset, act):
        """An episode by OpenEnv's client: (rewards, ended, texts)."""
        rewards, texts = [], []
        with GenericEnvClient(base_url=url).sync() as env:
            seen = env.reset(**reset)
            while not seen.done:
                texts.append(seen.observation.get("text"))
                seen = env.step(act(seen.observation))
                rewards.append(float(seen.reward or 0))
        return rewards, True, texts

    report = Report()
    with running(create_app(Guessing, Guess, Heard, max_concurrent_envs=16)) as url, playing(program, "openenv", url) as guest:
        forms = ["%d", '{"guess": %d}', "<think>hm</think>```json\n{\"guess\": %d}\n```"]
        for index in range(EPISODES):
            guess = guesses(index)
            rewards, ended, read, last = guest.play(index, None, lambda m: {"text": forms[index % 3] % guess(m[-1]["content"]), "finish": "stop"})
            texts = [m[-1]["content"].split("\n\nReply with")[0] for m in read]
            guess = guesses(index)
            report.same(f"guess {index}", (rewards, ended, texts), theirs(url, {"seed": resets[-1]}, lambda seen: {"guess": guess(seen["text"])}))
        for fault, again, says in (("reset", True, "no game today"), ("step", False, "unlucky"), ("nan", False, "without a reward")):
            Guessing.fault = fault
            report.fault(fault, guest.play(0, None, lambda m: {"text": "3", "finish": "stop"})[3], again, says)
        Guessing.fault = None
        told = guest.play(0, None, lambda m: {"text": "30", "finish": "stop"})
        if told[0] != [0, 0] or not told[3]["malformed"] or "maximum" not in told[2][1][0]["content"]:
            report.wrong.append(f"a guess out of range: {told}")
    with running(create_app(Splitting, Guess, Heard, env_name="splitting", max_concurrent_envs=16)) as url, playing(program, "openenv", url) as guest:
        if guest.hello["splits"] != [{"name": "train", "size": 9, "held_out": False}, {"name": "test", "size": 9, "held_out": True}]:
            report.wrong.append(f"splits: {guest.hello['splits']}")
        for index, split in itertools.product(range(9), ("train", "test")):
            guess = guesses(1)
            rewards, ended, read, last = guest.play(index, split, lambda m: {"text": str(guess(m[-1]["content"])), "finish": "stop"})
            guess = guesses(1)
            same = theirs(url, {"seed": 1, "split": split, "index": index}, lambda seen: {"guess": guess(seen["text"])})
            report.same(f"{split} {index}", (rewards, ended), same[:2])
    with running(create_app(Guessing, Guess, Heard, max_concurrent_envs=1)) as url, playing(program, "openenv", url) as guest:
        with contextlib.ExitStack() as stack:
            threads, played = [], []
            for index in range(6):
                threads.append(threading.Thread(target=lambda i=index, g=guesses(index): played.append(guest.play(i, None, lambda m: {"text": str(g(m[-1]["content"])), "finish": "stop"}))))
                threads[-1].start()
                stack.callback(threads[-1].join)
        if [p[1] for p in played] != [True] * 6:
            report.wrong.append(f"a server for one: {played}")
    with running(create_app(Adding, CallToolAction, CallToolObservation, max_concurrent_envs=16)) as url, playing(program, "openenv", url) as guest:
        for index in range(EPISODES // 2):
            number, step = itertools.count(1), 1 + index % 2
            reply = lambda m: {"text": "", "tool_calls": [{"id": f"c{next(number)}", "type": "function", "function": {"name": "add", "arguments": json.dumps({"n": step})}}], "finish": "tool_calls"}
            rewards, ended, read, last = guest.play(index, None, reply)
            seed = last["record"]["seed"]
            act = lambda seen: {"type": "call_tool", "tool_name": "add", "arguments": {"n": step}}
            report.same(f"add {index}", (rewards, ended), theirs(url, {"seed": seed}, act)[:2])
            if index == 0 and (json.loads(read[0][0]["content"]).keys() != {"goal"} or len(read) > 1 and read[1][0]["content"] != "The sum is 1."):
                report.wrong.append(f"add: {read}")
        wrong = [("add", '{"n": 101}', "too much"), ("add", '{"n": "x"}', "n"), ("sub", "{}", "sub")]
        for name, arguments, says in wrong:
            calls = iter([(name, arguments)] + [("add", '{"n": 9}')] * 9)
            def call(m):
                name, arguments = next(calls)
                return {"text": "", "tool_calls": [{"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}], "finish": "tool_calls"}
            read = guest.play(3, None, call)[2]
            if says not in read[1][0]["content"] or not read[1][0]["content"].startswith("Error: "):
                report.wrong.append(f"{name} {arguments}: {read[1:]}")
    report.done("OpenEnv")


def ors(program):
    os.environ["OPENREWARD_LOG_LEVEL"] = "ERROR"
    from openreward import AsyncOpenReward
    from openreward.environments import Environment, Server, TextBlock, ToolOutput, tool
    from openreward.environments.environment import terminal
    from pydantic import BaseModel

    class Number(BaseModel):
        n: int

    class Text(BaseModel):
        text: str

    fault = [None]

    class Guessing(Environment):
        @classmethod
        def list_splits(cls):
            return ["train", "test"]

        @classmethod
        def list_tasks(cls, split):
            return [{"number": 1 + (7 * i + (split == "test")) % 20} for i in range(60)]

        def setup(self):
            if fault[0] == "setup":
                raise RuntimeError("no game today")
            self.count = 0

        def get_prompt(self):
            return [TextBlock(text="I think of a number from 1 to 20.")]

        @tool
        async def guess(self, given: Number) -> ToolOutput:
            """Guesses the number."""
            if fault[0] == "call":
                raise RuntimeError("unlucky")
            if fault[0] == "nan":
                return ToolOutput(blocks=[], reward=float("nan"), finished=True)
            self.count += 1
            number = self.task_spec["number"]
            said = "Right." if given.n == number else "higher" if given.n < number else "lower"
            return ToolOutput(blocks=[TextBlock(text=said)], reward=float(given.n == number), finished=given.n == number or self.count >= 5)

    class Writing(Guessing):
        @tool
        @terminal
        async def hand_in(self, given: Text) -> ToolOutput:
            """Judges the last message."""
            return ToolOutput(blocks=[], reward=float(str(self.task_spec["number"]) in given.text), finished=True)

    async def theirs(environment, split, index, guess, last=None):
        """An episode by the standard's client: (rewards, ended, texts)."""
        rewards, texts = [], []
        async with environment.session(split=split, index=index) as session:
            said = "\n".join(block.text for block in await session.get_prompt())
            while True:
                texts.append(said)
                output = await (session.call_terminal_tool(last) if last else session.call_tool("guess", {"n": guess(said)}))
                rewards.append(float(output.reward or 0))
                if output.finished:
                    return rewards, True, texts
                said = output.blocks[0].text

    async def all_theirs(url, names, asked):
        client = AsyncOpenReward(api_key="none")
        found = {n: client.environments.get("guests", variant=n, base_url=url) for n in names}
        played = [await theirs(found[name], split, index, guess, last) for name, split, index, guess, last in asked]
        await client.environments.aclose()
        return played

    report = Report()
    with running(Server([Guessing, Writing]).app) as url, playing(program, "ors", url) as guest:
        call = lambda *numbers: {"text": "", "finish": "tool_calls", "tool_calls": [{"id": f"c{n}", "type": "function", "function": {"name": "guess", "arguments": json.dumps({"n": n})}} for n in numbers]}
        if guest.hello["splits"] != [{"name": "train", "size": 60, "held_out": False}, {"name": "test", "size": 60, "held_out": True}]:
            report.wrong.append(f"splits: {guest.hello['splits']}")
        asked, ours = [], []
        for index in range(EPISODES):
            guess, split = guesses(index), ("train", "test")[index % 2]
            rewards, ended, read, _ = guest.play(index, split, lambda m: call(guess(m[-1]["content"])))
            ours.append((rewards, ended, [m[-1]["content"] for m in read]))
            asked.append(("guessing", split, index, guesses(index), None))
        with playing(program, "ors", url + "#writing") as writer:
            for index in range(12):
                said = f"It is {1 + 7 * index % 20 if index % 3 else 'unknown'}."
                rewards, ended, read, _ = writer.play(index, "train", lambda m: {"text": said, "finish": "stop"})
                ours.append((rewards, ended, [m[-1]["content"] for m in read]))
                asked.append(("writing", "train", index, None, said))
        for what, mine, other in zip(asked, ours, asyncio.run(all_theirs(url, ("guessing", "writing"), asked))):
            report.same(f"{what[:3]}", mine, other)
        several = guest.play(1, "train", lambda m: call(1, 8, 9))  # the number is 8
        if several[0] != [1.0] or not several[1]:
            report.wrong.append(f"several calls: {several}")
        unfit = [{"id": "c", "type": "function", "function": {"name": n, "arguments": a}} for n, a in (("guess", '{"n":"x"}'), ("jump", "{}"))]
        turns = iter([{"text": "", "finish": "tool_calls", "tool_calls": unfit}, {"text": "", "finish": "stop"}])
        told = guest.play(1, "train", lambda m: next(turns))
        if [m["content"][:6] for m in told[2][1]] != ["Error:"] * 2 or not told[3]["malformed"]:
            report.wrong.append(f"calls that do not fit: {told}")
        for fault[0], again, says in (("setup", True, "no game today"), ("call", False, "unlucky"), ("nan", False, "without a reward")):
            report.fault(fault[0], guest.play(0, "train", lambda m: call(3))[3], again, says)
    report.done("the Open Reward Standard")


def built(use):
    """Use the program guest.go."""
    with tempfile.TemporaryDirectory() as scratch:
        program = f"{scratch}/guest"
        subprocess.run(["go", "build", "-o", program, pathlib.Path(__file__).with_name("guest.go")], check=True)
        use(program)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=("openenv", "ors"))
    built({"openenv": openenv, "ors": ors}[parser.parse_args().peer])


if __name__ == "__main__":
    main()
