#!/usr/bin/env python3
"""Run the examples of trainers as their READMEs say, with the Python package installed from its wheel.

    REQUIREMENTS=trainers.txt PIP_NO_DEPS=1 conformance/python conformance/examples.py

A README has two commands: the first installs, with the versions of trainers.txt; the second is run verbatim. Then
verl's own loader finds our reward function, by the name of the module and by its file.
"""

import argparse
import importlib.metadata
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ("atropos", "pytorch-async", "trl", "trl-code", "trl-environment", "verl", "verl-code")
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))


def install(folder):
    """Put the package of this checkout into a folder."""
    import wheels

    wheel = folder / wheels.build_wheel(folder)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", folder / "site", wheel], check=True)
    return folder / "site"


def command(example):
    """The second command of an example's README. The first must install the package and the packages of trainers.txt,
    in its versions."""
    readme = ROOT / "docs" / "examples" / example / "README.md"
    found = re.findall(r"^    ((?:pip|python) .*)$", readme.read_text(encoding="utf-8"), re.MULTILINE)
    if len(found) != 2 or not found[0].startswith("pip install ./python ") or not found[1].startswith("python docs/examples/"):
        raise SystemExit(f"{readme}: want two commands, pip install ./python … and python docs/examples/…; found {found}")
    other = set(found[0].split()[3:]) - set((ROOT / "conformance" / "trainers.txt").read_text(encoding="utf-8").split())
    if other:
        raise SystemExit(f"{readme}: installs {', '.join(other)}, which trainers.txt has not")
    return shlex.split(found[1])


def run(example, site):
    """Whether the second command of an example's README succeeds."""
    began = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(site), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, *command(example)[1:]], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False)
    lines = [line for line in done.stdout.splitlines() if line]
    print(f"{example}: {lines[-1] if lines else 'it said nothing'} ({time.monotonic() - began:.0f} s in all)", flush=True)
    if done.returncode:
        print(f"it ended with status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.returncode == 0


def loader():
    """Whether verl's loader finds the reward function, and the function gives the expected rewards."""
    import quintain
    from verl.trainer.ppo.reward import get_custom_reward_fn

    faults, graded = 0, 0
    for place in ("pkg://quintain.rewards", quintain.rewards.__file__):
        function = get_custom_reward_fn(types.SimpleNamespace(reward={"custom_reward_function": {"path": place, "name": "compute_score"}}))
        for row in quintain.rewards.verl_rows(quintain.task("count_bits").problems(count=200, chat=True)):
            solution = json.loads(row["reward_model"]["ground_truth"])["instance"]["solution"]
            for reply, due in ((f"<answer>{solution}</answer>", 1), (f"<answer>{solution + 1}</answer>", 0), (f"It is {solution}.", 0)):
                got = function(data_source=row["data_source"], solution_str=reply, ground_truth=row["reward_model"]["ground_truth"], extra_info=row["extra_info"])
                faults += got != due
                graded += 1
    print(f"the loader of verl {importlib.metadata.version('verl')}: {graded} replies graded, {faults} unexpected")
    return faults == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", nargs="*", help="such as trl; none: all")
    options = parser.parse_args()
    for name in EXAMPLES:
        command(name)
    with tempfile.TemporaryDirectory() as folder:
        site = install(pathlib.Path(folder))
        passed = [run(example, site) for example in options.examples or EXAMPLES]
        if not options.examples:
            sys.path[0] = str(site)
            passed.append(loader())
    print(f"{sum(passed)} of {len(passed)} passed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
