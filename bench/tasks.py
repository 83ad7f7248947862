#!/usr/bin/env python3
"""Compare our processor time to make and score the problems of every task with reasoning-gym's, in one run.

Both sides use one core and the default settings of reasoning-gym, and take turns task by task. The best of a few runs
counts, so that a busy machine matters less. Our figures come from the benchmarks of tasks/* (tasktest.Bench), theirs
from dataset[i] and score_answer. Every second answer is right, the others belong to another entry. A second table has
figures for our side only: memory, the slowest of a hundred problems at every level, and the most expensive hostile
answer. A third has the tasks that reasoning-gym lacks, which must take at most a millisecond a problem at every level.

The tables are printed in Markdown, with a row for each task. --each puts them into a document, and
--write puts the least, the median and the sums into another, between two lines with <!-- tasks -->. A
task takes about 5 seconds, or more if reasoning-gym is slow at it.
"""

import argparse
import glob
import json
import multiprocessing
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "conformance"))
import tasks as peer  # noqa: E402  the conformance driver's code for reasoning-gym

DRAWS_AT_ONCE = ("acre", "gsm_symbolic", "list_functions")  # these make all items together with the dataset
RUNS = 3
ENTRIES = 64  # entries to score answers for; fewer if making them takes long
SIZE = 500  # size of a dataset; every access makes an item again
SLOWEST = 10  # slow items may take at most this multiple of the requested time
ENTRY_SECONDS = 3  # time limit for making the entries
LINE = re.compile(r"^BenchmarkTasks/(\w+?)/(\w+?)(?:-\d+)?\s+\d+\s+(.*)$")


# ---- ours


def build(scratch):
    """The test programs of tasks/*: a list of (program, folder, tasks)."""
    programs = []
    for folder in sorted(glob.glob(os.path.join(ROOT, "tasks", "*"))):
        names = [os.path.basename(g)[: -len(".golden")] for g in sorted(glob.glob(os.path.join(folder, "testdata", "*.golden")))]
        if names:
            program = os.path.join(scratch, os.path.basename(folder) + ".test")
            subprocess.run(["go", "test", "-c", "-o", program, "."], cwd=folder, check=True)
            programs.append((program, folder, names))
    return programs


def benchmark(program, folder, name, what, *flags):
    """Each line of the benchmarks of a task: (operation, {unit: figure})."""
    command = [program, "-test.run", "^$", "-test.bench", f"^BenchmarkTasks$/^({what})$/^{name}$", "-test.cpu", "1", *flags]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "GOMAXPROCS": "1"}, check=True, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if (found := LINE.match(line)) and found[2] == name:
            parts = found[3].split()
            yield found[1], {unit: float(figure) for figure, unit in zip(parts[::2], parts[1::2])}


def ours(program, folder, name, seconds):
    """Our nanoseconds by operation, and the figures for our side only."""
    best = {}
    for what, figures in benchmark(program, folder, name, "make|solve|score", "-test.benchtime", f"{seconds}s", "-test.count", str(RUNS)):
        best[what] = min(best.get(what, float("inf")), figures["cpu-ns/op"])
        if what == "make":
            best["bytes"], best["allocations"] = figures["B/op"], figures["allocs/op"]
    for what, figures in benchmark(program, folder, name, "p99|hostile", "-test.benchtime", "1x"):
        if what == "hostile":
            best["hostile"] = figures["ms-worst"]
        else:
            for of in ("mean", "p99"):
                levels = sorted((int(unit.rsplit("-", 1)[1]), figure) for unit, figure in figures.items() if unit.startswith(f"µs-{of}-level-"))
                best[of] = [figure for _, figure in levels]
    return best


# ---- theirs


def best(seconds, work):
    """Nanoseconds of processor time per item of work, the best of a few runs. work takes the first item and their number."""
    began = time.process_time()
    work(0, 1)
    many = max(1, min(ENTRIES, int(0.002 / (time.process_time() - began))))
    figures, done = [], 0
    for _ in range(RUNS):
        first, began = done, time.process_time()
        while (took := time.process_time() - began) < seconds or done - first < 10 and took < SLOWEST * seconds:
            work(done, many)
            done += many
        figures.append((time.process_time() - began) / (done - first))
    return min(figures) * 1e9


