#!/usr/bin/env python3
"""Train the embedded model in one process, and by a coordinator with workers, for the same number of steps. Print the
scores on held-out problems of each seed. Fail if the workers' mean is below that of one process by more than the
seeds of one process differ.

    bench/fleet_learning.py --quintain bin/quintain --workers 4 --steps 600 --seeds 1,2,3
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(args, seed, workers):
    """The report of one run in its own folder, played by workers unless there are none."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with tempfile.TemporaryDirectory() as folder:
        config, report, port = os.path.join(folder, "config.json"), os.path.join(folder, "report.json"), str(free_port())
        with open(config, "w") as f:  # JSON is YAML
            json.dump({"run": {"exam_every": "0s", "exam_problems": 256}}, f)
        command = [args.quintain, "run", "--config", config, "--port", port, "--data", os.path.join(folder, "data"), "--seed", str(seed),
                   "--steps", str(args.steps), "--report", report, "--trace=false"]
        coordinator = subprocess.Popen(command + ["--workers"] * (workers > 0), **quiet)
        slots = str(-(-256 // max(1, workers)))  # together as many as the one process has
        players = [subprocess.Popen([args.quintain, "worker", "--coordinator", "http://127.0.0.1:" + port, "--slots", slots], **quiet)
                   for _ in range(workers)]
        status = coordinator.wait()
        for p in players:
            p.terminate()
        for p in players:
            p.wait()
        if status != 0:
            sys.exit(f"the run ended with status {status}")
        with open(report) as f:
            return json.load(f)


def mean(values):
    return sum(values) / len(values)


def row(name, reports):
    lags = {}
    for r in reports:
        for behind, groups in r["staleness"].items():
            lags[int(behind)] = lags.get(int(behind), 0) + groups
    lag = sum(b * n for b, n in lags.items()) / sum(lags.values())
    stale = sum(r["groups_dropped"].get("stale", 0) for r in reports) / sum(r["groups_made"] for r in reports)
    after = [r["exam_after"] for r in reports]
    print(f"| {name} | {mean([60 * r['steps'] / r['play_seconds'] for r in reports]):.0f} | {lag:.2f} | {100 * stale:.1f} % "
          f"| {mean([r['exam_before'] for r in reports]):.3f} | **{mean(after):.3f}** | {', '.join('%.3f' % a for a in after)} |", flush=True)
    return after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seeds", default="1,2,3")
    args = parser.parse_args()
    seeds = [int(s) for s in args.seeds.split(",")]
    print("| | steps per minute | mean lag | stale | held out before | after | each seed |")
    print("|---|--:|--:|--:|--:|--:|---|")
    alone = row("one process", [run(args, seed, 0) for seed in seeds])
    apart = row(f"{args.workers} workers", [run(args, seed, args.workers) for seed in seeds])
    spread, more = max(alone) - min(alone), mean(apart) - mean(alone)
    print(f"\nWorkers: {more:+.4f}. The seeds of one process differ by {spread:.4f}.")
    sys.exit(more < -spread)


if __name__ == "__main__":
    main()
