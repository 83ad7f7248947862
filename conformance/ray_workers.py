#!/usr/bin/env python3
"""quintain.ray.Workers with the real Ray: an actor and a worker's process are killed, and each problem counts once.

    REQUIREMENTS=ray.txt conformance/python conformance/ray_workers.py
"""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
import wheels  # noqa: E402

sys.path.pop(0)
KEYS = {"worker": "w0rker", "trainer": "tra1ner", "admin": "adm1n"}


def install(folder):
    """Install the wheel for this process and for those that Ray starts."""
    wheel = wheels.build_wheel(folder)
    target = folder / "installed"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target, folder / wheel], check=True)
    sys.path.insert(0, str(target))
    os.environ["PYTHONPATH"] = str(target)


def roster(url):
    request = urllib.request.Request(f"{url}/v1/runs/default/workers", headers={"Authorization": f"Bearer {KEYS['admin']}"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.load(reply)["workers"]


def within(seconds, what, holds):
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > seconds:
            raise SystemExit(f"not within {seconds} s: {what}")
        time.sleep(0.1)
    print(f"{what}: after {time.monotonic() - began:.1f} s", flush=True)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def play(url, workers, ray):
    """Train on batches while workers die, and return how often each group came."""
    def known():
        return {w["instance"] for w in roster(url)}

    def two_play():
        return sum(w["leases"] > 0 for w in roster(url)) == 2

    came, begun, pids = collections.Counter(), time.monotonic(), set()
    for step, batch in enumerate(workers.batches(batch_size=64, steps=60, timeout=120, unit="episodes")):
        came.update(group["id"] for group in batch.groups)
        if step in (10, 30, 50):  # a batch was just taken, so there is work
            within(60, "two workers play", two_play)
        if step in (10, 30):
            states, before = workers.states(), known()
            pids |= {state["pid"] for state in states}
            if step == 10:
                ray.kill(workers.actors[0], no_restart=False)
                within(60, "the process of a killed actor has ended", lambda: not alive(states[0]["pid"]))
            else:
                os.kill(states[1]["pid"], signal.SIGKILL)
            within(90, "another instance comes in its place", lambda: known() - before)
    print(f"{len(came)} groups in 60 steps, {time.monotonic() - begun:.0f} s")
    pids |= {state["pid"] for state in workers.states()}
    if len(pids) != 4:
        raise SystemExit(f"{len(pids)} processes have played, want 4")
    began = time.monotonic()
    workers.drain()
    print(f"drained in {time.monotonic() - began:.1f} s")
    if left := [pid for pid in pids if alive(pid)]:
        raise SystemExit(f"processes {left} go on")
    if left := roster(url):
        raise SystemExit(f"the coordinator still knows {left}")
    return came


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        install(folder)
        os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
        import quintain
        import ray

        (folder / "keys").write_text("".join(f"{role} {key}\n" for role, key in KEYS.items()))
        ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False)
        with quintain.Run(
            folder / "data", workers=True, policy="script", consumer="hub", tasks="chain_sum", complexity_mode="none", settings={"rules.keep_equal": True, "policy.delay": "300ms"}, group_size=4,
            parallel=64, key_file=folder / "keys", announce=folder / "address",
        ) as run:  # fmt: skip
            url = run.url()
            with quintain.ray.Workers(1, url, slots=16, key="wrong") as refused:
                within(60, "a worker with a wrong key has ended", lambda: (refused.states()[0] or {}).get("status"))
                try:
                    refused.drain()
                except quintain.ProgramError as fault:
                    print(fault)
                else:
                    raise SystemExit("a worker with a wrong key drains without an error")
            workers = quintain.ray.Workers(2, f"@{folder / 'address'}", slots=16, key=KEYS["worker"], trainer_key=KEYS["trainer"])
            came = play(url, workers, ray)
        ray.shutdown()
        if twice := [group for group, n in came.items() if n > 1]:
            raise SystemExit(f"groups came twice: {twice}")
        if len(came) != 60 * 16:
            raise SystemExit(f"{len(came)} groups, want {60 * 16}")
        print(f"{len(came)} problems, each counted once")


if __name__ == "__main__":
    main()
