#!/usr/bin/env python3
"""The cost of viewers to a run, and of a long run to its viewers.

    python3 bench/watch.py --quintain bin/quintain [--viewers 10] [--seconds 60]
    python3 bench/watch.py --quintain bin/quintain --points 10000000

A run of the model in the box plays and trains. Beside it, `quintain view` shows its folder to viewers, each of whom
makes the requests of the page's scripts: events, the page again at most every five seconds, and the charts when there
are more numbers. Both serve the same pages with the same code, so the processor time of the second process is the
cost of the viewers; it is compared with the run's. Processor time hardly depends on other work of the machine.

With --points, a folder gets so many numbers of 50 names; the output is a viewer's wait for its page, for all numbers,
for the charts and for a new row, and the memory of the program.
"""

import argparse
import contextlib
import json
import pathlib
import random
import re
import socket
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def seconds(process):
    """The processor time of a process so far, from Linux, in ticks of a hundredth of a second."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")")[-1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def get(url):
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.read()


def watch(base, asked, over):
    """One viewer."""
    page = urllib.request.urlopen(base + "run", timeout=60).read().decode()
    names = re.findall('data-name="([^"]+)"', page)
    charts = base + "series?" + urllib.parse.urlencode([("name", n) for n in names[:100]])
    rows, renewed = -1, 0.0
    for line in urllib.request.urlopen(base + "events", timeout=600):
        if over.is_set():
            return
        if not line.startswith(b"data: "):
            continue
        now = json.loads(line[6:])
        if time.time() - renewed > 5:
            renewed = time.time()
            get(base + "run")
            asked["pages"] += 1
        if now["rows"] != rows:
            rows = now["rows"]
            get(charts)
            asked["charts"] += 1


def write_points(path, points, names):
    values = [f"{random.random():.16f}" for _ in range(1 << 16)]
    with open(path, "w", buffering=1 << 20) as out:
        for row in range(points // len(names)):
            numbers = ",".join(f'"{name}":{values[(row * 7919 + i * 31) % len(values)]}' for i, name in enumerate(names))
            out.write(f'{{"step":{row},"time":{1795354756 + 5 * row}.25,"values":{{{numbers}}}}}\n')


def long_run(quintain, points):
    names = ["train/score", "train/percent_correct", *(f"train/score/task_{i:02}" for i in range(48))]
    with tempfile.TemporaryDirectory() as folder:
        path, port = pathlib.Path(folder) / "metrics.jsonl", free_port()
        write_points(path, points, names)
        base, began = f"http://127.0.0.1:{port}/watch/", time.time()
        view = subprocess.Popen([quintain, "view", folder, "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            page = None
            while not page:
                with contextlib.suppress(urllib.error.URLError):
                    page = get(base + "run")
            opened = time.time() - began
            while b"are left" in urllib.request.urlopen(base + "run", timeout=60).read():
                time.sleep(0.05)
            read = time.time() - began
            charts = base + "series?" + urllib.parse.urlencode([("name", n) for n in names])
            spent = {}
            for what in ("run", charts.removeprefix(base)):
                times = []
                for _ in range(20):
                    start = time.time()
                    get(base + what)
                    times.append(time.time() - start)
                spent[what[:3]] = 1000 * statistics.median(times)
            events = urllib.request.urlopen(base + "events", timeout=60)
            time.sleep(2)
            start = time.time()
            with open(path, "a") as out:
                out.write(f'{{"step":{points},"time":1999999999,"values":{{"train/score":7}}}}\n')
            next(line for line in events if line.startswith(b"data: "))
            line = json.loads(urllib.request.urlopen(base + "series?name=train/score", timeout=60).read())[0]
            told = time.time() - start
            assert line["x"][-1] == points and line["y"][-1] == 7, line
            memory = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{view.pid}/status").read_text())
        finally:
            view.kill()
            view.wait()
        print(f"{points:,} points, {path.stat().st_size / 1e6:.0f} MB: first page after {opened:.2f} s, all read after {read:.1f} s; the page {spent['run']:.0f} ms, "
              f"{len(names)} charts {spent['ser']:.0f} ms, a new row {told:.2f} s (looked for once a second); {int(memory[1]) / 1000:.0f} MB of memory")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program")
    parser.add_argument("--viewers", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--points", type=int, help="measure a folder with this many numbers instead")
    args = parser.parse_args()
    if args.points:
        return long_run(args.quintain, args.points)
    with tempfile.TemporaryDirectory() as folder:
        port, quiet = free_port(), {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        run = subprocess.Popen([args.quintain, "run", "--data", folder, "--port", "0"], **quiet)
        view = None
        try:
            while not (pathlib.Path(folder) / "metrics.jsonl").exists():
                time.sleep(0.2)
            time.sleep(10)
            view = subprocess.Popen([args.quintain, "view", folder, "--port", str(port)], **quiet)
            base, over, asked = f"http://127.0.0.1:{port}/watch/", threading.Event(), {"pages": 0, "charts": 0}
            time.sleep(3)
            viewers = [threading.Thread(target=watch, args=(base, asked, over), daemon=True) for _ in range(args.viewers)]
            for v in viewers:
                v.start()
            time.sleep(5)
            before = seconds(run), seconds(view)
            time.sleep(args.seconds)
            played, shown = (after - start for after, start in zip((seconds(run), seconds(view)), before))
            over.set()
        finally:
            for p in (run, view):
                if p:
                    p.kill()
                    p.wait()
    print(f"{args.viewers} viewers for {args.seconds:.0f} s: {asked['pages']} pages and {asked['charts']} times the charts; "
          f"the run took {played:.1f} s of processor time, the pages {shown:.2f} s: {100 * shown / played:.1f} %")


if __name__ == "__main__":
    main()
