"""A plugin for pytest: if a test starts the Atropos API server, our command is started
instead, with the same arguments appended. The tests themselves do not change.

SWAP_SETTINGS names a JSON file: {"command": […], "port": int, "told": path}. The tests
use only port 8000; our server listens on a free port, and their requests are redirected
to it.
"""

import json
import os
import subprocess
import tempfile

import requests

with open(os.environ["SWAP_SETTINGS"], encoding="utf-8") as settings:
    SETTINGS = json.load(settings)
MODULE = "atroposlib.cli.run_api"
started = []
requested = 0


class Popen(subprocess.Popen):
    """subprocess.Popen, except that it replaces commands that would start the API server."""

    def __init__(self, args, *rest, **options):
        swap = not isinstance(args, str) and MODULE in args
        if swap:
            given = list(args)[list(args).index(MODULE) + 1 :]
            given[given.index("--port") + 1] = str(SETTINGS["port"])
            args = [*SETTINGS["command"], "--data", tempfile.mkdtemp(dir=os.path.dirname(SETTINGS["told"])), *given]
        super().__init__(args, *rest, **options)
        if swap:
            started.append(self)


subprocess.Popen = Popen
ask = requests.Session.request


def request(self, method, url, *rest, **options):
    global requested
    for host in ("http://localhost:8000", "http://127.0.0.1:8000"):
        if str(url).startswith(host):
            url = f"http://localhost:{SETTINGS['port']}{url[len(host):]}"
            requested += 1
    return ask(self, method, url, *rest, **options)


requests.Session.request = request


def pytest_sessionfinish():
    with open(SETTINGS["told"], "w", encoding="utf-8") as told:
        json.dump({"started": len(started), "statuses": [p.poll() for p in started], "requested": requested}, told)
    for process in started:
        if process.poll() is None:
            process.kill()
