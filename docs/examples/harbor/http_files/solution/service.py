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

    def do_GET(self):
        path = urllib.parse.unquote(self.path.split("?")[0])
        if path.endswith("/"):
            path += "index.html"
        at = os.path.realpath(ROOT + path)
        if not at.startswith(ROOT + "/") or not os.path.isfile(at):
            return self.answer(404)
        kind = {".html": "text/html", ".txt": "text/plain", ".json": "application/json"}.get(os.path.splitext(at)[1], "application/octet-stream")
        with open(at) as f:
            self.answer(200, f.read(), kind)


import os, urllib.parse
ROOT = "/app/public"
ThreadingHTTPServer(("127.0.0.1", 8084), Handler).serve_forever()
