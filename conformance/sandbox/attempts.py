"""What a program may not do in the sandbox. argv: a file of its user that it may read. Exits with status 1 if something of it was done."""
import ctypes
import os
import sys

file = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
faults = []


def attempt(name, do, allowed=False):
    try:
        do()
        done = True
    except OSError:
        done = False
    if done != allowed:
        faults.append(name)
    print(name, "is done" if done else "is refused", flush=True)


def call(number, *arguments):
    if libc.syscall(ctypes.c_long(number), *arguments) < 0:
        raise OSError(ctypes.get_errno(), "")


def opened(flags):
    return lambda: os.close(os.open(file, flags))


attempt("truncating", lambda: os.truncate(file, 0))
attempt("truncating while reading", opened(os.O_TRUNC))
attempt("truncating with no access", opened(os.O_TRUNC | os.O_ACCMODE))
attempt("truncating while writing", opened(os.O_TRUNC | os.O_WRONLY))
attempt("truncating by openat2", lambda: call(437, -100, file.encode(), (ctypes.c_uint64 * 3)(os.O_TRUNC, 0, 0), 24))
attempt("changing a mode", lambda: os.chmod(file, 0))
attempt("reading", lambda: open(file).read(), allowed=True)
attempt("writing its own file", lambda: open("own", "w").write("x"), allowed=True)
attempt("reading /etc/hostname", lambda: open("/etc/hostname").read())
attempt("writing to /tmp", lambda: open("/tmp/evil", "w"))
attempt("listing /", lambda: os.listdir("/"))
for family in 1, 2, 10, 16:
    attempt(f"a socket of family {family}", lambda: call(41 if os.uname().machine == "x86_64" else 198, family, 1, 0))
attempt("a signal to init", lambda: os.kill(1, 9))
attempt("a process", lambda: os.fork() or os._exit(0))
sys.exit(bool(faults))
