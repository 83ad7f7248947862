#!/usr/bin/env python3
"""Play an environment of another system by the protocol of docs/formats/scenario.md, over pipes.

    PYTHON host.py SCHEME NAME [ARGUMENTS]    play the environment NAME
    PYTHON host.py SCHEME                     print the names that the system knows, one a line

SCHEME is the name of an adapter beside this file. ARGUMENTS, or the variable QUINTAIN_GUEST in their place, are JSON:
``{"part": "", "query": {"size": "100"}, "args": {…}}``. A query's values are texts, read as JSON where they are; args go
before them. The interpreter is that of the environment: this file runs on Python 3.9 and newer, and imports no package.

An adapter has PACKAGE (the distribution), KNOWN (its versions that were tried), names(), and a class Guest:

    Guest(name, args)      loads the environment; takes out of args what is its own
    .about                 fields of the hello: max_turns, reward_range, right_at, splits; or none
    .open(seed, split)     a new episode; the seed is the row, in a split of known size
    .solve(seed, split)    an answer that earns everything; only where there is one
    .grade(seed, split, messages)  the answer's fields for an episode that was played before; only where that needs no more

An episode has begin() and step(text), which return the answer's fields, but with ``text`` in place of ``messages``, and
the environment's own value as ``reward``; and close().
"""

from __future__ import annotations

import array
import hashlib
import importlib.metadata
import importlib.util
import json
import math
import os
import pathlib
import random
import re
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
VERSION = 1  # of what the hosts say to a model, and of how they reward it
MOST_METRICS = 64
LOOPS = ("inspect", "verifiers")  # whose environments ask the model themselves


class Refused(Exception):
    """The environment cannot be played here; the text says why, and what helps."""


class Again(Exception):
    """The environment failed, and the replies of the model are not the cause."""


class Fault(Exception):
    """The environment broke its own rules."""


def main() -> None:
    if len(sys.argv) not in (2, 3, 4):
        raise SystemExit(__doc__)
    if os.name == "posix" and os.environ.get("PYTHONHASHSEED") != "0":  # else a set has another order in each process
        os.execve(sys.executable, getattr(sys, "orig_argv", [sys.executable, *sys.argv]), {**os.environ, "PYTHONHASHSEED": "0"})
    scheme, *rest = sys.argv[1:]
    sys.path[:] = [p for p in sys.path if pathlib.Path(p or ".").resolve() != HERE]  # an adapter is named like its package
    sys.argv[1:] = []
    sys.modules.setdefault("quintain_host", sys.modules[__name__])
    if not rest:
        try:
            print("\n".join(sorted(adapter(scheme).names())))
        except (Refused, ImportError) as fault:
            raise SystemExit(f"{scheme}: {fault}") from None
        return
    requests, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # what the environment reads is not a request,
    os.dup2(2, 1)  # and what it prints is not an answer
    given = rest[1] if len(rest) > 1 else os.environ.get("QUINTAIN_GUEST", "")
    if scheme in LOOPS:
        adapter("loops").serve(scheme, rest[0], given, requests, answers)
    else:
        host = Host(scheme, rest[0], given)
        for line in requests:
            send(answers, host.answer(line))
        host.close()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads of the environment do not hold it up


def send(answers: int, line: bytes) -> None:
    rest = memoryview(line + b"\n")
    while rest:
        rest = rest[os.write(answers, rest) :]


def adapter(scheme: str):
    """The module of a scheme."""
    file = HERE / f"{scheme}.py"
    if not re.fullmatch("[a-z][a-z0-9_]*", scheme) or scheme == "host" or not file.is_file():
        raise Refused(f"there is no host for {scheme!r}")
    spec = importlib.util.spec_from_file_location(f"quintain_guest_{scheme}", file)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments(text: str) -> dict:
    """The arguments of the environment."""
    given = json.loads(text) if text else {}
    if given.pop("part", ""):
        raise Refused("it has no parts, such as #PART")
    if not set(given) <= {"query", "args"}:
        raise Refused(f'the arguments are {text!r}, want {{"part": "", "query": {{…}}, "args": {{…}}}}')
    args = {}
    for name, value in given.get("query", {}).items():
        try:
            args[name] = json.loads(value)
        except ValueError:
            args[name] = value
    return {**args, **given.get("args", {})}


