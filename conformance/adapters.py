#!/usr/bin/env python3
"""Drive the adapters below docs/examples/ with the real packages, without a network and without a model: replies are made
here, and the scores that each package reports must be those of quintain grade.

    REQUIREMENTS=adapters.txt conformance/python conformance/adapters.py --quintain bin/quintain
"""

import argparse
import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TASKS = (("chain_sum", 1), ("countdown", 0), ("word_sorting", 2))
COUNT, SEED = 12, 7
sys.dont_write_bytecode = True


def stage(folder, program):
    """Install the package of this checkout with a built program, here and in the processes that are started."""
    shutil.copytree(ROOT / "python" / "quintain", folder / "quintain", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "bin").mkdir()
    shutil.copy(program, folder / "bin" / "quintain")
    sys.path.insert(0, str(folder))
    os.environ.update(PYTHONPATH=str(folder), HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HOME=str(folder / "hf"), PYTHONDONTWRITEBYTECODE="1")


def lines(program, *args, given=None):
    """The JSON lines that a command of the program prints."""
    text = None if given is None else "\n".join(map(json.dumps, given))
    done = subprocess.run([program, *args], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def replies(program, name, level, count=COUNT, seed=SEED):
    """Problems of a task with a reply to each, and the score due by quintain grade: in turn a right answer, a wrong
    one, and a right one without tags."""
    flags = ["tasks", "export", "--task", name, "--level", str(level), "--count", str(count), "--seed", str(seed)]
    problems, entries = lines(program, *flags), lines(program, *flags, "--format", "reasoning-gym")
    if len({problem["prompt"] for problem in problems}) != count:
        raise SystemExit(f"{name}:{level}: two of the problems have the same prompt")
    answers, said = [], []
    for number, entry in enumerate(entries):
        answer = [entry["answer"], "nothing", None][number % 3]
        answers.append(answer)
        said.append(f"I see.\n<answer>{answer}</answer>" if answer is not None else str(entry["answer"]))
    verdicts = lines(program, "grade", given=[{"problem": p, "answer": a} for p, a in zip(problems, answers)])
    due = [verdict["score"] for verdict in verdicts]
    if not 0 < sum(due) < count:
        raise SystemExit(f"{name}:{level}: the scores due are {due}, want different ones")
    return problems, said, due


def readme(example, package):
    """The README of an example must install the version of the package that is driven here."""
    text = (ROOT / "docs" / "examples" / example / "README.md").read_text(encoding="utf-8")
    want = re.search(rf"^{package}==\S+", (ROOT / "conformance" / "adapters.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return [] if want and f"pip install ./python {want[0]}" in text else [f"{example}/README.md does not install {want and want[0]}"]


def compare(what, got, due):
    """A fault if scores are not those due."""
    return [] if list(got) == list(due) else [f"{what}: scores {list(got)}, due {list(due)}"]


def inspect_run(folder, task, answer, **args):
    """The log of a task of the example, played by Inspect's mock model, whose replies are those of answer."""
    import inspect_ai
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def output(messages, *_):
        said, calls = answer(messages), None
        if isinstance(said, dict):
            said, calls = said["reply"], said.get("tool_calls")
        made = ModelOutput.from_content("mockllm/model", said)
        made.choices[0].message.tool_calls = [tool_call(one) for one in calls or []] or None
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it counts, with a tokenizer from the network
        return made

    model = get_model("mockllm/model", custom_outputs=output, memoize=False)
    [log] = inspect_ai.eval(f"{ROOT}/docs/examples/inspect/quintain_tasks.py@{task}", model=model, task_args=args, log_dir=str(folder / "logs"), display="none")
    log = read_eval_log(log.location)
    if log.status != "success":
        raise SystemExit(f"{task}: {log.status}: {log.error and log.error.message}")
    return log


def tool_call(of):
    """A call of a tool in the form of OpenAI as one of Inspect."""
    from inspect_ai.tool import ToolCall

    return ToolCall(id=of["id"], function=of["function"]["name"], arguments=json.loads(of["function"]["arguments"]))


def inspect(program, folder):
    """Inspect AI with its mock model: its eval of our tasks, and of a scenario in Python that is played to its end."""

    def run(task, answer, **args):
        return inspect_run(folder, task, answer, **args)

    faults, scores = readme("inspect", "inspect-ai"), 0
    for name, level in TASKS:
        problems, said, due = replies(program, name, level)
        reply = {problem["prompt"]: text for problem, text in zip(problems, said)}
        log = run("problems", lambda messages: reply[messages[-1].text], name=name, level=level, count=COUNT, seed=SEED, num_fewshot=level)
        got = {sample.id: sample.scores["verdict"].value for sample in log.samples}
        faults += compare(name, [got[f"{name}.s{SEED}.l{level}.{number}"] for number in range(COUNT)], due)
        faults += compare(f"{name}, the mean", [round(log.results.scores[0].metrics["mean"].value, 9)], [round(sum(due) / COUNT, 9)])
        scores += COUNT
    log = run("higher_lower", halve, level=1, count=5)
    turns = [sum(message.role == "assistant" for message in sample.messages) for sample in log.samples]
    got = [sample.scores["earned"].value for sample in log.samples]
    faults += compare("higher_lower", got, [(8 - n) / 7 for n in turns])
    return f"{scores} scores, and {len(got)} episodes of {min(turns)} to {max(turns)} turns", faults


def inspect_scenarios(program, folder):
    """Scenarios of quintain serve, played by Inspect with the replies of a script that played them before: what they earn
    must be what it earned."""
    faults, count, turns = [], 0, 0
    with server(program, folder) as url:
        for name, level, tools in (("sokoban_play", 0, False), ("service_desk", 0, True)):
            subprocess.run([program, "eval", "--policy", "script", "--with", "policy.delay=0s", "--scenario", name, "--tasks", f"{name}:{level}", "--count", "6", "--out", folder / name], check=True, capture_output=True)
            records = {record["problem"]["index"]: record for record in lines(program, "export", "records", "--data", folder / name)}
            said = {record["problem"]["prompt"]: record["episodes"][0]["turns"] for record in records.values()}

            def answer(messages):
                turns = next((turns for prompt, turns in said.items() if turns[0]["observed"][-1]["content"] == messages[1].text), None)
                number = sum(message.role == "assistant" for message in messages)
                return turns[number] if turns and number < len(turns) else "I pass."

            seed = next(iter(records.values()))["problem"]["seed"]
            log = inspect_run(folder, "scenario", answer, name=name, level=level, seed=int(seed), count=max(records) + 1, url=url)
            got = {sample.id: sample.scores["earned"].value for sample in log.samples}
            due = {index: record["scores"][0] for index, record in records.items()}
            if any(abs(got[index] - score) > 1e-9 for index, score in due.items()) or not 0 < sum(due.values()) < len(due):
                faults.append(f"{name}: {got}, due {due}")
            played = [sample for sample in log.samples if sample.id in due]
            if tools != any(message.role == "tool" for sample in played for message in sample.messages):
                faults.append(f"{name}: results of tools are {'missing' if tools else 'there'}")
            count += len(due)
            turns += sum(message.role == "assistant" for sample in played for message in sample.messages)
    return f"{count} episodes with {turns} replies", faults


@contextlib.contextmanager
def server(program, folder):
    """The address of quintain serve."""
    log = folder / "serve.log"
    with log.open("w") as said:
        serving = subprocess.Popen([program, "serve", "--port", "0"], stdout=said, stderr=said)
    try:
        deadline = time.monotonic() + 60
        while not (found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text())):
            if serving.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"quintain serve did not start:\n{log.read_text()}")
            time.sleep(0.05)
        yield found[0]
    finally:
        serving.terminate()
        serving.wait(30)


def inspect_logs(program, folder):
    """Evaluations as logs, read back by Inspect AI: of problems, of calls of tools, and with a server that fails."""
    from inspect_ai.log import read_eval_log

    def evaluate(name, *flags):
        subprocess.run([program, "eval", *flags, "--with", "policy.delay=0s", "--out", folder / name], check=True, capture_output=True)
        subprocess.run([sys.executable, ROOT / "docs/examples/inspect/eval_log.py", folder / name, folder / "logs" / name], check=True, capture_output=True)

    evaluate("problems", "--policy", "script", "--tasks", "countdown:1,word_ladder:1", "--count", "12", "--samples", "3")
    evaluate("tools", "--policy", "script", "--scenario", "service_desk", "--count", "6")
    turns = [record["episodes"][0]["turns"][0] for record in lines(program, "export", "records", "--data", folder / "problems", "--task", "countdown")]
    with model_server({turn["observed"][-1]["content"]: turn["reply"] for turn in turns[:7]}) as url:
        evaluate("failed", "--policy", "openai", "--url", url, "--model", "made-here", "--with", "policy.retries=0", "--with", "run.replays=0", "--with", "exam.max_failed=1", "--tasks", "countdown:1", "--count", "12")

    faults, samples, errors = [], 0, 0
    for name in ("problems", "tools", "failed"):
        rows = json.loads((folder / name / "report.json").read_text())["rows"]
        logs = {log.eval.task_args["name"]: log for log in map(read_eval_log, (folder / "logs" / name).iterdir())}
        for row in rows:
            log = logs.pop(row["task"])
            got = {(one.id, one.epoch): one.scores["score"].value if one.scores else one.error.message.split(":")[0] for one in log.samples}
            due = {(problem["id"], number): one["score"] if one["outcome"] in ("scored", "model_failed") else one["outcome"] for problem in row["problems"] for number, one in enumerate(problem["episodes"], 1)}  # fmt: skip
            if log.status != "success" or got != due:
                faults.append(f"{name}, {row['label']}: {log.status} with {got}, due {due}")
            figures = log.results.scores[0].metrics
            faults += compare(row["label"], [round(figures[of].value, 9) for of in ("mean", "low", "high")], [round(value, 9) for value in (row["mean_score"], *row["interval"].values())])
            samples, errors = samples + len(got), errors + sum(one.error is not None for one in log.samples)
            faults += conversations(program, folder / name, row["task"], log)
        faults += [f"{name}: logs of {list(logs)}"] if logs else []
    if (samples, errors) != (72 + 6 + 12, 5):
        faults.append(f"{samples} samples, {errors} of them with errors")
    return f"{samples} samples", faults


def conversations(program, folder, task, log):
    """A fault if the conversations of a log with scores are not those that quintain export has."""

    def plain(role, text, calls):
        return role, text, *((name, json.dumps(arguments, sort_keys=True)) for name, arguments in calls)

    def exported(message):
        calls = [of["function"] for of in message.get("tool_calls") or []]
        return plain(message["role"], message["content"] or "", [(of["name"], json.loads(of["arguments"])) for of in calls])

    def logged(message):
        return plain(message.role, message.text, [(of.function, of.arguments) for of in getattr(message, "tool_calls", None) or []])

    due = {tuple(map(exported, line["messages"])) for line in lines(program, "export", "sft", "--min-score", "0", "--data", folder, "--task", task)}
    got = {tuple(map(logged, sample.messages)) for sample in log.samples if sample.scores}
    return [f"{task}: {len(got)} conversations, {len(got - due)} of them strange and {len(due - got)} missing"] if got != due else []


def halve(messages):
    """Guess the middle of what the scenario's answers leave of 1 to 100."""
    low, high = 1, 100
    for before, message in zip(messages, messages[1:]):
        if message.role == "user":
            guess = int(re.search(r"<answer>(\d+)", before.text)[1])
            low, high = (guess + 1, high) if "higher" in message.text else (low, guess - 1)
    return f"<answer>{(low + high) // 2}</answer>"


def hf_dataset(program, folder):
    """A data set on disk, read back by datasets: its splits share no question, and its answers have the full score."""
    import datasets
    import quintain
    import yaml

    faults, made = readme("hf-dataset", "datasets"), folder / "set"
    names = ",".join(f"{name}:{level}" for name, level in TASKS)
    subprocess.run([sys.executable, ROOT / "docs/examples/hf-dataset/make.py", made, "--tasks", names, "--train", "60", "--test", "20"], check=True, stderr=subprocess.PIPE)  # fmt: skip
    read = datasets.load_dataset(str(made), cache_dir=str(folder / "cache"))
    rows = {split: list(read[split]) for split in read}
    counts = {split: len(of) for split, of in rows.items()}
    if counts != {"train": 60 * len(TASKS), "test": 20 * len(TASKS)}:
        faults.append(f"the splits have {counts} rows")
    questions = {split: {row["question"] for row in of} for split, of in rows.items()}
    if questions["train"] & questions["test"] or any(len(questions[split]) != len(of) for split, of in rows.items()):
        faults.append("a question comes twice")
    for split, of in rows.items():
        verdicts = quintain.judge_all([row["problem"] for row in of], [f"<answer>{row['answer']}</answer>" for row in of])
        faults += [f"{split}: the answer to problem {row['index']} of {row['task']} has score {v.score}" for row, v in zip(of, verdicts) if v.score != 1]
        faults += [f"{split}: a prompt has no question" for row in of if row["question"] not in row["prompt"][-1]["content"]]
    card = yaml.safe_load((made / "README.md").read_text(encoding="utf-8").split("---")[1])
    if card["size_categories"] != "n<1K" or [one["split"] for one in card["configs"][0]["data_files"]] != ["train", "test"]:
        faults.append(f"the card says {card}")
    return f"{counts['train']} and {counts['test']} rows", faults


def lm_eval(program, folder):
    """lm-evaluation-harness, with a model that gives the replies made here."""
    from lm_eval import evaluator
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Model(LM):
        def __init__(self, reply):
            super().__init__()
            self.reply = reply

        def generate_until(self, requests):
            return [next(text for asked, text in self.reply.items() if request.args[0].endswith(asked)) for request in requests]

        def loglikelihood(self, requests):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    faults, scores = readme("lm-eval", "lm-eval"), 0
    for name, level in TASKS:
        problems, said, due = replies(program, name, level)
        args = {"name": name, "level": level, "count": COUNT, "seed": SEED, "num_fewshot": level}
        manager = TaskManager(include_path=str(ROOT / "docs" / "examples" / "lm-eval"), include_defaults=False, metadata=args)
        reply = {problem["prompt"]: text for problem, text in zip(problems, said)}
        found = evaluator.simple_evaluate(Model(reply), tasks=["quintain"], task_manager=manager, bootstrap_iters=0)
        samples = sorted(found["samples"]["quintain"], key=lambda sample: sample["doc_id"])
        faults += compare(name, [sample["score"] for sample in samples], due)
        faults += compare(f"{name}, the mean", [round(found["results"]["quintain"]["score,none"], 9)], [round(sum(due) / COUNT, 9)])
        scores += len(samples)
    return f"{scores} scores", faults


def verifiers(program, folder):
    """verifiers' own vf-eval, whose model is a server here that gives the replies."""
    faults, scores = readme("verifiers", "verifiers"), 0
    places = os.pathsep.join([os.environ["PYTHONPATH"], str(ROOT / "docs" / "examples" / "verifiers"), str(ROOT / "conformance")])
    for name, level in TASKS[1:]:  # vf-eval starts slowly
        problems, said, due = replies(program, name, level)
        with model_server({problem["prompt"]: text for problem, text in zip(problems, said)}) as url:
            flags = {"problems": name, "level": level, "count": COUNT, "seed": SEED}
            command = [pathlib.Path(sys.executable).with_name("vf-eval"), "quintain-tasks", *(word for flag, value in flags.items() for word in (f"--env.taskset.{flag}", str(value))),
                       "--env.agent.harness.id", "vf-harness", "--env.agent.runtime.type", "subprocess", "--client.base-url", url, "--client.api-key-var", "NO_KEY", "--model", "made-here",
                       "--no-push", "--no-rich", "--output-dir", folder / name]  # fmt: skip
            done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": places, "NO_KEY": "none"}, capture_output=True, text=True, timeout=300)
        episodes = [json.loads(line) for file in (folder / name).rglob("traces.jsonl") for line in file.open()]
        if done.returncode or len(episodes) != COUNT or not all(episode["ok"] for episode in episodes):
            raise SystemExit(f"{name}: vf-eval ended with {done.returncode}, and {len(episodes)} episodes\n{done.stderr[-1500:]}\n{[episode['errors'] for episode in episodes][:1]}")
        got = {episode["task"]["data"]["idx"]: episode["traces"][0]["rewards"]["verdict"]["score"] for episode in episodes}
        faults += compare(name, [got[number] for number in range(COUNT)], due)
        scores += len(got)
    return f"{scores} scores", faults


@contextlib.contextmanager
def model_server(reply):
    """The address of a server with the form of OpenAI, which gives the reply of the question that a request ends with. It
    fails if there is none."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]["content"]
            if asked not in reply:
                return self.send_error(500)
            said = {"role": "assistant", "content": reply[asked]}
            answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "made-here", "choices": [{"index": 0, "finish_reason": "stop", "message": said}],
                      "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}  # fmt: skip
            text = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            return self.wfile.write(text)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


ADAPTERS = {"inspect": inspect, "inspect-scenarios": inspect_scenarios, "inspect-logs": inspect_logs, "hf-dataset": hf_dataset, "lm-eval": lm_eval, "verifiers": verifiers}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True)
    parser.add_argument("adapters", nargs="*", help="such as inspect; none: all")
    options = parser.parse_args()
    program, failed = os.path.abspath(options.quintain), 0
    with tempfile.TemporaryDirectory() as name:
        stage(pathlib.Path(name), program)
        for one in options.adapters or ADAPTERS:
            began, folder = time.monotonic(), pathlib.Path(name, f"of-{one}")
            folder.mkdir()
            said, faults = ADAPTERS[one](program, folder)
            print(f"{one}: {said}, {len(faults)} faults ({time.monotonic() - began:.0f} s)", *faults[:5], sep="\n  ", flush=True)
            failed += bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
