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
        url = kept.get(self.path[1:])
        self.send_response(302 if url else 404)
        if url:
            self.send_header("Location", url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        url = self.body()
        if self.path != "/new" or not url.startswith(("http://", "https://")):
            return self.answer(400)
        code = hashlib.sha256(url.encode()).hexdigest()[:10]
        kept[code] = url
        self.answer(200, code)


import hashlib
kept = {}
ThreadingHTTPServer(("127.0.0.1", 8082), Handler).serve_forever()
