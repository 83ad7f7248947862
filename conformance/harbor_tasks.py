#!/usr/bin/env python3
"""task.toml and rewards, read by us and by Harbor 0.25.0.

    PYTHON=python3.12 REQUIREMENTS=harbor.txt PIP_NO_DEPS=1 conformance/python conformance/harbor_tasks.py --quintain bin/quintain [--tasks FOLDER]…

Whole tasks, those of FOLDER and 500 that change a field or a line of a task.toml: both sides take or refuse the same ones, but for the
fields of UNPLAYED and STRICTER. Some 200 reward files: where we give a reward, it is Harbor's; where Harbor gives one and we do not, the
file is one of STRICT. Ours are plays of quintain dataset check, with the machine's tools as the image.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import random
import re
import subprocess
import tempfile
import types

from harbor.models.task.task import Task
from harbor.models.trial.paths import TrialPaths
from harbor.verifier.verifier import Verifier

# Fields that Harbor plays and we do not: a refusal names one of them.
UNPLAYED = {
    "agent.user", "verifier.user", "verifier.environment_mode", "verifier.collect", "environment.os", "environment.gpus",
    "environment.tpu", "environment.mcp_servers", "steps", "services.main.volumes",
}
# Fields of which Harbor takes what says nothing, and we refuse it as a mistake, with why.
STRICTER = {
    "agent.timeout_sec": "less than 0, nan or beyond 1e7",
    "verifier.timeout_sec": "likewise",
    "environment.build_timeout_sec": "likewise",
    "environment.cpus": "less than 0",
    "environment.memory_mb": "less than 0",
    "environment.storage_mb": "less than 0",
    "environment.memory": "less than 0",
    "environment.storage": "less than 0",
    "environment.healthcheck": "a check without a command, a time below 0",
    "environment.workdir": "a path that does not begin with a slash",
    "schema_version": "a version that this program does not know",
    "version": "likewise",
}

# A value for each field, and what replaces it.
GOOD = {
    "schema_version": "1.4", "version": "1.0", "source": "somewhere", "artifacts": ["/a"], "multi_step_reward_strategy": "mean",
    "task.name": "org/name", "task.version": "1", "task.description": "text", "task.authors": [{"name": "a", "email": "a@b.c"}], "task.keywords": ["a"],
    "metadata.difficulty": "easy", "metadata.tags": ["a"],
    "agent.timeout_sec": 300.0, "agent.user": "root", "agent.network_mode": "public", "agent.allowed_hosts": [],
    "verifier.timeout_sec": 120, "verifier.env": {"A": "b"}, "verifier.user": "root", "verifier.environment_mode": "shared",
    "verifier.network_mode": "no-network", "verifier.collect": [],
    "solution.env": {"A": "b"},
    "environment.docker_image": "a:1", "environment.build_timeout_sec": 600.0, "environment.cpus": 1, "environment.memory_mb": 4096,
    "environment.storage_mb": 10240, "environment.memory": "4G", "environment.storage": "10G", "environment.gpus": 0, "environment.gpu_types": [],
    "environment.os": "linux", "environment.env": {"A": "b"}, "environment.workdir": "/app", "environment.network_mode": "public",
    "environment.allowed_hosts": ["a.b"], "environment.allow_internet": True, "environment.mcp_servers": [], "environment.skills_dir": "/s",
    "environment.tpu.type": "v4", "environment.healthcheck.command": "true", "environment.healthcheck.retries": 3,
    "environment.healthcheck.interval_sec": 5.0, "environment.healthcheck.start_period_sec": 0.0, "unknown": 1, "environment.unknown": "x",
}
BAD = [-1, 0, 1, 2, 1.0, 1.5, -0.5, 1e30, math.inf, math.nan, True, False, "", "x", "12", "1.5", "nan", "4G", "512m", "4GiB", "root", "agent", "linux", "windows",
       "allowlist", "public", "separate", "final", "/x", "../x", [], [1], ["a"], ["../a"], [{"source": "/a"}], [{"name": "a"}], {}, {"A": "b"}, {"A": 1}, {"type": "v4"}]
# The tables of what data sets have, each a task.
USUAL = [
    {k: GOOD[k] for k in ("version", "metadata.difficulty", "agent.timeout_sec", "verifier.timeout_sec", "environment.build_timeout_sec", "environment.cpus", "environment.memory_mb")},
    {k: GOOD[k] for k in ("schema_version", "task.name", "task.authors", "metadata.tags", "agent.timeout_sec", "verifier.env", "solution.env", "environment.storage_mb", "environment.gpus",
                          "environment.allow_internet", "environment.mcp_servers")},
]


def toml(value):
    """A value of TOML, in one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def document(fields):
    """A task.toml with fields, whose paths have dots."""
    return "".join(f"{path} = {toml(value)}\n" for path, value in fields.items())


