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
        global count
        with lock:
            count += 1
            mine = count
        self.answer(200, str(mine))

    def do_GET(self):
        self.answer(200, str(count))


import threading
lock = threading.Lock()
count = 0
ThreadingHTTPServer(("127.0.0.1", 8085), Handler).serve_forever()
