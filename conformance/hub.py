#!/usr/bin/env python3
"""Run Atropos' own HTTP tests, as its wheel brings them, against `quintain hub`.

Where a test starts Atropos' API server, it gets ours (see plugin/swap_server.py).
All tests must run and pass, every server that was started must have ended by
itself when it was told to, and the requests must have gone to ours.
"""

import argparse
import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

FILES = {"test_api_messages_handling.py": 26, "test_api_compression.py": 7, "test_api_legacy.py": 3}  # and how many tests each has
SECONDS = 180  # for one file


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(command, tests, name, scratch):
    """Run one file of tests: (names of tests that passed, faults, what was told of the servers)."""
    report, told, settings = (os.path.join(scratch, f"{name}.{what}") for what in ("xml", "told", "settings"))
    with open(settings, "w", encoding="utf-8") as f:
        json.dump({"command": command, "port": free_port(), "told": told}, f)
    plugin = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin")
    env = {**os.environ, "SWAP_SERVER": settings, "PYTHONPATH": plugin, "PYTHONDONTWRITEBYTECODE": "1"}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "swap_server", "-p", "no:cacheprovider", "-W", "ignore", "--tb=short", f"--junitxml={report}"]
    try:
        done = subprocess.run([*pytest, os.path.join(tests, name)], env=env, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as late:
        return [], [f"{name}: not done after {SECONDS} s: {(late.stdout or b'')[-2000:].decode(errors='replace')}"], None
    if not os.path.exists(report) or not os.path.exists(told):
        return [], [f"{name}: pytest broke off with status {done.returncode}: {done.stdout[-2000:]}"], None
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    args = parser.parse_args()
    tests = os.path.join(importlib.util.find_spec("atroposlib").submodule_search_locations[0], "tests")

    all_passed, all_faults = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        for name, expected in FILES.items():
            passed, faults, told = run([os.path.abspath(args.quintain), "hub"], tests, name, scratch)
            ran = len(passed) + len(faults)
            if told is not None:
                if ran != expected:
                    faults.append(f"{name}: {ran} tests ran, want {expected}")
                if told["requested"] < expected or told["started"] == 0:
                    faults.append(f"{name}: {told['requested']} requests to {told['started']} servers of ours: the tests went elsewhere")
                if any(status not in (0, -15) for status in told["statuses"]):
                    faults.append(f"{name}: exit statuses of the servers are {told['statuses']}, want 0 or -15")
            print(f"{name:<32} {len(passed)}/{expected} passed{', ' + str(told['requested']) + ' requests' if told else ''}")
            all_passed += len(passed)
            all_faults += faults
    for fault in all_faults:
        print(f"FAILED {fault}")
    print(f"{all_passed} passed, {len(all_faults)} failed")
    return 1 if all_faults or not all_passed else 0


if __name__ == "__main__":
    sys.exit(main())
