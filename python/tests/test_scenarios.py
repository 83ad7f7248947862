"""Scenarios in Python: their talk over pipes and over HTTP, and their faults."""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import urllib.error
import urllib.request

import quintain
from quintain import scenarios

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "scenario" / "higher_lower.py"
HELLO = {"id": 1, "hello": {"protocol": 1}}
SECOND = {"id": 1, "hello": {"protocol": 2, "least": 1}}
DRAW = {"task": "a", "seed": "18446744073709551615", "level": 0, "index": 3, "params": {"most": 10}}
FAULTS = """
    import quintain
    @quintain.scenario
    def faulty(problem):
        print("an episode opens")
        try:
            reply = yield "What now?"
            if reply == "raise":
                raise KeyError("x")
            if reply == "nan":
                return float("nan")
            if reply == "none":
                return None
            if reply == "nothing":
                yield ""[:0] or []
            if reply == "cut":
                return quintain.Step(reward=-1, truncated=True, why=reply.finish)
            yield quintain.Step(messages=[{"role": "tool", "content": "42"}], reward=0.25)
            return True
        finally:
            print("it is over")
    quintain.serve_scenario(faulty)
"""


def talk(file, *requests):
    """A program's answers to requests, and its log."""
    lines = "".join(json.dumps(r) + "\n" for r in requests)
    done = subprocess.run([sys.executable, str(file)], input=lines, capture_output=True, text=True, timeout=60, check=True)
    return {a["id"]: a for a in map(json.loads, done.stdout.splitlines())}, done.stderr


def step(number, text, **more):
    """A request with a reply."""
    return {"id": number, "step": {"text": text, "finish": "stop", **more}}


class Pipes(unittest.TestCase):
    def test_an_episode(self):
        solved = talk(EXAMPLE, {"id": 1, "solve": DRAW})[0][1]
        said, _ = talk(EXAMPLE, HELLO, {"id": 2, "open": DRAW}, step(2, f"<think>1?</think><answer>{solved['solution']}</answer>"))
        self.assertEqual(said[1]["hello"]["levels"], [{"most": 10}, {"most": 100}, {"most": 1000}])
        self.assertTrue(said[1]["hello"]["solves"] and said[1]["hello"]["doc"].startswith("Guess a number"))
        self.assertEqual({k: said[2][k] for k in ("reward", "right", "end")}, {"reward": 1.0, "right": True, "end": "terminated"})

    def test_faults_are_errors(self):
        for why, reply, want in [
            ("an exception", "raise", "KeyError: 'x'"),
            ("a reward that is not finite", "nan", "ValueError: Out of range"),
            ("no reward", "none", "TypeError: the reward is None"),
            ("nothing to read", "nothing", "TypeError: the episode yields []"),
        ]:
            with self.subTest(why), self.file(FAULTS) as file:
                said, log = talk(file, HELLO, {"id": 2, "open": DRAW}, step(2, reply))
                self.assertIn(want, said[2]["error"])
                self.assertIn("an episode opens\n", log)
                self.assertIn("it is over\n", log)
                self.assertIn("Traceback", log)

    def test_steps(self):
        with self.file(FAULTS) as file:
            said, _ = talk(file, HELLO, {"id": 2, "open": DRAW}, step(2, "go"))
            self.assertEqual((said[2]["reward"], said[2]["messages"]), (0.25, [{"role": "tool", "content": "42"}]))
            said, _ = talk(file, HELLO, {"id": 2, "open": DRAW}, step(2, "cut"))
            self.assertEqual((said[2]["reward"], said[2]["end"], said[2]["why"]), (-1.0, "truncated", "stop"))
            said, log = talk(file, HELLO, {"id": 2, "open": DRAW})  # the end of the input ends the episode
            self.assertIn("it is over\n", log)
            said, log = talk(file, HELLO, {"id": 2, "open": DRAW}, {"id": 2, "close": {}})
            self.assertEqual((said[2], log.count("it is over\n")), ({"id": 2}, 1))
            self.assertIn("no episode 7", talk(file, HELLO, step(7, ""))[0][7]["error"])

    def test_tools_metrics_and_records(self):
        code = """
            import quintain
            @quintain.scenario
            def tooled(problem):
                reply = yield quintain.Step("What?", tools=[{"name": "add"}])
                reply = yield quintain.Step(reply.call_fault, tools=[], metrics={"calls": len(reply.tool_calls)})
                return quintain.Step(reward=1, record={"seed": problem.seed})
            quintain.serve_scenario(tooled)
        """
        call = {"tool_calls": [{"id": "c", "type": "function", "function": {"name": "add", "arguments": "{}"}}], "call_fault": "half"}
        with self.file(code) as file:
            opened = talk(file, SECOND, {"id": 2, "open": DRAW})[0]
            self.assertEqual((opened[1]["hello"]["protocol"], opened[2]["tools"]), (2, [{"name": "add"}]))
            self.assertEqual(talk(file, HELLO)[0][1]["hello"]["protocol"], 1)
            stepped = talk(file, SECOND, {"id": 2, "open": DRAW}, step(2, "", **call))[0][2]
            self.assertEqual([stepped[k] for k in ("messages", "tools", "metrics")], [[{"role": "user", "content": "half"}], [], {"calls": 1.0}])
            ended = talk(file, SECOND, {"id": 2, "open": DRAW}, step(2, "", **call), step(2, "7"))[0][2]
            self.assertEqual((ended["record"], ended["reward"], "tools" in ended), ({"seed": 2**64 - 1}, 1.0, False))

    def test_grades(self):
        code = """
            import quintain
            def grade(problem, played):
                if not played["answer"]:
                    return None
                return quintain.Step(reward=float(played["answer"]), metrics={"replies": len(played["messages"])}, why=str(problem.index))
            @quintain.scenario(grade=grade)
            def graded(problem):
                yield "What?"
            quintain.serve_scenario(graded)
        """
        with self.file(code) as file:
            asked = [{"id": 2 + n, "grade": {"problem": DRAW, "messages": [{"role": "user", "content": "What?"}], "answer": answer}} for n, answer in enumerate(("0.5", "", "x"))]
            said, _ = talk(file, SECOND, *asked)
            self.assertTrue(said[1]["hello"]["grades"])
            self.assertEqual([said[2][k] for k in ("reward", "right", "metrics", "why")], [0.5, False, {"replies": 1.0}, "3"])
            self.assertEqual(said[3], {"id": 3, "needs_state": True})
            self.assertIn("ValueError", said[4]["error"])
            self.assertNotIn("grades", talk(file, HELLO)[0][1]["hello"])

    @contextlib.contextmanager
    def file(self, code):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scenario.py"
            path.write_text(textwrap.dedent(code), encoding="utf-8")
            yield path


