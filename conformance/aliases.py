#!/usr/bin/env python3
"""Let clients of other gateways, unmodified, play sessions of ours by the routes of theirs: those of rLLM and of
agent-lightning; for AReaL, whose package is too large, the requests that docs/gateway-aliases.md describes, with
OpenAI's SDK as the agent. Every token that they read back must be that of the conversation.

    REQUIREMENTS=aliases.txt PIP_NO_DEPS=1 PIP_IGNORE_REQUIRES_PYTHON=1 conformance/python conformance/aliases.py --quintain bin/quintain
"""
import argparse
import asyncio
import base64
import contextlib
import struct
import tempfile
import time

import httpx
import openai
from agentlightning.client import AgentLightningSyncClient
from agentlightning.schemas import Event, Rollout
from rllm_model_gateway import AsyncGatewayClient, GatewayClient

from serving import free_port, started

KEY = "callers-key"
GROUP = 2


@contextlib.contextmanager
def gateway(quintain, keys):
    """Run a gateway with a fake server whose tokens are bytes, and give its address."""
    model, port = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder, started([quintain, "policy", "fake", "--port", str(model)], "listening"):
        command = [quintain, "gateway", "--policy", "server", "--url", f"http://127.0.0.1:{model}", "--tokenizer", "bytes", "--group-size", str(GROUP)]
        command += ["--batch-size", str(GROUP), "--data", f"{folder}/data", "--port", str(port), "--max-tokens", "24", "--max-lag", "50", "--with", "gateway.dialects=areal,rllm,agl"]
        if keys:
            with open(f"{folder}/keys", "w") as file:
                file.write(f"sessions {KEY}\n")
            command += ["--key-file", f"{folder}/keys"]
        with started(command, "agents play"):
            url = f"http://127.0.0.1:{port}"
            for _ in range(200):
                if httpx.get(url + "/health").json()["initialized"]:
                    break
                time.sleep(0.05)
            yield url


def same(name, got, want):
    if got != want:
        raise SystemExit(f"{name}: {got!r}, want {want!r}")


def text_of(tokens):
    """The bytes of tokens, without control tokens."""
    return bytes(t for t in tokens if 32 <= t < 256).decode()


def talk(client, turns):
    """Ask by OpenAI's SDK, each time with what was said before, and return the IDs and the texts of the replies."""
    messages, ids, texts = [], [], []
    for turn in range(turns):
        messages.append({"role": "user", "content": f"question {turn}"})
        if turn % 2:
            reply = client.chat.completions.create(model="any", messages=messages)
            text, id = reply.choices[0].message.content, reply.id
        else:
            chunks = list(client.chat.completions.create(model="any", messages=messages, stream=True))
            text, id = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices), chunks[0].id
        messages.append({"role": "assistant", "content": text})
        ids.append(id)
        texts.append(text)
    return ids, texts


def agent(url, key):
    return openai.OpenAI(base_url=url, api_key=key, max_retries=0)


def group_done(url, group, headers=None):
    for _ in range(200):
        seen = httpx.get(f"{url}/v1/groups/{group}", headers=headers).json()
        if seen["done"]:
            return [s["reward"] for s in seen["sessions"]], [s["outcome"] for s in seen["sessions"]]
        time.sleep(0.05)
    raise SystemExit(f"group {group} is not done: {seen}")


def values(tensor):
    """The values of a tensor in the JSON form of AReaL's workers."""
    same("type", tensor["type"], "tensor")
    raw = base64.b64decode(tensor["data"])
    code = {"torch.int32": "i", "torch.int64": "q", "torch.float32": "f", "torch.bool": "?"}[tensor["dtype"]]
    return list(struct.unpack(f"<{len(raw) // struct.calcsize(code)}{code}", raw))