class Host:
    """Answers requests, one after the other."""

    def __init__(self, scheme: str, name: str, args: str):
        self.scheme, self.name, self.args = scheme, name, args
        self.guest, self.hello = None, None
        self.episodes: dict[int, Episode] = {}
        self.playing: Episode | None = None  # whose chance the modules have

    def answer(self, line: bytes) -> bytes:
        request = json.loads(line)
        number = request["id"]
        try:
            return pack({"id": number, **self.do(number, request)})
        except (Exception, SystemExit) as fault:
            if not isinstance(fault, Refused):
                traceback.print_exc()
            self.forget(number)
            why = str(fault) if isinstance(fault, (Refused, Fault)) else f"{type(fault).__name__}: {fault}"
            return pack({"id": number, "error": clip(why), **({"again": True} if "open" in request else {})})

    def do(self, number: int, request: dict) -> dict:
        if "hello" in request:
            return {"hello": self.introduce()}
        if "open" in request:
            return self.open(number, request["open"])
        if "step" in request:
            return self.step(number, request["step"])
        if "solve" in request:
            seed, split = self.drawn(request["solve"])
            return {"solution": self.guest.solve(seed, split)}
        if "grade" in request:
            return self.grade(request["grade"])
        if "close" in request:
            self.forget(number)
            return {}
        raise Fault("the request has none of hello, open, step, solve, grade and close")

    def introduce(self) -> dict:
        """Load the environment, and try it: what cannot be played is refused here, and not at the first episode."""
        if self.hello is not None:
            return self.hello
        try:
            args = arguments(self.args)
            settings, module, system = {"name": self.name, **args}, args.pop("module", None), adapter(self.scheme)
            if module:
                sys.path.append(os.getcwd())
                importlib.import_module(module)
            restore(None, 0)
            self.guest = system.Guest(self.name, args)
            replayable = self.tried()
        except Refused as fault:
            raise Refused(f"{self.scheme}:{self.name}: {fault}") from None
        except (Exception, SystemExit) as fault:
            traceback.print_exc()
            raise Refused(f"{self.scheme}:{self.name} cannot be played: {remedy(fault)}") from fault
        self.hello = {
            "protocol": 2, "name": snake(f"{self.scheme}_{self.name}"), "version": VERSION, "doc": f"The environment {self.name} of {system.PACKAGE}.",
            "settings": settings, "splits": [{"name": "all"}], "replayable": replayable, "solves": getattr(self.guest, "solve", None) is not None,
            "grades": hasattr(self.guest, "grade"),
            "source": self.guest.about.get("source") or source(self.scheme, system, module), **self.guest.about,
        }  # fmt: skip
        return self.hello

    def tried(self) -> bool:
        """Open an episode twice; whether it opens alike."""
        seed = 0 if self.guest.about.get("splits") else 1
        split = self.guest.about.get("splits", [{"name": "all"}])[0]["name"]
        said = []
        for _ in range(2):
            episode = Episode(self.guest, seed, split)
            said.append(json.dumps(self.swapped(episode, episode.begin)))
            self.drop(episode)
        return said[0] == said[1]

    def drawn(self, problem: dict) -> tuple[int, str]:
        """The seed, or the row, and the split of a problem."""
        split = problem["params"].get("split", "all")
        sizes = {s["name"]: s.get("size", 0) for s in self.hello["splits"]}
        if split not in sizes:
            raise Fault(f"there is no split {split!r}")
        return (problem["index"] if sizes[split] else seed_of(problem)), split

    def open(self, number: int, problem: dict) -> dict:
        episode = self.episodes[number] = Episode(self.guest, *self.drawn(problem))
        said = self.swapped(episode, episode.begin)
        answer = episode.judged(said)
        if answer.get("end"):
            self.forget(number)
        return answer

    def step(self, number: int, reply: dict) -> dict:
        episode = self.episodes.get(number)
        if episode is None:
            raise Fault(f"there is no episode {number}")
        said = self.swapped(episode, lambda: episode.play.step(spoken(reply["text"])))
        answer = episode.judged(said)
        if answer.get("end"):
            self.forget(number)
        return answer

    def grade(self, played: dict) -> dict:
        seed, split = self.drawn(played["problem"])
        episode = Episode(self.guest, seed, split)
        try:
            return episode.judged(self.swapped(episode, lambda: self.guest.grade(seed, split, played["messages"])))
        finally:
            self.playing = None

    def swapped(self, episode: Episode, act):
        """Act with the episode's own state of the modules random and numpy.random."""
        if self.playing is not episode:
            if self.playing is not None:
                self.playing.chance = chance()
            restore(episode.chance, episode.seed)
            self.playing = episode
        return act()

    def forget(self, number: int) -> None:
        episode = self.episodes.pop(number, None)
        if episode is not None:
            self.drop(episode)

    def drop(self, episode: Episode) -> None:
        try:
            self.swapped(episode, episode.close)
        except (Exception, SystemExit):
            traceback.print_exc()
        self.playing = None

    def close(self) -> None:
        for number in list(self.episodes):
            self.forget(number)


