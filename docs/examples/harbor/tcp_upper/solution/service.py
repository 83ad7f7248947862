import socketserver


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write((answer(self, line.decode().rstrip("\r\n")) + "\n").encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


def answer(of, line):
    return line.upper()[::-1]


Server(("127.0.0.1", 7001), Handler).serve_forever()
