"""A scenario of your own: written by `quintain scenarios init`, changed, checked, played, and looked at."""

# %% [markdown]
# `quintain scenarios init` writes a scenario that works: the program that asks, answers and judges, with tests and settings.

# %%
import os
import pathlib
import subprocess
import sys
import tempfile

import quintain

folder = pathlib.Path(tempfile.mkdtemp()) / "vowels"
program = quintain.program.path()
# The settings start the scenario by the name of Python: that of this script.
environment = {**os.environ, "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.path.dirname(program), os.environ["PATH"]])}


def sh(*command):
    print("$", *(pathlib.Path(c).name if os.path.isabs(str(c)) else c for c in command))
    subprocess.run(command, cwd=folder if folder.exists() else None, env=environment, check=True)


sh(program, "scenarios", "init", folder)
print((folder / "scenario.py").read_text())

# %% [markdown]
# Two checks, after every change: its own tests, and whether it plays fairly and repeatably: the same problem and the same replies
# in two processes must give the same words and rewards.

# %%
sh(sys.executable, "-m", "unittest")
sh(program, "scenarios", "check", "--config", "quintain.yaml")

# %% [markdown]
# A script that is right six times in ten plays it; nothing is trained. Every episode is kept, with what was said and why it
# earned what it earned.

# %%
sh(program, "run", "--config", "quintain.yaml", "--policy", "script", "--steps", "3", "--port", "0")
sh(program, "trace", "list", "--data", "data", "--limit", "5")
