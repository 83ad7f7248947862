#!/usr/bin/env python3
"""Read real rows of code problems, and judge real programs by them.

    REQUIREMENTS=code_data.txt PIP_NO_DEPS=1 PIP_IGNORE_REQUIRES_PYTHON=1 conformance/python conformance/code_data.py --quintain bin/quintain

The rows stand in packages of others, and stay there. Every solution of HumanEval must pass its tests, and no empty function
may. Every program of NeMo Gym's rollouts of code_gen must get the reward that it has there.
"""

import argparse
import gzip
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile


def lines_of(package, name):
    """The objects in a file of JSON lines of a package."""
    found = next(f for f in importlib.metadata.files(package) if str(f).endswith(name))
    raw = found.locate().read_bytes()
    return [json.loads(line) for line in (gzip.decompress(raw) if name.endswith(".gz") else raw).splitlines() if line.strip()]


class Checker:
    """Runs `quintain dataset check`."""

    def __init__(self, quintain, folder):
        self.quintain, self.folder = quintain, folder

    def usable(self, rows):
        """The problems that can be used, by their position among the rows."""
        file, good = self.folder / "rows.jsonl", self.folder / "good.jsonl"
        file.write_text("".join(json.dumps(dict(row, query_id=str(n))) + "\n" for n, row in enumerate(rows)))
        good.unlink(missing_ok=True)
        done = subprocess.run([self.quintain, "dataset", "check", "--write", good, file], capture_output=True, encoding="utf-8")
        if "could not be judged" in done.stdout or not good.exists() and "no problem in the file that can be used" not in done.stderr:
            sys.exit(f"code_data: the check failed: {done.stdout[-2000:]}{done.stderr}")
        problems = good.read_text().splitlines() if good.exists() else []
        return {int(problem["id"]): problem for problem in map(json.loads, problems)}


def human_eval(checker):
    """Solutions of HumanEval, and functions that do nothing."""
    rows = lines_of("human-eval", "HumanEval.jsonl.gz")
    lost = [rows[n]["task_id"] for n in set(range(len(rows))) - set(checker.usable(rows))]
    if lost or len(rows) != 164:
        sys.exit(f"code_data: of {len(rows)} rows of HumanEval, {lost} cannot be used")
    empty = checker.usable([dict(row, canonical_solution="    return None\n") for row in rows])
    if empty:
        sys.exit(f"code_data: an empty function passes {[rows[n]['task_id'] for n in empty]}")
    print(f"all {len(rows)} solutions of HumanEval pass, and no empty function does")


def question(row):
    """The question of a row or a rollout of NeMo Gym."""
    return [message["content"] for message in row["responses_create_params"]["input"]]


def nemo_gym(checker):
    """Programs of NeMo Gym's rollouts of code_gen."""
    rows, rollouts = lines_of("nemo-gym", "environments/code_gen/data/example.jsonl"), lines_of("nemo-gym", "environments/code_gen/data/example_rollouts.jsonl")
    problems = checker.usable(rows)
    if len(problems) != len(rows):
        sys.exit(f"code_data: only {len(problems)} of the {len(rows)} rows of NeMo Gym can be used")
    judged = []
    for rollout in rollouts:
        problem = next(problems[n] for n, row in enumerate(rows) if question(row) == question(rollout))
        judged.append(dict(problem, solutions=[rollout["extracted_model_code"]]))
    passing = checker.usable(judged)
    wrong = [n for n, rollout in enumerate(rollouts) if (rollout["reward"] == 1) != (n in passing)]
    if wrong:
        sys.exit(f"code_data: the rollouts {wrong} of NeMo Gym have other rewards there")
    print(f"the programs of {len(rollouts)} rollouts of NeMo Gym get their rewards, {len(passing)} of them 1")


def main():
    """Check both."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quintain", required=True)
    quintain = str(pathlib.Path(options.parse_args().quintain).resolve())
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(quintain, pathlib.Path(folder))
        human_eval(checker)
        nemo_gym(checker)


if __name__ == "__main__":
    main()
