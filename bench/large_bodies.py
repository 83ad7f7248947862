#!/usr/bin/env python3
"""Time GET /info of a hub while several clients send it groups of many MiB as JSON.

    python3 bench/large_bodies.py --quintain bin/quintain --than OTHER --rounds 3

A fresh hub takes --clients bodies at once, for each content: the numbers of many sequences, or one long text, compressible
or not. Another process asks for /info every 10 ms meanwhile. --than is another program, measured alternately. This script
uses only the standard library.
"""

import argparse
import base64
import contextlib
import http.client
import json
import multiprocessing
import os
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time


def tokens(size):
    """Groups of 64 sequences, as many tokens in each as fit."""
    rng = random.Random(1)
    row = ",".join(str(rng.randrange(150_000)) for _ in range(size // 64 // 14))
    rows = "[" + ",".join(f"[{row}]" for _ in range(64)) + "]"
    return f'{{"tokens":{rows},"masks":{rows},"scores":{[float(i) for i in range(64)]}}}'.encode()


def around(text):
    return b'{"tokens":[[1]],"masks":[[1]],"scores":[1],"images":"' + text + b'"}'


def words(size):
    """Text that shrinks to about a quarter."""
    rng = random.Random(1)
    known = ["".join(rng.choices("etaoinshrdlu ", k=rng.randint(2, 30))) for _ in range(1000)]
    some = " ".join(rng.choices(known, k=200_000))
    return around((some * (size // len(some) + 1))[:size].encode())


def image(size):
    """Text that does not shrink."""
    some = base64.b64encode(random.Random(1).randbytes(3 << 20))
    return around((some * (size // len(some) + 1))[:size])


CONTENTS = {"tokens": tokens, "words": words, "image": image}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ask(port, stop, out):
    """Ask for /info every 10 ms, now and then on a new connection, and report the times in ms."""
    times, link = [], None
    while not stop.is_set():
        if len(times) % 10 == 0 or link is None:
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        start = time.perf_counter()
        link.request("GET", "/info")
        link.getresponse().read()
        times.append(1e3 * (time.perf_counter() - start))
        time.sleep(max(0, 0.01 - times[-1] / 1e3))
    out.put(times)


def send(port, body, replies):
    """Send a body, and again as long as the hub has no memory for it."""
    for _ in range(300):
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        with contextlib.closing(link):
            link.request("POST", "/scored_data", body, {"Content-Type": "application/json"})
            status = link.getresponse().status
        replies.append(status)
        if status != 503:
            break
        time.sleep(1)


def peak_mib(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith("VmHWM"))


def measure(program, args, body):
    """Times of /info in ms, the replies, seconds and peak memory in MiB."""
    port, data = free_port(), tempfile.mkdtemp(prefix="hub-large-")
    hub = subprocess.Popen([program, "hub", "--port", str(port), "--data", data, *args.hub], stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=1)) as link:
                link.request("GET", "/info")
                link.getresponse().read()
                break
            time.sleep(0.05)
        stop, out, replies = multiprocessing.Event(), multiprocessing.Queue(), []
        asker = multiprocessing.Process(target=ask, args=(port, stop, out))
        asker.start()
        start = time.perf_counter()
        clients = [threading.Thread(target=send, args=(port, body, replies)) for _ in range(args.clients)]
        for c in clients:
            c.start()
        for c in clients:
            c.join()
        seconds = time.perf_counter() - start
        stop.set()
        times = sorted(out.get(timeout=60))
        asker.join()
        return times, replies, seconds, peak_mib(hub.pid)
    finally:
        hub.terminate()
        hub.wait()
        shutil.rmtree(data)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--quintain", required=True, help="our program")
    ap.add_argument("--than", help="another program")
    ap.add_argument("--content", action="append", choices=CONTENTS, help="default: all")
    ap.add_argument("--clients", type=int, default=12)
    ap.add_argument("--mib", type=int, default=190, help="size of a body")
    ap.add_argument("--rounds", type=int, default=1)
    ap.add_argument("hub", nargs="*", help="flags of the hub, after --")
    args = ap.parse_args()
    print("| content | program | load | p50, ms | p99 | most | seconds | peak, MiB | replies |\n|---|---|--:|--:|--:|--:|--:|--:|---|")
    for content in args.content or CONTENTS:
        body = CONTENTS[content](args.mib << 20)
        for _ in range(args.rounds):
            for program in filter(None, (args.than, args.quintain)):
                load = os.getloadavg()[0]
                times, replies, seconds, peak = measure(program, args, body)
                p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
                told = " ".join(f"{replies.count(r)} x {r}" for r in sorted(set(replies)))
                print(f"| {content} | {os.path.basename(program)} | {load:.1f} | {p50:.1f} | {p99:.0f} | {times[-1]:.0f} | {seconds:.1f} | {peak:.0f} | {told} |", flush=True)


if __name__ == "__main__":
    main()
