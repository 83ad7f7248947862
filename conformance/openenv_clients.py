#!/usr/bin/env python3
"""Play sessions of quintain serve with the clients of OpenEnv, and compare its output, byte for byte, with that of
OpenEnv's own server for the same questions and scores. Then run its validator on the routes, and draw and answer
problems with the client of the Model Context Protocol.

The environment in OpenEnv's server is a few lines of this file: an entry of reasoning-gym, and quintain's score, in
the fields of reasoning_gym_env.
"""
import argparse
import asyncio
import json
import pathlib
import subprocess
import sys
import threading
import time
from typing import Any, Dict, Optional

import uvicorn
from openenv.core import GenericEnvClient
from openenv.core.env_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from openenv.core.mcp_client import MCPToolClient
from websockets.sync.client import connect

from serving import export, serving

ENTRIES = {}  # by task
SCORE = [0.0]  # of the next step


class Answer(Action):
    answer: str


class Judged(Observation):
    question: Optional[str] = None
    score: Optional[float] = None
    correct_answer: Optional[str] = None
    dataset_metadata: Optional[Dict[str, Any]] = None


class Reference(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self.now, self.at, self.entries = State(episode_id="none", step_count=0), -1, []

    def reset(self, dataset_name=None, seed=None, size=None, episode_id=None):
        if dataset_name is not None:
            self.entries, self.at = ENTRIES[dataset_name][:size], -1
        self.at = (self.at + 1) % len(self.entries)
        self.now = State(episode_id=episode_id, step_count=0)
        return Judged(question=self.entries[self.at]["question"], done=False, reward=0.0)

    def step(self, action):
        self.now.step_count += 1
        entry = self.entries[self.at]
        return Judged(score=SCORE[0], correct_answer=entry["answer"], dataset_metadata=entry["metadata"], done=True, reward=SCORE[0])

    @property
    def state(self):
        return self.now


def reference():
    """Run OpenEnv's server in a thread, and give its port."""
    server = uvicorn.Server(uvicorn.Config(create_app(Reference, Answer, Judged, max_concurrent_envs=8), port=0, log_level="critical"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return server.servers[0].sockets[0].getsockname()[1]


def same_bytes(quintain, url, tasks):
    """Compare the frames of both servers: (frames, different ones)."""
    frames, wrong = 0, []
    with connect(url.replace("http", "ws") + "/ws", max_size=None) as ours, connect(f"ws://127.0.0.1:{reference()}/ws", max_size=None) as theirs:
        for task in tasks:
            ENTRIES[task] = export(quintain, task, 2)
            first = {"dataset_name": task, "seed": 1, "size": 2, "episode_id": "e1"}
            for message in [
                {"type": "reset", "data": first}, {"type": "state"}, {"type": "step", "data": {"answer": ENTRIES[task][0]["answer"]}}, {"type": "state"},
                {"type": "reset", "data": {"episode_id": "e2"}}, {"type": "step", "data": {"answer": "<none> of \u2028 these & é"}},
                {"type": "reset", "data": {"episode_id": "e3"}}, {"type": "jump"},
            ]:
                ours.send(json.dumps(message))
                got = ours.recv()
                SCORE[0] = json.loads(got)["data"].get("reward") or 0.0
                theirs.send(json.dumps(message))
                want, frames = theirs.recv().replace('"observation":{"metadata":{},', '"observation":{'), frames + 1  # 0.10 writes the default
                if got != want:
                    wrong.append(f"{task}: {message} gives\n  {got[:600]}\nOpenEnv writes\n  {want[:600]}")
    return frames, wrong


def same_codes(url):
    """Compare the codes of errors: (messages, different ones)."""
    messages = ["{", '{"type":"step","data":{}}', '{"type":"step","data":{"answer":5}}', '{"type":"step","data":{"answer":"1","x":1}}', '{"type":"step"}', '{"type":"state","x":1}', '{"type":"reset","data":[]}']
    wrong = []
    with connect(url.replace("http", "ws") + "/ws") as ours, connect(f"ws://127.0.0.1:{reference()}/ws") as theirs:
        for message in messages:
            codes = []
            for server in ours, theirs:
                server.send(message)
                codes.append(json.loads(server.recv())["data"]["code"])
            if codes[0] != codes[1]:
                wrong.append(f"{message} gives the code {codes[0]}, with OpenEnv {codes[1]}")
    return len(messages), wrong


async def session(url, task, seed):
    """Play two episodes with the generic client; returns the faults."""
    async with GenericEnvClient(base_url=url) as env:
        await env.reset(dataset_name=task, seed=seed, size=10)
        lost = await env.step({"answer": "no idea"})
        asked = await env.reset(dataset_name=task, seed=seed, size=10)
        won = await env.step({"answer": lost.observation["correct_answer"]})
        try:
            await env.step({"answer": lost.observation["correct_answer"]})
            return [f"{task}: an answer is judged twice"]
        except RuntimeError as error:
            refused = "EXECUTION_ERROR" in str(error)
        state = await env.state()
        fine = asked.observation["question"] and won.reward == 1.0 and won.done and not asked.done and lost.reward < 1 and state["step_count"] == 1 and refused
        return [] if fine else [f"{task}: {asked}, {lost}, {won}, {state}"]


async def tools(url):
    """Play with the client for tools; returns the faults."""
    async with MCPToolClient(base_url=url) as env:
        names = [tool.name for tool in await env.list_tools()]
        await env.reset(task_name="chain_sum", task_config={"max_terms": 2}, seed=1)
        question, info = await env.call_tool("get_question"), await env.call_tool("get_task_info")
        graded = await env.call_tool("submit_answer", answer="no idea")
        await env.reset(task_name="chain_sum", seed=2)
        await env.reset(task_name="chain_sum", seed=1)
        again = await env.call_tool("submit_answer", answer=graded["correct_answer"])
        if names != ["get_question", "submit_answer", "get_task_info"] or question["task"] != "chain_sum" or info["task_config"] != {"max_terms": 2} or graded["score"] or again["score"] != 1:
            return [f"tools: {names}, {question}, {info}, {graded}, {again}"]
    return []


async def protocol(url):
    """Draw and answer problems with the client of the Model Context Protocol; returns the faults."""
    from mcp.client.client import Client
    wrong = []
    for mode in "auto", "legacy":
        async with Client(url + "/mcp", mode=mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            drawn = await client.call_tool("draw_problem", {"task": "chain_sum", "level": 1, "seed": "1"})
            problem = drawn.structured_content["problem"]
            nothing = await client.call_tool("submit_answer", {"problem": problem, "answer": "no idea"})
            played = await client.call_tool("draw_problem", {"task": "chain_sum", "scenario": "reasoning_gym"})
            unknown = await client.call_tool("submit_answer", {"problem": "x", "answer": "1"})
            begun = (await client.call_tool("draw_problem", {"task": "nim_family", "seed": "1", "index": 3})).structured_content
            going, won = [await client.call_tool("submit_answer", {"problem": begun["problem"], "answer": MOVES[n], "before": list(MOVES[:n])}) for n in range(2)]
            if "Your opponent plays" not in going.structured_content["messages"][0]["content"] or won.structured_content["score"] != 1:
                wrong.append(f"{mode}: {begun}, {going}, {won}")
            if names != ["list_tasks", "draw_problem", "submit_answer"] or nothing.structured_content["score"] != 0 or not unknown.is_error or played.structured_content["messages"][0]["role"] != "system":
                wrong.append(f"{mode}: {names}, {drawn}, {nothing}, {played}, {unknown}")
    return wrong


MOVES = "<move>take 2 from b</move>", "<move>take 1 from b</move>"  # win problem 3 of nim_family with seed 1


async def game(url):
    """Play a game of several turns with the generic client; returns the faults."""
    async with GenericEnvClient(base_url=url) as env:
        asked = await env.reset(dataset_name="nim_family", seed=1, level=0, index=3)
        going, won = [await env.step({"answer": move}) for move in MOVES]
        fine = asked.observation["messages"] and not going.done and "Your opponent plays" in going.observation["messages"][0]["content"] and won.done and won.reward == 1
        return [] if fine else [f"nim_family: {asked}, {going}, {won}"]


async def calls(url):
    """Call the tools of a scenario with the client for tools; returns the faults."""
    async with MCPToolClient(base_url=url) as env:
        await env.reset(dataset_name="calculator", seed=1, level=0)
        names = [tool.name for tool in await env.list_tools(use_cache=False)]
        told = await env.call_tool("calc", expression="17*17")
        over = await env.call_tool("finish", answer=1)
        if not {"look", "calc", "finish"} <= set(names) or told["messages"][0]["content"] != "289" or over["end"] != "terminated":
            return [f"calculator: {names}, {told}, {over}"]
    return []


async def clients(url, tasks, more):
    """Play with all clients at once; returns the faults."""
    all_played = await asyncio.gather(*(session(url, task, seed) for seed, task in enumerate(tasks)), game(url), *more)
    return [line for wrong in all_played for line in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--newest", action="store_true", help="with openenv 0.10: without its client for tools, which wants a session over HTTP, and the client of mcp 2, beside which it cannot be installed")
    args = parser.parse_args()
    quintain = args.quintain
    listed = subprocess.run([quintain, "tasks", "list"], capture_output=True, check=True, text=True).stdout
    tasks = [line.split()[0] for line in listed.splitlines()[1:]]
    with serving(quintain) as url:
        frames, wrong = same_bytes(quintain, url, tasks)
        print(f"{frames} frames of {len(tasks)} tasks, {len(wrong)} unlike those of OpenEnv's server")
        messages, codes = same_codes(url)
        print(f"{messages} messages that are refused, {len(codes)} with another code")
        played = asyncio.run(clients(url, tasks, [] if args.newest else [tools(url), calls(url)]))
        print(f"{len(tasks)} sessions of OpenEnv's clients at once, {len(played)} wrong")
        found = subprocess.run([pathlib.Path(sys.executable).with_name("openenv"), "validate", "--url", url], capture_output=True, text=True)
        print(f"openenv validate: status {found.returncode}, {found.stdout.count('PASS ')} passed")
        rpc = []
        if not args.newest:
            rpc = asyncio.run(protocol(url))
            print(f"the client of the Model Context Protocol, {len(rpc)} wrong")
    wrong += codes + played + rpc + ([found.stdout] if found.returncode else [])
    for line in wrong[:20]:
        print(line)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
