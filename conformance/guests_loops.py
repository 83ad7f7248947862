#!/usr/bin/env python3
"""Play tasksets of verifiers and tasks of inspect-ai, and compare each episode with that of their own runners.

The tasksets of loops/ are one by the template, one with tools, one with an environment of its own, and one for the
environment user-sim; loops/tasks.py has tasks of inspect-ai. The model is a server of this script: its replies depend on
the conversation alone, and over half earn more than nothing. Graders that raise, and a host that is killed, give no reward.
"""
import argparse
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import fake_chat

HERE = pathlib.Path(__file__).resolve().parent
HOST = HERE.parent / "python" / "quintain" / "guests" / "host.py"
SETS = {  # by their names, and parts
    "verifiers": [("add_up", ""), ("with_tool", ""), ("two_rounds", ""), ("errand", "user-sim")],
    "inspect": [("tasks.py", "sums"), ("tasks.py", "with_tool"), ("tasks.py", "errand")],
}
ADDRESSES = {"verifiers": "verifiers:add_up", "inspect": "inspect:tasks.py#errand"}
faults = []


def expect(what, got, want):
    if got != want:
        faults.append(f"{what}: {got!r}, want {want!r}")


def text(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def reply(asked):
    """The reply to a conversation: a text, or the calls of a tool."""
    talk = asked["messages"]
    users = [text(m) for m in talk if m["role"] == "user"]
    goal = re.search(r"know what (\d+) plus 10", "".join(text(m) for m in talk if m["role"] == "system"))
    if goal:  # the modelled user
        return f"What is {goal[1]} plus 10?" if len(users) == 1 else "###DONE###"
    first = users[0] if users else ""
    numbers = [int(n) for n in re.findall(r"\d+", first)]
    results = [text(m) for m in talk if m["role"] == "tool"]
    if "BOOM" in first:
        return "BOOM"
    if results:
        return results[-1] if numbers[0] % 3 else "I do not know."
    if asked.get("tools"):
        call = {"name": asked["tools"][0]["function"]["name"], "arguments": json.dumps({"a": numbers[0], "b": numbers[1]})}
        return [{"id": "call_1", "type": "function", "function": call}]
    if "times 3" in first:
        return str(3 * numbers[0] + (numbers[0] % 3 == 1))
    if "plus 10" in first:
        return f"It is {numbers[0] + 10 + (numbers[0] % 4 == 1)}."
    return f"<answer>{sum(numbers[:2]) + (sum(numbers[:2]) % 4 == 1)}</answer>"


class Model(fake_chat.Handler):
    def do_POST(self):
        asked = self.asked()
        if "messages" not in asked:
            self.answer({"error": "there are chats alone"})
            return
        said = reply(asked)
        end = "stop" if isinstance(said, str) else "tool_calls"
        message = {"role": "assistant", "content": said if end == "stop" else ""} | ({} if end == "stop" else {"tool_calls": said})
        head = {"id": "x", "created": 0, "model": "m"}
        usage = {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}
        if not asked.get("stream"):
            choices = [{"index": i, "message": message, "finish_reason": end} for i in range(asked.get("n") or 1)]
            self.answer(head | {"object": "chat.completion", "choices": choices, "usage": usage})
            return
        if end == "tool_calls":
            message["tool_calls"] = [{"index": i} | call for i, call in enumerate(said)]
        chunks = [{"choices": [{"index": 0, "delta": message, "finish_reason": None}]}, {"choices": [{"index": 0, "delta": {}, "finish_reason": end}]}, {"choices": [], "usage": usage}]
        events = [f"data: {json.dumps(head | {'object': 'chat.completion.chunk'} | c)}\n\n" for c in chunks]
        self.send("".join([*events, "data: [DONE]\n\n"]).encode(), "text/event-stream")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 256


class Host:
    """The host of an environment, by its pipes."""

    def __init__(self, scheme, name, part, model):
        given = json.dumps({"part": part} if part else {})
        self.process = subprocess.Popen([sys.executable, str(HOST), scheme, name, given], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE / "loops")
        self.model, self.sent = {"url": model, "key": "none"}, 1
        self.ask({"id": 1, "hello": {"protocol": 2, "least": 1}})
        said = json.loads(self.process.stdout.readline())
        self.hello = said.get("hello")
        if self.hello is None:
            raise SystemExit(f"{name}: {said}")

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def send(self, row):
        self.sent += 1
        roles = ["policy", *self.hello.get("models", [])]
        self.ask({"id": self.sent, "play": {"seed": "1", "level": 0, "index": row, "params": {"split": "all"}}, "models": {role: self.model for role in roles}})

    def play(self, rows, width=8):
        """The answers of episodes, by their rows; so many play at once."""
        rows, waiting, answers = list(rows), {}, {}
        while rows or waiting:
            while rows and len(waiting) < width:
                self.send(rows[0])
                waiting[self.sent] = rows.pop(0)
            said = json.loads(self.process.stdout.readline())
            answers[waiting.pop(said["id"])] = said
        return answers

    def usage(self):
        """The processor seconds and the resident MB of the process."""
        field = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return (int(field[11]) + int(field[12])) / os.sysconf("SC_CLK_TCK"), int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20

    def close(self):
        self.process.stdin.close()
        expect("the host's end", self.process.wait(60), 0)


def by_inspect(name, part, count, model, folder):
    """The episodes of inspect eval, by their rows."""
    subprocess.run(
        [str(pathlib.Path(sys.executable).parent / "inspect"), "eval", f"{name}@{part}", "--model", "openai-api/quintain/m", "--model-base-url", model, "--limit", str(count),
         "--log-dir", str(folder / part), "--log-format", "json", "--display", "none"],
        check=True, stdout=subprocess.DEVNULL, cwd=HERE / "loops", env=os.environ | {"QUINTAIN_API_KEY": "none"},
    )  # fmt: skip
    (log,) = (folder / part).glob("*.json")
    marks, episodes = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}, {}
    for row, sample in enumerate(sorted(json.loads(log.read_text())["samples"], key=lambda s: int(re.sub(r"\D", "", str(s["id"]))))):
        scores = {k: float(marks.get(v["value"], v["value"])) for k, v in sample["scores"].items()}
        episodes[row] = (next(iter(scores.values())), scores, "truncated" if sample.get("limit") else "terminated")
    return episodes


