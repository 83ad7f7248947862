"""An evaluation of quintain as logs of Inspect AI: one for each task at a level.

    quintain eval --tasks countdown:1,word_ladder:2 --samples 4 --out before …
    python docs/examples/inspect/eval_log.py before logs
    inspect view --log-dir logs
"""

import datetime
import json
import pathlib
import subprocess
import sys

from inspect_ai.log import EvalConfig, EvalDataset, EvalError, EvalLog, EvalMetric, EvalSample, EvalSpec, EvalStats, recompute_metrics, write_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser, ContentReasoning, ContentText, ModelOutput, ModelUsage
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall
from quintain.program import path

SAID = {"system": ChatMessageSystem, "developer": ChatMessageSystem, "user": ChatMessageUser}
REWARDED = ("scored", "model_failed")
SCORER = {"name": "score", "metrics": [{"name": "inspect_ai/mean"}, {"name": "inspect_ai/stderr"}]}


def records(folder):
    """What the trace of the evaluation keeps of each problem, by its ID: of several tries, the last."""
    reading = subprocess.Popen([path(), "export", "records", "--data", folder], stdout=subprocess.PIPE, text=True)
    found = {}
    for record in map(json.loads, reading.stdout):
        found[record["episodes"][0]["id"].rpartition("#")[0]] = record
    if reading.wait():
        raise SystemExit(f"quintain export ended with status {reading.returncode}")
    return found


def conversation(turns):
    """The turns of the conversation that ends last: an agent may have held several, and have thrown replies away."""
    used = [number for number, turn in enumerate(turns) if not turn.get("call", {}).get("unused")]
    chosen, number = [], used[-1] if used else len(turns) - 1
    while number >= 0:
        turn = turns[number]
        chosen.append(turn)
        number = turn["call"]["parent"] if "call" in turn else number - 1
    return chosen[::-1]


def text(content):
    """The text of a message, whose content may be parts, or null beside calls of tools."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


def call(of):
    """A call of a tool. Its arguments are a text, which need not be JSON."""
    function = of.get("function") or {"name": of["type"], "arguments": json.dumps(of)}  # a call of another type
    raw = function["arguments"]
    try:
        arguments, fault = json.loads(raw), None
    except ValueError as error:
        arguments, fault = {}, str(error)
    if not isinstance(arguments, dict):
        arguments, fault = {}, "the arguments are not an object"
    return ToolCall(id=of["id"], function=function["name"], arguments=arguments, parse_error=fault and f"{fault}: {raw}")


def assistant(said, reasoning, calls):
    """A reply, with the thoughts that the server separated from it."""
    content = [ContentReasoning(reasoning=reasoning), ContentText(text=said)] if reasoning else said
    return ChatMessageAssistant(content=content, tool_calls=[call(one) for one in calls or []] or None)


def observed(message):
    """A message that the policy read."""
    said = text(message["content"])
    if message["role"] == "tool":
        return ChatMessageTool(content=said, tool_call_id=message.get("tool_call_id"), function=message.get("name"))
    if message["role"] == "assistant":
        return assistant(said, message.get("reasoning_content"), message.get("tool_calls"))
    return SAID[message["role"]](content=said)


def usage(turns):
    """The tokens of the replies of an episode, and those that each read anew; nothing if the server reports none."""
    if not all(turn["wrote"] for turn in turns):
        return None
    read, wrote = (sum(len(turn[what]) for turn in turns) for what in ("read", "wrote"))
    return ModelUsage(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote)


def sample(problem, number, episode, result, model):
    """An episode as a sample: with its score, or the error for which it has none. Its metadata hold the solution."""
    turns, messages = conversation(episode["turns"] or []), []
    for turn in turns:
        messages += [observed(message) for message in turn["observed"]]
        messages.append(assistant(turn["reply"], turn.get("reasoning"), turn.get("tool_calls")))
    made = EvalSample(
        id=problem, epoch=number + 1, target="", messages=messages,
        input=[observed(message) for message in turns[0]["observed"]] if turns else episode["problem"]["prompt"],
        metadata={"problem": episode["problem"], "outcome": result["outcome"], "end": episode["end"]},
        started_at=episode["started"], total_time=episode["took"] / 1e9,
    )  # fmt: skip
    if turns:
        made.output = ModelOutput.from_message(messages[-1])
        made.output.model, made.output.usage = model, usage(turns)
        made.model_usage = {model: made.output.usage} if made.output.usage else {}
    if result["outcome"] not in REWARDED:  # its score is 0, and no reward
        made.error = EvalError(message=f"{result['outcome']}: {episode.get('error')}", traceback="", traceback_ansi="")
        return made
    why = "\n".join(turn["why"] for turn in turns if turn.get("why"))
    about = {key: result.get(key, False) for key in ("right", "malformed")}
    made.scores = {"score": Score(value=result["score"], answer=result.get("answer"), explanation=why or None, metadata=about)}
    return made


def log(row, played, plan, left):
    """The log of a task at a level, with the mean that Inspect makes of the scores, and our interval."""
    settings, samples = plan["settings"], []
    model = f"{settings['policy.kind']}/{settings['policy.model'] or settings['policy.kind']}"
    for problem in row["problems"]:
        if (record := played.get(problem["id"])) is None:
            raise SystemExit(f"the trace has no problem {problem['id']}")
        pairs = zip(record["episodes"], problem["episodes"], strict=True)
        samples += [sample(problem["id"], number, episode, result, model) for number, (episode, result) in enumerate(pairs)]
    ended = max(datetime.datetime.fromisoformat(played[problem["id"]]["time"]) for problem in row["problems"])
    began = min(one.started_at for one in samples)
    made = EvalLog(
        status="cancelled" if left else "success", samples=samples, stats=EvalStats(started_at=began, completed_at=ended.isoformat()),
        eval=EvalSpec(
            created=began, task=f"quintain/{row['label']}", model=model, scorers=[SCORER], packages={"quintain": plan["program"]},
            task_args={"name": row["task"], "level": row["level"]}, metadata={"settings": settings},
            dataset=EvalDataset(name=row["label"], samples=len(row["problems"]), sample_ids=[one["id"] for one in row["problems"]]),
            config=EvalConfig(epochs=plan["samples"], epochs_reducer=["mean"]),
        ),
    )  # fmt: skip
    recompute_metrics(made)
    for score in made.results.scores if row["scored"] else []:
        score.metrics.update({of: EvalMetric(name=of, value=row["interval"][of]) for of in ("low", "high")})
    return made


def main():
    if len(sys.argv) != 3:
        raise SystemExit("usage: eval_log.py EVALUATION LOGS, two folders: the first is that of quintain eval --out")
    folder, out = map(pathlib.Path, sys.argv[1:])
    report, plan = (json.loads((folder / name).read_text(encoding="utf-8")) for name in ("report.json", "examination.json"))
    played = records(folder)
    for row in filter(lambda row: row["problems"], report["rows"]):  # one that was stopped may have none of a task
        place = out / f"{row['label'].replace(':', '-')}.eval"
        write_eval_log(log(row, played, plan, report["left"]), str(place))
        print(f"{place}: {row['scored']} problems, mean score {row['mean_score']:.3f}" if row["scored"] else f"{place}: no scores")


if __name__ == "__main__":
    main()
