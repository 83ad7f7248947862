import json, os, stat, subprocess, sys


def fail(why):
    print("FAIL:", why)
    sys.exit(1)


def text(path):
    """The text of a file that is no link."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            fail(path + " is no file")
        with open(path, encoding="utf-8") as f:
            return f.read()
    except (OSError, UnicodeDecodeError) as e:
        fail(f"{path}: {e}")


def run(args, given="", cwd="/app", seconds=20):
    try:
        return subprocess.run(args, input=given, capture_output=True, text=True, timeout=seconds, cwd=cwd)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as e:
        fail(f"{args}: {e}")


def same(got, want, what):
    if got.split("\n") != want.split("\n") and got.rstrip("\n") != want.rstrip("\n"):
        fail(f"{what}: got {got[:300]!r}, want {want[:300]!r}")


import tempfile
folder = tempfile.mkdtemp()
names = ["plain", "a b", "-n", "star *", "quo'te", 'dou"ble', "$HOME", "new  two"]
for i, name in enumerate(names):
    at = os.path.join(folder, "from dir", "sub" * (i % 3), "x y" * (i % 2))
    os.makedirs(at, exist_ok=True)
    with open(os.path.join(at, name + ".txt"), "w") as f:
        f.write(str(i))
    with open(os.path.join(at, name + ".md"), "w") as f:
        f.write("no")
p = run(["/bin/bash", "/app/collect.sh", folder + "/from dir", folder + "/to dir"], cwd=folder)
if p.returncode != 0:
    fail(f"status {p.returncode}: {p.stderr[-500:]}")
got = {}
for name in os.listdir(folder + "/to dir"):
    got[name] = text(folder + "/to dir/" + name)
want = {name.upper() + ".txt": str(i) for i, name in enumerate(names)}
if got != want:
    fail(f"got {got}, want {want}")
