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


grid = text("/tests/maze.txt").split("\n")[:-1]
path = text("/app/path.txt").strip()
if len(path) != 60:
    fail(f"it has {len(path)} steps")
y = x = 0
for c in path:
    dy, dx = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}.get(c) or fail(f"there is a {c!r}")
    y, x = y + dy, x + dx
    if not (0 <= y < len(grid) and 0 <= x < len(grid[0])) or grid[y][x] == "#":
        fail("it goes through a wall")
if grid[y][x] != "E":
    fail("it does not reach E")
