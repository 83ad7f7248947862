#!/usr/bin/env python3
"""Compare `quintain grade math` with math-verify from PyPI, side by side on labelled pairs.

    REQUIREMENTS=answers.txt conformance/python bench/answers.py --quintain bin/quintain --data DIR [--sample N] [--write FILE]

Both get the same pairs. math-verify runs in one process as its own documentation shows; Quintain is timed as a
process with JSON lines in and out, once on one core and once on all. The table shows the rates, and how the verdicts
agree with each other and with the labels.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import time

MARK = re.compile(r"(<!-- math -->\n).*?(<!-- /math -->)", re.S)


def rows(folder, sample):
    data = [json.loads(line) for name in ("equivalence_dev", "peer_cases") for line in (folder / f"{name}.jsonl").open(encoding="utf-8")]
    data = [r for r in data if not r["topic"].startswith("adversarial")]
    random.Random(1).shuffle(data)
    return data[:sample]


def quintain(program, data, cores):
    text = "".join(json.dumps({"gold": r["gold"], "answer": r["answer"]}) + "\n" for r in data).encode()
    copies = 20
    start = time.perf_counter()
    run = subprocess.run([program, "grade", "math"], input=text * copies, stdout=subprocess.PIPE, check=True, env=dict(os.environ, GOMAXPROCS=str(cores)))
    seconds = time.perf_counter() - start
    verdicts = [json.loads(line)["equal"] for line in run.stdout.splitlines()[: len(data)]]
    return verdicts, copies * len(data) / seconds


def peer(data):
    from math_verify import parse, verify

    verdicts, start = [], time.perf_counter()
    for r in data:
        try:
            gold = r["gold"] if "$" in r["gold"] or "boxed" in r["gold"] else f"${r['gold']}$"
            verdicts.append(bool(verify(parse(gold), parse(r["answer"]))))
        except Exception:  # noqa: BLE001 - whatever it raises is no verdict
            verdicts.append(False)
    return verdicts, len(data) / (time.perf_counter() - start)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quintain", required=True)
    p.add_argument("--data", type=pathlib.Path, required=True)
    p.add_argument("--sample", type=int, default=1000)
    p.add_argument("--write", type=pathlib.Path)
    args = p.parse_args()
    data = rows(args.data, args.sample)
    all_cores = os.cpu_count()
    ours, one = quintain(args.quintain, data, 1)
    _, many = quintain(args.quintain, data, all_cores)
    theirs, rate = peer(data)
    labels = [r["equal"] for r in data]
    agree = collections.Counter(zip(labels, ours, theirs))
    lines = [
        f"{len(data)} pairs, drawn from those without hostile texts.",
        "",
        "| | pairs a second | right | wrong answers accepted | right answers refused |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, verdicts, speed in ((f"Quintain, {all_cores} cores", ours, many), ("Quintain, one core", ours, one), ("math-verify, one process", theirs, rate)):
        right = sum(a == b for a, b in zip(labels, verdicts))
        lines.append(f"| {name} | {speed:,.0f} | {100 * right / len(data):.1f} % | {sum(v and not e for e, v in zip(labels, verdicts))} | {sum(e and not v for e, v in zip(labels, verdicts))} |")
    lines += ["", f"One core does {one / rate:,.0f} times the pairs of math-verify.", "", "| label | both say so | only Quintain | only math-verify | neither |", "|---|---:|---:|---:|---:|"]
    for label in (True, False):
        counts = [agree[label, a, b] for a, b in ((label, label), (label, not label), (not label, label), (not label, not label))]
        lines.append(f"| {'equal' if label else 'not equal'} | " + " | ".join(map(str, counts)) + " |")
    table = "\n".join(lines)
    print(table)
    if args.write:
        args.write.write_text(MARK.sub(lambda m: m[1] + table + "\n" + m[2], args.write.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
