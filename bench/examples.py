#!/usr/bin/env python3
"""Measure what a model earns on every task at the easy levels, with solved examples before the question.

    python3 bench/examples.py bin/quintain --policy server --url http://127.0.0.1:8080 [--examples 2] [--write FILE]
    python3 bench/examples.py bin/quintain --weights SmolLM2-135M-Instruct.Q4_1.gguf --scenario reasoning_gym:examples=2,examples_fixed=true,short_prompts=true

The flags go to quintain eval. A row is a task at a level: the score, the score of the best answer without a look at the problem
(the constant or guess of quintain tasks list), the share of replies in the form that was asked for, and of these the share that is right.
"""
import argparse
import json
import subprocess


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quintain")
    parser.add_argument("--examples", type=int, default=2)
    parser.add_argument("--levels", default="0-2")
    parser.add_argument("--count", type=int, default=64, help="problems of a level")
    parser.add_argument("--write", help="file for the table")
    options, flags = parser.parse_known_args()
    tasks = map(json.loads, said(options.quintain, "tasks", "list", "--json").splitlines())
    blind = {(task["name"], level): max(of["guess_rate"], of.get("constants", 0)) for task in tasks for level, of in enumerate(task["measured"])}
    how = ["--tasks", f"composite:{options.levels}", "--examples", str(options.examples), "--count", str(options.count), "--max-tokens", "64", "--with", "exam.max_failed=1", "--format", "json", *flags]
    report = json.loads(said(options.quintain, "eval", *how))
    rows, above = [], 0
    for row in report["rows"]:
        well = [episode for problem in row["problems"] for episode in problem["episodes"] if "score" in episode and not episode.get("malformed")]
        right = sum(bool(episode.get("right")) for episode in well) / max(1, len(well))
        best = blind[row["task"], row["level"]]
        above += row["interval"]["low"] > best
        span = f"{row['interval']['low']:.2f} to {row['interval']['high']:.2f}"
        rows.append((row["mean_score"], f"| `{row['label']}` | {row['mean_score']:.3f} | {span} | {best:.3f} | {1 - row['malformed']:.2f} | {right:.2f} |"))
    head = f"{len(rows)} levels, of which {above} earn more than a guess; {report['failed']} failed episodes.\n\n| level | score | 95 % interval | best guess | well-formed | of these right |\n|---|--:|--:|--:|--:|--:|\n"
    text = head + "\n".join(row for _, row in sorted(rows, reverse=True)) + "\n"
    if options.write:
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(text)
    print(text)


if __name__ == "__main__":
    main()