def by_verifiers(name, part, count, model, folder):
    """The episodes of vf-eval, by their rows."""
    roles = {"": ["agent"], "user-sim": ["assistant", "user"]}[part] if name != "two_rounds" else ["solver"]
    seats = [option for role in roles for option in (f"--env.{role}.harness.id", "null", f"--env.{role}.runtime.type", "subprocess")]
    subprocess.run(
        [str(pathlib.Path(sys.executable).parent / "vf-eval"), name, *(["--env.id", part] if part else []), *seats, "-n", str(count), "-m", "m", "-c", "4", "--no-push", "--no-rich",
         "--client.base_url", model, "--client.api_key_var", "NO_KEY", "-o", str(folder), "--run.dir", name],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    episodes = {}
    for line in (folder / name / "traces.jsonl").read_text().splitlines():
        record = json.loads(line)
        for trace in record.get("traces", [record]):
            if trace["agent"].get("trainable", True):
                scores = {k: r["score"] for k, r in trace["rewards"].items()}
                reward = sum(r["score"] * r["weight"] for r in trace["rewards"].values())
                cut = trace.get("is_truncated") or trace.get("is_timeout") or "max_" in trace["stop_condition"]
                episodes[trace["task"]["data"]["idx"]] = (reward, scores | trace.get("metrics", {}), "truncated" if cut else "terminated")
    return episodes


def compare(scheme, name, part, count, model, folder):
    """The same replies earn the same with quintain's host and with the runner of the peer."""
    host = Host(scheme, name, part, model)
    ours = host.play(range(count))
    host.close()
    want = {"verifiers": by_verifiers, "inspect": by_inspect}[scheme](name, part, count, model, folder)
    name = f"{scheme}:{name}#{part}"
    expect(f"{name}: episodes of its own runner", sorted(want), list(range(count)))
    for row, said in ours.items():
        got = (said.get("reward"), said.get("metrics"), said.get("end"))
        if "error" in said or row not in want or got != want[row]:
            faults.append(f"{name}, task {row}: {said}, want {want.get(row)}")
    paid = sum(said.get("reward", 0) > 0 for said in ours.values())
    if 2 * paid < count:
        faults.append(f"{name}: {paid} of {count} episodes earn something, want half")
    print(f"{name}: {count} episodes as by its own runner, {paid} of them earn something")


def last(scheme, model, count):
    """Many episodes in one process: processor time and memory."""
    host = Host(scheme, *SETS[scheme][0], model)
    host.play((i % 50 for i in range(min(1000, count))), 32)
    (before, least), began = host.usage(), time.monotonic()
    failed = sum("error" in said for said in host.play(range(50, 50 + count), 32).values())
    expect("failed episodes", failed, 0)
    after, most = host.usage()
    host.close()
    each = (after - before) / count
    print(f"{count} episodes in {time.monotonic() - began:.0f} s: {each:.3f} s of processor each, {least:.0f} MB before and {most:.0f} MB after")
    if each > 1.5 or most > 1.1 * least:
        faults.append("an episode costs more than 1.5 s of processor, or the memory grows by more than a tenth")


def evaluate(quintain, scheme, args, model, folder):
    """Evaluate with quintain, and return the outcomes of the episodes, with their scores."""
    command = [quintain, "eval", "--environment", ADDRESSES[scheme], "--policy", "openai", "--model", "m", "--url", model, "--count", "50", "--out", str(folder)]
    for setting in (f"environment.python={sys.executable}", "environment.isolate=none", "exam.max_failed=1", f"environment.args={json.dumps(args)}"):
        command += ["--with", setting]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=HERE / "loops")
    if Slow.holds:
        threading.Thread(target=kill, args=(run,), daemon=True).start()
    said, _ = run.communicate(timeout=1200)
    if not (folder / "report.json").exists():
        faults.append(f"quintain eval: {said[-2000:]}")
        return []
    rows = json.loads((folder / "report.json").read_text())["rows"]
    return [(episode["outcome"], episode.get("score")) for row in rows for problem in row["problems"] for episode in problem["episodes"]]