class Episode:
    """An episode of the guest."""

    def __init__(self, guest, seed: int, split: str):
        self.guest, self.seed, self.split = guest, seed, split
        self.play = self.chance = None
        self.paid, self.total = False, 0.0

    def begin(self) -> dict:
        self.play = self.guest.open(self.seed, self.split)
        return self.play.begin()

    def close(self) -> None:
        if self.play is not None:
            self.play.close()

    def judged(self, said: dict) -> dict:
        """What the guest said, as fields of an answer."""
        answer = {k: said[k] for k in ("answer", "why", "malformed", "end") if said.get(k)}
        reward = number(said.get("reward"))
        if reward is not None:
            answer["reward"] = reward
            self.paid, self.total = True, self.total + reward
        if not answer.get("end"):
            messages = [{"role": "system", "content": said["system"]}] if said.get("system") else []
            return {**answer, "messages": [*messages, {"role": "user", "content": said["text"]}]}
        if not self.paid:
            raise Fault("the episode ends without a reward")
        answer.setdefault("reward", 0.0)
        right_at = self.guest.about.get("right_at")
        answer.update(right=right_at is not None and self.total >= right_at - 1e-9, record={"seed": self.seed}, metrics=metrics(said.get("info")))
        return answer


def spoken(text: str) -> str:
    """A reply without its thinking."""
    if "</think>" in text:
        return text.rpartition("</think>")[2].strip()
    return "" if text.lstrip().startswith("<think>") else text


def seed_of(problem: dict) -> int:
    """31 bits: some systems refuse more."""
    name = f"{problem['seed']}/{problem['level']}/{problem['index']}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") >> 1


def plain(value):
    """A number of NumPy or PyTorch as one of Python; else the value itself."""
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value


def number(value) -> float | None:
    """A reward, checked: True counts as 1, and None as no reward."""
    value = plain(value)
    if value is None:
        return None
    if not isinstance(value, (bool, int, float)):
        raise Fault(f"the reward is {clip(repr(value))}, want a number")
    if not math.isfinite(value):
        raise Fault(f"the reward is {value}, want a finite number")
    return float(value)


def metrics(info) -> dict:
    """The finite numbers of an environment's information on an episode."""
    found = {}
    for name, value in (info or {}).items():
        value = plain(value)
        if isinstance(name, str) and len(name.encode()) <= 100 and isinstance(value, (bool, int, float)) and abs(value) < 1e300:
            found[name] = float(value)
    if len(found) > MOST_METRICS:
        print(f"the environment gives {len(found)} numbers beside the reward, and the first {MOST_METRICS} by name are kept", file=sys.stderr)
    return dict(sorted(found.items())[:MOST_METRICS])


