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


def link(path, *want):
    if not os.path.islink(path) or os.readlink(path).rstrip("/") not in want:
        fail(f"{path} is not the link that it should be")
link("/etc/tool/current", "2.1", "./2.1")
link("/etc/tool.conf", "/etc/tool/current/tool.conf", "tool/current/tool.conf")
same(text("/etc/tool/2.1/tool.conf"), "[tool]\nversion = 2.1\n", "the settings")
if stat.S_IMODE(os.lstat("/etc/tool/2.1/tool.conf").st_mode) != 0o644 or not os.path.samefile("/etc/tool.conf", "/etc/tool/2.1/tool.conf"):
    fail("the permissions or the links are wrong")
