#!/usr/bin/env python3
"""Run the program between a server and a trainer that both know the true version of the weights.

The server writes the version of its weights into every reply. The trainer takes batches from the hub, trains for a
while, loads the weights into the server, and tells the hub. No sequence may be older than the bound when it is
trained on, and no label newer than the truth.
"""
import argparse
import collections
import http.server
import json
import random
import re
import sys
import tempfile
import threading
import time

from serving import BATCH, call, training

UNTRAINED = -100


class Server(http.server.ThreadingHTTPServer):
    """An inference server without a model."""

    daemon_threads = True
    request_queue_size = 1024
    weights = 0  # version of them

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.reply({"data": [{"id": "model"}]})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        weights = self.server.weights
        time.sleep(random.uniform(0, 0.4))
        text = f"<answer>{random.randrange(10)}</answer> said by the weights {weights}."
        message = {"role": "assistant", "content": text}
        self.reply({"choices": [{"message": message, "finish_reason": "stop"} for _ in range(asked["n"])]})

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Trainer:
    """A trainer that checks its batches."""

    def __init__(self, hub, server, max_lag):
        self.hub, self.server, self.max_lag = hub, server, max_lag
        self.step, self.lags, self.faults = 0, collections.Counter(), []

    def call(self, path, value=None):
        return call("POST", self.hub + path, value)

    def run(self, steps, seconds):
        self.call("/register", dict(wandb_group="", wandb_project="", batch_size=BATCH, max_token_len=4096, checkpoint_dir="",
                                    save_checkpoint_interval=0, starting_step=0, num_steps=steps))
        self.call("/version", {"version": 0})
        while self.step < steps:
            headers, reply = self.call("/batches?wait=30")
            if not reply:
                raise SystemExit(f"no batch came after step {self.step}: the gate is shut")
            for group in reply["batch"]:
                self.check(group)
            time.sleep(seconds)
            self.step += 1
            ack = f"/batches/{headers['Quintain-Batch']}/ack"
            if self.step % 2 == 0 and self.step < steps:  # a trainer may use either order
                self.call(ack)
            self.server.weights = self.step
            self.call("/version", {"version": self.step})
            if self.step % 2 == 1 or self.step == steps:
                self.call(ack)

    def check(self, group):
        oldest = self.step
        for tokens, masks, versions in zip(group["tokens"], group["masks"], group["versions"]):
            said = bytes(t for t, mask in zip(tokens, masks) if mask != UNTRAINED).decode()
            labels = {v for v, mask in zip(versions, masks) if mask != UNTRAINED}
            truth, label = int(re.search(r"weights (\d+)\.", said).group(1)), min(labels)
            if max(labels) > truth:
                self.faults.append(f"step {self.step}: a label {max(labels)} of weights {truth}")
            if label < 0 and truth > 0:
                self.faults.append(f"step {self.step}: the version is unknown, though {truth} was told")
            if self.step - max(label, 0) > self.max_lag:
                self.faults.append(f"step {self.step}: weights {truth}, labelled {label}; the bound is {self.max_lag}")
            oldest = min(oldest, label)
        if oldest >= 0:
            self.lags[self.step - oldest] += 1


def play(options, max_lag):
    """Play one run, and return its faults."""
    server = Server()
    with tempfile.TemporaryDirectory() as scratch:
        with training(options.quintain, f"http://127.0.0.1:{server.server_address[1]}/v1", scratch, [
            "--policy", "openai", "--model", "model", "--tasks", "chain_sum", "--max-lag", str(max_lag), "--steps", str(options.steps),
        ]) as (run, hub):
            trainer = Trainer(hub, server, max_lag)
            trainer.run(options.steps, options.seconds)
            run.wait(60)
        server.shutdown()
        with open(f"{scratch}/report.json", encoding="utf-8") as f:
            told = {int(lag): n for lag, n in json.load(f)["staleness"].items()}
    if told != dict(trainer.lags):
        trainer.faults.append(f"the report has the staleness {told}, and the trainer measured {dict(trainer.lags)}")
    print(f"max_lag {max_lag}: {options.steps} steps, groups by their lag {dict(sorted(trainer.lags.items()))}, {len(trainer.faults)} faults")
    return trainer.faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.3, help="that a step takes")
    options = parser.parse_args()
    faults = [fault for max_lag in (0, 2) for fault in play(options, max_lag)]
    for fault in faults[:10]:
        print(fault, file=sys.stderr)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
