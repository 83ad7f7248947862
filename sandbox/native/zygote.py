# The zygote of the sandbox: a confined interpreter that forks for each job. See zygote_linux.go.
#
# It gets one socket for each job, and reads nothing from it: the fork does, so that no job finds
# another's in its memory. Its arguments are the control socket, the last filter in hexadecimal, and
# the instructions of the filter that compare with the number of the process.
bare = dict(globals())  # of a __main__ that has done nothing

import ast, atexit, ctypes, gc, importlib.machinery, linecache, os, resource, select
import signal, struct, sys, traceback, _socket
import array, bisect, cmath, collections, copy, datetime, decimal, fractions, functools, hashlib, heapq, io
import itertools, json, math, operator, re, string, time, typing
# Not random and threading: what they do after each fork takes longer than their import where it is needed.

control = _socket.socket(fileno=int(sys.argv[1]))
code = bytearray.fromhex(sys.argv[2])
pids = [int(at) for at in sys.argv[3:]]
libc = ctypes.CDLL(None, use_errno=True)
prctl, syscall, fopen = libc.prctl, libc.syscall, libc.fopen
fopen.restype = ctypes.c_void_p
run_text, run_file, fflush = ctypes.pythonapi.PyRun_StringFlags, ctypes.pythonapi.PyRun_FileExFlags, ctypes.pythonapi.fflush
run_text.restype = run_file.restype = ctypes.py_object


