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


passwd = [line.split(":") for line in text("/etc/passwd").strip().split("\n")]
group = [line.split(":") for line in text("/etc/group").strip().split("\n")]
mine = [f for f in passwd if f[0] == "deploy" or f[2:3] == ["1500"]]
if len(mine) != 1 or len(mine[0]) != 7 or mine[0][0] != "deploy" or mine[0][2:4] != ["1500", "1500"] or mine[0][5:] != ["/srv/deploy", "/bin/sh"]:
    fail(f"/etc/passwd has {mine}")
of = [f for f in group if f[0] == "deploy" or f[2:3] == ["1500"]]
if len(of) != 1 or len(of[0]) != 4 or of[0][0] != "deploy" or of[0][2] != "1500":
    fail(f"/etc/group has {of}")
if not any(f[0] == "root" and f[2] == "0" and len(f) == 7 for f in passwd) or not os.path.isdir("/srv/deploy"):
    fail("root or the home folder is missing")
