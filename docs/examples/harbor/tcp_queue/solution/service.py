import socketserver


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write((answer(self, line.decode().rstrip("\r\n")) + "\n").encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


def answer(of, line):
    with lock:
        if line.startswith("PUSH ") and len(line) > 5:
            kept.append(line[5:])
            return str(len(kept))
        if line == "POP":
            return kept.popleft() if kept else "EMPTY"
        return str(len(kept)) if line == "SIZE" else "ERROR"


import collections, threading
kept, lock = collections.deque(), threading.Lock()
Server(("127.0.0.1", 7004), Handler).serve_forever()
