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


os.makedirs("/app/site", exist_ok=True)
want = {".": 0o755, "bin": 0o755, "etc": 0o755, "etc/deep": 0o755, "index.html": 0o644, "bin/run": 0o755, "bin/readme": 0o644, "etc/app.conf": 0o640, "etc/odd.conf": 0o640, "etc/deep/job.sh": 0o755, "empty": 0o644}
got = {}
for at, folders, names in os.walk("/app/site"):
    for name in ["."] + names:
        path = os.path.normpath(os.path.join(at, name))
        got[os.path.relpath(path, "/app/site")] = stat.S_IMODE(os.lstat(path).st_mode)
if got != want:
    fail({name: (oct(got.get(name, 0)), oct(want.get(name, 0))) for name in set(got) | set(want) if got.get(name) != want.get(name)})
same(text("/app/site/etc/app.conf"), "a=1\n", "app.conf")
same(text("/app/site/bin/run"), "#!/bin/sh\necho\n", "run")
