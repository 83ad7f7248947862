#!/usr/bin/env python3
"""What those who watch cost a run.

    python3 bench/watch.py --quintain bin/quintain [--viewers 10] [--seconds 60]

A run of the model in the box plays and trains. `quintain view` shows its folder beside it to viewers, each of whom asks for what the scripts of the page
of a run ask for: events, the page again at most every five seconds, and the charts when there are more numbers. Since both serve the same pages by the same
code, the processor time of the second process is what the viewers cost; it is compared with that of the run. Processor time hardly depends on what else
the machine does.
"""

import argparse
import json
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def seconds(process):
    """The processor time of a process so far, as Linux tells it, in ticks of a hundredth of a second."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program")
    parser.add_argument("--viewers", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
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
