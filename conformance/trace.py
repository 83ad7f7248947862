#!/usr/bin/env python3
"""Check the reader of traces in Python (trace_reader.py) against the writer.

A test of package trace writes a folder, and beside it the contents. The reader must find the same; in a cut segment
it must find everything before the cut, and in one with a changed byte nothing that was not written. Needs Go.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "trace_reader.py")
LINES = 60  # most lines of the reader


def read(folder):
    done = subprocess.run([sys.executable, READER, folder], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def expected(folder):
    wanted = [json.loads(line) for line in pathlib.Path(folder, "records.jsonl").read_text(encoding="utf-8").splitlines()]
    for record in wanted:
        for episode in record["episodes"]:
            for turn in episode["turns"] or []:
                values = turn["logprobs"]  # JSON has them in the fewest digits
                turn["logprobs"] = values and list(struct.unpack(f"{len(values)}f", struct.pack(f"{len(values)}f", *values)))
    return wanted


def check(folder):
    """Faults of the reader."""
    wanted, found = expected(folder), read(folder)
    if found != wanted:
        at = next((i for i, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1]), min(len(found), len(wanted)))
        yield f"{len(found)} records for {len(wanted)}; the first that differs is {at}:\n{found[at : at + 1]}\nwant\n{wanted[at : at + 1]}"
    last = max(pathlib.Path(folder).glob("*.trace"))
    whole = last.read_bytes()
    for cut in range(0, len(whole), len(whole) // 7):
        last.write_bytes(whole[:cut])
        found = read(folder)
        if found != wanted[: len(found)]:
            yield f"cut at {cut}: not the records before the cut"
        last.write_bytes(whole[:cut] + bytes([whole[cut] ^ 1]) + whole[cut + 1 :])
        if any(record not in wanted for record in read(folder)):
            yield f"byte {cut} is changed: a record that was not written"
    if len(pathlib.Path(READER).read_text(encoding="utf-8").splitlines()) > LINES:
        yield f"the reader has more than {LINES} lines"


def main():
    root = os.path.dirname(os.path.dirname(READER))
    with tempfile.TemporaryDirectory() as folder:
        command = ["go", "test", "-count=1", "-run", "^TestFolderForOthers$", "./trace", "-args", "-folder", folder]
        subprocess.run(command, cwd=root, check=True)
        faults = list(check(folder))
    for fault in faults:
        print(fault)
    print(f"trace: the reader in Python: {'FAILED' if faults else 'passed'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
