"""A chat server that says what a script wants: what its handlers share."""

import http.server
import json


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers in JSON, has one model, and logs nothing."""

    protocol_version = "HTTP/1.1"

    def asked(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(self, value):
        self.send(json.dumps(value).encode())

    def send(self, body, kind="application/json"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "m", "object": "model"}]})

    def log_message(self, *_):
        pass
