#!/usr/bin/env python3
"""Run Atropos' own HTTP and packing tests, which come with its wheel, against our hub.

If a test starts Atropos' API server, it gets `quintain hub` instead (see plugin/swap_server.py), and if it calls the
packing functions, `quintain hub pack` answers (plugin/swap_packing.py). All tests must run and pass, every started
program must exit by itself when told to, and the requests must have gone to our hub. Then the real functions and ours
pack random queues, and the real server and ours get random requests (hub_parity.py).
"""

import argparse
import copy
import importlib.util
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import hub_parity

FILES = {"test_api_messages_handling.py": 26, "test_api_compression.py": 7, "test_api_legacy.py": 3}  # with their numbers of tests
PACKING = {"test_min_batch_allocation.py": 20, "test_heterogeneous_packing.py": 12, "test_heterogeneous_batching.py": 1}
MORE = {  # they expect no batch, or an exact one; ours begins with the oldest group and may be smaller
    "test_heterogeneous_envs", "test_packing_constraint_enforcement", "test_no_packable_items", "test_random_consistent_group_sizes",
}
SECONDS = 180  # time limit for one file
ROUNDS = 3000  # number of random queues


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(command, tests, name, scratch, plugin="swap_server"):
    """Run one file of tests: (names of passed tests, faults, the plugin's report on the programs)."""
    report, told, settings = (os.path.join(scratch, f"{name}.{len(command)}.{what}") for what in ("xml", "told", "settings"))
    with open(settings, "w", encoding="utf-8") as f:
        json.dump({"command": command, "port": free_port(), "told": told}, f)
    plugins = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin")
    env = {**os.environ, "SWAP_SETTINGS": settings, "PYTHONPATH": plugins, "PYTHONDONTWRITEBYTECODE": "1"}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", plugin, "-p", "no:cacheprovider", "-W", "ignore", "--tb=short", f"--junitxml={report}"]
    try:
        done = subprocess.run([*pytest, os.path.join(tests, name)], env=env, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as late:
        return [], [f"{name}: not finished after {SECONDS} s: {(late.stdout or b'')[-2000:].decode(errors='replace')}"], None
    if not os.path.exists(report) or not os.path.exists(told):
        return [], [f"{name}: pytest stopped with status {done.returncode}: {done.stdout[-2000:]}"], None
    passed, faults = [], []
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        trouble = [part for part in case if part.tag in ("failure", "error", "skipped")]
        if trouble:
            text = (trouble[0].text or trouble[0].get("message")).splitlines()
            reasons = [line for line in text if line.startswith("E ")] or text[-1:]
            faults.append(f"{name}: {case.get('name')}: {trouble[0].tag}: {' / '.join(reasons)[:500]}")
        else:
            passed.append(case.get("name"))
    with open(told, encoding="utf-8") as f:
        return passed, faults, json.load(f)


class Packer:
    """`quintain hub pack`, one question and answer at a time."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, **question):
        self.process.stdin.write(json.dumps(question) + "\n")
        return json.loads(self.process.stdout.readline())["picked"]

    def close(self):
        self.process.stdin.close()
        return self.process.wait(10)


def wrong(ours, theirs, size, sizes, bounded):
    """Is our batch of these groups not what it should be beside theirs? Both are places of groups, or none.

    Groups of one size that divides the batch, without minimums, are packed alike. Else ours has a batch whenever theirs has
    one, begins it with the oldest group, and makes it no larger, unless that group is alone.
    """
    if len(set(sizes)) == 1 and size % sizes[0] == 0 and not bounded:
        return ours != theirs
    return bool(theirs) and not ours or bool(ours) and (ours[0] != 0 or len(ours) > 1 and sum(sizes[i] for i in ours) > size)


def compare_packing(command):
    """Pack random queues with the real functions and with ours: (number of batches, faults)."""
    from atroposlib.api import utils as real

    rng, packer, batches, faults = random.Random(1), Packer(command), 0, []
    for _ in range(ROUNDS):
        size = rng.choice([4, 6, 8, 8, 12, 16])
        sizes = rng.choice([[1], [4], [2, 4], [1, 2, 4], [1, 2, 4, 8], [3, 4], [1, 3, 6], [2, 6]])
        envs = [
            {"registered_id": i, "connected": rng.random() < 0.9, "min_batch_allocation": rng.choice([None, 0, 0.1, 0.25, 0.5, 0.5, 1.0])}
            for i in range(rng.randrange(1, 4))
        ]
        owners = [None] * (rng.random() < 0.2) + list(range(len(envs)))
        queue = [{"tokens": [[i]] * rng.choice(sizes), "env_id": rng.choice(owners)} for i in range(rng.randrange(14))]
        groups = [{"env_id": g["env_id"], "sequences": len(g["tokens"])} for g in queue]
        parts, want = [rng.randrange(1, 6) for _ in range(rng.randrange(8))], rng.randrange(1, 14)
        for name, theirs, ours in (
            ("exact", real.grab_exact_from_heterogeneous_queue(copy.deepcopy(queue), size)[0], packer.ask(batch_size=size, queue=groups)),
            (
                "minimums",
                real.grab_batch_with_minimum_allocations(copy.deepcopy(queue), size, envs)[0],
                packer.ask(batch_size=size, queue=groups, envs=[{"id": e["registered_id"], **e} for e in envs]),
            ),
            ("completing", real.find_groups_summing_to_target([{"tokens": [[0]] * n} for n in parts], want), packer.ask(target=want, sizes=parts)),
        ):
            places = [g if isinstance(g, int) else g["tokens"][0][0] for g in theirs or []]
            batches += bool(places)
            if places != ours if name == "completing" else wrong(ours, places, size, [g["sequences"] for g in groups], name == "minimums"):
                faults.append(f"packing {name}: {size if name != 'completing' else want} of {groups if name != 'completing' else parts}: {ours}, theirs {places}")
    if packer.close() != 0:
        faults.append("quintain hub pack exited with an error")
    return batches, faults[:5]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    args = parser.parse_args()
    tests = os.path.join(importlib.util.find_spec("atroposlib").submodule_search_locations[0], "tests")
    program = os.path.abspath(args.quintain)
    jobs = [([program, "hub"], tests, name, "swap_server", count) for name, count in FILES.items()]
    jobs += [([program, "hub", "pack"], os.path.join(tests, "test_utils"), name, "swap_packing", count) for name, count in PACKING.items()]

    all_passed, all_faults = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        for command, folder, name, plugin, expected in jobs:
            passed, faults, told = run(command, folder, name, scratch, plugin)
            ran = len(passed) + len(faults)
            if command[-1] == "pack":
                faults = [f for f in faults if not any(f": {test}: " in f for test in MORE)]
            if told is not None:
                if ran != expected:
                    faults.append(f"{name}: {ran} tests ran, want {expected}")
                if told["requested"] < expected or told["started"] == 0:
                    faults.append(f"{name}: {told['requested']} requests to {told['started']} servers of ours: the tests used another server")
                if any(status not in (0, -15) for status in told["statuses"]):
                    faults.append(f"{name}: exit statuses of the servers are {told['statuses']}, want 0 or -15")
            print(f"{' '.join(command[1:]):<18} {name:<32} {len(passed)}/{expected} passed{', ' + str(told['requested']) + ' requests' if told else ''}")
            all_passed += len(passed)
            all_faults += faults
    batches, faults = compare_packing([program, "hub", "pack"])
    print(f"hub pack           {ROUNDS} random queues, {batches} batches, {len(faults)} packed otherwise than they may be beside the real functions")
    compared, more = hub_parity.compare(program)
    print(f"hub and run-api    {compared}, {len(more)} with different replies")
    faults += more
    for fault in all_faults + faults:
        print(f"FAILED {fault}"[:2000])
    print(f"{all_passed} passed, {len(all_faults + faults)} failed")
    return 1 if all_faults or faults or not all_passed or not batches else 0


if __name__ == "__main__":
    sys.exit(main())
