"""The one process survives threads, forks, signals, and its own death."""

import json
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest

import quintain
from quintain import pipe, program


def process():
    """The process of the program."""
    return pipe._pipe._process._process


class Pipe(unittest.TestCase):
    def setUp(self):
        self.task = quintain.task("gcd")
        self.problems = self.task.problems(count=1000)
        self.answers = ["1", "2", "3", None] * 250
        self.want = self.task.grade_all(self.problems, self.answers)

    def check(self):
        self.assertEqual(self.task.grade_all(self.problems, self.answers), self.want)

    def test_threads_share_it(self):
        first, wrong = process().pid, []

        def work(shift):
            for at in range(shift, shift + 100):
                if self.task.grade(self.problems[at], self.answers[at]) != self.want[at]:
                    wrong.append(at)

        threads = [threading.Thread(target=work, args=(100 * n,)) for n in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])
        self.assertEqual(process().pid, first)

    def test_a_killed_process_is_started_again(self):
        for delay in (0, 0.001, 0.005, 0.02):  # before, during or after the work
            first = process()
            killer = threading.Timer(delay, first.kill)
            killer.start()
            self.assertEqual(self.task.grade_all(self.problems * 20, self.answers * 20), self.want * 20)
            killer.join()
            first.wait(30)
            self.check()
            self.assertNotEqual(process().pid, first.pid)

    def test_one_that_always_dies_is_an_exception(self):
        good, program.path = program.path, lambda: sys.executable  # it does not know `serve pipe`
        try:
            quintain.pipe.close()
            with self.assertRaisesRegex(quintain.ProgramError, "ended with status 2.*can't open file"):
                self.check()
            program.path = lambda: str(pathlib.Path(__file__).parent / "none")
            with self.assertRaisesRegex(quintain.ProgramError, "cannot be started"):
                self.check()
        finally:
            program.path = good
        self.check()

    def test_numbers_stand_for_problems(self):
        names, raw = pipe._pipe._process.names, [p["problem"] for p in self.problems]
        self.assertTrue(set(raw) <= set(names.known))
        copies = [json.loads(json.dumps(p)) for p in self.problems]  # as if from a file
        self.assertEqual(self.task.grade_all(copies, self.answers), self.want)
        names.known.update(dict.fromkeys(raw[::3], 1 << 40))  # which the program has forgotten
        self.check()
        self.assertLess(max(names.known[r] for r in raw), 1 << 40)
        pipe.close()  # the next process knows none
        self.assertEqual(self.task.grade_all(copies + self.problems, self.answers * 2), self.want * 2)
        self.check()

    def test_few_numbers_are_kept(self):
        before, pipe.KEPT = pipe.KEPT, 100_000
        try:
            for _ in range(3):
                self.check()
                self.task.problems(count=1000, start=1000)
                self.assertLess(len("".join(pipe._pipe._process.names.known)), 600_000)
        finally:
            pipe.KEPT = before

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_forks_get_their_own(self):
        stop = threading.Event()
        busy = threading.Thread(target=lambda: [self.check() for _ in iter(stop.is_set, True)])
        busy.start()
        try:
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    try:
                        self.check()
                        os._exit(0)
                    finally:
                        os._exit(1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.check()
        finally:
            stop.set()
            busy.join()

    def test_workers_of_every_kind(self):
        for method in multiprocessing.get_all_start_methods():
            with self.subTest(method), multiprocessing.get_context(method).Pool(2) as pool:
                jobs = [(self.problems[i : i + 100], self.answers[i : i + 100]) for i in range(0, 1000, 100)]
                self.assertEqual([v for part in pool.starmap(quintain.grade_all, jobs) for v in part], self.want)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "there are no timers")
    def test_signals_disturb_nothing(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        interrupted = 0
        try:
            for n in range(100):
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.0005 * (n % 20 + 1))
                    self.check()
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except KeyboardInterrupt:
                    interrupted += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertGreater(interrupted, 0)
        self.check()

    @unittest.skipUnless(hasattr(signal, "SIGSTOP"), "there is no SIGSTOP")
    def test_a_process_that_hangs_is_an_exception(self):
        before = pipe.PATIENCE
        for count in (1, 1000 * 50):  # one that is sent, and one too large for the pipe
            process().send_signal(signal.SIGSTOP)
            try:
                pipe.PATIENCE = 1.0
                with self.assertRaisesRegex(quintain.ProgramError, "did not answer"):
                    self.task.grade_all((self.problems * 50)[:count], (self.answers * 50)[:count])
            finally:
                pipe.PATIENCE = before
            self.check()

    def test_it_ends_with_python(self):
        script = "import quintain, os; from quintain import pipe; quintain.task('gcd'); print(pipe._pipe._process._process.pid, flush=True); "
        for why, end in [("the end of the script", ""), ("death", "os.kill(os.getpid(), 9)"), ("at once", "os._exit(1)")]:
            if sys.platform == "win32" and why == "death":
                continue
            done = subprocess.run([sys.executable, "-c", script + end], capture_output=True, text=True, timeout=60)
            pid, ended = int(done.stdout), time.monotonic() + 30
            while self.alive(pid) and time.monotonic() < ended:
                time.sleep(0.01)
            self.assertFalse(self.alive(pid), why)

    def alive(self, pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False


class Command(unittest.TestCase):
    def test_the_module_is_the_program(self):
        for args, status, says in [(["--version"], 0, "quintain "), (["tasks", "nonsense"], 2, "unknown command")]:
            done = subprocess.run([sys.executable, "-m", "quintain", *args], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, status)
            self.assertIn(says, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
