import socketserver


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write((answer(self, line.decode().rstrip("\r\n")) + "\n").encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


def answer(of, line):
    m = re.fullmatch(r"(-?[0-9]{1,30}) (plus|minus|times) (-?[0-9]{1,30})", line)
    if not m:
        return "ERROR"
    a, b = int(m[1]), int(m[3])
    return str({"plus": a + b, "minus": a - b, "times": a * b}[m[2]])


import re
Server(("127.0.0.1", 7005), Handler).serve_forever()
