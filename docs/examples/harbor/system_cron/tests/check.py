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


info = os.lstat("/etc/cron.d/report") if os.path.lexists("/etc/cron.d/report") else fail("there is no /etc/cron.d/report")
if info.st_mode & 0o022 or info.st_uid != 0:
    fail("others than root may write it")
lines = [" ".join(line.split()) for line in text("/etc/cron.d/report").split("\n")]
lines = [line for line in lines if line and not line.startswith("#")]
settings = {line.split("=")[0].strip(): line.split("=", 1)[1].strip().strip("\"'") for line in lines if "=" in line.split(" ")[0] or line.split(" ")[1:2] == ["="]}
jobs = [line for line in lines if "=" not in line]
if settings != {"MAILTO": "", "SHELL": "/bin/bash"}:
    fail(f"the variables are {settings}")
if len(jobs) != 1:
    fail(f"the jobs are {jobs}")
minute, hour, day, month, week, user, command = (jobs[0].split(" ", 6) + [""] * 7)[:7]
if (minute, hour, day, month) not in (("30", "6", "*", "*"), ("30", "06", "*", "*")) or week.lower() not in ("1-5", "mon-fri", "1,2,3,4,5", "mon,tue,wed,thu,fri"):
    fail(f"the time is {jobs[0]}")
if user != "root" or command != "/app/report.sh --daily":
    fail(f"the command is {user} {command}")