class Slow(Model):
    """A model that holds its first calls until the host is killed."""

    holds, held, free = False, 0, threading.Event()

    def do_POST(self):
        if Slow.holds and not Slow.free.is_set():
            Slow.held += 1
            Slow.free.wait(600)
        super().do_POST()


def hosts(run):
    """The hosts that an evaluation runs, by their processes."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rsplit(")", 1)[1].split()[1])
            if parent == run.pid and b"host.py" in (stat.parent / "cmdline").read_bytes():
                found.append(int(stat.parent.name))
        except OSError:
            pass  # it ended meanwhile
    return found


def kill(run):
    """Kill the host of an evaluation once the model holds calls, and let it reply once another is there."""
    while Slow.held < 4:
        time.sleep(0.1)
    (host,) = hosts(run)
    os.kill(host, signal.SIGKILL)
    others = []
    while run.poll() is None and not others:
        time.sleep(0.1)
        others = [other for other in hosts(run) if other != host]
    Slow.free.set()


def regraded(quintain, scheme, url, folder):
    """The peer's own graders give stored conversations the rewards that they gave."""
    graded = [score for outcome, score in evaluate(quintain, scheme, {}, url, folder / "stored") if outcome == "scored"]
    command = [quintain, "regrade", "--eval", str(folder / "stored"), "--grader", ADDRESSES[scheme], "--format", "json"]
    done = subprocess.run([*command, "--with", f"environment.python={sys.executable}", "--with", "environment.isolate=none"], capture_output=True, text=True, cwd=HERE / "loops")
    told = json.loads(done.stdout) if done.returncode == 0 else {}
    expect(f"episodes that are graded alike, {done.stderr[-500:]}", (told.get("compared"), told.get("same")), (len(graded), len(graded)))
    print(f"{len(graded)} stored episodes graded anew")


def broken(quintain, scheme, url, folder):
    """Faults give no reward."""
    args = {"verifiers": {"taskset": {"boom": True}}, "inspect": {"boom": True}}[scheme]
    graded = evaluate(quintain, scheme, args, url, folder / "boom")
    kinds = sorted({outcome for outcome, _ in graded})
    expect("outcomes where every other grader breaks", kinds, ["env_failed", "scored"])
    expect("scores of broken graders", [score for outcome, score in graded if outcome == "env_failed" and score], [])
    slow = Server(("127.0.0.1", 0), Slow)
    threading.Thread(target=slow.serve_forever, daemon=True).start()
    Slow.holds = True
    played = evaluate(quintain, scheme, {}, f"http://127.0.0.1:{slow.server_port}/v1", folder / "killed")
    expect("the host was killed", Slow.free.is_set(), True)
    expect("outcomes after that", sorted({outcome for outcome, _ in played}), ["scored"])
    print(f"faults: {len(graded)} episodes with graders that break, {len(played)} with a host that was killed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--scheme", choices=SETS, required=True)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--last", type=int, default=5000)
    parser.add_argument("--only", nargs="*", default=["same", "last", "faults", "regrade"])
    options = parser.parse_args()
    options.quintain = str(pathlib.Path(options.quintain).resolve())
    os.environ["PYTHONPATH"] = str(HERE / "loops")
    os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"  # vf-eval starts uv
    model = Server(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{model.server_port}/v1"
    with tempfile.TemporaryDirectory() as folder:
        for name, part in SETS[options.scheme] if "same" in options.only else []:
            compare(options.scheme, name, part, options.count, url, pathlib.Path(folder))
        if "last" in options.only:
            last(options.scheme, url, options.last)
        if "faults" in options.only:
            broken(options.quintain, options.scheme, url, pathlib.Path(folder))
        if "regrade" in options.only:
            regraded(options.quintain, options.scheme, url, pathlib.Path(folder))
    if faults:
        raise SystemExit("\n".join(faults))


if __name__ == "__main__":
    main()
