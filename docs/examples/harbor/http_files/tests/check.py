import json, os, stat, subprocess, sys


def fail(why):
    print("FAIL:", why)
    sys.exit(1)


def text(path):
    """The text of a file that is no link."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            fail(path + " is no file")
        with open(path, encoding="utf-8") as f:
            return f.read()
    except (OSError, UnicodeDecodeError) as e:
        fail(f"{path}: {e}")


def run(args, given="", cwd="/app", seconds=20):
    try:
        return subprocess.run(args, input=given, capture_output=True, text=True, timeout=seconds, cwd=cwd)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as e:
        fail(f"{args}: {e}")


def same(got, want, what):
    if got.split("\n") != want.split("\n") and got.rstrip("\n") != want.rstrip("\n"):
        fail(f"{what}: got {got[:300]!r}, want {want[:300]!r}")


import http.client, socket, time


def begin(port):
    """Starts /app/start.sh, and waits until it listens."""
    log = open("/tmp/service.log", "wb")
    subprocess.Popen(["/bin/bash", "/app/start.sh"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True)
    for _ in range(150):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    fail(f"nothing listens on port {port}: " + open("/tmp/service.log", errors="replace").read()[-500:])


def ask(port, method, path, body=None, headers={}):
    try:
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        c.request(method, path, body, headers)
        r = c.getresponse()
        return r.status, r.read().decode("utf-8", "replace"), r.headers
    except (OSError, http.client.HTTPException) as e:
        fail(f"{method} {path}: {e}")


def talk(port, lines):
    """Sends lines on one connection, and returns as many answers."""
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as s, s.makefile("rw", newline="\n") as f:
            out = []
            for line in lines:
                f.write(line + "\n")
                f.flush()
                out.append(f.readline().rstrip("\r\n"))
            return out
    except (OSError, ValueError) as e:
        fail(f"port {port}: {e}")


begin(8084)
os.makedirs("/app/public/deep", exist_ok=True)
for name, said in [("test_a.txt", "aaa"), ("deep/index.html", "<p>deep"), ("deep/test.json", "{}")]:
    with open("/app/public/" + name, "w") as f:
        f.write(said)
with open("/app/secret.txt", "w") as f:
    f.write("secret")
if not os.path.lexists("/app/public/test_link.txt"):
    os.symlink("/app/secret.txt", "/app/public/test_link.txt")
for path, status, want, kind in [
    ("/test_a.txt", 200, "aaa", "text/plain"), ("/deep/", 200, "<p>deep", "text/html"), ("/deep/test.json", 200, "{}", "application/json"), ("/nothing.txt", 404, None, None),
    ("/../secret.txt", 404, None, None), ("/deep/../../secret.txt", 404, None, None), ("/%2e%2e/secret.txt", 404, None, None), ("/test_link.txt", 404, None, None), ("/deep", 404, None, None),
]:
    got, said, headers = ask(8084, "GET", path)
    if got != status or want is not None and (said != want or (headers["Content-Type"] or "").split(";")[0] != kind):
        fail(f"{path}: {got} {said!r} {headers['Content-Type']}, want {status} {want!r}")