def chance():
    """The state of random and of numpy.random, if that is loaded, packed."""
    version, words, gauss = random.getstate()
    numpy = sys.modules.get("numpy")
    return version, array.array("I", words), gauss, numpy and numpy.random.get_state()


def restore(state, seed: int) -> None:
    """Restore a state; None: that of a seed."""
    numpy = sys.modules.get("numpy")
    if state is None:
        random.seed(seed)
    else:
        random.setstate((state[0], tuple(state[1]), state[2]))
    if numpy is None:
        return
    if state is None or state[3] is None:
        numpy.random.seed(seed)
    else:
        numpy.random.set_state(state[3])


def pack(answer: dict) -> bytes:
    """An answer as JSON, in valid UTF-8."""
    return json.dumps(answer, allow_nan=False, ensure_ascii=False).encode("utf-8", "replace")


def clip(text: str, most: int = 1000) -> str:
    return text if len(text) <= most else text[:most] + "…"


def snake(name: str) -> str:
    """A name for a scenario."""
    short = re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")
    return short if len(short) <= 64 else f"{short[:55].rstrip('_')}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def nearest(name: str, names) -> str:
    """Names like one that does not exist, for an error."""
    import difflib

    like = difflib.get_close_matches(name, sorted(names), 3, 0.4)
    return f"; there are {', '.join(like)}" if like else ""


def remedy(fault: BaseException) -> str:
    """Why an environment does not load, and what helps."""
    told = []
    while fault is not None and len(told) < 10:
        told.append(re.sub(r"\x1b\[[0-9;]*m", "", f"{type(fault).__name__}: {fault}"))
        fault = fault.__cause__ or fault.__context__
    for text in told:
        for pattern, helps in REMEDIES:
            found = re.search(pattern, text)
            if found:
                return helps.format(found[1], python=sys.executable, version=".".join(map(str, sys.version_info[:2])))
    return clip(told[0])


REMEDIES = [
    (r"Resource '?(\w+)'? not found", "it needs the data {0} of nltk: {python} -m nltk.downloader {0}"),
    (r"No module named '([\w.]+)'", "it needs the module {0}: name its package in environment.packages"),
    (r"(\w+_API_KEY)", "it asks a model of its own: set {0}, and name it in environment.keys"),
    (r"SyntaxError: (.*)", "its code is not valid for Python {version} ({0}): choose another by environment.python"),
    (r"FileNotFoundError: (.*)", "a file is missing in its package: {0}"),
]


def source(scheme: str, system, module: str | None) -> dict:
    """Where the environment is from. The digest is that of the package's files, by the list of its wheel."""
    digest = hashlib.sha256()
    try:
        dist = importlib.metadata.distribution(system.PACKAGE)
        version, record = dist.version, dist.read_text("RECORD") or ""
    except importlib.metadata.PackageNotFoundError:
        version, record = "unknown", ""
    for line in sorted(record.splitlines()):
        if "sha256=" in line and ".dist-info/" not in line and ".pyc," not in line and not line.startswith(".."):
            digest.update(line.encode() + b"\n")
    if not record:
        digest.update(files_of(scheme))
    if module:
        digest.update(files_of(module))
    if version not in system.KNOWN:
        print(f"{system.PACKAGE} {version} is not one that was tried ({', '.join(system.KNOWN)}): it may play otherwise", file=sys.stderr)
    return {"system": scheme, "package": system.PACKAGE, "version": version, "digest": digest.hexdigest()[:32]}


def files_of(module: str) -> bytes:
    """The hash of a module's own files."""
    found = sys.modules[module]
    folders = [pathlib.Path(p) for p in getattr(found, "__path__", [])]
    digest = hashlib.sha256()
    for root, files in [(f, sorted(f.rglob("*.py"))) for f in folders] or [(pathlib.Path(found.__file__).parent, [pathlib.Path(found.__file__)])]:
        for file in files:
            digest.update(f"{file.relative_to(root).as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.digest()


if __name__ == "__main__":
    main()
