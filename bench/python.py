#!/usr/bin/env python3
"""Measure the Python package beside the program alone, reasoning-gym, and the JSON of Atropos.

    conformance/python bench/python.py --write docs/benchmarks.md

It builds the wheel of this machine. The sides of a comparison take turns in one run, and the best of a few rounds
counts.
"""

import argparse
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import time

import numpy as np
import requests

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "conformance")]
sys.dont_write_bytecode = True
import wheels  # noqa: E402

ROUNDS = 5
GRADINGS = 30  # rounds of grading, which are short
PATIENCE = 90  # seconds that a measurement waits, all rounds together, for a quiet machine
ANSWERS = 10_000
SLOW = 3  # seconds after which a data set of reasoning-gym draws no more entries
SEQUENCES, LENGTH, SIZE = 256, 2048, 8  # of a batch; tokens of a sequence; sequences of a group


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def best(*works, rounds=ROUNDS):
    """The least seconds of each work; they take turns. Rounds begin on a quiet machine, or after PATIENCE seconds in
    all."""
    end, columns = time.monotonic() + PATIENCE, []
    for _ in range(rounds):
        while busy() and time.monotonic() < end:
            pass
        columns.append([seconds(work) for work in works])
    return [min(column) for column in zip(*columns)]


def busy():
    """Whether the processors were busy in the next fifth of a second."""
    stat = pathlib.Path("/proc/stat")
    if not stat.exists():
        return False
    before, began = stat.read_text().split()[4], time.monotonic()
    time.sleep(0.2)
    idle = (int(stat.read_text().split()[4]) - int(before)) / os.sysconf("SC_CLK_TCK")
    return idle < 0.8 * (time.monotonic() - began) * os.cpu_count()


