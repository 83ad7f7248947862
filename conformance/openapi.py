#!/usr/bin/env python3
"""Send a serving hub requests that its OpenAPI documents allow, and many that they do not, with Schemathesis. No
reply may be a fault of the server, have a status missing from the document, or content that does not fit it, and
the hub takes everything that the document allows.

The routes of quintain serve come first, then those of a run, then those that end runs and drain the hub, then posts
to a draining hub, and last the events of it all.
"""
import argparse
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

CHECKS = ["status_code_conformance", "content_type_conformance", "response_headers_conformance", "response_schema_conformance"]
SOUND = ["not_a_server_error", "positive_data_acceptance"]
ENDS = r"/v1/(drain|runs/\{run\})$|/reset_data$"  # these take away what others test with
POSTS = "/scored_data|/groups$|/readyz"
CONFIG = '[checks.positive_data_acceptance]\nexpected-statuses = ["2xx", 404, 409, 410]\n'

# Values that make requests find something, and soon.
KNOWN = {"run": ["default", "other"], "id": [1, 2, 3], "wait": ["", "0", "50ms"], "lease": ["", "60", "1.5", "1h30m"],
         "batch_size": [2, 4], "group_size": [2], "env_id": [0, 1]}
SEQUENCES, LENGTH = 2, 3  # of the groups: JSON Schema cannot say that lengths are equal


def narrow(document):
    """Restrict a document to its rules in words, and to KNOWN."""
    parts = document["components"]
    for parameter in parts["parameters"].values():
        if parameter["name"] in KNOWN:
            parameter["schema"] = {"enum": KNOWN[parameter["name"]]}
    for schema in ("Registration", "EnvRegistration", "EnvID", "SharesWanted"):
        for name, values in KNOWN.items():
            if name in parts["schemas"][schema]["properties"]:
                parts["schemas"][schema]["properties"][name] = {"enum": values}
    parts["schemas"]["SharesWanted"]["properties"]["streams"]["items"]["properties"].update(count={"enum": [1, 8]}, least={"enum": [0, 7]})  # written without a point
    group = parts["schemas"]["GroupIn"]["properties"]
    for name, field in group.items():
        if "array" in field.get("type", ()) and name != "messages":
            field.update(minItems=SEQUENCES, maxItems=SEQUENCES)
            if field["items"].get("type") == "array" and not name.startswith("distill"):
                field["items"].update(minItems=LENGTH, maxItems=LENGTH)
    group["id"]["maxLength"] = 256 // 4  # bytes
    return document


