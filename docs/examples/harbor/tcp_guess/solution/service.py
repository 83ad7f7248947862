import socketserver


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write((answer(self, line.decode().rstrip("\r\n")) + "\n").encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


def answer(of, line):
    if line == "START":
        of.low, of.high = 1, 1000
    elif not hasattr(of, "low") or line not in ("LOWER", "HIGHER", "CORRECT"):
        return "ERROR"
    elif line == "CORRECT":
        return "DONE"
    elif line == "LOWER":
        of.high = of.at - 1
    else:
        of.low = of.at + 1
    if of.low > of.high:
        return "LIAR"
    of.at = (of.low + of.high) // 2
    return str(of.at)


Server(("127.0.0.1", 7003), Handler).serve_forever()
