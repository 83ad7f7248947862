#!/usr/bin/env python3
"""Run examples/notebooks from top to bottom, with the Python package installed from its wheel.

    conformance/python conformance/notebooks.py [first_run…]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

import examples

FOLDER = examples.ROOT / "examples" / "notebooks"


def main():
    chosen = sys.argv[1:] or sorted(p.stem for p in FOLDER.glob("*.py"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        site = examples.install(pathlib.Path(folder))
        for name in chosen:
            began = time.monotonic()
            done = subprocess.run([sys.executable, FOLDER / f"{name}.py"], cwd=folder, env={**os.environ, "PYTHONPATH": str(site), "TMPDIR": folder}, capture_output=True, text=True, timeout=600, check=False)
            print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
            if done.returncode:
                failed += 1
                print(f"it ended with status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
