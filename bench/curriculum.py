#!/usr/bin/env python3
"""Train the embedded model by default, with other curricula, and with parts of the default changed. Print the number
of groups dropped for equal scores; the score on held-out problems, of the ladder before and after the run, and of
the easier mix in bench/mix.yaml after it; and the lost tasks: those that had a score of 0.2 but ended below half
of their best.

    bench/curriculum.py --quintain bin/quintain --minutes 1 --seeds 1,2,3

Runs of equal time need a quiet machine; --steps N makes runs of equal steps instead. Flags after -- go to every run:
with --config bench/mix.yaml --complexity-mode curriculum it trains on the mix, and the scores of the ladder are those
of the mix too.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile

MIX = os.path.join(os.path.dirname(__file__), "mix.yaml")
WAYS = {
    "the default": [],
    "none: the ladder alone": ["--complexity-mode", "none"],
    "random": ["--complexity-mode", "random"],
    "`atropos`": ["--with", "curriculum.controller=atropos"],
    "groups of 8": ["--group-size", "8"],
    "groups of 32": ["--group-size", "32"],
    "no replay of solved levels": ["--with", "curriculum.floor=0"],
    "learning rate 0.0005": ["--with", "learn.learning_rate=5e-4"],
    "Muon": ["--with", "learn.muon=4"],
    "useful groups alone": ["--with", "rules.success_rate_lb=0.1", "--with", "rules.success_rate_ub=0.9"],
    "entropy": ["--with", "learn.entropy=3e-3"],
}


def lost(data):
    """The tasks that had a score of 0.2 but ended below half of their best."""
    with open(os.path.join(data, "examinations.jsonl")) as f:
        exams = [json.loads(line)["tasks"] for line in f]
    levels = {}
    for label in exams[0]:
        levels.setdefault(re.sub(r":\d+$", "", label), []).append(label)
    curves = {task: [mean(exam[label] for label in labels) for exam in exams] for task, labels in levels.items()}
    return [task for task, scores in curves.items() if max(scores) >= 0.2 and scores[-1] < max(scores) / 2]


def run(args, name, seed):
    """The report of one run, its score on the mix, and its lost tasks."""
    length = ["--steps", str(args.steps)] if args.steps else ["--minutes", str(args.minutes)]
    with tempfile.TemporaryDirectory() as folder:
        data, report = os.path.join(args.keep or folder, f"{name} {seed}"), os.path.join(folder, "report.json")
        subprocess.run(
            [args.quintain, "run", "--port", "0", "--data", data, "--seed", str(seed), "--report", report, *length, *WAYS[name], *args.flags],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        mix = subprocess.run([args.quintain, "eval", "--data", data, "--config", MIX, "--count", "256", "--format", "json"],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        with open(report) as f:
            return json.load(f), json.loads(mix.stdout)["mean_score"], lost(data)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def played(report):
    """The groups that a run played: those kept later, and those dropped at once."""
    dropped = report["groups_dropped"]
    return report["groups_made"] + sum(dropped.values()) - dropped.get("stale", 0)


def equal(reports):
    """The share of the played groups that were dropped as equal."""
    return sum(r["groups_dropped"].get("equal_scores", 0) for r in reports) / sum(map(played, reports))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--steps", type=int, help="length of the runs, instead of --minutes")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--only", help="names of the ways to try, separated by semicolons; none: all")
    parser.add_argument("--keep", help="folder for the data folders of the runs")
    parser.add_argument("flags", nargs="*", help="flags of every run, after --")
    args = parser.parse_args()
    seeds = [int(s) for s in args.seeds.split(",")]
    print("| | steps | groups played | dropped as equal | ladder, before | after | mix, after | each seed: dropped, ladder, mix | lost |")
    print("|---|--:|--:|--:|--:|--:|--:|---|---|")
    for name in args.only.split(";") if args.only else WAYS:
        reports, mixes, gone = zip(*(run(args, name, seed) for seed in seeds))
        before, after = (mean(r[key] for r in reports) for key in ("exam_before", "exam_after"))
        each = ", ".join(f"{100 * equal([r]):.0f} % {r['exam_after']:.3f} {mix:.3f}" for r, mix in zip(reports, mixes))
        print(f"| {name} | {mean(r['steps'] for r in reports):.0f} | {mean(map(played, reports)):.0f} | {100 * equal(reports):.0f} % "
              f"| {before:.3f} | {after:.3f} | {mean(mixes):.3f} | {each} | {', '.join(sum(gone, [])) or 'none'} |", flush=True)


if __name__ == "__main__":
    main()
