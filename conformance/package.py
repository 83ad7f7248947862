#!/usr/bin/env python3
"""The Python package as its users get it: the wheel is built, installed into an empty environment, and used there.

    python3 conformance/package.py

The tests of python/tests run with the installed package: threads, forks, signals and killed processes included.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))
import wheels  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wheel = folder / wheels.build_wheel(folder)
        if (folder / "again" / wheels.build_wheel(folder / "again")).read_bytes() != wheel.read_bytes():
            raise SystemExit("the wheel has other bytes when it is built again")
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        commands = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        python = str(commands / "python")
        began = time.monotonic()
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel], check=True)
        installed = time.monotonic() - began
        subprocess.run(
            [commands / "quintain", "run", "--policy", "script", "--steps", "1", "--port", "0", "--data", folder / "data"],
            check=True, capture_output=True,
        )  # fmt: skip
        print(f"installed in {installed:.1f} s, and a run has made its first step after {time.monotonic() - began:.1f} s")
        subprocess.run([python, "-W", "ignore::ResourceWarning", "-m", "unittest", "discover", "-s", ROOT / "python" / "tests"], check=True, cwd=folder, timeout=600)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", folder / "target", wheel], check=True)
        subprocess.run(
            [python, "-c", "from quintain.program import path; assert path() == __import__('sys').argv[1], path()", folder / "target" / "bin" / "quintain"],
            check=True, env={**os.environ, "PYTHONPATH": str(folder / "target")},
        )  # fmt: skip
        subprocess.run([python, "-m", "pip", "uninstall", "--quiet", "--yes", "quintain"], check=True)
        if (commands / "quintain").exists():
            raise SystemExit("the program is still there after pip uninstall")


if __name__ == "__main__":
    main()
