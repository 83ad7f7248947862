#!/usr/bin/env python3
"""Train the embedded policy in several modes for the same number of steps. Print a table of steps per minute,
staleness, and scores on held-out problems.

    bench/staleness.py --quintain bin/quintain --steps 600 --seeds 1,2,3
"""

import argparse
import json
import os
import subprocess
import tempfile

MODES = (  # name, max_lag, objective
    ("synchronous", 0, "decoupled"),
    ("asynchronous, at most 1 behind", 1, "decoupled"),
    ("asynchronous, at most 4 behind", 4, "decoupled"),
    ("asynchronous, at most 16 behind", 16, "decoupled"),
    ("the same, naive PPO, at most 4 behind", 4, "naive"),
    ("the same, naive PPO, at most 16 behind", 16, "naive"),
)


def run(args, seed, lag, objective):
    """The report of one run in its own folder."""
    with tempfile.TemporaryDirectory() as folder:
        config, report = os.path.join(folder, "config.json"), os.path.join(folder, "report.json")
        learn = {**json.loads(args.learn), "objective": objective}
        with open(config, "w") as f:  # JSON is YAML
            json.dump({"learn": learn, "run": {"exam_every": "0s", "exam_problems": 256}}, f)
        subprocess.run(
            [args.quintain, "run", "--config", config, "--port", "0", "--data", os.path.join(folder, "data"), "--seed", str(seed),
             "--max-lag", str(lag), "--steps", str(args.steps), "--report", report],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(report) as f:
            return json.load(f)


def mean(values):
    return sum(values) / len(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--learn", default="{}", help="settings under learn for all modes, as JSON")
    args = parser.parse_args()
    seeds = [int(s) for s in args.seeds.split(",")]
    print(f"{args.steps} steps, seeds {args.seeds}: means, and the score of each seed.\n")
    print("| mode | steps per minute | mean lag | largest | held out before | after | each seed |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for name, lag, objective in MODES:
        reports = [run(args, seed, lag, objective) for seed in seeds]
        lags = {}
        for r in reports:
            for behind, groups in r["staleness"].items():
                lags[int(behind)] = lags.get(int(behind), 0) + groups
        mean_lag = sum(b * n for b, n in lags.items()) / sum(lags.values())
        print(f"| {name} | {mean([60 * r['steps'] / r['play_seconds'] for r in reports]):.0f} | {mean_lag:.2f} | {max(lags)} "
              f"| {mean([r['exam_before'] for r in reports]):.3f} | **{mean([r['exam_after'] for r in reports]):.3f}** "
              f"| {', '.join('%.3f' % r['exam_after'] for r in reports)} |", flush=True)


if __name__ == "__main__":
    main()
