#!/usr/bin/env python3
"""Play sessions by the routes of AReaL's proxy. Its package is too large, so these are the requests that
docs/gateway-others.md describes, with OpenAI's SDK as the agent. Every token that is read back must be that of the
conversation.

    REQUIREMENTS=areal_proxy.txt PIP_NO_DEPS=1 conformance/python conformance/areal_proxy.py --quintain bin/quintain
"""
import argparse
import base64
import contextlib
import struct
import tempfile
import time

import httpx
import openai

from serving import free_port, started

KEY = "callers-key"
GROUP = 2


@contextlib.contextmanager
def gateway(quintain, keys):
    """Run a gateway with a fake server whose tokens are bytes, and give its address."""
    model, port = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder, started([quintain, "policy", "fake", "--port", str(model)], "listening"):
        command = [quintain, "gateway", "--policy", "server", "--url", f"http://127.0.0.1:{model}", "--tokenizer", "bytes", "--group-size", str(GROUP)]
        command += ["--batch-size", str(GROUP), "--data", f"{folder}/data", "--port", str(port), "--max-tokens", "24", "--max-lag", "50", "--with", "gateway.areal=true"]
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    args = parser.parse_args()
    for keys in (True, False):
        with gateway(args.quintain, keys) as url:
            print("with keys:" if keys else "without:", areal(url), flush=True)


if __name__ == "__main__":
    main()