def install(wheel, folder):
    """Seconds to fetch NumPy, to install into an empty environment, and until a run listens."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    commands = folder / "venv" / "bin"
    fetched = seconds(lambda: subprocess.run([commands / "pip", "download", "--quiet", "--dest", folder / "wheels", "numpy"], check=True))
    pip = [commands / "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--find-links", folder / "wheels", wheel]
    installed = seconds(lambda: subprocess.run(pip, check=True))
    began = time.perf_counter()
    run = subprocess.Popen([commands / "quintain", "run", "--port", "0", "--data", folder / "data"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for line in run.stderr:
        if "hub on" in line:
            break
    started = time.perf_counter() - began
    run.kill()
    run.wait()
    return fetched, installed, started


def grading(quintain, program, tasks):
    """Seconds to draw and to grade, by the package, reasoning-gym and the program alone."""
    import reasoning_gym
    import tasks as peer

    names = [name for name in tasks if name in peer.DATASETS]
    count = -(-ANSWERS // len(names))
    ours = []
    draw = seconds(lambda: ours.extend(p for name in names for p in quintain.task(name, params={}).problems(count=count)))
    theirs, their_draw = [], 0.0
    for name in names:
        entries, took = entries_of(reasoning_gym, name, count)
        theirs += entries
        their_draw += took
    ours, theirs = ours[:ANSWERS], theirs[:ANSWERS]
    answers = [str(i) if i % 2 else "[[1, 2], [3, 4]]" for i in range(ANSWERS)]
    right = [peer.stored_answer(entry) for _, entry in theirs]
    their_answers = [r if r and i % 2 else a for i, (r, a) in enumerate(zip(right, answers))]
    ours_right = [answer for name in names for answer in solutions(program, name, count)]
    answers = [r if i % 2 else a for i, (r, a) in enumerate(zip(ours_right, answers))]

    def grade_theirs():
        for (data, entry), answer in zip(theirs, their_answers):
            try:
                data.score_answer(answer, entry)
            except Exception:  # raised by their scorer, for an odd answer
                pass

    with tempfile.TemporaryFile() as file:
        for one, answer in zip(ours, answers):
            file.write(b'{"problem":%b,"answer":%b}\n' % (one["problem"].encode(), json.dumps(answer).encode()))

        def alone():
            file.seek(0)
            subprocess.run([program, "grade"], stdin=file, stdout=subprocess.DEVNULL, check=True)

        times = best(lambda: quintain.grade_all(ours, answers), grade_theirs, alone, rounds=GRADINGS)
    fresh = [json.loads(json.dumps(one)) for one in ours]

    def graded(rounds):
        quintain.pipe.close()
        quintain.task("gcd")
        for _ in range(rounds):
            quintain.grade_all(fresh, answers)
        quintain.pipe.close()

    [whole] = best(lambda: graded(1))
    spent = [processor(lambda: graded(21)) - processor(lambda: graded(1)), processor(lambda: [grade_theirs() for _ in range(20)])]
    return len(names), draw, their_draw, *times, whole, [one / 20 for one in spent]


def processor(work):
    """Seconds of processor time of a work, including the processes that end in it."""
    began = os.times()
    work()
    return sum(os.times()[:4]) - sum(began[:4])


def entries_of(reasoning_gym, name, count):
    """Entries of a data set, and the data set, and the seconds to make that many. Entries of a slow one are repeated."""
    began = time.perf_counter()
    data = reasoning_gym.create_dataset(name, seed=1, size=count)
    entries = []
    while len(entries) < count and (not entries or time.perf_counter() - began < SLOW):
        entries.append((data, data[len(entries)]))
    took = time.perf_counter() - began
    return (entries * count)[:count], took * count / len(entries)


def solutions(program, name, count):
    """Right answers to the problems of a task."""
    command = [program, "tasks", "export", "--format", "reasoning-gym", "--task", name, "--params", "{}", "--count", str(count)]
    return [json.loads(line)["answer"] for line in subprocess.run(command, check=True, capture_output=True).stdout.splitlines()]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def group():
    """A group of random tokens and log-probabilities, as JSON."""
    draw = random.Random(1)
    tokens = [[draw.randrange(50_000) for _ in range(LENGTH)] for _ in range(SIZE)]
    logprobs = [[float(np.float32(-draw.random())) for _ in range(LENGTH)] for _ in range(SIZE)]
    return {"tokens": tokens, "masks": tokens, "scores": [i / SIZE for i in range(SIZE)], "inference_logprobs": logprobs}


def started(command, port):
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            requests.get(f"http://127.0.0.1:{port}/info", timeout=5)
            return server
        except requests.RequestException:
            time.sleep(0.1)
    raise SystemExit(f"{command[0]} does not listen")


def by_requests(port, batches):
    """Seconds per batch over the routes of Atropos."""
    url, http = f"http://127.0.0.1:{port}", requests.Session()
    http.post(f"{url}/register", json={
        "wandb_group": "g", "wandb_project": "p", "batch_size": SEQUENCES, "max_token_len": LENGTH, "checkpoint_dir": "",
        "save_checkpoint_interval": 0, "starting_step": 0, "num_steps": 100,
    }).raise_for_status()  # fmt: skip
    body = json.dumps(group())
    for _ in range(batches * SEQUENCES // SIZE):
        http.post(f"{url}/scored_data", data=body, headers={"Content-Type": "application/json"}).raise_for_status()
    return seconds(lambda: [check(http.get(f"{url}/batch").json()["batch"]) for _ in range(batches)]) / batches


def check(groups):
    if sum(len(g["tokens"]) for g in groups) != SEQUENCES:
        raise SystemExit("a batch has another size")


def by_hub(quintain, port, batches):
    """Seconds per batch by the package."""
    hub = quintain.Hub(f"http://127.0.0.1:{port}", trainer="bench")
    hub.register(batch_size=SEQUENCES)
    body = json.dumps([group()])
    for _ in range(batches * SEQUENCES // SIZE):
        requests.post(f"http://127.0.0.1:{port}/v1/runs/default/groups", data=body, headers={"Content-Type": "application/json"}).raise_for_status()
    began, tokens = time.perf_counter(), 0
    for batch in hub.batches(steps=batches):
        tokens += len(batch.tokens)
    took = time.perf_counter() - began
    if tokens != batches * SEQUENCES * LENGTH:
        raise SystemExit(f"{tokens} tokens came")
    return took / batches


def reading(quintain, program, folder):
    """Seconds per batch: of the package, and of requests with the JSON of our hub and of run-api."""
    port, other = free_port(), free_port()
    hub = started([program, "hub", "--port", str(port), "--data", folder / "hub"], port)
    api = started([str(pathlib.Path(sys.executable).parent / "run-api"), "--host", "127.0.0.1", "--port", str(other)], other)
    try:
        rows = [(by_hub(quintain, port, 8), by_requests(port, 2), by_requests(other, 2)) for _ in range(ROUNDS)]
        return [min(column) for column in zip(*rows)]
    finally:
        for server in (hub, api):
            server.kill()
            server.wait()


def install_rows(_quintain, _program, wheel, folder):
    fetched, installed, start = install(wheel, folder)
    yield f"| installed in an empty environment ({installed:.1f} s, NumPy at hand), and `quintain run` started | {installed + start:.1f} s | NumPy fetched: {fetched:.1f} s | | 10 s |"


def grading_rows(quintain, program, _wheel, _folder):
    count, draw, their_draw, grade, their_grade, alone, whole, (spent, their_spent) = grading(quintain, program, quintain.tasks())
    yield f"| {ANSWERS:,} answers graded, of {count} tasks; reasoning-gym | {grade:.3f} s | {their_grade:.3f} s | {their_grade / grade:.1f} | 20 |"
    yield f"| the same; `quintain grade` alone, with its start | {grade:.3f} s | {alone:.3f} s | {alone / grade:.2f} | 0.33 |"
    yield f"| the same, processor time of both processes; reasoning-gym | {spent:.3f} s | {their_spent:.3f} s | {their_spent / spent:.1f} | |"
    yield f"| the same by a new process, which starts and gets the problems first; reasoning-gym | {whole:.3f} s | {their_grade:.3f} s | {their_grade / whole:.1f} | |"
    both, theirs = draw + grade, their_draw + their_grade
    yield f"| the same problems drawn and graded; reasoning-gym | {both:.3f} s | {theirs:.1f} s | {theirs / both:.1f} | |"


def reading_rows(quintain, program, _wheel, folder):
    batch, ours_json, their_json = reading(quintain, program, folder)
    size = SEQUENCES * LENGTH * 8 / 1e6
    yield (
        f"| batches of {SEQUENCES} × {LENGTH:,} tokens and log-probabilities read, MB/s; `requests` and the JSON of `run-api` | {size / batch:,.0f} "
        f"| {size / their_json:,.1f} | {their_json / batch:.0f} | 400 MB/s, 10 |"
    )
    yield f"| the same; `requests` and the JSON of our hub | {size / batch:,.0f} | {size / ours_json:,.1f} | {ours_json / batch:.0f} | |"


PARTS = {"install": install_rows, "grading": grading_rows, "reading": reading_rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS, help="only this part")
    parser.add_argument("--write", metavar="FILE", help="put the table into this document, between two lines with <!-- python -->")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wheel = folder / wheels.build_wheel(folder)
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder / "site", wheel], check=True)
        sys.path.insert(0, str(folder / "site"))
        import quintain
        from quintain.program import path

        lines = ["| | package | beside | ratio | required |", "|---|--:|--:|--:|--:|"]
        for part in [args.only] if args.only else PARTS:
            for row in PARTS[part](quintain, path(), wheel, folder):
                print(row, flush=True)
                lines.append(row)
    load = f"Load of the machine at the end: {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores. The best of {ROUNDS} rounds, {GRADINGS} of grading."
    lines = [load, "", *lines]
    print(load)
    if args.write:
        document = pathlib.Path(args.write)
        before, _, after = document.read_text(encoding="utf-8").split("<!-- python -->\n")
        document.write_text(f"{before}<!-- python -->\n" + "\n".join(lines) + f"\n<!-- python -->\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
