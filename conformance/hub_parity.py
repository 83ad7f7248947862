"""Send the same requests to `quintain hub` and to the real run-api. The replies must be the same, byte for byte,
except for the differences listed in docs/hub.md.

It gets random histories: registrations, environments with and without a minimum, groups of the registered and of other
sizes; and tables of single requests: coercions, refusals, paths. A third of the histories takes batches, of groups of one size
without minimums, where both pack alike: run-api then forms all batches that it can and hands out the newest first, the hub
the oldest first. How they pack other groups, conformance/hub.py compares.
"""

import contextlib
import gzip
import http.client
import json
import random
import socket
import subprocess
import sys
import tempfile
import time

HISTORIES, STEPS = 30, 150
TRAINER = {"wandb_group": "g", "wandb_project": "p", "batch_size": 8, "max_token_len": 64, "checkpoint_dir": "c", "save_checkpoint_interval": 5, "starting_step": 3, "num_steps": 10}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def server(command):
    """Run a server on a free port, which is appended to its arguments."""
    port = free_port()
    process = subprocess.Popen([*command, "--host", "127.0.0.1", "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError, http.client.HTTPException):
                Side(port).ask("GET", "/info")
                break
            time.sleep(0.05)
        else:
            raise TimeoutError(f"{command}: no answer")
        yield Side(port)
    finally:
        process.terminate()
        process.wait(20)


class Side:
    """A connection to one of the servers."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask(self, method, path, body=None, headers=None):
        """(status, content type, body)."""
        if body is not None and not isinstance(body, bytes):
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        given = {"Content-Type": "application/json"} if body is not None else {}
        for last in (False, True):
            try:
                self.connection.request(method, path, body, {**given, **(headers or {})})
                reply = self.connection.getresponse()
                break
            except ConnectionError:  # the connection was idle for too long
                self.connection.close()
                if last:
                    raise
        return reply.status, (reply.headers.get("Content-Type") or "").split(";")[0], reply.read().decode("utf-8", "replace")


FREE = ("messages", "overrides", "group_overrides", "generation_params", "images")


def same(ours, theirs):
    """Are two replies the same? The hub returns free-form fields unchanged; the original encodes them again."""
    if ours[:2] != theirs[:2] or not any(f'"{field}":{opening}' in theirs[2] for field in FREE for opening in '[{"'):
        return ours == theirs
    return json.dumps(json.loads(ours[2])) == json.dumps(json.loads(theirs[2]))


def both(sides, faults, *request):
    """Ask both sides, and note a difference as a fault. Returns our body."""
    ours, theirs = (side.ask(*request) for side in sides)
    if not same(ours, theirs):
        faults.append(f"parity: {str(request)[:300]}: {str(ours)[:300]}, theirs {str(theirs)[:300]}")
    return ours[2]


def group(rng, number, sequences, env):
    """A group with its number as first token."""
    g = {"tokens": [[number, *(rng.randrange(1000) for _ in range(rng.randrange(3)))] for _ in range(sequences)]}
    g["masks"] = [[-100, *row[1:]] for row in g["tokens"]]
    g["scores"] = [rng.choice([0, 1, 0.5, -1.25, 1e-7, 3e20]) for _ in range(sequences)]
    if rng.random() < 0.5:
        g["inference_logprobs"] = [[1.0, *(-rng.random() for _ in row[1:])] for row in g["tokens"]]
    if rng.random() < 0.3:
        g["messages"] = [[{"role": "user", "content": "naïve \u2028 \"x\"", "n": 2**60 + 1, "f": 1.0}] for _ in g["tokens"]]
        g["overrides"] = [{"set_advantage_to_zero": bool(i % 2)} for i in range(sequences)]
        g["group_overrides"], g["generation_params"], g["images"] = {"a": None}, {"temperature": 1}, [1, None, "x"]
    if rng.random() < 0.3:
        g["advantages"] = [[0.5] * len(row) for row in g["tokens"]]
        g["distill_token_ids"] = [[[1, 2]] * len(row) for row in g["tokens"]]
        g["distill_logprobs"] = [[[-0.5, -1]] * len(row) for row in g["tokens"]]
    if env is not None:
        g["env_id"] = env
    return g


def history(sides, seed, faults):
    """Make one random run on both sides; returns the number of batches.

    A third has groups of odd sizes, a third groups of several sizes and minimums, and a third batches of groups of one size:
    a held group returns to its old place in our queue, but gets a new one in the original, which also leaves groups out.
    """
    rng, odds, takes = random.Random(seed), seed % 3 == 0, seed % 3 == 1
    batch_size, sizes, batches = rng.choice([4, 8, 16]), rng.choice([[1], [2], [4]] if takes else [[4], [2, 4], [1, 2, 4], [4, 8]]), 0
    envs, odd, gone = [], set(), set()  # their group sizes; those that sent other sizes; those that have disconnected
    both(sides, faults, "GET", "/reset_data")
    for side in sides:
        side.ask("POST", "/register", {**TRAINER, "batch_size": batch_size})
    for path in ("/info", "/wandb_info", "/status", "/batch"):  # an empty queue has no batch
        both(sides, faults, "GET", path)
    for number in range(STEPS):
        kind = rng.random()
        if kind < 0.06 and len(envs) < 4 or not envs:
            body = {"max_token_length": rng.choice([64, 128]), "desired_name": rng.choice("ab"), "weight": rng.choice([1, 0.5, 2.5]), "group_size": rng.choice(sizes)}
            if rng.random() < 0.4 and not takes:
                body["min_batch_allocation"] = rng.choice([0.1, 0.25, 0.5])
            both(sides, faults, "POST", "/register-env", body)
            envs.append(body["group_size"])
        elif kind < 0.6:
            env = rng.choice([None, *set(range(len(envs))) - gone])
            size = rng.choice(sizes) if env is None else envs[env] if not odds or rng.random() < 0.8 else rng.randrange(1, envs[env] + 1)
            odd |= {env} if env is not None and size != envs[env] else set()
            both(sides, faults, "POST", "/scored_data", group(rng, number, size, env))
        elif kind < 0.7:
            env = rng.choice([*set(range(len(envs))) - gone] or [None])
            if env is None:
                continue
            odd |= {env} if odds else set()
            both(sides, faults, "POST", "/scored_data_list", [group(rng, number, rng.choice([envs[env], max(1, envs[env] // (1 + odds))]), env) for _ in range(rng.randrange(4))])
        elif kind < 0.72:
            for env in rng.sample([*set(range(len(envs))) - odd - gone], 1) if set(range(len(envs))) - odd - gone else []:
                gone.add(env)
                both(sides, faults, "POST", "/disconnect-env", {"env_id": env})
        elif kind < 0.85:
            for env in rng.sample([*set(range(len(envs))) - gone], min(1, len(envs) - len(gone))):
                both(sides, faults, "GET", "/status-env", {"env_id": env})
        elif kind < 0.9:
            both(sides, faults, "GET", rng.choice(["/status", "/latest_example", "/info"]))
        elif takes:
            batches += compare_batches(sides, faults)
        if faults:
            faults[0] = f"history {seed}: {faults[0]}"
            break
    return batches


def compare_batches(sides, faults):
    """Take all batches on both sides, and compare them in the order in which they were formed. Returns their number."""
    ours, theirs = ([*iter(lambda side=side: side.ask("GET", "/batch"), NO_BATCH)] for side in sides)
    if len(ours) != len(theirs) or not all(map(same, ours, reversed(theirs))):
        faults.append(f"parity: {len(ours)} batches, theirs {len(theirs)}: {str(ours)[:300]}, theirs {str(theirs)[:300]}")
    return len(ours)


NO_BATCH = (200, "application/json", '{"batch":null}')
SEQ = '"tokens":[[1]],"masks":[[1]],"scores":[1]'
# method, path, body: status and content type must be the same, and for status 200 the whole reply.
SINGLES = [
    ("GET", "/", None), ("GET", "/nope", None), ("POST", "/info", None), ("HEAD", "/batch", None), ("DELETE", "/", None), ("GET", "/run-id", None),
    ("GET", "/info/", None), ("GET", "/status-env", None), ("GET", "/status-env?env_id=0", None), ("POST", "/scored_data", ""), ("POST", "/scored_data", "{"),
    ("POST", "/scored_data", "[]"), ("POST", "/scored_data", "null"), ("POST", "/scored_data_list", "{}"), ("POST", "/scored_data_list", "[]"),
    *(("POST", "/scored_data", "{" + text + "}") for text in (
        SEQ, SEQ + ',"unknown":1', SEQ + ',"env_id":null', SEQ + ',"env_id":99', SEQ + ',"env_id":"7"', SEQ + ',"env_id":1.0', SEQ + ',"env_id":1.5',
        '"tokens":[["32"]],"masks":[[true]],"scores":["1.5"]', '"tokens":[[1.0]],"masks":[[-100]],"scores":[false]', '"tokens":[[1.5]],"masks":[[1]],"scores":[1]',
        '"tokens":[[" 5 "]],"masks":[["5_0"]],"scores":["1e2"]', '"tokens":[["5.0"]],"masks":[[1]],"scores":[" -0.0 "]', '"tokens":[["1e2"]],"masks":[[1]],"scores":[1]',
        '"tokens":[[null]],"masks":[[1]],"scores":[1]', '"tokens":[[1]],"masks":[[1]],"scores":[null]', '"tokens":[[1]],"masks":[[1]]', '"masks":[[1]],"scores":[1]',
        '"tokens":[["x"]],"masks":[[1]],"scores":[1]', '"tokens":[1],"masks":[[1]],"scores":[1]', '"tokens":"x","masks":[[1]],"scores":[1]', '"tokens":[[1]],"masks":[[1]],"scores":1',
        '"tokens":[[1]],"masks":[[1]],"scores":[-0.0]', '"tokens":[[1]],"masks":[[1]],"scores":[1E3]', '"tokens":[[1]],"masks":[[1]],"scores":[12345678901234567890]',
        SEQ + ',"scores":[2]', SEQ + ',"messages":null', SEQ + ',"messages":[[{"role":"user"}]]', SEQ + ',"messages":[[{"content":"x"}]]',
        SEQ + ',"messages":[[{"role":"odd","content":null}]]', SEQ + ',"messages":[[{"role":1,"content":[{"type":"text"}],"x":{"y":1.50}}]]',
        SEQ + ',"messages":[["role content"]]', SEQ + ',"messages":[{}]', SEQ + ',"messages":{}', SEQ + ',"overrides":[1]', SEQ + ',"overrides":[{}]', SEQ + ',"overrides":null',
        SEQ + ',"group_overrides":[]', SEQ + ',"group_overrides":{"a":[1,2.0]}', SEQ + ',"generation_params":"x"', SEQ + ',"images":{"a":"\\u00e9"}', SEQ + ',"images":"\\ud83d\\ude00"',
        SEQ + ',"advantages":[["x"]]', SEQ + ',"advantages":[[1]]', SEQ + ',"ref_logprobs":[[0]]', SEQ + ',"distill_token_ids":[[[1]]],"distill_logprobs":[[[0.1]]]',
        SEQ + ',"distill_token_ids":[[1]]', SEQ + ',"env_id":[]', SEQ + ',"env_id":"x"', SEQ + "}}", SEQ + ',"a":' + "[" * 900 + "]" * 900,
    )),
    *(("POST", "/register", {**TRAINER, **change}) for change in (
        {"batch_size": "16"}, {"batch_size": 16.0}, {"batch_size": 1.5}, {"batch_size": None}, {"wandb_group": 1}, {"wandb_group": None}, {"num_steps": True}, {"extra": 1})),
    ("POST", "/register", {}), ("POST", "/register", "[]"),
    *(("POST", "/register-env", {"max_token_length": 1, "desired_name": "e", "weight": 1, "group_size": 4, **change}) for change in (
        {"desired_name": None}, {"weight": None}, {"weight": "x"}, {"group_size": "x"}, {"min_batch_allocation": "x"}, {"max_token_length": 1.5})),
    ("POST", "/register-env", {}), ("POST", "/disconnect-env", {}), ("POST", "/disconnect-env", {"env_id": "x"}), ("GET", "/status-env", {"env_id": "x"}), ("GET", "/status-env", {}),
]
HEADERS = [
    {"Content-Type": "text/plain"}, {"Content-Type": "application/x+json"}, {"Content-Type": ""}, {"Content-Type": "application/JSON; charset=utf-8"}, {"Content-Encoding": "identity"},
]


def singles(sides, faults):
    """Make single requests, each with the same state on both sides; returns their number."""
    n = 0
    body = "{" + SEQ + "}"
    both(sides, faults, "POST", "/scored_data", body)  # a reset does not forget the latest group
    packed = gzip.compress(body.encode())
    table = [(*request, None) for request in SINGLES] + [("POST", "/scored_data", body, headers) for headers in HEADERS]
    table += [("POST", "/scored_data", data, {"Content-Encoding": name}) for data in (packed, packed + bytes(5), packed[:10] + b"x", b"no gzip") for name in ("gzip", "GZIP", "x-gzip")]
    for method, path, text, headers in table:
        for side in sides:
            side.ask("GET", "/reset_data")
            side.ask("POST", "/register", TRAINER)
        ours, theirs = (side.ask(method, path, text, headers) for side in sides)
        n += 1
        if path == "/register" and ours[0] == 200:  # the uuid may differ
            ours, theirs = ((status, kind, "uuid" in json.loads(reply)) for status, kind, reply in (ours, theirs))
        if theirs[0] == 500 or headers and "Content-Encoding" in headers and theirs[0] >= 400:
            if not 400 <= ours[0] < 500:
                faults.append(f"parity: {method} {path} {str(text)[:200]} {headers}: {ours[0]}, want a status of 400 to 499")
            continue
        if (ours[0] == 200 and ours != theirs) or ours[:2] != theirs[:2]:
            faults.append(f"parity: {method} {path} {str(text)[:200]} {headers}: {str(ours)[:300]}, theirs {str(theirs)[:300]}")
        elif ours[0] == 422:
            first, others = json.loads(ours[2])["detail"][0], json.loads(theirs[2])["detail"]
            if not any(first["loc"][:2] == other["loc"][:2] for other in others):
                faults.append(f"parity: {method} {path} {str(text)[:200]}: the fault is at {first['loc']}, theirs {[other['loc'] for other in others]}")
        for side in sides:
            if text and path.startswith("/scored"):
                side.ask("GET", "/batch")
        if ours[0] == 200:
            both(sides, faults, "GET", "/latest_example")
            both(sides, faults, "GET", "/status")
    return n


def compare(program):
    """Compare program with the real server: (summary, faults)."""
    faults = []
    with tempfile.TemporaryDirectory() as data, server([sys.executable, "-m", "atroposlib.cli.run_api"]) as theirs:
        with server([program, "hub", "--data", data]) as ours:
            batches = 0
            for seed in range(HISTORIES):
                found = []
                batches += history((ours, theirs), seed, found)
                faults += found[:1]
        with server([program, "hub", "--data", data + "/b"]) as ours:
            n = singles((ours, theirs), faults)
    return f"{HISTORIES} random histories of {STEPS} requests with {batches} batches, {n} single requests", faults


if __name__ == "__main__":
    told, found = compare(sys.argv[1])
    print(told, *found, sep="\n")
    sys.exit(1 if found else 0)
