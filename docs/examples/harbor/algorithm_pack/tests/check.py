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


items = [tuple(map(int, line.split())) for line in text("/tests/items.txt").split("\n") if line]
try:
    chosen = [int(line) for line in text("/app/chosen.txt").split()]
except ValueError as e:
    fail(e)
if chosen != sorted(set(chosen)) or not all(1 <= i <= len(items) for i in chosen):
    fail("these are no line numbers in increasing order")
weight, value = sum(items[i - 1][0] for i in chosen), sum(items[i - 1][1] for i in chosen)
if weight > 300 or value != 1011:
    fail(f"the weight is {weight} and the value {value}")
