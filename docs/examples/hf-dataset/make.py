"""A Hugging Face data set of problems on disk: train.jsonl, test.jsonl and a card.

    python docs/examples/hf-dataset/make.py FOLDER --tasks chain_sum:1,countdown:0 --train 1000 --test 100

No question comes twice. The test split has only held-out questions, which no run of quintain trains on, and the train
split has none of them.
"""

import argparse
import json
import pathlib
import subprocess
import sys

from quintain import pipe
from quintain.program import path

SIDES = {"train": "trained", "test": "held_out"}
CARD = """\
---
language: en
license: {license}
pretty_name: {name}
size_categories: {size}
task_categories:
- text-generation
tags:
- reasoning
- reinforcement-learning
- synthetic
- quintain
configs:
- config_name: default
  default: true
  data_files:
  - split: train
    path: train.jsonl
  - split: test
    path: test.jsonl
---

# {name}

Problems that a program made, with everything needed to grade an answer. No question comes twice, also not in other words, and no question of `test` is in `train`.

| task | level | train | test |
|---|---|---|---|
{rows}

| column | |
|---|---|
| `prompt` | messages for a model: they ask for the answer between `<answer>` and `</answer>` |
| `question` | the question alone |
| `answer` | an answer with the full score; others may have it too |
| `task`, `level`, `seed`, `index` | which problem: the same draw gives the same problem on every machine |
| `problem` | the whole problem as JSON, for the grader; it holds the solution: do not show it to a model |

A reply is graded by the problem's own task, from 0 to 1:

```python
import quintain  # {version}

quintain.judge_all([row["problem"] for row in rows], replies)
```

Made by `quintain {version}` with seed {seed}: {command}
"""


def run(*args):
    """What a command of the program prints."""
    return subprocess.run([path(), *args], stdout=subprocess.PIPE, text=True, check=True).stdout


def drawn(task, level, side, count, seed):
    """Rows of one side of the split of a task."""
    flags = ["--task", task, "--level", str(level), "--seed", str(seed), "--count", str(count), "--split", side, "--distinct"]
    problems, entries = (run("tasks", "export", *flags, *form).splitlines() for form in ([], ["--format", "reasoning-gym"]))
    opened = pipe.ask(lambda _: [f'{{"open":{raw}}}'.encode() for raw in problems])
    for raw, entry, opening in zip(problems, map(json.loads, entries), opened, strict=True):
        one = json.loads(raw)
        yield {
            "prompt": opening["messages"], "question": one["prompt"], "answer": str(entry["answer"]), "task": one["task"], "level": one["level"],
            "seed": int(one["seed"]), "index": one["index"], "problem": raw,
        }  # fmt: skip


def size(count):
    """The size category of a card."""
    for most, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")):
        if count < most:
            return name
    return "1M<n<10M"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tasks", default="chain_sum:1", help="NAME:LEVEL, separated by commas")
    parser.add_argument("--train", type=int, default=1000, help="problems of each task")
    parser.add_argument("--test", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--name", default="Quintain problems")
    parser.add_argument("--license", default="apache-2.0")
    options = parser.parse_args()
    wanted = [(name, int(level or 0)) for name, _, level in (one.partition(":") for one in options.tasks.split(","))]
    options.folder.mkdir(parents=True)
    for split, side in SIDES.items():
        with open(options.folder / f"{split}.jsonl", "w", encoding="utf-8") as out:
            for task, level in wanted:
                for row in drawn(task, level, side, getattr(options, split), options.seed):
                    out.write(json.dumps(row, ensure_ascii=False) + "\n")
    version = run("--version").split()[1]
    card = CARD.format(
        license=options.license, name=options.name, size=size(len(wanted) * (options.train + options.test)), version=version, seed=options.seed,
        rows="\n".join(f"| {task} | {level} | {options.train} | {options.test} |" for task, level in wanted),
        command=f"`docs/examples/hf-dataset/make.py --tasks {options.tasks} --train {options.train} --test {options.test}`.",
    )  # fmt: skip
    (options.folder / "README.md").write_text(card, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
