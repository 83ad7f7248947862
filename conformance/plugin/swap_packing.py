"""A plugin for pytest: `quintain hub pack` answers in place of the packing functions of
the Atropos API server. The tests themselves do not change.

SWAP_SETTINGS names a JSON file: {"command": […], "told": path}.
"""

import json
import os
import subprocess
import sys
import types

with open(os.environ["SWAP_SETTINGS"], encoding="utf-8") as settings:
    SETTINGS = json.load(settings)
process = subprocess.Popen(SETTINGS["command"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
asked = 0


def picked(question):
    """The indices that our program picks."""
    global asked
    asked += 1
    process.stdin.write(json.dumps(question) + "\n")
    return json.loads(process.stdout.readline())["picked"]


def split(queue, places):
    """(picked groups, the rest), or (None, all) if nothing was picked."""
    if not places:
        return None, queue
    chosen = set(places)
    return [queue[i] for i in places], [g for i, g in enumerate(queue) if i not in chosen]


def groups(queue):
    return [{"env_id": g.get("env_id"), "sequences": len(g["tokens"])} for g in queue]


def grab_exact_from_heterogeneous_queue(queue, batch_size):
    return split(queue, picked({"batch_size": batch_size, "queue": groups(queue)}))


def grab_batch_with_minimum_allocations(queue, batch_size, env_configs):
    envs = [
        {"id": e.get("registered_id", i), "connected": e.get("connected", False), "min_batch_allocation": e.get("min_batch_allocation")}
        for i, e in enumerate(env_configs)
    ]
    return split(queue, picked({"batch_size": batch_size, "queue": groups(queue), "envs": envs}))


def find_groups_summing_to_target(buffer, target_size):
    return picked({"target": target_size, "sizes": [len(g["tokens"]) for g in buffer]})


shim = types.ModuleType("atroposlib.api.utils")
for function in (grab_exact_from_heterogeneous_queue, grab_batch_with_minimum_allocations, find_groups_summing_to_target):
    setattr(shim, function.__name__, function)
sys.modules[shim.__name__] = shim


def pytest_sessionfinish():
    process.stdin.close()
    with open(SETTINGS["told"], "w", encoding="utf-8") as told:
        json.dump({"started": 1, "statuses": [process.wait(10)], "requested": asked}, told)
