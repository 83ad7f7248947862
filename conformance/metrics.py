#!/usr/bin/env python3
"""A short run whose numbers go to JSON lines, to TensorBoard's event files, to a real MLflow server and to /metrics.
Their usual packages read all of them back; they must say the same.

    REQUIREMENTS=metrics.txt conformance/python conformance/metrics.py --quintain bin/quintain
"""

import argparse
import contextlib
import json
import math
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"

from mlflow.tracking import MlflowClient  # noqa: E402
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: E402


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def mlflow_server(folder):
    """A server of its own, on SQLite, as `mlflow server` starts it."""
    port = free_port()
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1",
               "--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--artifacts-destination", str(folder / "artifacts")]
    with open(folder / "mlflow.log", "w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                break
            if server.poll() is not None:
                sys.exit("the MLflow server ended:\n" + (folder / "mlflow.log").read_text()[-2000:])
            time.sleep(0.2)
        else:
            sys.exit("the MLflow server does not answer")
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, 15)
        server.wait(30)


def run(quintain, folder, tracker, steps):
    """Play some steps with the script, and return the gauges that /metrics showed at the end."""
    port = free_port()
    command = [quintain, "run", "--policy", "script", "--steps", str(steps), "--data", str(folder / "data"), "--port", str(port), "--tasks", "gcd,lcm:1",
               "--with", "metrics.tensorboard=" + str(folder / "events"), "--with", "metrics.mlflow=" + tracker]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "QUINTAIN_METRICS_EVERY": "100ms"})
    page = ""
    while process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as reply:
            page = reply.read().decode() or page
        time.sleep(0.05)
    said = process.stderr.read()
    if process.returncode != 0 or "MLflow" in said:
        sys.exit(f"quintain run ended with {process.returncode}:\n{said}")
    return page


def lines_of(folder):
    """The points of each name: a list of (step, value)."""
    points = {}
    for line in (folder / "data" / "metrics.jsonl").read_text().splitlines():
        row = json.loads(line)
        for name, value in row["values"].items():
            points.setdefault(name, []).append((row["step"], value))
    return points


def same(ours, theirs, what):
    """Compare points, of 24 bits where they are TensorBoard's."""
    if set(ours) != set(theirs):
        return [f"{what} has other names: {sorted(set(ours) ^ set(theirs))}"]
    faults = []
    for name, points in ours.items():
        if len(points) != len(theirs[name]) or any(a[0] != b[0] or not math.isclose(a[1], b[1], rel_tol=1e-6, abs_tol=1e-30) for a, b in zip(points, theirs[name])):
            faults.append(f"{what}: {name} is {theirs[name][:3]} …, want {points[:3]} …")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quintain", required=True)
    quintain = os.path.abspath(parser.parse_args().quintain)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with mlflow_server(folder) as tracker:
            client = MlflowClient(tracker)
            client.search_experiments()  # a fresh server is slow to answer the first time
            for _ in range(2):  # the second process continues the run
                page = run(quintain, folder, tracker, 30)
            ours = lines_of(folder)
            experiment = client.get_experiment_by_name("quintain")
            runs = client.search_runs([experiment.experiment_id])
            faults = [] if len(runs) == 1 and runs[0].info.status == "FINISHED" else [f"MLflow has the runs {runs}, want one that is finished"]
            logged = {}
            for key in runs[0].data.metrics:
                logged[key] = [(m.step, m.value) for m in client.get_metric_history(runs[0].info.run_id, key)]
        faults += same({re.sub("[^A-Za-z0-9_. /-]", "_", k): v for k, v in ours.items()}, logged, "MLflow")

        events = EventAccumulator(str(folder / "events"), size_guidance={"scalars": 0})
        events.Reload()
        # EventAccumulator shows one process of a run; TensorBoard itself shows all files of a folder.
        shown = {}
        for path in sorted((folder / "events").iterdir()):
            one = EventAccumulator(str(path), size_guidance={"scalars": 0})
            one.Reload()
            for tag in one.Tags()["scalars"]:
                shown.setdefault(tag, []).extend((e.step, e.value) for e in one.Scalars(tag))
        faults += same(ours, shown, "TensorBoard")

        last = ours["train/percent_correct"]
        gauge = re.search(r"^quintain_train_percent_correct (\S+)$", page, re.M)
        if not gauge or not any(math.isclose(float(gauge[1]), v) for _, v in last):
            faults.append(f"/metrics shows {gauge and gauge[0]}, want one of {last[-3:]}")
        rows = sum(1 for _ in open(folder / "data" / "metrics.jsonl"))
        if rows < 10:
            faults.append(f"there are only {rows} rows")
    for fault in faults:
        print(fault)
    print(f"metrics: {rows} rows, {len(ours)} names, {sum(map(len, ours.values()))} numbers read back from TensorBoard and MLflow: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
