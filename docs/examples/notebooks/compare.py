"""Two evaluations compared: is the difference more than chance?"""

# %% [markdown]
# An evaluation asks a fixed set of held-out problems, so two of them ask the same ones and can be paired. Here two scripts play, right in
# 60 and in 75 of 100 replies; put your two checkpoints in their place, by `--policy server --url …`.

# %%
import json
import pathlib
import subprocess
import tempfile

import quintain

folder = pathlib.Path(tempfile.mkdtemp())
program = quintain.program.path()
for name, accuracy in (("before", 0.6), ("after", 0.75)):
    subprocess.run(
        [program, "eval", "--policy", "script", "--with", "policy.accuracy=" + str(accuracy), "--with", "policy.delay=0s", "--tasks", "countdown:1,word_ladder:1", "--count", "200", "--out", folder / name],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip

# %% [markdown]
# `compare` pairs the problems. Its interval is of the difference: two means whose own intervals overlap may still differ for sure.

# %%
said = subprocess.run([program, "eval", "compare", folder / "before", folder / "after", "--json"], check=True, capture_output=True, text=True).stdout
change = json.loads(said)
print(f"{change['difference']:+.3f}, within {change['interval']['low']:+.3f} and {change['interval']['high']:+.3f}; {change['better']} problems better, {change['worse']} worse, p = {change['p']:.1g}")
assert change["interval"]["low"] > 0

# %% [markdown]
# The problems that only one of them solved are the ones to read: `quintain trace show ID --data after` has every word.

# %%
print(subprocess.run([program, "eval", "compare", folder / "before", folder / "after"], check=True, capture_output=True, text=True).stdout[:2000])
