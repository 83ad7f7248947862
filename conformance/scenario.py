#!/usr/bin/env python3
"""Play the example of docs/examples/scenario with a run, over pipes and over HTTP, and kill its processes meanwhile.

Every recorded reward is worked out again from the replies: none may differ, and no episode of a killed process may
have one. Episodes that were killed between two replies are played again. A run with hanging processes ends when it is
interrupted twice.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "docs" / "examples" / "scenario" / "higher_lower.py"
READER = pathlib.Path(__file__).with_name("trace_reader.py")
STEPS, KILLS = 40, 4
sys.path.insert(0, str(ROOT / "python"))
os.environ["PYTHONPATH"] = str(ROOT / "python")

import quintain  # noqa: E402


def number(problem):
    """The number of a problem, drawn as the example says."""
    return quintain.Draw(int(problem["seed"]), problem["level"], problem["index"], problem["params"]).random.randint(1, problem["params"]["most"])


def rewards(problem, replies):
    """The rewards that the replies of an episode earn by the rules of the game."""
    want, earned = number(problem), []
    for turn, reply in enumerate(replies):
        found = re.findall(r"<answer>(.*?)</answer>", reply.rpartition("</think>")[2], re.DOTALL)
        guess = found[0].strip() if len(found) == 1 else ""
        if not guess.isdecimal() or len(guess) > 9:
            return earned + [0.0], "model_failed"
        if int(guess) == want:
            return earned + [(7 - turn) / 7], "scored"
        earned.append(0.0)
    return earned, "scored"


def check(data):
    """Work out every reward of a trace again, and count the outcomes."""
    counts, faults = {}, []
    lines = subprocess.run([sys.executable, READER, data / "trace"], check=True, capture_output=True, text=True).stdout.splitlines()
    for record in map(json.loads, lines):
        problem = record["problem"]
        for episode in record["episodes"] or []:
            outcome, turns = episode["outcome"], episode["turns"] or []
            counts[outcome] = counts.get(outcome, 0) + 1
            if outcome not in ("scored", "model_failed"):
                continue
            counts["played again"] = counts.get("played again", 0) + (episode.get("replays", 0) > 0)
            want = rewards(problem, [turn["reply"] for turn in turns])
            found = [turn["reward"] for turn in turns], outcome
            if found != want:
                faults.append(f"{episode['id']}: {found}, want {want}")
    return counts, faults


def children(name):
    """The processes of a program, by its name in their command lines."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if name in (folder / "cmdline").read_bytes().decode().split("\0"):
                found.append(int(folder.name))
    return found


class Server:
    """The example as a server, which can be restarted at its port."""

    def __init__(self, example):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.command = [sys.executable, "-c", "import runpy, sys, quintain; quintain.serve_scenario(runpy.run_path(sys.argv[1])['higher_lower'], int(sys.argv[2]))",
                        str(example), str(self.port)]  # fmt: skip
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        said = self.process.stderr.readline()
        if "on http://" not in said:
            raise SystemExit(f"the server does not start: {said}{self.process.stderr.read()}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()


def play(args, folder, flags, kill):
    """Run to the end while kill is called, and return the report."""
    report = folder / "report.json"
    command = [args.quintain, "run", "--policy", "script", "--port", "0", "--data", folder / "data", "--report", report, "--steps", str(STEPS), "--with", "policy.delay=50ms", *flags]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = []
    reading = threading.Thread(target=lambda: said.extend(run.stderr))
    reading.start()
    killed = 0
    while run.poll() is None:
        time.sleep(0.3)
        if killed < KILLS and any("hub on" in line for line in said) and run.poll() is None:
            killed += kill()
    reading.join()
    run.stderr.close()
    if run.returncode != 0:
        raise SystemExit(f"the run ended with status {run.returncode}: {''.join(said)[-2000:]}")
    return json.loads(report.read_bytes()), killed


def hold(name, data, report, killed):
    """Check a run, and return its faults."""
    counts, faults = check(data)
    print(f"{name}: {report['steps']} steps, {killed} kills, {counts}")
    if report["steps"] != STEPS or not counts.get("scored"):
        faults.append("the run has not played")
    if killed == 0 or not counts.get("played again"):
        faults.append(f"after {killed} kills no episode was played again, and judged then")
    return [f"{name}: {fault}" for fault in faults]


def over_pipes(args, folder):
    example = folder / "data-guess.py"
    example.write_bytes(EXAMPLE.read_bytes())

    def kill():
        found = children(str(example))[:1]
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(found)

    flags = ["--environment", f'command:"{sys.executable}" "{example}"', "--with", "environment.processes=2"]
    report, killed = play(args, folder, flags, kill)
    faults = hold("pipes", folder / "data", report, killed)
    return faults + [f"pipes: processes are left: {left}" for left in [children(str(example))] if left]


def interrupted(args, folder):
    """Stop the processes, so that nothing answers any more, and interrupt the run twice: it must end."""
    example = folder / "guess.py"
    example.write_bytes(EXAMPLE.read_bytes())
    run = subprocess.Popen([args.quintain, "run", "--policy", "script", "--port", "0", "--data", folder / "data", "--with", "run.grace=1h", "--with", "program.answer_time=1h",
                            "--environment", f'command:"{sys.executable}" "{example}"'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip
    for line in run.stderr:
        if "hub on" in line:
            break
    left = children(str(example))
    for pid in left:
        os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    run.send_signal(signal.SIGINT)
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    try:
        run.communicate(timeout=100)
    except subprocess.TimeoutExpired:
        run.kill()
        return ["interrupted: the run does not end"]
    print(f"interrupted: status {run.returncode} after {time.monotonic() - began:.1f} s")
    left = children(str(example))
    return [f"interrupted: status {run.returncode}, processes {left}"] if run.returncode != 0 or left else []


def over_http(args, folder):
    server = Server(EXAMPLE)

    def kill():
        server.kill()
        server.start()
        return 1

    try:
        report, killed = play(args, folder, ["--environment", f"http://127.0.0.1:{server.port}"], kill)
    finally:
        server.kill()
    return hold("HTTP", folder / "data", report, killed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quintain", required=True)
    args = parser.parse_args()
    faults = []
    for way in (over_pipes, over_http, interrupted):
        with tempfile.TemporaryDirectory() as folder:
            faults += way(args, pathlib.Path(folder))
    for fault in faults[:20]:
        print(fault)
    print(f"scenarios in Python: {'FAILED' if faults else 'passed'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
