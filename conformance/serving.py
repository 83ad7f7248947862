"""A server of problems that runs for the length of a block."""
import contextlib
import json
import subprocess
import sys
import threading


@contextlib.contextmanager
def serving(quintain):
    """Run quintain serve, and give its URL."""
    process = subprocess.Popen([quintain, "serve", "--port", "0", "--log-level", "error"], stderr=subprocess.PIPE, text=True)
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


def export(quintain, task, count):
    """The first problems of a task with the settings of reasoning-gym and seed 1, as its entries."""
    command = [quintain, "tasks", "export", "--format", "reasoning-gym", "--task", task, "--seed", "1", "--params", "{}", "--count", str(count)]
    return [json.loads(line) for line in subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()]
