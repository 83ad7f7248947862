"""Programs that run for the length of a block, and their HTTP."""
import contextlib
import json
import socket
import subprocess
import sys
import threading
import urllib.request

BATCH, GROUP = 64, 8  # episodes of a batch and of a group


@contextlib.contextmanager
def serving(quintain, *flags):
    """Run quintain serve, and give its URL."""
    process = subprocess.Popen([quintain, "serve", "--port", "0", "--log-level", "error", *flags], stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            if "listening on" in line:
                threading.Thread(target=lambda: sys.stderr.write(process.stderr.read()), daemon=True).start()
                yield line.split("listening on ")[1].split(";")[0]
                break
        else:
            raise SystemExit(f"quintain serve ended with status {process.wait()}")
    finally:
        process.terminate()
        if process.wait():
            raise SystemExit(f"quintain serve ended with status {process.returncode}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def started(command, says):
    """Run a program that has said so."""
    process, lines = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True), []
    try:
        for line in process.stderr:
            lines.append(line)
            if says in line:
                break
        else:
            raise SystemExit(f"{command[1]} ended with status {process.wait()}\n{''.join(lines)}")
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def training(quintain, url, folder, flags):
    """Run quintain run with a server, for a trainer, and give its process and the URL of its routes. Its report is
    report.json in the folder."""
    port = free_port()
    command = [quintain, "run", "--url", url, "--consumer", "hub", "--port", str(port), "--with", "rules.keep_equal=true", "--batch-size", str(BATCH), "--group-size", str(GROUP),
               "--data", f"{folder}/data", "--report", f"{folder}/report.json", *flags]
    with started(command, "hub on") as process:
        yield process, f"http://127.0.0.1:{port}/v1/runs/default"


def call(method, url, value=None, patience=60):
    """The headers and the JSON of a reply; {} if it is empty."""
    body = None if value is None else json.dumps(value).encode()
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method), timeout=patience) as reply:
        text = reply.read()
        return reply.headers, json.loads(text) if text else {}


def export(quintain, task, count):
    """The first problems of a task with the settings of reasoning-gym and seed 1, as its entries."""
    command = [quintain, "tasks", "export", "--format", "reasoning-gym", "--task", task, "--seed", "1", "--params", "{}", "--count", str(count)]
    return [json.loads(line) for line in subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()]
