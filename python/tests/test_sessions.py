"""Sessions of a gateway, and loops that play them."""

import itertools
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock
import urllib.request

import quintain
from quintain import program
from test_hub import free_port


def ask(session, text, key=None):
    """What the policy says to a text."""
    body = {"model": "any", "messages": [{"role": "user", "content": text}]}
    request = urllib.request.Request(session.openai_url + "/chat/completions", json.dumps(body).encode(), {"Authorization": f"Bearer {key or session.key}"})
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


class WithGateway(unittest.TestCase):
    """All tests share a gateway, whose policy writes letters."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        port = free_port()
        server = program.start("policy", "fake", f"--port={port}", "--first-token=0s", "--rate=0", stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.kill)
        run = quintain.Run(
            f"{folder.name}/data", policy="server", url=f"http://127.0.0.1:{port}", tokenizer="bytes", gateway=True, tasks="chain_sum:0", group_size=2,
            batch_size=32, max_lag=1000,
        )  # fmt: skip
        cls.addClassCleanup(run.stop)
        patch = unittest.mock.patch.dict(os.environ, QUINTAIN_URL=run.url())
        patch.start()
        cls.addClassCleanup(patch.stop)


class Sessions(WithGateway):
    def test_a_block_plays_a_session_of_ones_own(self):
        with quintain.session("sum", prompt="What is 1 + 2?") as s:
            self.assertEqual(s.prompt, "What is 1 + 2?")
            self.assertEqual(s.env["OPENAI_BASE_URL"], f"{os.environ['QUINTAIN_URL']}/sessions/{s.id}/v1")
            self.assertEqual((s.env["OPENAI_API_KEY"], s.env["ANTHROPIC_API_KEY"], s.env["ANTHROPIC_BASE_URL"]), (s.key, s.key, s.anthropic_url))
            said = ask(s, s.prompt)
            s.reward(0.25, right=True, why="half of a half")
            s.reward(0.25, add=True)
        view = s.state()
        self.assertEqual((view["reward"], view["calls"]), (0.5, 1))
        [call] = s.calls()
        self.assertEqual(call["reply"], said)
        with self.assertRaisesRegex(quintain.SessionError, "410|409") as refused:
            s.reward(1.0) if view["state"] == "sealed" else ask(s, "more")
        self.assertIn(refused.exception.status, (409, 410))

    def test_a_group_that_is_not_trained_on_says_so(self):
        for rewards, why in (((1.0, 1.0), "equal_scores"), ((0.0, 1.0), "")):
            with self.subTest(why):
                sessions = quintain.group(2, {"name": f"dropped {why}", "prompt": "What is 1 + 2?"})
                for s, reward in zip(sessions, rewards, strict=True):
                    with s:
                        ask(s, s.prompt)
                        s.reward(reward)
                while not (view := json.loads(s._gateway.ask("GET", f"/v1/groups/{s.group}?wait=30")))["done"]:
                    pass
                self.assertEqual((view["dropped"], [one.state().get("dropped", "") for one in sessions]), (why, [why, why]))

    def test_an_exception_is_no_reward(self):
        for error, outcome in ((ValueError("no"), "env_failed"), (KeyboardInterrupt(), "cancelled")):
            with self.subTest(outcome), self.assertRaises(type(error)):
                with quintain.session("failing") as s:
                    ask(s, "hello")
                    s.reward(1.0)
                    raise error
            view = json.loads(s._gateway.ask("GET", f"/v1/sessions/{s.id}?wait=30&state=sealed"))
            self.assertEqual(view["outcome"], outcome)

    def test_the_problem_of_a_run_is_judged_by_its_task(self):
        sessions = quintain.group()
        self.assertEqual((len(sessions), len({s.prompt for s in sessions})), (2, 1))
        for s in sessions:
            with s:
                ask(s, s.prompt)
                s.end(answer="nonsense")
        view = json.loads(s._gateway.ask("GET", f"/v1/sessions/{s.id}?wait=30&state=sealed"))
        self.assertEqual((view["state"], view["reward"]), ("sealed", 0))

    def test_a_problem_of_the_package_has_its_prompt_and_no_solution(self):
        [problem] = quintain.task("gcd").problems(count=1)
        [chat] = quintain.task("gcd").problems(count=1, chat=True)
        for p in (problem, chat):
            pair = quintain.group(2, p)
            self.assertEqual(len({s.group for s in pair}), 1)
            self.assertIn(problem["prompt"], pair[0].prompt)
            self.assertNotIn("instance", json.dumps([s.__dict__ for s in pair], default=str))
            for s in pair:
                s.end(failed="cancelled")

    def test_clients_are_of_packages_that_may_be_missing(self):
        s = quintain.session("clients")
        with unittest.mock.patch.dict(sys.modules, {"openai": None}), self.assertRaisesRegex(ImportError, "package openai.*pip install openai"):
            s.openai()
        made = types.SimpleNamespace(OpenAI=dict, AsyncOpenAI=dict, Anthropic=dict, AsyncAnthropic=dict)
        with unittest.mock.patch.dict(sys.modules, {"openai": made, "anthropic": made}):
            for client, base in ((s.openai, s.openai_url), (s.async_openai, s.openai_url), (s.anthropic, s.anthropic_url), (s.async_anthropic, s.anthropic_url)):
                self.assertEqual(client(timeout=5), {"base_url": base, "api_key": s.key, "timeout": 5})
        s.end(failed="cancelled")

    def test_what_is_wrong_is_named(self):
        with self.assertRaisesRegex(ValueError, "url is 'nowhere', want http://HOST:PORT"):
            quintain.session("x", url="nowhere")
        with self.assertRaisesRegex(quintain.SessionError, "422.*nothing"):
            quintain.session("x", nothing=1)


class Loops(WithGateway):
    def test_a_function_plays_the_problems_it_is_given(self):
        seen, lock = [], threading.Lock()

        @quintain.agent
        def play(problem, session):
            """Play."""
            ask(session, session.prompt)
            with lock:
                seen.append((problem["n"], session))
            return problem["n"] / 4

        self.assertEqual(play.run([{"prompt": f"{n}?", "n": n} for n in range(3)], group_size=2, parallel=4), 6)
        self.assertEqual(sorted(n for n, _ in seen), [0, 0, 1, 1, 2, 2])
        self.assertEqual({(n / 4, s.state()["reward"]) for n, s in seen}, {(0, 0), (0.25, 0.25), (0.5, 0.5)})
        self.assertEqual((play.__doc__, play.__name__), ("Play.", "play"))

    def test_the_run_draws_problems_until_the_loop_is_stopped(self):
        stop, played = threading.Event(), itertools.count(1)

        @quintain.agent
        def play(problem, session):
            self.assertEqual(problem["prompt"], session.prompt)
            ask(session, session.prompt)
            if next(played) == 6:
                stop.set()

        done = play.run(stop=stop, parallel=3)
        self.assertTrue(6 <= done <= 9, done)

    def test_a_failing_function_is_stopped_and_rewards_nothing(self):
        sessions = []

        @quintain.agent
        def play(problem, session):
            sessions.append(session)
            raise RuntimeError("broken")

        logging.getLogger("quintain").setLevel(logging.ERROR)
        self.addCleanup(logging.getLogger("quintain").setLevel, logging.NOTSET)
        with self.assertRaisesRegex(RuntimeError, "broken"):
            play.run((f"broken {n}" for n in itertools.count()), group_size=2, parallel=2)
        self.assertTrue(20 <= len(sessions) <= 24, len(sessions))
        self.assertIsNone(sessions[0].state()["reward"])


if __name__ == "__main__":
    unittest.main()
