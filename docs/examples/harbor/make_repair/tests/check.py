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


import shutil, tempfile
folder = tempfile.mkdtemp() + "/w"
os.mkdir(folder)
for name in json.loads(text("/tests/files.json")):
    with open(os.path.join(folder, name), "w") as f:
        f.write(json.loads(text("/tests/files.json"))[name])
with open(folder + "/Makefile", "w") as f:
    f.write(text("/app/Makefile"))


def make(*args):
    p = run(["/usr/bin/make", "--no-print-directory", *args], cwd=folder, seconds=40)
    if p.returncode != 0:
        fail(f"make {args}: {p.stderr[-500:]}")
    return p.stdout


def age(name, seconds):
    at = os.path.join(folder, name)
    when = os.stat(at).st_mtime + seconds
    os.utime(at, (when, when))


def times():
    return {n: os.stat(os.path.join(folder, n)).st_mtime_ns for n in os.listdir(folder)}


make("clean")
make()
same(run([folder + "/hello"]).stdout, "hello, maker\n", "the program")
make("clean")
if set(os.listdir(folder)) != {"hello.c", "Makefile"}:
    fail(f"after clean there are {os.listdir(folder)}")
make("test")