def mutants(count):
    """Texts of task.toml: usual ones with a field more or another value, then with a line that is damaged."""
    chance, seen = random.Random(1), []
    while len(seen) < count:
        fields = dict(chance.choice(USUAL))
        for _ in range(chance.choice((1, 1, 1, 2))):
            path = chance.choice(list(GOOD))
            like = [b for b in BAD if isinstance(b, type(GOOD[path])) or isinstance(b, (int, float)) and isinstance(GOOD[path], (int, float))]
            fields[path] = chance.choice(chance.choice((BAD, like, like, [GOOD[path]], [GOOD[path]])))
        text = document(fields)
        if chance.random() < 0.1:
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice(["", "\n", "=", '"', "[", "#", "\x00", "é"]) + text[at + 1:]
        if text not in seen:
            seen.append(text)
    return seen


def rewards():
    """Reward files: (name, bytes)."""
    numbers = """1 0 0.5 -1 2.5 +1 1e3 1E-3 .5 5. 1_0 0x1 1e999 -1e999 nan inf -inf infinity 1,5 1/2 true false True None null 00 01 1e 1e+ e1 -
        -0 0.1e1 1.0.0 1d 1f １ ٣ ½ --1 ++1 1__0 _1 0b1 0o7 4.9e-324 1e-400 1.7976931348623157e308 1.7976931348623159e308 0.30000000000000004 123456789012345678901234567890
        """.split()
    texts = [n.encode() for n in numbers] + [b"", b"\n", b"1\n", b" 1 \n", b"1\r\n", b"\t1", b"1\x00", b"\xef\xbb\xbf1", b"1 0", b"1 # ok", b"1\n0", b"\n\n0.25\n\n", b"\xff", b"1\x0b", b"\x0c1",
             b"\x1c1", b"1\xc2\x85", "1\u00a0".encode(), "\u20091".encode(), b"1" * 70, b"0." + b"3" * 70000, b'"1"', b"[1]"]
    values = """1 0 0.5 -1 1e3 1E-3 1e999 -1e999 NaN Infinity -Infinity true false null "1" [] {} [1] 01 1. .5 +1 1_0 0x1 4.9e-324 1e-400 1.7976931348623159e308 12345678901234567890 0.1e1 -0 1e400""".split()
    objects = ['{"reward": %s}' % v for v in values] + ['{"score": %s}' % v for v in values[:12]] + values
    objects += ['{"reward": 1, "other": 0.5}', '{"a": 1, "b": 0}', '{"reward": 0.5, "a": true}', '{"reward": 1, "reward": 0}', '{"a": 1, "a": 2}', '{"reward": 1, "a": "x"}', '{"reward": 1, "a": null}',
                '{"reward": 1,}', '{reward: 1}', "{'reward': 1}", '{"reward": 1} x', ' {"reward": 1}\n', '{"reward": 1}{"reward": 1}', '{"Reward": 1}', '{"": 1}', '{"reward ": 1}',
                '{"a\\u0000": 1}', '{"\\ud800": 1}', '{"reward": {"reward": 1}}', '{"reward": [1]}', '[{"reward": 1}]', '', ' ', '\ufeff{"reward": 1}', '{"reward": 1', '// x\n{"reward": 1}',
                '{"reward": 1 /* x */}', '{"r\\u0065ward": 0.75}', '{"reward": 1, "é": 0}', json.dumps({f"k{i}": i for i in range(1500)}), json.dumps({"reward": 1, **{f"k{i}": i for i in range(900)}})]
    return [("reward.txt", t) for t in texts] + [("reward.json", o.encode()) for o in objects]


# Where Harbor gives a reward and we give none, with why: each is the kind of our fault, and a pattern of the file.
STRICT = [
    ("reward_unreadable", rb"_", "a number of Python's source code"),
    ("reward_unreadable", "[１٣]|\u00a0|\u2009|\x85|[\x1c-\x1f]".encode(), "digits or spaces beyond ASCII"),
    ("reward_unreadable", rb"[\x1c-\x1f]|\xc2[\xa0\x85]|\xe2\x80\x89|\xef\xbc\x91|\xd9\xa3", "digits or spaces beyond ASCII"),
    ("reward_unreadable", rb'("\w+"): \S+ \1', "a key twice"),
    ("reward_unreadable", rb"\\ud800", "half of a pair of surrogates"),
    ("reward_unreadable", rb".{65536}", "more than 64 KiB"),
    ("reward_unreadable", rb'"k1499"', "more than 1,000 numbers"),
    ("reward_key", rb"{", "several numbers, and none is called reward"),
    ("no_reward", rb"^{}$", "an object without a number"),
]


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def check(quintain, folder, *more):
    """What quintain dataset check says of each task of a folder."""
    out = subprocess.run([quintain, "dataset", "check", folder, "--format", "json", "--workers", "2", "--results", os.devnull, *more], capture_output=True, text=True)
    rows = [json.loads(line) for line in out.stdout.splitlines()]
    if not rows:
        raise SystemExit(out.stderr)
    return {row["task"]: row for row in rows}


