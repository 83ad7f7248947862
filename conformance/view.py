#!/usr/bin/env python3
"""Show groups of `quintain env process` with Atropos' viewer of runs, view-run, by way of `quintain hub`. Each of its
pages must have the replies and the scores of a group.

    REQUIREMENTS=view.txt conformance/python conformance/view.py --quintain bin/quintain

The viewer connects to http://localhost:8000, so that port must be free.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import env
import requests

sys.path.append(str(pathlib.Path(__file__).parents[1] / "bench"))
import environment  # noqa: E402

SIZE = 8  # replies of a group; the viewer takes batches of as many groups


def shown(page):
    """The viewer's output at a press of its button: a list of texts."""
    call = requests.post(f"{page}/gradio_api/call/get_batch", json={"data": []}, timeout=60).json()["event_id"]
    event, data = requests.get(f"{page}/gradio_api/call/get_batch/{call}", timeout=60).text.split("\n")[:2]
    if event != "event: complete":
        raise SystemExit(f"the viewer fails: {event} {data}")
    return json.loads(data.removeprefix("data: "))


def compare(page, groups):
    """Press the button once, and find its output among the groups."""
    prefix, *rest = shown(page)
    texts, scores = rest[:SIZE], [float(score) for score in rest[SIZE:]]
    for group in groups:
        replies = [talk[-1]["content"] for talk in group["messages"]]
        question = group["messages"][0][-2]["content"]
        if group["scores"] == scores and question in prefix and all(reply in prefix + text for text, reply in zip(texts, replies)):
            return []
    return [f"the viewer shows no group of ours: {prefix[-200:]!r}, {texts}, {scores}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    quintain = os.path.abspath(parser.parse_args().quintain)
    # The viewer shares its page with the world if it can; here it cannot.
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", GRADIO_ANALYTICS_ENABLED="False", GRADIO_SHARE_SERVER_ADDRESS="127.0.0.1:9")
    with tempfile.TemporaryDirectory() as name:
        scratch, port = pathlib.Path(name), env.free_port()
        page = f"http://127.0.0.1:{port}"
        lines = env.make_groups(quintain, scratch, 2 * SIZE).read_text().splitlines()
        environment.make_tokenizer(scratch / "tokenizer")
        hub = env.start([quintain, "hub", "--port", "8000", "--data", str(scratch / "hub")], "http://localhost:8000")
        viewer = subprocess.Popen([pathlib.Path(sys.executable).parent / "view-run", "--port", str(port), "--group-size", str(SIZE), "--tokenizer", scratch / "tokenizer"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            faults = env.until("the page of the viewer", lambda: answers(page), 240)
            for line in lines:
                requests.post("http://localhost:8000/scored_data", line.encode(), headers={"Content-Type": "application/json"}, timeout=60).raise_for_status()
            for _ in range(0 if faults else 2):
                faults += compare(page, [json.loads(line) for line in lines])
        finally:
            for process in (viewer, hub):
                process.kill()
                process.wait()
    for fault in faults:
        print("FAILED", fault)
    print(f"view: 2 groups of {SIZE} on the page of view-run, {len(faults)} faults")
    return 1 if faults else 0


def answers(page):
    try:
        return requests.get(f"{page}/config", timeout=5).ok
    except requests.RequestException:
        return False


if __name__ == "__main__":
    sys.exit(main())