def theirs(name, seconds, pipe):
    """Send nanoseconds by operation through pipe. It needs a process of its own, because it changes global state."""
    import reasoning_gym

    peer.quiet()
    os.chdir(tempfile.gettempdir())
    dataset = reasoning_gym.create_dataset(name, seed=1, size=SIZE)
    entries, began = [], time.perf_counter()
    while len(entries) < 8 or len(entries) < ENTRIES and time.perf_counter() - began < ENTRY_SECONDS:
        entries.append(dataset[len(entries)])
    right = [peer.stored_answer(e) or "x" for e in entries]
    cases = [(right[(i + i % 2) % len(entries)], e) for i, e in enumerate(entries)]
    cases = (cases * (2 * ENTRIES))[: 2 * ENTRIES]

    def make(first, many):
        for i in range(first, first + many):
            dataset[i % SIZE]

    def make_all(first, many):
        for n in range(first, first + many):
            again = reasoning_gym.create_dataset(name, seed=n, size=SIZE)
            for i in range(SIZE):
                again[i]

    def score(first, many):
        scorer, at = dataset.score_answer, first % ENTRIES
        for answer, entry in cases[at : at + many]:
            try:
                scorer(answer, entry)
            except Exception:  # raised by their scorer, for another entry's answer
                pass

    pipe.send({
        "make": best(seconds, make_all) / SIZE if name in DRAWS_AT_ONCE else best(seconds, make),
        "score": best(seconds, score),
        "answers": any(peer.stored_answer(e) for e in entries),
    })  # fmt: skip


def beside(name, seconds):
    receive, send = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.Process(target=theirs, args=(name, seconds, send))
    child.start()
    send.close()
    try:
        return receive.recv()
    except EOFError:
        return None
    finally:
        child.join()


# ---- the table


def rate(ns):
    return f"{1e9 / ns:,.0f}" if ns < 1e8 else f"{1e9 / ns:.1f}"


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def table(rows):
    """rows: (task, ours, theirs) in nanoseconds."""
    yield "| task | make, ours/s | theirs/s | ratio | score, ours/s | theirs/s | ratio | both, ratio |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    ratios = []
    for name, a, b in rows:
        make, score, both = b["make"] / a["make"], b["score"] / a["score"], (b["make"] + b["score"]) / (a["make"] + a["score"])
        ratios.append((make, score, both))
        mark = "" if b["answers"] else " \\*"
        yield f"| {name}{mark} | {rate(a['make'])} | {rate(b['make'])} | {make:.1f} | {rate(a['score'])} | {rate(b['score'])} | {score:.1f} | {both:.1f} |"
    for title, of in (("least", min), ("median", statistics.median)):
        make, score, both = (of(column) for column in zip(*ratios))
        yield f"| **{title}** | | | **{make:.1f}** | | | **{score:.1f}** | **{both:.1f}** |"
    (make, theirs_make), (score, theirs_score) = ([sum(side[what] for side in sides) for sides in ([a for _, a, _ in rows], [b for _, _, b in rows])] for what in ("make", "score"))
    n = len(rows)
    yield (
        f"| **all, one of each in turn** | {rate(make / n)} | {rate(theirs_make / n)} | **{theirs_make / make:.1f}** | {rate(score / n)} | {rate(theirs_score / n)} | "
        f"**{theirs_score / score:.1f}** | **{(theirs_make + theirs_score) / (make + score):.1f}** |"
    )


def own_table(rows):
    yield "| task | bytes | allocations | making, p99 in µs, by level | hostile answer, ms |"
    yield "|---|--:|--:|---|--:|"
    for name, a, _ in rows:
        p99 = ", ".join(f"{figure:,.0f}" for figure in a["p99"])
        yield f"| {name} | {a['bytes']:,.0f} | {a['allocations']:,.0f} | {p99} | {a['hostile']:.1f} |"
    slowest = max((max(a["p99"]), name) for name, a, _ in rows)
    worst = max((a["hostile"], name) for name, a, _ in rows)
    yield f"| **most** | {max(a['bytes'] for _, a, _ in rows):,.0f} | {max(a['allocations'] for _, a, _ in rows):,.0f} | **{slowest[0]:,.0f}** ({slowest[1]}) | **{worst[0]:.1f}** ({worst[1]}) |"


