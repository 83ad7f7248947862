#!/usr/bin/env python3
"""Recorded episodes as ATIF trajectories, read by the models of Harbor and of NVIDIA's NeMo Agent Toolkit.

    REQUIREMENTS=atif.txt PIP_NO_DEPS=1 PIP_IGNORE_REQUIRES_PYTHON=1 conformance/python conformance/atif.py --quintain bin/quintain

Nothing may be lost: the conversations must be those of quintain export sft, and the tokens those of export groups.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import adapters
from harbor.models.trajectories import Trajectory as Harbor
from nat.atif.trajectory import Trajectory as Toolkit


def written(folder):
    """The trajectories of a data folder, as the example writes them."""
    out = folder.with_suffix(".jsonl")
    subprocess.run([sys.executable, adapters.ROOT / "docs/examples/atif/trajectories.py", folder, out], check=True, capture_output=True)
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def forms(trajectories, folder):
    """Faults where a model does not read a trajectory, or reads another one; and of Harbor's program that validates a file."""
    faults = []
    for one in trajectories:
        for model in (Harbor, Toolkit):
            read = model.model_validate(one).model_dump(mode="json", exclude_none=True)
            if read != one:
                faults.append(f"{model.__module__} reads {one['trajectory_id']} as {read}")
    file = folder / "trajectory.json"
    file.write_text(json.dumps(trajectories[-1]))
    done = subprocess.run([sys.executable, "-m", "harbor.utils.trajectory_validator", file], capture_output=True, text=True, check=False)
    return faults + ([f"the validator ended with {done.returncode}: {done.stdout}{done.stderr}"] if done.returncode else [])


def messages(trajectory):
    """The messages that the steps tell."""
    said = []
    for step in trajectory["steps"]:
        calls = [(one["function_name"], json.dumps(one["arguments"], sort_keys=True)) for one in step.get("tool_calls", [])]
        said.append(({"agent": "assistant"}.get(step["source"], step["source"]), step["message"], *calls))
        said += [("tool", result["content"]) for result in step.get("observation", {}).get("results", [])]
    return tuple(said)


def exported(message):
    calls = [one["function"] for one in message.get("tool_calls") or []]
    return message["role"], message["content"] or "", *((one["name"], json.dumps(json.loads(one["arguments"]), sort_keys=True)) for one in calls)


def losses(program, folder, trajectories):
    """Faults of the messages, tokens, log-probabilities and rewards of scored episodes without branches."""
    due = {tuple(map(exported, line["messages"])) for line in adapters.lines(program, "export", "sft", "--min-score", "0", "--data", folder)}
    faults = [f"{folder.name}: a conversation is another one"] if {messages(one) for one in trajectories} != due else []
    for group in adapters.lines(program, "export", "groups", "--data", folder):
        for number, (tokens, mask, logprobs, score) in enumerate(zip(group["tokens"], group["masks"], group["inference_logprobs"], group["scores"], strict=True)):
            [one] = [one for one in trajectories if one["session_id"] == f"{group['id']}#{number}"]
            own = [step["metrics"] for step in one["steps"] if "metrics" in step]
            got = own[-1]["prompt_token_ids"] + own[-1]["completion_token_ids"]
            sampled = [token for of in own for token in of["completion_token_ids"]]
            if got != tokens or sampled != [token for token, kept in zip(tokens, mask) if kept != -100]:
                faults.append(f"{one['trajectory_id']} has other tokens")
            pairs = zip([value for of in own for value in of["logprobs"]], [value for value in logprobs if value != 1], strict=True)
            if not all(math.isclose(one, other, rel_tol=1e-6) for one, other in pairs):  # each is the shortest text of a float32, or of it as a float64
                faults.append(f"{one['trajectory_id']} has other log-probabilities")
            if abs(one["final_metrics"]["extra"]["reward"] - score) > 1e-9 or one["extra"]["score"] != score:
                faults.append(f"{one['trajectory_id']} has another reward than {score}")
    return faults


def branches(program, folder):
    """Episodes of an agent that continues its first reply in two ways, played through the gateway."""
    import quintain

    log, ended = folder.with_suffix(".log"), threading.Event()
    with log.open("w") as said:
        gateway = subprocess.Popen([program, "gateway", "--data", folder, "--policy", "script", "--with", "policy.delay=0s", "--tasks", "chain_sum", "--group-size", "2", "--port", "0"], stdout=said, stderr=said)
    deadline = time.monotonic() + 60
    while not (found := re.search(r"POST (http\S+)/v1/sessions", log.read_text())):
        if gateway.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the gateway did not start:\n{log.read_text()}")
        time.sleep(0.05)
    played = []

    def ask(session, talk):
        head = {"Content-Type": "application/json", "Authorization": f"Bearer {session.key}"}
        with urllib.request.urlopen(urllib.request.Request(f"{session.openai_url}/chat/completions", json.dumps({"model": "policy", "messages": talk}).encode(), head)) as reply:
            return [*talk, json.load(reply)["choices"][0]["message"]]

    @quintain.agent
    def twice(problem, session):
        first = ask(session, [{"role": "user", "content": session.prompt}])
        for more in ("Check this.", "Say it again."):
            ask(session, [*first, {"role": "user", "content": more}])
        played.append(session.id)
        if len(played) == 4:
            ended.set()

    twice.run(url=found[1], stop=ended)
    gateway.send_signal(2)
    gateway.wait(30)


def shared(program, folder, trajectories):
    """Faults of the branches: what they share belongs to one of them, and is a copy in the other."""
    turns = sum(len(episode["turns"]) for record in adapters.lines(program, "export", "records", "--data", folder) for episode in record["episodes"])
    own = [step for one in trajectories for step in one["steps"] if step["source"] == "agent" and not step.get("is_copied_context")]
    by = {}
    for one in trajectories:
        by.setdefault(one["session_id"], []).append([bool(step.get("is_copied_context")) for step in one["steps"]])
    want = [[False] * 4, [True, True, False, False]]
    faults = [f"{name} has the copies {got}, want {want}" for name, got in by.items() if got != want]
    return faults + ([f"{len(own)} replies of {turns}, in {len(by)} episodes"] if len(own) != turns or len(by) < 4 else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True)
    program, faults, count = os.path.abspath(parser.parse_args().quintain), [], 0
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        adapters.stage(root, program)
        for folder, *flags in ((root / "problems", "--tasks", "countdown:1,word_ladder:1", "--samples", "2"), (root / "tools", "--scenario", "service_desk")):
            subprocess.run([program, "eval", "--policy", "script", "--with", "policy.delay=0s", "--count", "12", *flags, "--out", folder], check=True, capture_output=True)
            of = written(folder)
            faults += forms(of, root) + losses(program, folder, of)
            count += len(of)
        branches(program, root / "agents")
        of = written(root / "agents")
        faults += forms(of, root) + shared(program, root / "agents", of)
    print(f"{count} trajectories, and {len(of)} of an agent with branches, {len(faults)} faults", *faults[:5], sep="\n  ")
    return 1 if faults or count != 60 else 0


if __name__ == "__main__":
    sys.exit(main())
