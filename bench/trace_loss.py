#!/usr/bin/env python3
"""What a kill -9 loses of the trace: groups that are on disk in the queue, and not in the trace, and how long the trace had
not been written when the run was killed, which bounds the age of the oldest of them.

    bench/trace_loss.py --quintain bin/quintain --kills 20
    bench/trace_loss.py --quintain bin/quintain --kills 20 --workers
    bench/trace_loss.py --quintain bin/quintain --kills 20 --slow
"""

import argparse
import datetime
import json
import pathlib
import random
import signal
import subprocess
import tempfile
import time

RUN = "run --policy script --with policy.accuracy=0.5 --tasks chain_sum:0-3 --consumer hub --max-lag 100000 --exam-problems 0 --port 0 --announce at".split()


def main():
    """Kill runs, and print what each lost."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quintain", required=True, type=lambda p: str(pathlib.Path(p).resolve()))
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--workers", action="store_true", help="a worker plays")
    options.add_argument("--slow", action="store_true", help="some 20 groups a second, in place of all that the machine makes")
    args = options.parse_args()
    run = RUN + args.workers * ["--workers"] + args.slow * ["--parallel", "64", "--with", "policy.delay=300ms"]
    kept = lost = 0
    ages = []
    for n in range(args.kills):
        with tempfile.TemporaryDirectory() as folder:
            groups, missing, age = killed(args.quintain, run, pathlib.Path(folder), 2 + 2 * random.Random(n).random())
        kept, lost, ages = kept + groups, lost + missing, [*ages, age]
        print(f"{n + 1}: {groups} groups, {missing} not in the trace, whose newest is {age:.2f} s old", flush=True)
    print(f"{kept} groups, {lost} not in the trace ({lost / kept:.1%}); at most {max(ages):.2f} s old")


def killed(quintain, run, folder, seconds):
    """The groups that a killed run had in its queue, those of them without a trace, and the time since the newest in the trace."""
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [subprocess.Popen([quintain, *run], **quiet)]
    while not (folder / "at").exists():
        time.sleep(0.01)
    if "--workers" in run:
        processes.append(subprocess.Popen([quintain, "worker", "--coordinator", "@at", "--slots", "64"], **quiet))
    while len(listed(quintain, folder)) < 100:
        time.sleep(0.1)
    time.sleep(seconds)
    processes[0].send_signal(signal.SIGKILL)
    end = datetime.datetime.now(datetime.timezone.utc)
    for process in processes:
        process.kill()
        process.wait()
    dumped = subprocess.run([quintain, "hub", "queue", "dump", "quintain-data"], cwd=folder, stdout=subprocess.PIPE, check=True).stdout
    queued = {json.loads(line)["id"] for line in dumped.splitlines()}
    traced = listed(quintain, folder)
    newest = max(datetime.datetime.fromisoformat(t[:26].rstrip("Z").ljust(26, "0") + "+00:00") for t in traced.values())
    return len(queued), len(queued - traced.keys()), (end - newest).total_seconds()


def listed(quintain, folder):
    """The times of the groups in the trace, by their IDs."""
    said = subprocess.run([quintain, "trace", "list", "--json", "--limit", "1000000"], cwd=folder, capture_output=True, check=False).stdout
    return {one["group"]: one["time"] for one in map(json.loads, said.splitlines())}


main()