class Http(unittest.TestCase):
    def test_an_episode(self):
        process = subprocess.Popen(
            [sys.executable, "-c", f"import runpy, quintain; quintain.serve_scenario(runpy.run_path({str(EXAMPLE)!r})['higher_lower'], port=0)"],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        url = re.search(r"http://\S+", process.stderr.readline())[0]

        def post(request):
            with urllib.request.urlopen(urllib.request.Request(url, json.dumps(request).encode()), timeout=60) as reply:
                return json.load(reply)

        self.assertEqual(post(HELLO)["hello"]["name"], "higher_lower")
        self.assertIn("from 1 to 10", post({"id": 5, "open": DRAW})["messages"][0]["content"])
        self.assertTrue(post(step(5, "I pass."))["malformed"])
        with self.assertRaises(urllib.error.HTTPError) as refused:  # it has ended
            post(step(5, "I pass."))
        self.assertEqual(refused.exception.code, 404)
        refused.exception.close()


class Functions(unittest.TestCase):
    def test_answers_of_replies(self):
        for reply, want in [
            ("<answer> 7 </answer>", "7"), ("<think><answer>1</answer></think>so <answer>2</answer>", "2"), ("7", ""),
            ("<answer>1</answer><answer>2</answer>", ""), ("<think>is it <answer>1</answer>?", ""), ("<Answer>3</ANSWER>", "3"), ("<answer>a\nb</answer>", "a\nb"), ("", ""),
        ]:  # fmt: skip
            with self.subTest(reply):
                self.assertEqual(scenarios.Reply(reply).answer, want)

    def test_draws_repeat(self):
        draw = quintain.Draw(7, 1, 2, {})
        self.assertEqual(draw.random.random(), draw.random.random())
        self.assertNotEqual(draw.random.random(), quintain.Draw(7, 1, 3, {}).random.random())

    def test_what_is_no_generator_is_refused(self):
        with self.assertRaisesRegex(TypeError, "is not a generator"):
            quintain.scenario(lambda problem: 1.0)

    def test_tasks(self):
        @quintain.scenario(tasks=True)
        def plain(problem):
            reply = yield problem["prompt"]
            if not reply.answer:
                return quintain.Step(grade=reply)
            return quintain.grade(problem, reply.answer).score

        [problem] = quintain.task("gcd").problems(count=1)
        server, raw = scenarios._Server(plain), json.loads(problem["problem"])
        self.assertNotIn("levels", plain.hello())
        for answer, reward in [("-5", 0.0), ("1", quintain.grade(problem, "1").score)]:
            opened = json.loads(server.answer(json.dumps({"id": 1, "open": raw}).encode())[1])
            self.assertEqual(opened["messages"][0]["content"], problem["prompt"])
            self.assertEqual(json.loads(server.answer(json.dumps(step(1, f"<answer>{answer}</answer>")).encode())[1])["reward"], reward)
        server.answer(json.dumps({"id": 1, "open": raw}).encode())
        self.assertEqual(json.loads(server.answer(json.dumps(step(1, "5")).encode())[1]), {"id": 1, "grade": "5", "end": "terminated"})

    def test_threads_play_at_once(self):
        meet = threading.Barrier(4, timeout=60)

        @quintain.scenario(parallel=4, replayable=True)
        def waits(problem):
            meet.wait()
            yield "a"
            return 1

        server = scenarios._Server(waits)
        threads = [threading.Thread(target=server.answer, args=(json.dumps({"id": n, "open": DRAW}).encode(),)) for n in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(sorted(server.episodes), [0, 1, 2, 3])


class Runs(unittest.TestCase):
    def test_the_program_plays_it(self):
        command = f'"{sys.executable}" "{EXAMPLE}"'
        with tempfile.TemporaryDirectory() as folder:
            run = quintain.Run(f"{folder}/data", policy="script", steps=2, environment=f"command:{command}")
            with run:
                report = run.wait(120)
        episodes = report["episodes"]
        self.assertEqual({name: episodes[name] for name in ("env_failed", "infra_failed", "timed_out")}, {"env_failed": 0, "infra_failed": 0, "timed_out": 0})
        self.assertGreater(episodes["scored"], 0)


if __name__ == "__main__":
    unittest.main()
