#!/usr/bin/env python3
"""Write a scenario project with quintain scenarios init, and run every command of its README, as it is written.

The commands with an inference server get the address of quintain policy fake. The run of the last command never ends by
itself, since no trainer comes: it is interrupted once its hub is there.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WRITTEN = "http://127.0.0.1:8001"  # the server of the README


def commands(readme):
    """The commands of a README: its indented lines."""
    return [line.strip() for line in readme.read_text().splitlines() if line.startswith("    ")]


def fake_server(folder):
    """Start an inference server without a model, and return it and its address."""
    server = subprocess.Popen(["quintain", "policy", "fake", "--port", "0", "--shape", "openai"], cwd=folder, stderr=subprocess.PIPE, text=True)
    for line in server.stderr:
        if found := re.search(r"http://[0-9.]+:\d+", line):
            return server, found[0]
    sys.exit("FAILED: the fake server has no address")


def interrupted(command, folder):
    """Run a command until its hub is there, interrupt it, and return what it said."""
    run = subprocess.Popen([*command.split(), "--port", "0", "--with", "run.grace=0"], cwd=folder, stderr=subprocess.PIPE, text=True)
    said = ""
    for line in run.stderr:
        said += line
        if "Ctrl-C stops" in line:
            run.send_signal(signal.SIGINT)
    run.wait(timeout=60)
    if "Ctrl-C stops" not in said:
        sys.exit(f"FAILED: {command}\n{said}")
    return said


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quintain", required=True)
    quintain = pathlib.Path(options.parse_args().quintain).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        (place / "bin").mkdir()
        (place / "bin" / "quintain").symlink_to(quintain)
        os.environ["PATH"] = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
        os.environ["PYTHONPATH"] = str(ROOT / "python")
        project = place / "count_letters"
        subprocess.run(["quintain", "scenarios", "init", project], check=True)
        server, address = fake_server(place)
        try:
            listed = commands(project / "README.md")
            for command in listed:
                command = command.replace(WRITTEN, address).replace("--tokenizer my-model ", "")  # the server takes no tokens
                print(f"$ {command}", flush=True)
                if "--consumer hub" in command:
                    interrupted(command, project)
                    continue
                done = subprocess.run(command.split(), cwd=project, capture_output=True, text=True, timeout=120)
                if done.returncode != 0:
                    sys.exit(f"FAILED: {command}: status {done.returncode}\n{done.stdout}{done.stderr}")
                if "trace list" in command and done.stdout.count("count_letters.v1/") != 5:
                    sys.exit(f"FAILED: {command}: want 5 groups\n{done.stdout}")
        finally:
            server.kill()
            server.wait()
        if len(listed) < 8:
            sys.exit(f"FAILED: the README has {len(listed)} commands, want 8 or more")
        print(f"all {len(listed)} commands of the README ran")


if __name__ == "__main__":
    main()