def areal(url):
    """The order of AReaL's checklist for agents of its proxy, and a group of its inference service."""
    admin = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {KEY}"})
    groups = []
    for i in range(GROUP):
        same("capacity", admin.post("/grant_capacity").json()["capacity"] > 0, True)
        session = admin.post("/rl/start_session", json={"task_id": "task"}).raise_for_status().json()
        own = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {session['api_key']}"})
        ids, texts = talk(agent(url, session["api_key"]), 3)  # the server's root, without /v1
        own.post("/rl/set_reward", json={"interaction_id": ids[0], "reward": 0.5}).raise_for_status()
        own.post("/rl/set_reward", json={"reward": float(i)}).raise_for_status()
        same("end", own.post("/rl/end_session").json(), {"message": "success", "interaction_count": 3})
        for path, body in (("/rl/end_session", {}), ("/rl/set_reward", {"reward": 1.0})):
            same(path, own.post(path, json=body).status_code, 410)
        try:
            talk(agent(url, session["api_key"]), 1)
            raise SystemExit("a call after the end is answered")
        except openai.APIStatusError as e:
            same("a call after the end", e.status_code, 410)
        rows = admin.post("/export_trajectories", json={"session_id": session["session_id"], "discount": 0.5}).json()["interactions"]
        same("exported", list(rows), ids)
        same("rewards", [rows[k]["reward"] for k in ids], [0.5 + i / 4, i / 2, float(i)])
        for k, text in zip(ids, texts):
            t = {name: values(x) for name, x in rows[k]["tensor_dict"].items()}
            trained = [token for token, mask in zip(t["input_ids"], t["loss_mask"]) if mask]
            same("trained on", text_of(trained), text)
            same("versions of what is read", {v for v, mask in zip(t["versions"], t["loss_mask"]) if not mask}, {-1})
            same("sizes", {len(t[n]) for n in ("input_ids", "loss_mask", "logprobs", "versions", "attention_mask")}, {len(t["input_ids"])})
        groups.append(session["group_id"])
    same("groups of the task", len(set(groups)), 1)
    same("outcomes", set(group_done(url, groups[0], admin.headers)[1]) <= {"scored", "model_failed"}, True)
    made = admin.post("/rl/start_session", json={"task_id": "another", "group_size": 2})
    same("status", made.status_code, 201)
    for i, session in enumerate(made.json()["sessions"]):
        talk(agent(url + "/v1", session["session_api_key"]), 1)
        r = httpx.post(url + "/rl/set_reward", json={"reward": float(i)}, headers={"Authorization": f"Bearer {session['session_api_key']}"}).json()
        same("ready", (r["trajectory_ready"], r["ready_transition"], r["interaction_count"]), (True, True, 1))
    group_done(url, made.json()["group_id"], admin.headers)
    return "areal: 2 groups, 6 interactions exported"


def rllm(url):
    """rLLM's own client, and agents without a key."""
    client = GatewayClient(url)
    same("health", client.health()["status"], "ok")
    session = client.create_session(metadata={"a": 1})
    same("named", client.create_session("task:0"), "task:0")
    for id in (session, "task:0"):
        _, texts = talk(agent(client.get_session_url(id), "EMPTY"), 3)
        same("flushed", client.flush(), True)
        traces = client.get_session_traces(id)
        same("traces", [text_of(t.completion_token_ids) for t in traces], texts)
        same("replies", [t.response_message["content"] for t in traces], texts)
        for k, trace in enumerate(traces):
            same("messages", len(trace.messages), 2 * k + 1)
            same("log-probabilities", len(trace.logprobs), len(trace.completion_token_ids))
            same("counts", trace.token_counts, {"prompt": len(trace.prompt_token_ids), "completion": len(trace.completion_token_ids)})
            same("by its ID", client.get_trace(trace.trace_id), trace)
            before = traces[k - 1]
            if k:
                begin = before.prompt_token_ids + before.completion_token_ids
                same("the conversation goes on", trace.prompt_token_ids[: len(begin)], begin)
        same("one", len(client.get_session_traces(id, since=0.0, limit=1)), 1)
        same("info", client.get_session_info(id)["trace_count"], 3)
    same("metadata", client.get_session_info(session)["metadata"], {"a": 1})
    same("sessions", {s["session_id"] for s in client.list_sessions()} >= {session, "task:0"}, True)
    same("workers", [w.healthy for w in client.list_workers()], [True])
    for wrong in (lambda: client.get_trace("none"), lambda: client.get_session_info("none"), lambda: client.add_worker("http://127.0.0.1:1")):
        try:
            wrong()
            raise SystemExit("a wrong request is answered")
        except httpx.HTTPStatusError as e:
            same("status", e.response.status_code in (404, 409), True)
    same("deleted", client.delete_session(session), 3)
    client.close()
    return asyncio.run(rllm_group(url))


