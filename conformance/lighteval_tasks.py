#!/usr/bin/env python3
"""Drive docs/examples/lighteval with lighteval's own command line, and with replies made here: right, wrong and malformed
ones. Its scores must be those of quintain grade.

    REQUIREMENTS=lighteval.txt PIP_NO_DEPS=1 conformance/python conformance/lighteval_tasks.py --quintain bin/quintain
"""

import argparse
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import adapters

TASKS, COUNT = "chain_sum:1,countdown:0,word_sorting:2", 12


def offline():
    """When lighteval starts, it fetches a file of one of its own benchmarks, which is not played here, unless there is one."""
    [place] = importlib.util.find_spec("lighteval.tasks.tasks").submodule_search_locations
    pathlib.Path(place, "tinyBenchmarks.pkl").touch()


def replies(folder):
    """A reply to each prompt of the data set, and the scores due of each task, sorted."""
    import quintain

    said, due = {}, {}
    for number, row in enumerate(map(json.loads, (folder / "test.jsonl").read_text(encoding="utf-8").splitlines())):
        reply = ["<think>So.</think>\n<answer>{}</answer>", "<answer>nothing</answer>", "{}"][number % 3].format(row["answer"])
        said["\n\n".join(message["content"] for message in row["prompt"])] = reply
        [verdict] = quintain.judge_all([row["problem"]], [reply])
        due.setdefault(f"quintain:{row['task']}:{row['level']}|0", []).append(verdict.score)
    return said, due


def run(folder, out):
    """The results of lighteval by the names of its tasks."""
    program = pathlib.Path(sys.executable).with_name("lighteval")
    command = [program, "custom", "made-here", adapters.ROOT / "conformance/lighteval_model.py", "quintain", "--custom-tasks", adapters.ROOT / "docs/examples/lighteval/quintain_tasks.py", "--output-dir", out]
    done = subprocess.run(command, cwd=out, env={**os.environ, "QUINTAIN_DATA": str(folder), "REPLIES": str(out / "replies.json"), "HOME": str(out)}, capture_output=True, text=True, timeout=600, check=False)
    found = list(out.rglob("results_*.json"))
    if done.returncode or len(found) != 1:
        raise SystemExit(f"lighteval ended with {done.returncode}, and {len(found)} files of results\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    return json.loads(found[0].read_text(encoding="utf-8"))["results"]


def readme():
    """The README must install the versions that are driven here."""
    text = (adapters.ROOT / "docs/examples/lighteval/README.md").read_text(encoding="utf-8")
    pins = (adapters.ROOT / "conformance/lighteval.txt").read_text(encoding="utf-8").splitlines()
    [line] = re.findall(r"^    pip install \./python (.*)$", text, re.MULTILINE)
    return [f"the README installs {one}, which lighteval.txt has not" for one in line.split() if one not in pins]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True)
    program, faults = os.path.abspath(parser.parse_args().quintain), readme()
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        adapters.stage(root, program)
        offline()
        subprocess.run([sys.executable, adapters.ROOT / "docs/examples/hf-dataset/make.py", root / "set", "--tasks", TASKS, "--train", "12", "--test", str(COUNT)], check=True, stderr=subprocess.PIPE)
        said, due = replies(root / "set")
        (root / "out").mkdir()
        (root / "out" / "replies.json").write_text(json.dumps(said))
        got = run(root / "set", root / "out")
        for task, scores in due.items():
            want = sum(scores) / COUNT
            if len(scores) != COUNT or not 0 < want < 1 or abs(got.get(task, {}).get("score", -1) - want) > 1e-9:
                faults.append(f"{task}: {got.get(task)}, due {want} of {len(scores)} scores")
    print(f"lighteval: {len(said)} replies to {len(due)} tasks, {len(faults)} faults", *faults, sep="\n  ")
    return 1 if faults or len(due) != 3 else 0


if __name__ == "__main__":
    sys.exit(main())
