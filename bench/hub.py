#!/usr/bin/env python3
"""Put the same load on our hub and on Atropos' run-api.

    python3 -m venv peers && peers/bin/pip install atroposlib==0.4.0
    go build -o quintain ./cmd/quintain
    python3 bench/hub.py --quintain ./quintain --run-api peers/bin/run-api

For each scenario both servers are started on free loopback ports, one after the other. Ours has a fresh folder and
syncs before every answer. bench/load, in a separate process, makes the load. This script uses only the
standard library, and Go.
"""

import argparse
import contextlib
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

# Scenario: arguments for both, more arguments for ours alone, and the figures: name, whether more (+) or less (-) is
# better, and the required ratio.
SCENARIOS = {
    "ingest, JSON": (["--scenario", "ingest"], [], [("groups_per_s", "+", 10), ("latency.p99_ms", "-", 10)]),
    "ingest, gzip": (["--scenario", "ingest", "--form", "gzip"], [], [("groups_per_s", "+", None), ("latency.p99_ms", "-", None)]),
    "ingest, binary": (["--scenario", "ingest"], ["--form", "binary", "--connections", "16"], [("groups_per_s", "+", 30), ("latency.p99_ms", "-", None)]),
    "ingest, 1,000 environments poll": (["--scenario", "polls"], [], [("groups_per_s", "+", None), ("polls.p99_ms", "-", None)]),
    "batch of 256 x 2,048": (["--scenario", "batch"], [], [("mb_per_s", "+", 50), ("latency.p99_ms", "-", None), ("info.p99_ms", "-", None)]),
    "batch, gzip": (["--scenario", "batch", "--accept-gzip"], [], [("groups_per_s", "+", None), ("info.p99_ms", "-", None)]),
    "backlog of 20,000 small groups": (["--scenario", "backlog"], [], [("groups_per_s", "+", 20), ("fill_groups_per_s", "+", None), ("first_ms", "-", None), ("last_quarter_groups_per_s", "+", None), ("rss_peak_mb", "-", None)]),
}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def peak_mb(pid):
    """Peak resident memory of a process, in MB."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status") as f:
        for line in f:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1e3
    return 0.0


def measure(command, bench):
    """Start a server, put the load on it, and return the measurements."""
    port = free_port()
    data = tempfile.mkdtemp(prefix="hub-bench-")
    words = [w.replace("{port}", str(port)).replace("{data}", data) for w in command]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
        try:
            url = f"http://127.0.0.1:{port}"
            for _ in range(600):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(url + "/info", timeout=1).read()
                    break
                time.sleep(0.05)
            before = cpu_seconds(server.pid)
            run = subprocess.run(bench + ["--url", url], capture_output=True, text=True)
            if run.returncode != 0:
                log.seek(0)
                raise RuntimeError(run.stderr + log.read().decode("utf-8", "replace")[-1000:])
            row = json.loads(run.stdout)
            row["rss_peak_mb"] = peak_mb(server.pid)
            row["cpu_ms_per_group"] = 1e3 * (cpu_seconds(server.pid) - before) / max(1, row["groups"])
            return row
        finally:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
            shutil.rmtree(data, ignore_errors=True)


def cpu_seconds(pid):
    """The processor time of a process and its children so far."""
    total, kids = 0.0, {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat") as f:
                rest = f.read().rsplit(")", 1)[1].split()
                kids.setdefault(int(rest[1]), []).append(int(name))
                kids[-int(name)] = int(rest[11]) + int(rest[12])
    todo = [pid]
    while todo:
        one = todo.pop()
        total += kids.get(-one, 0)
        todo += kids.get(one, [])
    return total / os.sysconf("SC_CLK_TCK")


def figure(row, name):
    for part in name.split("."):
        row = row.get(part, 0) if row else 0
    return row


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--quintain", required=True, help="our program")
    ap.add_argument("--run-api", help="Atropos' server; without it only ours is measured")
    ap.add_argument("--scenario", action="append", default=[], help="part of a scenario's name; default: all")
    ap.add_argument("--time", default="5s", help="duration of an ingest scenario")
    ap.add_argument("--rounds", type=int, default=1, help="number of repetitions; the best of each side counts")
    ap.add_argument("--out", help="file for all measurements, as JSON")
    args = ap.parse_args()
    scratch = tempfile.TemporaryDirectory()
    load = os.path.join(scratch.name, "load")
    subprocess.run(["go", "build", "-o", load, "./bench/load"], cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))), check=True)
    servers = {"ours": [args.quintain, "hub", "--port", "{port}", "--data", "{data}"]}
    if args.run_api:
        servers = {"run-api": shlex.split(args.run_api) + ["--host", "127.0.0.1", "--port", "{port}"], **servers}
    rows = []
    print(f"load of the machine at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| scenario | figure | " + " | ".join(servers) + " | ratio | required |")
    print("|---|---|" + "---|" * len(servers) + "---|---|")
    for name, (common, own, figures) in SCENARIOS.items():
        if args.scenario and not any(s in name for s in args.scenario):
            continue
        bench = [load, "hub", "--time", args.time] + common
        got = {side: [] for side in servers}
        for _ in range(args.rounds):
            for side, command in servers.items():
                row = measure(command, bench + (own if side == "ours" else []))
                rows.append({"name": name, "side": side, **row})
                got[side].append(row)
        for what, better, asked in figures + [("cpu_ms_per_group", "-", None)]:
            pick = max if better == "+" else min
            best = {side: pick(figure(r, what) for r in all) for side, all in got.items()}
            ratio = ""
            if args.run_api and min(best.values()) > 0:
                ratio = best["ours"] / best["run-api"] if better == "+" else best["run-api"] / best["ours"]
                ratio = f"{ratio:,.1f} x"
            print(f"| {name} | {what} | " + " | ".join(f"{v:,.1f}" for v in best.values()) + f" | {ratio} | {asked or ''} |", flush=True)
    if args.out:
        with open(args.out, "w") as f:
            json.dump(rows, f, indent=1)


if __name__ == "__main__":
    sys.exit(main())
