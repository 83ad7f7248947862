#!/usr/bin/env python3
"""Archive the traces of a run in versitygw, an S3 server over a folder, while the run is killed and the server goes away,
and read them back.

    python3 conformance/archive.py --quintain bin/quintain [--server versitygw]

Without --server, Go builds it. Every closed file of the trace must be in the bucket, byte for byte, and written once; the
groups of the archive must be those of the folder; a copy of the folder that goes another way must not lose a file; and no
key may be in any file or line of the log.
"""

import argparse
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

KEYS = {"AWS_ACCESS_KEY_ID": "conformance-id", "AWS_SECRET_ACCESS_KEY": "conformance-secret"}
VERSION = "v1.8.0"
ROUNDS = 6


def check(right, what):
    """End if something is wrong."""
    if not right:
        sys.exit(f"archive: {what}")


class Server:
    """versitygw over a folder."""

    def __init__(self, program, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.command = [program, "--access", KEYS["AWS_ACCESS_KEY_ID"], "--secret", KEYS["AWS_SECRET_ACCESS_KEY"], "--port", f"127.0.0.1:{self.port}", "posix", str(folder)]

    def start(self):
        """Start it, and wait until it listens."""
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            with socket.socket() as there:
                if there.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        sys.exit("archive: the server does not start")

    def stop(self):
        """Kill it."""
        self.process.kill()
        self.process.wait()


class Run:
    """A run with small files of its trace, and what it says."""

    def __init__(self, quintain, server, log):
        self.quintain, self.log = quintain, log
        self.environ = dict(os.environ, **KEYS, AWS_ENDPOINT_URL=f"http://127.0.0.1:{server.port}", QUINTAIN_TRACE_SEGMENT_BYTES="65536")

    def start(self, data, steps):
        """Start the run for a number of steps."""
        command = [self.quintain, "run", "--policy", "script", "--delay", "0s", "--step-time", "100ms", "--steps", str(steps), "--port", "0"]
        return subprocess.Popen([*command, "--data", str(data), "--archive", "s3://bucket/runs"], env=self.environ, stdout=self.log, stderr=self.log)

    def export(self, *data):
        """The groups of data, as lines."""
        command = [self.quintain, "export", "records"] + [word for name in data for word in ("--data", str(name))]
        return sorted(subprocess.run(command, env=self.environ, check=True, capture_output=True).stdout.splitlines())


def closed(data):
    """The files of a trace, all closed by now, by name."""
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(data, "trace").glob("*.trace"))}


def objects(folder):
    """The files of the bucket, by their path in it."""
    return {str(path.relative_to(folder)): path for path in sorted(pathlib.Path(folder).rglob("*.trace"))}


def main():
    """Check it all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--server", help="the program versitygw")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        program = args.server
        if not program:
            subprocess.run(["go", "install", f"github.com/versity/versitygw/cmd/versitygw@{VERSION}"], env=dict(os.environ, GOBIN=str(scratch), GOFLAGS=""), check=True)
            program = str(scratch / "versitygw")
        bucket, data, copy = scratch / "root" / "bucket", scratch / "data", scratch / "copy"
        bucket.mkdir(parents=True)
        server = Server(program, scratch / "root")
        with open(scratch / "log", "wb") as log:
            run = Run(str(pathlib.Path(args.quintain).resolve()), server, log)
            seen = follow(run, server, data, bucket)
            took_over(run, data, copy, bucket, seen)
            server.stop()
        for path in [scratch / "log", *data.rglob("*"), *copy.rglob("*")]:
            if path.is_file():
                text = path.read_bytes()
                check(not any(key.encode() in text for key in KEYS.values()), f"{path} has a key")


def follow(run, server, data, bucket):
    """Kill a run again and again, each second time without the server; then let it end. The result is the bucket's files."""
    seen = {}
    for turn in range(ROUNDS):
        if turn % 2 == 0:
            server.start()
        process = run.start(data, 100000)
        time.sleep(2 + turn / 3)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if turn % 2 == 0:
            server.stop()
        for name, path in objects(bucket).items():
            stat = path.stat()
            check(seen.setdefault(name, (stat.st_ino, stat.st_mtime_ns)) == (stat.st_ino, stat.st_mtime_ns), f"{name} was written again")
    server.start()
    process = run.start(data, 100000)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    check(process.wait() == 0, "the run does not end as it should")
    here, there = closed(data), objects(bucket)
    check({name: path.read_bytes() for name, path in ((pathlib.Path(p).name, q) for p, q in there.items())} == here, "the bucket has not what the folder has")
    groups = run.export(data)
    check(run.export("s3://bucket/runs") == groups and groups, "the archive has other groups")
    check(run.export("s3://bucket/runs", data) == groups, "the archive and the folder are not one")
    print(f"archive: {len(here)} files, {sum(map(len, here.values())) / 1e6:.1f} MB, {len(groups)} groups, over {ROUNDS} kills")
    return there


def took_over(run, data, copy, bucket, before):
    """Let a run and a copy of its folder go on, each its way."""
    shutil.copytree(data, copy)
    for folder in (data, copy):
        process = run.start(folder, 100000)
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        check(process.wait() == 0, "a run does not end as it should")
    process = run.start(copy, 100000)  # has its own name by now
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    check(process.wait() == 0, "the run of the copy does not end as it should")
    there = objects(bucket)
    check(set(before) < set(there), "files of the archive are gone")
    for folder in (data, copy):
        have = {path.read_bytes() for path in there.values()}
        check(have >= set(closed(folder).values()), f"the bucket lacks files of {folder.name}")
    groups = run.export("s3://bucket/runs")
    check(groups == run.export(data, copy), "the archive of both has other groups than both")
    print(f"archive: with a copy of the folder, {len(there)} files and {len(groups)} groups")


if __name__ == "__main__":
    main()
