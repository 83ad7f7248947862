#!/usr/bin/env python3
"""Measure the sandbox and the grader of programs beside plain Python, LiveCodeBench's grader and a server like SandboxFusion's.

    REQUIREMENTS=code_verdicts.txt PIP_NO_DEPS=1 conformance/python bench/sandbox.py --quintain bin/quintain
        [--rounds 5] [--write docs/benchmarks.md]

All sides take turns in each round, so that other work of the machine slows all of them. SandboxFusion's server is in
no package registry, only its client; `serve_as_peer` below is our own: it does for a program what that server does
without isolation, with 34 at once, and nothing else.
"""
import argparse
import asyncio
import concurrent.futures
import contextlib
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "conformance"))
sys.dont_write_bytecode = True
import code_peers  # noqa: E402
from serving import free_port, serving  # noqa: E402

MARK = re.compile(r"(<!-- sandbox -->\n).*?(<!-- /sandbox -->)", re.S)
AT_ONCE = (1, 8, 64)
RUNS = {1: 40, 8: 80, 64: 192}  # requests of a round, by how many are under way
PEER_AT_ONCE = 34
TESTS = 30
SAMPLES = 256
QUICK = "print(int(input()) ** 2)"
WORK = "n = int(input())\ns = 0\nfor i in range(300_000): s += i * n & 7\nprint(n * n)"


