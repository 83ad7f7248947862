"""Runs that Python starts."""

import os
import subprocess
import sys
import tempfile
import unittest

import quintain


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = folder.name + "/data"

    def test_a_run_ends_with_a_report(self):
        with quintain.Run(self.data, policy="script", tasks=["gcd", "lcm:1"], steps=2) as run:
            report = run.wait(60)
            self.assertEqual(report["steps"], 2)
            self.assertEqual({t["label"] for t in report["tasks"]}, {"gcd:0", "lcm:1"})
            self.assertFalse(run.running)
            self.assertEqual(list(run.metrics())[-1]["step"], 2)

    def test_a_run_is_watched_and_stopped(self):
        with quintain.Run(self.data, policy="script", tasks="gcd") as run:
            self.assertRegex(run.url(), r"^http://127\.0\.0\.1:\d+$")
            self.assertGreater(next(run.metrics(follow=True))["step"], 0)
            with self.assertRaises(TimeoutError):
                run.wait(0.01)
            run.stop()
            self.assertGreater(run.wait()["steps"], 0)

    def test_the_address_is_that_of_the_hub(self):
        with quintain.Run(self.data, policy="openai", url="http://127.0.0.1:9/v1", model="none") as run:
            self.assertRegex(run.url(), r":\d{4,}$")  # the log names the server first

    def test_a_run_that_fails_says_why(self):
        run = quintain.Run(self.data, policy="nonsense")
        with self.assertRaisesRegex(quintain.ProgramError, "status 2.*policy.*nonsense"):
            run.wait(30)
        with self.assertRaises(quintain.ProgramError):
            quintain.Run(self.data, policy="nonsense").url()

    def test_a_mistyped_setting_is_refused_at_once(self):
        with self.assertRaisesRegex(TypeError, "no setting 'policyy'; did you mean 'policy'?"):
            quintain.Run(self.data, policyy="script")
        with self.assertRaisesRegex(TypeError, "no setting 'zzz'$"):
            quintain.Run(self.data, zzz=1)
        self.assertFalse(os.path.exists(self.data))

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_fork_leaves_the_run_alone(self):
        script = f"""
import os, quintain
with quintain.Run({self.data!r}, policy="script", tasks="gcd") as run:
    run.url()
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
        assert run.running
        run.stop()
        assert run.wait()["steps"] >= 0
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
