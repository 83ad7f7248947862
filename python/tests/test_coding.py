"""Rewards of programs."""

import http.server
import json
import subprocess
import threading
import unittest

import quintain
from quintain import program
from test_hub import free_port

TESTS = {"language": "python", "kind": "stdin", "cases": [{"input": "1", "output": "1"}, {"input": "2", "output": "2"}]}
RIGHT = "```python\nprint(input())\n```"


class Coding(unittest.TestCase):
    def test_rewards(self):
        port = free_port()
        server = program.start("serve", f"--port={port}", "--log-level=error", stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        reward = quintain.code_reward(f"http://127.0.0.1:{port}")
        parts = [{"role": "assistant", "content": [{"type": "text", "text": RIGHT}]}]
        replies = [RIGHT, "```python\nprint(1)\n```", "I do not know.", [{"role": "assistant", "content": RIGHT}], parts, []]
        tests = [TESTS, TESTS, json.dumps(TESTS), json.dumps(TESTS), TESTS, TESTS]
        self.assertEqual(reward([""] * 6, replies, tests=tests, other=[1] * 6), [1, 0, 0, 1, 1, 0])
        with self.assertRaisesRegex(quintain.Error, "422"):
            quintain.code_score({**TESTS, "cases": []}, RIGHT, f"http://127.0.0.1:{port}")

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
