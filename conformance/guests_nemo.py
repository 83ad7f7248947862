#!/usr/bin/env python3
"""Play three resources servers of NeMo Gym, unmodified: one of single replies, one of tools, one of steps. Their rows,
with the same replies, are played by quintain and by NeMo Gym's own agents: rewards, ends and what is read must be equal,
and at least half of the episodes must earn more than nothing. Then let the servers fail.
"""
import json
import pathlib
import re
import tempfile
import types

from fastapi import FastAPI, HTTPException
from nemo_gym.config_types import BaseServerConfig
from nemo_gym import server_utils
from nemo_gym.server_utils import ServerClient
from omegaconf import OmegaConf
from resources_servers.example_multi_turn_gymnasium import app as turns
from resources_servers.example_session_state_mgmt import app as counter
from resources_servers.mcqa import app as choice

import nemogym
from guests_http import Report, built, playing, running


def server(kind, config):
    """A resources server of the wheel, without a head server."""
    client = ServerClient(head_server_config=BaseServerConfig(host="127.0.0.1", port=1), global_config_dict=OmegaConf.create({}))
    return kind(config=config(name="guest", host="127.0.0.1", port=1, entrypoint="app.py"), server_client=client).setup_webserver()


def example(module):
    """The rows of a server's example."""
    return [json.loads(line) for line in (pathlib.Path(module.__file__).parent / "data" / "example.jsonl").read_text().splitlines()]


def choices(count):
    """Rows of several choices, and replies: two in three are right."""
    rows = example(choice)
    for i in range(count):
        row = rows[i % len(rows)]
        letter = row["expected_answer"] if i % 3 else next(k for option in row["options"] for k in option if k != row["expected_answer"])
        yield row, [rf"It is \boxed{{{letter}}}."]


def counts(count):
    """Rows of a counter, and calls: two in three lead to the count that is wanted."""
    rows = example(counter)
    for i in range(count):
        row = rows[i % len(rows)]
        steps = [int(n) for n in re.findall(r"\d+", row["responses_create_params"]["input"][0]["content"])]
        if i % 3 == 0:
            steps.append(7)
        calls = [("increment_counter", {"count": n}) for n in steps] + [("get_counter_value", {})]
        if i % 4 == 0:
            calls.insert(0, ("increment_counter", {"count": "many"}))  # is refused
        yield row, [*calls, "Done."]


def talks(count):
    """Rows of several turns, and replies: two in three end with the answer."""
    rows = example(turns)
    for i in range(count):
        row = rows[i % len(rows)]
        yield row, ["Hm."] * len(row["follow_ups"]) + [f"It is {row['expected_answer'] if i % 3 else 'unknown'}."]


def said(n, reply):
    """A reply of the scenario protocol."""
    if isinstance(reply, str):
        return {"text": reply, "finish": "stop"}
    return {"text": "", "finish": "stop", "tool_calls": [{"id": f"call_{n}", "type": "function", "function": {"name": reply[0], "arguments": json.dumps(reply[1])}}]}


def theirs(port, row, replies, kind):
    """An episode by NeMo Gym's agent: (reward, truncated, what was read)."""
    told = lambda n, reply: reply if isinstance(reply, str) else {"call_id": f"call_{n}", "name": reply[0], "arguments": json.dumps(reply[1])}
    script = [told(n, reply) for n, reply in enumerate(replies)]
    asked = row["responses_create_params"]["input"][-1]["content"]
    nemogym.Model.script = {asked: script if kind == "simple" else script[0]} | dict(zip(row.get("follow_ups", []), script[1:]))
    status, answer, _ = nemogym.post(port, "/run", row)
    if status != 200:
        return status, answer
    read = [item.get("output") or item.get("content") for item in answer["response"]["output"] if item["type"] == "function_call_output" or item.get("role") == "user"]
    return answer["reward"], bool(answer.get("truncated")), read


def given(program, data):
    """A program that plays the rows of a file."""
    script = data.with_suffix(".sh")
    script.write_text("#!/bin/sh\nexec %s \"$@\" '%s'\n" % (program, json.dumps({"data": str(data)})))
    script.chmod(0o700)
    return str(script)


def compare(program, report, name, app, rows, kind):
    """Play rows by both."""
    rows = list(rows)
    server_utils._GLOBAL_AIOHTTP_CLIENT = None  # that of the agents before, whose loop has ended
    with running(app) as url, tempfile.TemporaryDirectory() as folder, nemogym.agents(types.SimpleNamespace(port=int(url.rsplit(":", 1)[1]))) as ports:
        data = pathlib.Path(folder) / "rows.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row, _ in rows))
        with playing(given(program, data), "nemogym", url) as guest:
            for index, (row, replies) in enumerate(rows):
                turn = iter(range(len(replies)))
                rewards, _, read, last = guest.play(index, "train", lambda m: said(n := next(turn), replies[n]))
                if last["error"]:
                    report.wrong.append(f"{name} {index}: {last['error']}")
                    continue
                ours = sum(rewards), last["end"] == "truncated", [m["content"] for seen in read[1:] for m in seen]
                other = theirs(ports[kind], row, replies, kind)
                report.same(f"{name} {index}", ([ours[0]], *ours[1:]), ([other[0]], *other[1:]))


def faults(program, report):
    """A server whose routes fail."""
    fault = [None]
    app = FastAPI()

    def route(path, answer):
        async def serve():
            if fault[0] == path:
                raise HTTPException(503, "unlucky")
            return answer
        app.post(path)(serve)

    route("/seed_session", {})
    route("/verify", {"reward": None})
    route("/act", {"ok": True})
    row = {"responses_create_params": {"input": "Act.", "tools": [{"type": "function", "name": "act", "parameters": {"type": "object"}}]}}
    with running(app) as url, tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "rows.jsonl"
        data.write_text(json.dumps(row) + "\n")
        with playing(given(program, data), "nemogym", url) as guest:
            for fault[0], again, says in (("/seed_session", True, "unlucky"), ("/act", False, "unlucky"), ("/verify", False, "unlucky"), (None, False, "its reward is null")):
                turn = iter([("act", {}), "Done."])
                report.fault(str(fault[0]), guest.play(0, "train", lambda m: said(0, next(turn)))[3], again, says)


def check(program):
    report = Report()
    compare(program, report, "mcqa", server(choice.MCQAResourcesServer, choice.MCQAResourcesServerConfig), choices(20), "simple")
    compare(program, report, "counter", server(counter.StatefulCounterResourcesServer, counter.StatefulCounterResourcesServerConfig), counts(15), "simple")
    compare(program, report, "turns", server(turns.ExampleMultiTurnEnv, choice.BaseResourcesServerConfig), talks(15), "gymnasium")
    faults(program, report)
    report.done("NeMo Gym")


if __name__ == "__main__":
    built(check)