def lone_table(rows):
    yield "| task | score, µs | making, mean in µs, by level | p99 | hostile answer, ms |"
    yield "|---|--:|---|---|--:|"
    for name, a in rows:
        mean, p99 = (", ".join(f"{figure:,.0f}" for figure in a[of]) for of in ("mean", "p99"))
        yield f"| {name} | {a['score'] / 1e3:.1f} | {mean} | {p99} | {a['hostile']:.1f} |"
    mean, p99 = (max((max(a[of]), name) for name, a in rows) for of in ("mean", "p99"))
    yield f"| **most** | {max(a['score'] for _, a in rows) / 1e3:.1f} | **{mean[0]:,.0f}** ({mean[1]}) | **{p99[0]:,.0f}** ({p99[1]}) | {max(a['hostile'] for _, a in rows):.1f} |"


def summary(text):
    """Leave the rows of single tasks out."""
    text = re.sub(r"^(\| (?!task )[a-z]|\\\*).*\n", "", text, flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", text)


def put(name, text):
    """Put text into a document, between its two marks."""
    with open(name, encoding="utf-8") as f:
        before, _, after = f.read().split("<!-- tasks -->\n")
    with open(name, "w", encoding="utf-8") as f:
        f.write(f"{before}<!-- tasks -->\n{text}\n<!-- tasks -->\n{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", help="names, separated by commas (default: all that both have)")
    parser.add_argument("--seconds", type=float, default=0.15, help="duration of each of the %d runs of a figure" % RUNS)
    parser.add_argument("--write", metavar="FILE", help="put the least, the median and the sums into this document")
    parser.add_argument("--each", metavar="FILE", help="put the rows of all tasks into this document")
    args = parser.parse_args()
    chosen = set(args.tasks.split(",")) if args.tasks else None

    rows, lone, began = [], [], time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        for program, folder, names in build(scratch):
            for name in names:
                if chosen and name not in chosen:
                    continue
                a = ours(program, folder, name, args.seconds)
                if name not in peer.DATASETS:
                    lone.append((name, a))
                    print(f"{name}: {json.dumps(a)}", file=sys.stderr)
                    continue
                b = beside(name, args.seconds)
                if not {"make", "solve", "score", "p99", "hostile"} <= a.keys() or not b:
                    sys.exit(f"{name}: no figures: ours {a}, theirs {b}")
                a["make"] += a["solve"]  # an entry of reasoning-gym includes its answer
                rows.append((name, a, b))
                print(f"{name}: {json.dumps([a, b])}", file=sys.stderr)
    if not rows and not lone:
        sys.exit("no task was measured")
    if not rows:
        print("\n".join(lone_table(sorted(lone))))
        return
    go = subprocess.run(["go", "env", "GOVERSION"], check=True, capture_output=True, text=True).stdout.strip()
    from importlib.metadata import version

    lines = [
        f"{len(rows)} tasks, items per second of processor time on one core of {processor()}; {go}; Python {platform.python_version()}, reasoning-gym {version('reasoning-gym')}.",
        f"Default settings. Making includes the right answer on both sides. The run took {time.monotonic() - began:.0f} s.",
        "",
        *table(rows := sorted(rows)),
    ]
    if not all(b["answers"] for _, _, b in rows):
        lines += ["", "\\* reasoning-gym stores no answer; it scored texts that are obviously wrong."]
    lines += [
        "",
        "Our side only: memory allocated to make one problem at the default settings; the 99th percentile of the time to make a problem, at each level;",
        "and the time to grade the slowest of about ninety answers that are meant to be expensive, most of them 100,000 bytes long.",
        "",
        *own_table(rows),
    ]
    if lone:
        lines += ["", "The tasks that reasoning-gym lacks:", "", *lone_table(sorted(lone))]
    print("\n".join(lines))
    if args.each:
        put(args.each, "\n".join(lines))
    if args.write:
        put(args.write, summary("\n".join(lines)))


if __name__ == "__main__":
    main()