class Filter(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


calls = ctypes.byref(Filter(len(code) // 8, ctypes.addressof((ctypes.c_ubyte * len(code)).from_buffer(code))))
flags = (ctypes.c_int * 2)(0, sys.version_info[1])
# What is made here is not made in each fork, whose time goes by the pages that it writes to.


def tell(kind, pid=0, status=0, micros=0, text="", fds=()):
    """Reports to Go: one packet, read by parseReport."""
    packet = struct.pack("=ciiq", kind, pid, status, micros) + text.encode("utf-8", "replace")[:500]
    if fds:
        control.sendmsg([packet], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("%di" % len(fds), *fds))])
    else:
        control.send(packet)  # the last filter allows this alone


def receive(socket, most):
    """Receives a packet, and the descriptors in it."""
    packet, extra, _, _ = socket.recvmsg(most, _socket.CMSG_SPACE(4 * 4))
    return packet, [fd for _, _, fds in extra for fd in struct.unpack("%di" % (len(fds) // 4), fds)]


def check(result, what):
    """Raises the error of a call of libc."""
    if result != 0:
        raise OSError(ctypes.get_errno(), what)


def serve():
    """Forks for each socket that comes, and reports each end. Returns in the forks, with the socket."""
    zygote, children, poll, retired = os.getpid(), {}, select.epoll(), False
    poll.register(control, select.EPOLLIN)
    while children or not retired:
        for fd, _ in poll.poll():
            if fd in children:
                _, status, used = os.wait4(children[fd], 0)
                poll.unregister(fd)
                os.close(fd)
                tell(b"e", children.pop(fd), status, int((used.ru_utime + used.ru_stime) * 1e6))
                continue
            packet, fds = receive(control, 1)
            if not packet:  # Go has closed it
                os._exit(0)
            if not fds:  # it wants no more forks
                retired = True
                continue
            try:
                pid = os.fork()
            except OSError as e:
                tell(b"n", status=e.errno)
                os.close(fds[0])
                continue
            if pid == 0:
                check(prctl(1, 9), "PR_SET_PDEATHSIG")
                if os.getppid() != zygote:
                    os._exit(0)
                return fds[0]
            os.close(fds[0])
            fd = os.pidfd_open(pid)
            children[fd] = pid
            tell(b"f", pid, fds=[fd])
            poll.register(fd, select.EPOLLIN)
    os._exit(0)


def confine(cpu, fsize, nofile, memory, rules):
    """The limits of the job, and its own rules of landlock."""
    for limit, most in ((resource.RLIMIT_CPU, cpu), (resource.RLIMIT_FSIZE, fsize), (resource.RLIMIT_NOFILE, nofile), (resource.RLIMIT_AS, memory)):
        if most:
            resource.setrlimit(limit, (most, most))
    check(syscall(ctypes.c_long(446), ctypes.c_long(rules), ctypes.c_long(0)), "landlock_restrict_self")


def enter(socket):
    """Makes the fork the process of its job. Returns the arguments after the interpreter's own, none for
    a session, which keeps the socket as descriptor 3."""
    os.setpgid(0, 0)
    for at in pids:
        struct.pack_into("=I", code, 8 * at + 4, os.getpid())
    check(prctl(22, 2, calls), "PR_SET_SECCOMP")  # the last filter: no process, no way back
    job = _socket.socket(fileno=socket)
    packet, fds = receive(job, 110 << 10)
    if not packet:  # Go has no job for it any more
        os._exit(0)
    numbers, folder, seed, *argv = packet.split(b"\0")
    if argv == [b""]:
        argv = []
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = os.fsdecode(folder)
    os.environ["PYTHONHASHSEED"] = seed.decode()
    for fd in range(3):
        os.dup2(fds[fd], fd)
    confine(*map(int, numbers.split()), fds[3])
    own = sys.orig_argv.index("-c")
    sys.argv[:] = [os.fsdecode(arg) for arg in argv]
    sys.orig_argv[own:] = sys.argv
    if argv[:1] == [b"-c"]:
        del sys.argv[1]
    below = 2 if sys.version_info < (3, 12) else 1  # this file, and then its call of run
    sys.setrecursionlimit(sys.getrecursionlimit() + below)
    tell(b"s", os.getpid())
    control.detach()
    socket = job.detach()
    if not argv:
        os.dup2(socket, 3, inheritable=False)
    os.closerange(3 if argv else 4, 1 << 16)
    return argv


def new_main():
    """Makes a __main__, and returns its names."""
    main = sys.modules["__main__"] = type(sys)("__main__")
    main.__dict__.update(bare)
    return main.__dict__


def begin(argv):
    """Returns the function of the interpreter that runs a program in a new __main__, and its arguments."""
    scope = new_main()
    if argv[0] == b"-c":
        flags[0] = 0x800  # PyCF_IGNORE_COOKIE
        run, first, last = run_text, [argv[1] + b"\n"], []
    else:
        name = os.path.join(os.getcwdb(), argv[0])
        file = fopen(name, b"rb")
        if file is None:
            raise OSError(name)
        scope.update(__file__=os.fsdecode(name), __cached__=None)
        scope["__loader__"] = importlib.machinery.SourceFileLoader("__main__", scope["__file__"])
        run, first, last = run_file, [ctypes.c_void_p(file), name], [1]
    scope = ctypes.py_object(scope)
    return run, (*first, 257, scope, scope, *last, ctypes.byref(flags))  # Py_file_input


def status_of(end):
    """The exit status for a SystemExit, as the interpreter finds it."""
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code & 0xFF if -1 << 63 <= end.code < 1 << 63 else 0xFF
    print(end.code, file=sys.stderr)
    return 1


def show(error):
    """Shows an error that nobody caught, without our part of its trace. Returns the exit status."""
    error.__traceback__ = error.__traceback__.tb_next
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except SystemExit as end:
        return status_of(end)
    except BaseException as other:
        other.__traceback__ = other.__traceback__.tb_next
        say = functools.partial(print, file=sys.stderr or sys.__stderr__)
        say("Error in sys.excepthook:")
        sys.__excepthook__(type(other), other, other.__traceback__)
        say("\nOriginal exception was:")
        sys.__excepthook__(type(error), error, error.__traceback__)
    return 1


def finish(status):
    """Ends the interpreter as it ends itself, but leaves what no job can see to the kernel: that is
    most of the time a job takes. If what remains has more to do, returns for the interpreter to do it."""
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
    for f in (sys.stdout, sys.stderr):
        if f is not None and not f.closed:
            try:
                f.flush()
            except Exception:
                return
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    main = sys.modules["__main__"]
    sys.modules["__main__"] = None
    if "__file__" in main.__dict__:
        del main.__dict__["__file__"]
    del main, f
    gc.collect()
    if any(hasattr(type(left), "__del__") for left in gc.get_objects()):
        return
    sys.stdout.flush()
    if status == -signal.SIGINT:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    fflush(None)  # what C code wrote
    os._exit(status)


def session():
    """Runs cells in one __main__, until Go sends no more. Go trusts nothing that comes from here."""
    socket, scope, handler = _socket.socket(fileno=3), new_main(), signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # between cells
    for n in itertools.count(1):
        cell = socket.recv(110 << 10)
        if not cell:
            os._exit(0)
        cell, name, status = cell[1:].decode(), "<cell %d>" % n, 0
        linecache.cache[name] = len(cell), None, cell.splitlines(True), name
        try:
            try:
                signal.signal(signal.SIGINT, handler)
                tree = compile(cell, name, "exec", ast.PyCF_ONLY_AST, True)
                last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
                exec(compile(tree, name, "exec", 0, True), scope)
                if last is not None:
                    sys.displayhook(eval(compile(ast.Expression(last.value), name, "eval", 0, True), scope))
            finally:
                handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        except SystemExit as e:
            status = status_of(e)
        except BaseException as e:
            traceback.print_exception(type(e), e, e.__traceback__.tb_next)
            status = 1
        for f in (sys.stdout, sys.stderr):
            try:
                f.flush()
            except Exception:
                pass
        socket.send(struct.pack("=i", status))


def quiet(*_, hook=sys.excepthook):
    """An excepthook, once: all was said."""
    sys.excepthook = hook


gc.collect()
gc.freeze()
job = serve()
try:
    job = enter(job)
except Exception as e:  # ours, not the job's
    tell(b"x", os.getpid(), text=repr(e))
    os._exit(1)
run, job = begin(job) if job else (session, ())
status = 0
try:
    run(*job)
except SystemExit as e:
    status = status_of(e)
except BaseException as e:
    status = show(e) if not isinstance(e, KeyboardInterrupt) else show(e) and -signal.SIGINT
del run, job
finish(status)
if status < 0:
    sys.excepthook = quiet
    raise KeyboardInterrupt
sys.exit(status)