class Hub:
    """A hub that runs until the block ends."""

    def __init__(self, quintain, data):
        self.process = subprocess.Popen([quintain, "hub", "--serve", "--port", "0", "--data", data, "--log-level", "error"], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "listening on" in line:
                self.url = line.split("listening on ")[1].split(",")[0]
                threading.Thread(target=lambda: sys.stderr.write(self.process.stderr.read()), daemon=True).start()
                return
        raise SystemExit(f"the hub ended with status {self.process.wait()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        if self.process.wait():
            raise SystemExit(f"the hub ended with status {self.process.returncode}")

    def ask(self, method, path, body=None, **headers):
        """Return the reply, whatever its status."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + path, json.dumps(body).encode() if body is not None else None, headers, method=method)
        try:
            return urllib.request.urlopen(request, timeout=10)
        except urllib.error.HTTPError as reply:
            return reply


def fill(hub):
    """Give the hub two runs, with a trainer, an environment and groups each."""
    hub.ask("PUT", "/v1/runs/other")
    for run in ("/v1/runs/default", "/v1/runs/other"):
        trainer = {"wandb_group": "", "wandb_project": "", "checkpoint_dir": "", "batch_size": 2, "max_token_len": 1, "save_checkpoint_interval": 1, "starting_step": 0, "num_steps": 1}
        group = {"tokens": [[1, 2], [3]], "masks": [[1, 2], [3]], "scores": [0, 1]}
        for path, body in [("/register", trainer), ("/batches", None), ("/register-env", {"max_token_length": 1, "desired_name": "e", "weight": 1, "group_size": 2}), ("/groups", [group] * 30)]:
            with hub.ask("POST", run + path, body) as reply:
                assert reply.status in (200, 204), (path, reply.status, reply.read())


def schemathesis(hub, options, *choice, checks, document="openapi.json"):
    """Run Schemathesis on some of the routes: (its summary, whether it found nothing)."""
    command = [sys.executable, "-m", "schemathesis.cli", "run", document, "--url", hub.url, "--checks", ",".join(checks), "--warnings", "off",
               "--max-examples", str(options.examples), "--seed", str(options.seed), "--generation-database", "none", "--suppress-health-check", "all", "--request-timeout", "20", "--no-color", *choice]
    done = subprocess.run(command, capture_output=True, text=True, cwd=options.scratch)
    summary = re.search(r"\d+ generated.*", done.stdout)
    if done.returncode == 0 and summary:
        return summary.group(), True
    return "\n".join(done.stdout.splitlines()[-150:]) + done.stderr, False


def events(hub, document):
    """Follow the events of a run from the first kept one on: (a summary, whether they fit)."""
    event = document["components"]["schemas"]["Event"]["properties"]
    with hub.ask("GET", "/v1/runs/default/events", Last_Event_ID="x") as refused:
        if refused.status != 422:
            return f"an invalid Last-Event-ID: {refused.status}", False
    kinds, last = {}, 0
    with hub.ask("GET", "/v1/runs/default/events", Last_Event_ID="0") as reply, contextlib.suppress(TimeoutError):
        if reply.headers["Content-Type"] != "text/event-stream":
            return f"events come as {reply.headers['Content-Type']}", False
        hub.ask("GET", "/reset_data").close()  # tells the event that ends this
        while "reset" not in kinds or kinds["reset"] < 2:
            lines = dict(line.rstrip("\n").split(": ", 1) for line in iter(reply.readline.__get__(reply), b"\n") for line in [line.decode()])
            if "event" not in lines:
                continue
            kind, number = lines["event"], int(lines["id"])
            if kind not in event["event"]["enum"] or number <= last or "time" not in json.loads(lines["data"]):
                return f"an event that does not fit: {lines}", False
            kinds[kind], last = kinds.get(kind, 0) + 1, number
    return f"{sum(kinds.values())} events of {len(kinds)} kinds", "reset" in kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("--examples", type=int, default=10, help="requests of each kind for an operation")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as options.scratch, Hub(options.quintain, options.scratch + "/data") as hub:
        with hub.ask("GET", "/openapi.json") as reply:
            document = json.load(reply)
        pathlib.Path(options.scratch, "openapi.json").write_text(json.dumps(narrow(document)))
        with hub.ask("GET", "/serve/openapi.json") as reply:
            pathlib.Path(options.scratch, "serve.json").write_bytes(reply.read())
        pathlib.Path(options.scratch, "schemathesis.toml").write_text(CONFIG)
        fill(hub)
        for what, test in [
            ("serve", lambda: schemathesis(hub, options, checks=CHECKS + SOUND[:1], document="serve.json")),
            ("runs", lambda: schemathesis(hub, options, "--exclude-path-regex", ENDS + "|/events$", checks=CHECKS + SOUND)),
            ("ends", lambda: schemathesis(hub, options, "--include-path-regex", ENDS, checks=CHECKS + SOUND)),
            ("draining", lambda: hub.ask("POST", "/v1/drain").close() or schemathesis(hub, options, "--include-path-regex", POSTS, "--phases", "fuzzing", checks=CHECKS)),
            ("events", lambda: events(hub, document)),
        ]:
            told, good = test()
            print(f"{what:9}{told}" if good else f"{what:9}FAILED {told}", flush=True)
            failed |= not good
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
