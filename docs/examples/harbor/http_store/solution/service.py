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
        self.answer(200, kept[self.path]) if self.path in kept else self.answer(404)

    def do_PUT(self):
        status = 204 if self.path in kept else 201
        kept[self.path] = self.body()
        self.answer(status)

    def do_DELETE(self):
        self.answer(204 if kept.pop(self.path, None) is not None else 404)


kept = {}
ThreadingHTTPServer(("127.0.0.1", 8081), Handler).serve_forever()
