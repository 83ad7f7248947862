"""The first run: the model in the box learns, and its curves are read."""

# %% [markdown]
# A run needs a folder. `Run` starts `quintain run` beside Python; each setting is a flag of it. Three tasks that begin easy, three
# hundred steps of training, and an evaluation of held-out problems every ten seconds.

# %%
import pathlib
import subprocess
import tempfile

import quintain

folder = pathlib.Path(tempfile.mkdtemp()) / "first"
run = quintain.Run(folder, tasks="spell_backward:0,letter_counting:0,number_sorting:0", steps=300, exam_problems=16, seed=1, settings={"run.exam_every": "10s"})
report = run.wait(timeout=900)
print(f"{report['steps']} steps in {report['seconds']:.0f} s; on held-out problems {report['exam_before']:.3f} before, {report['exam_after']:.3f} after")
assert report["exam_after"] > report["exam_before"]

# %% [markdown]
# The numbers of the run are rows, one a second. Three of them tell most: the score on training problems, how many groups were
# dropped since all their replies scored alike (they teach nothing), and how old the groups were, in versions, when they were trained on.

# %%
rows = [row["values"] for row in run.metrics()]
for name in ("train/score", "total/dropped/equal_scores", "train/lag"):
    values = [row[name] for row in rows if name in row]
    print(f"{name}: {values[0]:.3f} at first, {values[-1]:.3f} in the end, {len(values)} values")

# %% [markdown]
# Training problems get harder as the model learns, so their score says little. What counts are held-out problems, which are never
# trained on: their curve is drawn with its 95 % intervals.

# %%
picture = folder / "curve.svg"
with picture.open("wb") as out:
    subprocess.run([quintain.program.path(), "trace", "plot", folder], stdout=out, check=True)
print(f"the curve: {picture}, {picture.stat().st_size} bytes; the whole run in the browser: quintain view --data {folder}")
