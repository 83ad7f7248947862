#!/usr/bin/env python3
"""Run docs/examples/notebooks from top to bottom, with the Python package installed from its wheel.

    conformance/python conformance/notebooks.py [first_run…]
    REQUIREMENTS=trainers.txt PIP_NO_DEPS=1 conformance/python conformance/notebooks.py trl_mixture

Without a name, it runs those that need no trainer.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

import examples

FOLDER = examples.ROOT / "docs" / "examples" / "notebooks"
TRAINERS = {"trl_mixture"}


def main():
    chosen = sys.argv[1:] or sorted({p.stem for p in FOLDER.glob("*.py")} - TRAINERS)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        site = examples.install(pathlib.Path(folder))
        for name in chosen:
            began = time.monotonic()
            done = subprocess.run([sys.executable, FOLDER / f"{name}.py"], cwd=folder, env={**os.environ, "PYTHONPATH": str(site), "TMPDIR": folder, "HF_HUB_OFFLINE": "1"}, capture_output=True, text=True, timeout=900, check=False)
            print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
            if done.returncode:
                failed += 1
                print(f"it ended with status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
