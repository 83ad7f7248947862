#!/usr/bin/env python3
"""The cost of tracing every episode: pairs of runs, one with the trace and one without, in turns. Print the ratio of
their rates, and the bytes per token, read or sampled, in the trace.

    bench/trace.py --quintain bin/quintain --pairs 5 --seconds 20
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile

MODES = {
    "training the embedded model": [],
    "playing with a script that never waits": ["--policy", "script", "--with", "policy.delay=0s", "--with", "run.step_time=0s"],
}


def run(args, mode, traced):
    """Sampled tokens per second of play, and bytes of the trace for each token."""
    with tempfile.TemporaryDirectory() as folder:
        report, data = os.path.join(folder, "report.json"), os.path.join(folder, "data")
        subprocess.run(
            [args.quintain, "run", *MODES[mode], "--port", "0", "--data", data, "--minutes", str(args.seconds / 60), "--exam-problems", "0",
             f"--trace={str(traced).lower()}", "--report", report],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(report) as f:
            r = json.load(f)
        if not traced:
            return r["tokens"] / r["play_seconds"], None
        listed = subprocess.run([args.quintain, "trace", "list", "--data", data, "--json"], check=True, capture_output=True, text=True)
        tokens = sum(json.loads(line)["tokens"] for line in listed.stdout.splitlines())
        size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(os.path.join(data, "trace")) for name in names)
        return r["tokens"] / r["play_seconds"], size / tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20)
    args = parser.parse_args()
    print(f"{args.pairs} pairs of {args.seconds:.0f} s.\n")
    print("| | without, tokens/s | with, tokens/s | ratio, median | each pair | bytes per token |")
    print("|---|--:|--:|--:|---|--:|")
    for mode in MODES:
        pairs = []
        for i in range(args.pairs):
            got = {}
            for traced in (True, False) if i % 2 else (False, True):
                got[traced] = run(args, mode, traced)
            pairs.append((got[False][0], got[True][0], got[True][1]))
        without, traced, size = (statistics.median(column) for column in zip(*pairs))
        ratios = [b / a for a, b, _ in pairs]
        print(f"| {mode} | {without:,.0f} | {traced:,.0f} | **{statistics.median(ratios):.3f}** | {', '.join('%.3f' % r for r in ratios)} "
              f"| {size:.1f} |", flush=True)


if __name__ == "__main__":
    main()