def serve_as_peer(port):
    """A server of POST /run_code that runs Python without isolation, until it is killed."""
    from aiohttp import web

    turns = asyncio.Semaphore(PEER_AT_ONCE)

    async def run_code(request):
        asked = await request.json()
        async with turns:
            with tempfile.TemporaryDirectory() as folder:
                name = os.path.join(folder, "code.py")
                pathlib.Path(name).write_text(asked["code"], encoding="utf-8")
                began = time.time()
                p = await asyncio.create_subprocess_shell(
                    f"/usr/bin/python3 {name}", executable="/bin/bash", cwd=folder, start_new_session=True,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                out, err = await asyncio.wait_for(p.communicate((asked.get("stdin") or "").encode()), asked.get("run_timeout", 10))
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(p.pid, signal.SIGKILL)
        ran = {"status": "Finished", "execution_time": time.time() - began, "return_code": p.returncode, "stdout": out.decode(), "stderr": err.decode()}
        return web.json_response({"status": "Success" if p.returncode == 0 else "Failed", "message": "", "compile_result": None, "run_result": ran, "files": {}})

    app = web.Application()
    app.router.add_post("/run_code", run_code)
    web.run_app(app, host="127.0.0.1", port=port, print=None)


@contextlib.contextmanager
def peer():
    """Run that server, and give its URL."""
    port = free_port()
    process = subprocess.Popen([sys.executable, __file__, "--peer", str(port)])
    try:
        for _ in range(600):
            with contextlib.suppress(OSError):
                http.client.HTTPConnection("127.0.0.1", port).connect()
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def many(count, at_once, ask):
    """The seconds of each request, and of all together. Each thread has a connection."""
    def thread(n):
        return [seconds(lambda: ask(n)) for _ in range(count // at_once)]

    began = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        each = [s for one in pool.map(thread, range(at_once)) for s in one]
    return each, time.perf_counter() - began


def raw(url):
    """A function that posts JSON to a path over the connection with a number."""
    connections = {}

    def post(n, path, body):
        for first in (True, False):
            c = connections.setdefault(n, http.client.HTTPConnection(url.removeprefix("http://"), timeout=600))
            try:
                c.request("POST", path, body, {"Content-Type": "application/json"})
                reply = c.getresponse()
                text = reply.read()
                break
            except ConnectionError:  # the server has closed it meanwhile
                connections.pop(n).close()
                if not first:
                    raise
        if reply.status != 200:
            raise SystemExit(f"{path}: status {reply.status}: {text[:300]}")
        return json.loads(text)

    return post


def run_by_http(url):
    post, body = raw(url), json.dumps({"code": QUICK, "language": "python", "stdin": "3"})

    def ask(n):
        answer = post(n, "/run_code", body)
        if answer["run_result"]["stdout"] != "9\n":
            raise SystemExit(f"{url}: {answer}")

    return ask


def run_by_client(url):
    """The same by the client of SandboxFusion."""
    import sandbox_fusion as sf

    def ask(_):
        request = sf.RunCodeRequest(code=QUICK, language="python", stdin="3")
        if sf.run_code(request, endpoint=url, max_attempts=1, client_timeout=60).run_result.stdout != "9\n":
            raise SystemExit(f"{url}: a wrong answer")

    return ask


def squares():
    """Tests of a program that prints a square."""
    return {"language": "python", "kind": "stdin", "compare": "lcb", "cases": [{"input": f"{n}\n", "output": f"{n * n}\n"} for n in range(TESTS)]}


def grade(post, tests, code, n=0):
    """Judge a program here."""
    verdict = post(n, "/v1/code/grade", json.dumps({"tests": tests, "code": code}))
    if verdict["score"] != 1:
        raise SystemExit(f"a right program fails: {verdict}")


def in_process(tests, code):
    """LiveCodeBench's grader in a fork of this process."""
    def judge():
        from livecodebench.evaluation.testing_util import run_test

        results, _ = run_test({"input_output": sample}, test=code, timeout=6)
        os._exit(0 if results == [True] * TESTS else 1)

    sample = json.dumps(code_peers.in_outs(tests))
    p = multiprocessing.Process(target=judge)
    p.start()
    p.join()
    if p.exitcode:
        raise SystemExit("LiveCodeBench's grader refuses a right program")


def by_livecodebench(tests, code):
    if not code_peers.by_livecodebench(tests, code)[0]:
        raise SystemExit("LiveCodeBench's grader refuses a right program")


def samples(post, rows):
    """Judge many solutions, 64 at once."""
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        list(pool.map(lambda n: grade(post, rows[n]["tests"], rows[n]["python"], n), range(len(rows))))


class Table:
    """The measurements of all rounds, by row and side."""

    def __init__(self):
        self.values = {}

    def add(self, name, values):
        self.values.setdefault(name, []).extend(values if isinstance(values, list) else [values])

    def median(self, name):
        return statistics.median(self.values[name])


def measure(args, url, rival):
    table, tests = Table(), squares()
    post, rows = raw(url), code_peers.rows(SAMPLES)
    asks = {("ours", "HTTP"): run_by_http(url), ("peer", "HTTP"): run_by_http(rival), ("ours", "client"): run_by_client(url), ("peer", "client"): run_by_client(rival)}
    for ask in asks.values():
        ask(0)  # opens the sandbox
    import livecodebench.evaluation.testing_util  # noqa: F401 - its forks have it

    for n in range(args.rounds):
        row = json.loads(subprocess.run([args.load, "sandbox", "-json", "--times", "60"], stdout=subprocess.PIPE, check=True).stdout)
        for way, cost in row.items():
            table.add((way, "wall"), cost["wall_ms"])
            table.add((way, "cpu"), cost["cpu_ms"])
            table.add((way, "rate"), cost["rate"])
        for at_once in AT_ONCE:
            for side, ask in asks.items():
                each, whole = many(RUNS[at_once], at_once, ask)
                table.add((*side, at_once), [1000 * s for s in each])
                table.add((*side, at_once, "rate"), len(each) / whole)
        for name, code in (("quick", QUICK), ("work", WORK)):
            for _ in range(3):
                table.add((name, "ours"), 1000 * seconds(lambda: grade(post, tests, code)))
                table.add((name, "fork"), 1000 * seconds(lambda: in_process(tests, code)))
                table.add((name, "lcb"), 1000 * seconds(lambda: by_livecodebench(tests, code)))
        if n == 0:
            table.add("samples", seconds(lambda: samples(post, rows)))
        print(f"round {n + 1} of {args.rounds}; load {os.getloadavg()[0]:.0f}", flush=True)
    return table


def written(t, rounds):
    """The table, in Markdown."""
    plain = t.median(("plain", "wall"))
    lines = [
        f"Load of the machine at the end: {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores. Medians of {rounds} rounds.",
        "", "| `python3 -I -S -c pass` | median, ms | ratio | on the processor, ms | a second, 4 at once |", "|---|--:|--:|--:|--:|",
    ]
    for way, name in (("plain", "plain"), ("sandbox", "in the sandbox"), ("zygote", "forked by a zygote")):
        wall = t.median((way, "wall"))
        lines.append(f"| {name} | {wall:.1f} | {wall / plain:.2f} | {t.median((way, 'cpu')):.1f} | {t.median((way, 'rate')):.0f} |")
    lines += ["", "| `POST /run_code` | at once | ours, ms | peer, ms | ours, a second | peer, a second | ratio |", "|---|--:|--:|--:|--:|--:|--:|"]
    for how in ("HTTP", "client"):
        for at_once in AT_ONCE:
            ours, theirs = t.median(("ours", how, at_once, "rate")), t.median(("peer", how, at_once, "rate"))
            lines.append(f"| {'plain HTTP' if how == 'HTTP' else 'client of SandboxFusion'} | {at_once} | {t.median(('ours', how, at_once)):.1f} | {t.median(('peer', how, at_once)):.1f}"
                         f" | {ours:.0f} | {theirs:.0f} | {ours / theirs:.1f} |")
    lines += ["", f"| a program that passes {TESTS} tests | ours, isolated, ms | LiveCodeBench in a fork, ms | ratio | its `check_correctness`, ms | ratio |", "|---|--:|--:|--:|--:|--:|"]
    for code, name in (("quick", "prints a square"), ("work", "loops 300,000 times first")):
        ours, fork, lcb = (t.median((code, side)) for side in ("ours", "fork", "lcb"))
        lines.append(f"| {name} | {ours:.0f} | {fork:.0f} | {ours / fork:.2f} | {lcb:.0f} | {ours / lcb:.2f} |")
    lines += ["", f"{SAMPLES} solutions of `write_program`, 64 at once, are judged by all their tests in {t.median('samples'):.1f} s."]
    return "\n".join(lines + ["", *targets(t)])


def targets(t):
    """The table of targets."""
    plain, fresh, zygote = (t.median((way, "wall")) for way in ("plain", "sandbox", "zygote"))
    rows = [
        ("a run in the sandbox, median", "plain and 4 ms", f"plain and {fresh - plain:.1f} ms", fresh <= plain + 4),
        ("a run in the sandbox, on the processor", "13 ms", f"{t.median(('sandbox', 'cpu')):.1f} ms", t.median(("sandbox", "cpu")) <= 13),
        ("a run by a zygote, median", "3 ms", f"{zygote:.1f} ms", zygote <= 3),
        ("runs by a zygote, a second", "500", f"{t.median(('zygote', 'rate')):.0f}", t.median(("zygote", "rate")) >= 500),
    ]
    for at_once in AT_ONCE:
        ratio = t.median(("ours", "HTTP", at_once, "rate")) / t.median(("peer", "HTTP", at_once, "rate"))
        rows.append((f"`/run_code`, {at_once} at once, beside the peer", "2 times", f"{ratio:.1f} times", ratio >= 2))
    for code, name in (("quick", "that prints a square"), ("work", "with a loop")):
        ratio = t.median((code, "ours")) / t.median((code, "fork"))
        rows.append((f"{TESTS} tests of a program {name}, beside LiveCodeBench in a fork", "1.5 times at most", f"{ratio:.2f} times", ratio <= 1.5))
    return ["| | target | measured | met |", "|---|--:|--:|---|", *(f"| {name} | {want} | {got} | {'yes' if met else '**No**'} |" for name, want, got, met in rows)]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quintain")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--write", type=pathlib.Path)
    p.add_argument("--peer", type=int, help=argparse.SUPPRESS)
    args = p.parse_args()
    if args.peer:
        return serve_as_peer(args.peer)
    with tempfile.TemporaryDirectory() as scratch, serving(args.quintain) as url, peer() as rival:
        args.load = os.path.join(scratch, "load")
        subprocess.run(["go", "build", "-o", args.load, "./bench/load"], cwd=pathlib.Path(__file__).parents[1], check=True)
        text = written(measure(args, url, rival), args.rounds)
    print(text)
    if args.write:
        args.write.write_text(MARK.sub(lambda m: m[1] + text + "\n" + m[2], args.write.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
