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
for script, status, want in [
    ("echo a\necho b\n", 0, "+ echo a\na\n+ echo b\nb\ndone\n"),
    ("echo a\n\nexit 7\necho b\n", 7, "+ echo a\na\n+ exit 7\n"),
    ("false | cat\necho b\n", 1, "+ false | cat\n"),
    ("printf '%s\\n' 'x   y'\nexit 3", 3, "+ printf '%s\\n' 'x   y'\nx   y\n+ exit 3\n"),
    ("cat\necho next\n", 0, "+ cat\n+ echo next\nnext\ndone\n"),
    ("", 0, "done\n"),
]:
    with open(folder + "/a b", "w") as f:
        f.write(script)
    p = run(["/bin/bash", "/app/deploy.sh", folder + "/a b"])
    if p.returncode != status:
        fail(f"{script!r}: status {p.returncode}, want {status}")
    same(p.stdout, want, repr(script))
