"""Recorded episodes as ATIF trajectories, the Agent Trajectory Interchange Format of Harbor.

    python docs/examples/atif/trajectories.py quintain-data trajectories.jsonl --drop kept

One on each line. What follows the two names are flags of quintain export.
"""

import json
import subprocess
import sys

from quintain.program import path

SCHEMA = "ATIF-v1.7"
REWARDED = ("scored", "model_failed")
VERDICT = ("reward", "right", "malformed", "illegal", "answer", "why", "finish", "call", "call_fault")


def ends(turns):
    """The turns that end a conversation: the last, of a line; of an agent's tree, those that no other continues."""
    continued = {turn["call"]["parent"] if "call" in turn else number - 1 for number, turn in enumerate(turns)}
    return [number for number in range(len(turns)) if number not in continued]


def conversation(turns, end):
    """The indices of the turns of the conversation that ends with one of them."""
    chosen = []
    while end >= 0:
        chosen.append(end)
        end = turns[end]["call"]["parent"] if "call" in turns[end] else end - 1
    return chosen[::-1]


def call(of):
    """A call of a tool. Its arguments are a text, which need not be an object in JSON."""
    function = of.get("function") or {"name": of["type"], "arguments": json.dumps(of)}  # a call of another type
    raw = function["arguments"]
    made = {"tool_call_id": of["id"], "function_name": function["name"], "arguments": {}}
    try:
        arguments = json.loads(raw)
    except ValueError:
        arguments = None
    return {**made, "arguments": arguments} if isinstance(arguments, dict) else {**made, "extra": {"arguments": raw}}


def content(of):
    """The content of a message: a text. Parts other than text are named alone, since ATIF has files and no data for them."""
    if isinstance(of, str):
        return of
    return "".join(part.get("text", f"[{part['type']}]") for part in of or [])


def agent_step(said, reasoning, calls):
    step = {"source": "agent", "message": said}
    if reasoning:
        step["reasoning_content"] = reasoning
    if calls:
        step["tool_calls"] = [call(one) for one in calls]
    return step


def observe(steps, message):
    """Add a message that the policy read. The answer of a tool goes to the step that called it."""
    said, role = content(message["content"]), message["role"]
    caller = next((step for step in reversed(steps) if step["source"] == "agent"), None)
    if role == "tool" and caller:
        result = {"content": said}
        if message.get("tool_call_id") in [one["tool_call_id"] for one in caller.get("tool_calls", [])]:
            result["source_call_id"] = message["tool_call_id"]
        caller.setdefault("observation", {"results": []})["results"].append(result)
    elif role == "assistant":  # part of a prompt: the policy did not write it
        steps.append({**agent_step(said, message.get("reasoning_content"), message.get("tool_calls")), "is_copied_context": True})
    else:
        steps.append({"source": "system" if role in ("system", "developer") else "user", "message": said})


def reply(turn, prompt):
    """What the policy wrote, with its tokens and the verdict."""
    step = {**agent_step(turn["reply"], turn.get("reasoning"), turn.get("tool_calls")), "llm_call_count": 1}
    step["extra"] = {name: turn[name] for name in VERDICT if name in turn}
    if wrote := turn["wrote"]:
        tokens = {"prompt_tokens": len(prompt), "completion_tokens": len(wrote), "prompt_token_ids": prompt, "completion_token_ids": wrote}
        step["metrics"] = tokens | ({"logprobs": turn["logprobs"]} if turn["logprobs"] else {}) | {"extra": {"versions": turn["versions"]}}
    return step


def walk(turns, chosen, told):
    """The steps of a conversation. Those that another trajectory has are copies, which nobody should train on twice."""
    steps, tokens = [], []
    for number in chosen:
        turn, before = turns[number], len(steps)
        for message in turn["observed"]:
            observe(steps, message)
        prompt = (turn["read"] or []) if turn.get("fork") else tokens + (turn["read"] or [])
        tokens = prompt + (turn["wrote"] or [])
        steps.append(reply(turn, prompt))
        if number in told:
            steps[-1].pop("metrics", None)
            for step in steps[before:]:
                step["is_copied_context"] = True
    return [{"step_id": number, **step} for number, step in enumerate(steps, 1)]


def totals(steps):
    """The metrics of a trajectory, of its own steps."""
    own = [step for step in steps if not step.get("is_copied_context")]
    of = [step["metrics"] for step in own if "metrics" in step]
    counts = {f"total_{kind}_tokens": sum(one[f"{kind}_tokens"] for one in of) for kind in ("prompt", "completion")}
    rewards = [step["extra"]["reward"] for step in own if "reward" in step.get("extra", {})]
    return {"total_steps": len(steps)} | (counts if of else {}) | ({"extra": {"reward": sum(rewards)}} if rewards else {})


def trajectories(record, version):
    """The trajectories of a group: one for each conversation of an episode, which a program that calls a model may hold several of."""
    about = {"problem": record["problem"], "policy_version": record["version"]} | {name: record[name] for name in ("drop",) if name in record}
    for episode, score in zip(record["episodes"], record.get("scores") or [None] * len(record["episodes"])):
        turns, told = episode["turns"] or [], set()
        if episode["outcome"] not in REWARDED:
            turns = [{name: value for name, value in turn.items() if name != "reward"} for turn in turns]
        agent = {"name": "quintain", "version": version, "extra": {"vocabulary": episode["vocabulary"]}} | ({"tool_definitions": episode["tools"]} if episode.get("tools") else {})
        extra = about | {name: episode[name] for name in ("outcome", "end", "error") if name in episode} | ({} if score is None else {"score": score})
        for branch, end in enumerate(ends(turns)):
            chosen = conversation(turns, end)
            steps = walk(turns, chosen, told)
            steps[0] |= {"timestamp": episode["started"]}
            told.update(chosen)
            yield {
                "schema_version": SCHEMA, "session_id": episode["id"], "trajectory_id": f"{episode['id']}.{branch}", "agent": agent,
                "steps": steps, "final_metrics": totals(steps), "extra": extra,
            }  # fmt: skip


def version():
    return subprocess.run([path(), "--version"], capture_output=True, text=True, check=True).stdout.split()[2]


def records(data, flags):
    """The records of a data folder, one after another."""
    reading = subprocess.Popen([path(), "export", "records", "--data", data, *flags], stdout=subprocess.PIPE, text=True)
    yield from map(json.loads, reading.stdout)
    if reading.wait():
        raise SystemExit(f"quintain export ended with status {reading.returncode}")


def main():
    if len(sys.argv) < 3:
        raise SystemExit("usage: trajectories.py DATA FILE [FLAG of quintain export]…")
    data, out, *flags = sys.argv[1:]
    of, count = version(), 0
    with open(out, "w", encoding="utf-8") as file:
        for record in records(data, flags):
            for one in trajectories(record, of):
                file.write(json.dumps(one, ensure_ascii=False) + "\n")
                count += 1
    print(f"{count} trajectories")


if __name__ == "__main__":
    main()
