import socketserver


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write((answer(self, line.decode().rstrip("\r\n")) + "\n").encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


def answer(of, line):
    word, _, rest = line.partition(" ")
    key, gap, value = rest.partition(" ")
    if word == "SET" and key and gap:
        kept[key] = value
        return "OK"
    if word == "GET" and key and not gap:
        return kept.get(key, "NONE")
    if word == "DEL" and key and not gap:
        return "NONE" if kept.pop(key, None) is None else "OK"
    if line == "KEYS":
        return " ".join(sorted(kept)) or "NONE"
    return "ERROR"


kept = {}
Server(("127.0.0.1", 7002), Handler).serve_forever()
