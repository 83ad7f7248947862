from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, text="", kind="text/plain"):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()

    def log_message(self, *args):
        pass

    def do_POST(self):
        if self.path != "/sum":
            return self.answer(404)
        try:
            v = json.loads(self.body())
            if type(v) is not list or any(type(x) is not int for x in v):
                raise ValueError("want a list of whole numbers")
        except ValueError as e:
            return self.answer(400, json.dumps({"error": str(e)}), "application/json")
        self.answer(200, json.dumps({"count": len(v), "sum": sum(v), "max": max(v, default=None)}), "application/json")


import json
ThreadingHTTPServer(("127.0.0.1", 8083), Handler).serve_forever()
