"""Rewards of programs."""

import http.server
import json
import pathlib
import subprocess
import tempfile
import threading
import unittest
import unittest.mock

import quintain
from quintain import coding, program
from test_hub import free_port

TESTS = {"language": "python", "kind": "stdin", "cases": [{"input": "1", "output": "1"}, {"input": "2", "output": "2"}]}
RIGHT = "```python\nprint(input())\n```"


class Coding(unittest.TestCase):
    def serve(self, *flags):
        """Start a server, and give its address."""
        port = free_port()
        server = program.start("serve", f"--port={port}", "--log-level=error", *flags, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        return f"http://127.0.0.1:{port}"

    def test_rewards(self):
        url = self.serve()
        reward = quintain.code_reward(url)
        parts = [{"role": "assistant", "content": [{"type": "text", "text": RIGHT}]}]
        replies = [RIGHT, "```python\nprint(1)\n```", "I do not know.", [{"role": "assistant", "content": RIGHT}], parts, []]
        tests = [TESTS, TESTS, json.dumps(TESTS), json.dumps(TESTS), TESTS, TESTS]
        self.assertEqual(reward([""] * 6, replies, tests=tests, other=[1] * 6), [1, 0, 0, 1, 1, 0])
        told = [{"role": "assistant", "tool_calls": []}, {"role": "tool", "content": RIGHT}]
        self.assertEqual(reward([""] * 3, [RIGHT, told, RIGHT], tests=[None, TESTS, TESTS]), [None, 0, 1])
        with self.assertRaisesRegex(quintain.Error, "422"):
            quintain.code_score({**TESTS, "cases": []}, RIGHT, url)

    def test_problems_of_the_server(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "echoes.jsonl"
            file.write_text(json.dumps({"id": "echo", "statement": "Print the input.", "tests": TESTS}), encoding="utf-8")
            url = self.serve(f"--serve-problems={file}")
            ours = quintain.code_problems(count=3, offset=2, url=url, seed=7, level=1)
            echoes = quintain.code_problems("echoes", url=url)
        self.assertEqual(len({row["problem"] for row in ours}), 3)
        self.assertEqual(quintain.code_score(ours[0]["problem"], RIGHT, url), 0)
        self.assertEqual([(row["problem"], row["task"]) for row in echoes], [("echo", "echoes")])
        self.assertIn("Print the input.", echoes[0]["prompt"][0]["content"])
        reward = quintain.code_reward(url, column="problem", dataset="echoes")
        self.assertEqual(reward([""] * 2, [RIGHT, "no"], problem=["echo", "echo"]), [1, 0])
        for row in quintain.rewards.verl_rows(echoes):
            truth, source = row["reward_model"]["ground_truth"], row["data_source"]
            self.assertEqual([coding.compute_score(source, reply, truth, row["extra_info"], url=url) for reply in (RIGHT, "no")], [1, 0])
        self.assertEqual(coding.compute_score("elsewhere", RIGHT, json.dumps(TESTS), None, url=url, more=1), 1)
        with self.assertRaisesRegex(quintain.Error, "404"):
            quintain.code_score("none", RIGHT, url, dataset="echoes")

    def test_equal_replies_are_judged_once(self):
        """Of a group, as trainers ask for it, some replies are equal."""
        asked = []
        with unittest.mock.patch.object(coding, "code_score", lambda tests, reply, *_, **__: asked.append((tests, reply)) or float(len(reply))):
            scores = quintain.code_reward("http://127.0.0.1:1")([""] * 4, ["a", "bc", "a", "a"], tests=[TESTS, TESTS, json.dumps(TESTS), "7"])
        self.assertEqual((scores, len(asked)), ([1, 2, 1, 1], 3))

    def test_faults_are_no_scores(self):
        """A server that is busy is asked again; one that is never free is an error."""
        statuses = [504, 503, 200]

        class Busy(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                status = statuses.pop(0) if statuses else 503
                self.send_response(status)
                self.end_headers()
                self.wfile.write(b'{"score": 0.5}')

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}"
            self.assertEqual(quintain.code_score(TESTS, RIGHT, url), 0.5)
            self.assertEqual(statuses, [])
            with self.assertRaisesRegex(quintain.Error, "503"):
                quintain.code_score(TESTS, RIGHT, url, patience=0.5)
            server.shutdown()


if __name__ == "__main__":
    unittest.main()
