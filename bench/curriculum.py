#!/usr/bin/env python3
"""Train the embedded model without and with curricula. Print how many groups are dropped because
all scores are equal, the score on held-out problems of the mix that is played without a
curriculum, and the tasks that were lost: those that had a score of 0.2 and whose last is below half
of their best.

    bench/curriculum.py --quintain bin/quintain --minutes 1 --seeds 1,2,3

Runs of equal time need a quiet machine; --steps N makes runs of equal steps instead. Flags after
-- are given to every run.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile

CURRICULUM = ["--complexity-mode", "curriculum"]
WAYS = {
    "none": ["--complexity-mode", "none"],
    "random": ["--complexity-mode", "random"],
    "`atropos`": [*CURRICULUM, "--curriculum-controller", "atropos"],
    "`teaching`": CURRICULUM,
    "none, groups of 32": ["--complexity-mode", "none", "--group-size", "32", "--batch-size", "128"],
    "`teaching`, groups of 32": [*CURRICULUM, "--group-size", "32", "--batch-size", "128"],
    "none, Muon": ["--complexity-mode", "none", "--learn-muon", "4"],
    "none, entropy": ["--complexity-mode", "none", "--learn-entropy", "0.03"],
}


def lost(data):
    """The tasks that had a score of 0.2 and whose last is below half of their best."""
    with open(os.path.join(data, "examinations.jsonl")) as f:
        exams = [json.loads(line)["tasks"] for line in f]
    levels = {}
    for label in exams[0]:
        levels.setdefault(re.sub(r" \(\d+\)$", "", label), []).append(label)
    curves = {task: [mean(exam[label] for label in labels) for exam in exams] for task, labels in levels.items()}
    return [task for task, scores in curves.items() if max(scores) >= 0.2 and scores[-1] < max(scores) / 2]


def run(args, seed, flags):
    """The report of one run, its score on the mix, and the tasks that it lost."""
    length = ["--steps", str(args.steps)] if args.steps else ["--minutes", str(args.minutes)]
    with tempfile.TemporaryDirectory() as folder:
        data, report = os.path.join(folder, "data"), os.path.join(folder, "report.json")
        subprocess.run(
            [args.quintain, "run", "--port", "0", "--data", data, "--seed", str(seed), "--report", report, *length, *flags, *args.flags],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        mix = subprocess.run([args.quintain, "eval", "--data", data, "--count", "256", "--format", "json"],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        with open(report) as f:
            return json.load(f), json.loads(mix.stdout)["mean_score"], lost(data)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def equal(reports):
    """The share of the groups played that were dropped as equal."""
    dropped = [r["groups_dropped"] for r in reports]
    played = sum(r["groups_made"] + sum(d.values()) - d.get("stale", 0) for r, d in zip(reports, dropped))
    return sum(d.get("equal_scores", 0) for d in dropped) / played


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--steps", type=int, help="length of the runs, in place of --minutes")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--only", help="names of the ways that are tried, separated by semicolons; none: all")
    parser.add_argument("flags", nargs="*", help="flags of every run, after --")
    args = parser.parse_args()
    seeds = [int(s) for s in args.seeds.split(",")]
    print("| curriculum | steps | groups dropped as equal | held out, after: mean | each seed | lost |")
    print("|---|--:|--:|--:|---|---|")
    for name in args.only.split(";") if args.only else WAYS:
        reports, scores, gone = zip(*(run(args, seed, WAYS[name]) for seed in seeds))
        print(f"| {name} | {mean(r['steps'] for r in reports):.0f} | {100 * equal(reports):.0f} % | **{mean(scores):.3f}** "
              f"| {', '.join(f'{s:.3f}' for s in scores)} | {', '.join(sum(gone, [])) or 'none'} |", flush=True)


if __name__ == "__main__":
    main()