async def rllm_group(url):
    """rLLM's client without threads: sessions that name a question make a group."""
    client = AsyncGatewayClient(url)
    for i in range(GROUP):
        id = await client.create_session(f"sum:{i}", metadata={"name": "sum"})
        talk(agent(client.get_session_url(id), "EMPTY"), 2)
        seen = httpx.post(f"{url}/v1/sessions/{id}/reward", json={"reward": float(i)}).raise_for_status().json()
        same("deleted", await client.delete_session(id), 2)
    await client.close()
    group_done(url, seen["group"])
    return "rllm: 8 traces, 1 group"


def agl(url):
    """agent-lightning's own client and forms, in the order of trainer, controller and agent."""
    client = AgentLightningSyncClient(key=KEY, base_url=url, max_retries=0)
    same("health", client.get("/healthz").json()["status"], "ok")
    new = [{"input": {"q": "1+1?"}, "rollout_id": f"r{i}", "metadata": {"batch_idx": 0, "sample_idx_in_batch": i}} for i in range(3)]
    made = [Rollout.model_validate(r) for r in client.post_with_retry("/api/rollouts", json=new).raise_for_status().json()]
    same("made", [(r.rollout_id, r.status.state) for r in made], [(f"r{i}", "queuing") for i in range(3)])
    queue = [Rollout.model_validate(r) for r in client.get("/api/rollouts", params={"state_in": ["queuing"], "limit": 10}).json()]
    said = {}
    for i, r in enumerate(queue):
        client.patch(f"/api/rollouts/{r.rollout_id}", json={"status": {"state": "running", "last_attempt_id": "a1"}}).raise_for_status()
        base = f"{url}/proxy/rollout/{r.rollout_id}/attempt/a1/mode/train/openai/v1"
        said[r.rollout_id] = talk(agent(base, KEY), 2)[1]
        if i < 2:
            event = {"event_type": "reward", "data": {"value": float(i), "source": "evaluator"}}
            Event.model_validate(client.post(f"/api/rollouts/{r.rollout_id}/attempt/a1/events", json=event).raise_for_status().json())
        state = "succeeded" if i < 2 else "failed"
        after = client.patch(f"/api/rollouts/{r.rollout_id}", json={"status": {"state": state}}).raise_for_status().json()
        same("state", Rollout.model_validate(after).status.state, state)
        same("an end is for ever", client.patch(f"/api/rollouts/{r.rollout_id}", json={"status": {"state": "running"}}).status_code, 409)
    ended = client.get("/api/rollouts/terminal", params={"after": 0}).json()
    same("ended", [(e["rollout_id"], e["state"]) for e in ended["items"]], [("r0", "succeeded"), ("r1", "succeeded"), ("r2", "failed")])
    for id, texts in said.items():
        events = [Event.model_validate(e) for e in client.get(f"/api/rollouts/{id}/events").json()]
        calls = [e.data["response"] for e in events if e.event_type == "model_request"]
        same("tokens", [text_of(c["choices"][0]["token_ids"]) for c in calls], texts)
        begin = calls[0]["prompt_token_ids"] + calls[0]["choices"][0]["token_ids"]
        same("the conversation goes on", calls[1]["prompt_token_ids"][: len(begin)], begin)
        same("attempts", client.get(f"/api/rollouts/{id}").json()["attempts"], ["a1"])
    same("unknown", client.get("/api/rollouts/none").status_code, 404)
    session = httpx.get(f"{url}/v1/sessions/agl r0", headers={"Authorization": f"Bearer {KEY}"}).raise_for_status().json()
    rewards, outcomes = group_done(url, session["group"], {"Authorization": f"Bearer {KEY}"})
    same("rewards", (rewards, outcomes[2]), ([0, 1, None], "env_failed"))
    return "agl: 3 rollouts, of which 2 succeeded, 6 calls"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    args = parser.parse_args()
    for keys, plays in ((True, (areal, agl)), (False, (areal, rllm, agl))):
        with gateway(args.quintain, keys) as url:
            for play in plays:
                print("with keys:" if keys else "without:", play(url), flush=True)


if __name__ == "__main__":
    main()