def taken(folder):
    """Why Harbor refuses a task; empty: it takes it."""
    try:
        Task(folder)
    except Exception as err:  # noqa: BLE001 what a program of others raises
        return f"{type(err).__name__}: {err}"
    return ""


def tasks(quintain, folder, faults):
    """Compares who takes which tasks. A task without an image is one that we read."""
    counts = collections.Counter()
    for name, row in check(quintain, folder).items():
        theirs, why = taken(folder / name), row.get("why", "") if row["verdict"] == "refused" else ""
        field = re.search(r"line \d+: ([\w.]+): ", why)
        field = field[1] if field else ""
        listed = next((f for f in [*UNPLAYED, *STRICTER] if field == f or field.startswith(f + ".")), "")
        if bool(theirs) == bool(why):
            counts["both refuse" if why else "both take"] += 1
        elif why and listed:
            counts[f"we refuse {listed}"] += 1
        else:
            text = (folder / name / "task.toml").read_text(encoding="utf-8", errors="replace")
            text = "\n".join(line for line in text.splitlines() if not any(line in document(u).splitlines() for u in USUAL))
            faults.append(f"{name}: Harbor says {' '.join(theirs.splitlines()[1:3])[:160] or 'yes'}, we say {why or row['verdict']}:\n{text}")
    return counts


def harbors(name, text, folder):
    """The rewards that Harbor reads; None: it reads none."""
    paths = TrialPaths(folder)
    verifier = types.SimpleNamespace(trial_paths=paths)
    (paths.verifier_dir).mkdir(parents=True, exist_ok=True)
    of = paths.reward_text_path if name == "reward.txt" else paths.reward_json_path
    of.write_bytes(text)
    try:
        return Verifier._parse_reward_text(verifier) if name == "reward.txt" else Verifier._parse_reward_json(verifier)
    except Exception:  # noqa: BLE001
        return None
    finally:
        of.unlink()


def numbers(quintain, folder, faults):
    """Compares the rewards of files that tests leave."""
    counts, files = collections.Counter(), rewards()
    for i, (name, text) in enumerate(files):
        write(folder / f"r{i:03}", {"task.toml": 'environment.docker_image = "conformance"\n', "instruction.md": "Nothing.\n", "environment/.keep": "",
                                    "tests/test.sh": f"#!/bin/bash\ncp /tests/left /logs/verifier/{name}\n", "tests/left": text})
        (folder / f"r{i:03}/environment/.keep").unlink()
    rows = check(quintain, folder)
    for i, (name, text) in enumerate(files):
        [ours] = rows[f"r{i:03}"]["empty"]
        theirs = harbors(name, text, folder.parent / "harbor")
        kind = ours.get("fault", rows[f"r{i:03}"].get("why", "")).split(":")[0]
        if ours["reward"] is not None:
            same = isinstance(theirs, dict) and (float(theirs.get("reward", next(iter(theirs.values()), math.nan)))) == float(ours["reward"])
            counts["the same number" if same else "another"] += 1
        elif theirs is None or not isinstance(theirs, dict):
            same = True
            counts["neither gives one"] += 1
        else:
            why = next((w for k, pattern, w in STRICT if k == kind and re.search(pattern, text, re.S)), "")
            same = bool(why)
            counts[f"{kind}: {why}"] += 1
        if not same:
            faults.append(f"{name} {text[:80]!r}: Harbor reads {str(theirs)[:80]}, we {ours['reward']} {ours.get('fault') or rows[f'r{i:03}'].get('why', '')}")
    return counts


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--quintain", required=True)
    args.add_argument("--tasks", action="append", default=[], type=pathlib.Path)
    args.add_argument("--mutants", type=int, default=500)
    args = args.parse_args()
    quintain, faults = str(pathlib.Path(args.quintain).resolve()), []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        os.environ["QUINTAIN_IMAGES"] = str(scratch / "images")
        for folder in args.tasks:
            print(f"{folder.name}: {dict(tasks(quintain, folder.resolve(), faults))}", flush=True)
        for i, text in enumerate(mutants(args.mutants)):
            write(scratch / f"mutants/m{i:04}", {"task.toml": text, "instruction.md": "Nothing.\n", "environment/Dockerfile": "FROM none:1\n", "tests/test.sh": "#!/bin/sh\n"})
        print(f"task.toml: {dict(tasks(quintain, scratch / 'mutants', faults))}", flush=True)
        subprocess.run([quintain, "images", "add", "conformance", "--machine"], check=True, capture_output=True)
        print(f"rewards: {dict(numbers(quintain, scratch / 'rewards', faults))}", flush=True)
    for fault in faults:
        print(fault)
    print(f"{len(faults)} differences")
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main())
