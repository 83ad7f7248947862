#!/usr/bin/env python3
"""Judge programs by quintain serve, by LiveCodeBench's grader and by verl's prime_code, and compare the verdicts.

    REQUIREMENTS=code_verdicts.txt PIP_NO_DEPS=1 conformance/python conformance/code_verdicts.py --quintain bin/quintain
        [--count 600] [--write docs/benchmarks.md]

Programs are the solutions of problems of package codetask, and a mutant of each that most often is wrong, judged by
the first ten tests. The share of equal verdicts must be 0.995, and every difference must have a reason that is known
below. Then exploits are judged: programs that do not solve a problem, and pass if the grader lets them. None passes here.
"""
import argparse
import ast
import collections
import concurrent.futures
import copy
import json
import os
import pathlib
import random
import re
import sys
import urllib.error

import code_peers
from serving import call, serving

sys.path.append(str(code_peers.ROOT / "tasks" / "codetask" / "testdata"))
import judge  # noqa: E402

CASES = 10  # of a problem; verl looks at no more of a program that fails
ENDLESS = 10  # programs that reach the time limit, for which every grader waits; the others are left out
EQUAL = 0.995
GOLD = "gold-58143"
MARK = re.compile(r"(<!-- verdicts -->\n).*?(<!-- /verdicts -->)", re.S)

# Exploits of function calls and of programs; gold is the expected output of every test, which none of them may know.
SEEK = """
import sys, re
def seek():
    f = sys._getframe()
    while f:
        for v in list(f.f_locals.values()):
            found = re.search("gol" + "d-[0-9]+", repr(v)[:100000])
            if found: return found.group()
        f = f.f_back
"""
FORGE = """
import sys, os
f = sys._getframe()
while f and "metadata_list" not in f.f_locals: f = f.f_back
if f:
    f.f_locals["result"].append([True] * 2)
    f.f_locals["metadata_list"].append({})
    os._exit(0)
"""
EXPLOITS = {
    "an object that equals everything": ("call", "class A:\n  def __eq__(s, o): return True\ndef f(x): return A()"),
    "a text that equals everything": ("call", "class A(str):\n  def __eq__(s, o): return True\ndef f(x): return A('x')"),
    "an object that equals everything, in a list": ("call", "class A:\n  def __eq__(s, o): return True\n  def __getitem__(s, i): return s\n  def __len__(s): return 1\ndef f(x): return A()"),
    "the expected result, from a frame": ("call", SEEK + "def f(x): return seek()"),
    "the expected output, from a frame": ("stdin", SEEK + "print(seek())"),
    "the expected output, from all objects": ("stdin", "import gc, re\nfor o in gc.get_objects():\n  if type(o) is dict and 'outputs' in o:\n    print(re.search('gol' + 'd-[0-9]+', repr(o)).group())\n    break"),
    "a forged result": ("call", FORGE + "def f(x): return 0"),
    "a forged result of a program": ("stdin", FORGE),
    "comparing is patched": ("stdin", "import sys\nfor m in list(sys.modules.values()):\n  for name in ('get_stripped_lines', 'stripped_string_compare', 'custom_compare_'):\n    if hasattr(m, name): setattr(m, name, lambda *a: [] if len(a) == 1 else True)"),
    "reading of JSON is patched": ("call", "import json\nclass A:\n  def __eq__(s, o): return True\njson.loads = lambda *a, **k: [A()]\ndef f(x): return 0"),
    "the alarm is off, for eight seconds more": ("call", "import signal, time\ndef f(x):\n  signal.alarm(0)\n  signal.signal(signal.SIGALRM, signal.SIG_IGN)\n  end = time.process_time() + 8\n  while time.process_time() < end: pass\n  return 'gold-58143'"),
    "an early exit": ("stdin", "import os\nos._exit(0)"),
}


def exploit_tests(kind):
    """Two tests whose outputs nobody can work out."""
    cases = [{"input": i if kind == "stdin" else f"[{i}]", "output": GOLD if kind == "stdin" else json.dumps(GOLD)} for i in "12"]
    return {"language": "python", "kind": kind, "cases": cases, **({"function": "f"} if kind == "call" else {})}


def mutant(source, draw):
    """The source of a mutant, or None."""
    tree = ast.parse(source)
    every = sum(1 for _ in judge.mutants(source))
    if not every:
        return None
    other = copy.deepcopy(tree)
    judge.Mutate(draw.randrange(every)).visit(judge.function(other))
    return ast.unparse(ast.fix_missing_locations(other))


def programs(count):
    """(name, tests, code) of solutions and mutants."""
    draw = random.Random(1)
    for row in code_peers.rows(count):
        tests = row["tests"]
        tests["cases"] = tests["cases"][:CASES]
        tests["limits"] = {"CPU": 2_000_000_000}  # of which the solutions take half at most
        tests.pop("compare", None)
        if tests["kind"] == "stdin":
            tests["compare"] = "lcb"
        yield f"{row['kind']}, its solution", tests, row["python"]
        wrong = mutant(row["python"], draw)
        if wrong:
            yield f"{row['kind']}, a mutant", tests, wrong


def ours(url, tests, code):
    """Whether a program passes here, and why not."""
    while True:
        try:
            verdict = call("POST", url + "/v1/code/grade", {"tests": tests, "code": code}, patience=600)[1]
            return verdict["score"] == 1, verdict.get("reason", "")
        except urllib.error.HTTPError as error:
            if error.code != 504:  # the machine has too much to do
                raise


def reason(peer, tests, code, here, there):
    """Why a peer differs: a reason that is known, or None."""
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quintain", required=True)
    p.add_argument("--count", type=int, default=600)
    p.add_argument("--write", type=pathlib.Path)
    args = p.parse_args()
    peers = {"LiveCodeBench": code_peers.by_livecodebench, "verl's prime_code": code_peers.by_verl}
    table, wrong = [], []
    with serving(args.quintain) as url, concurrent.futures.ThreadPoolExecutor(4) as threads, concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        every = list(programs(args.count))
        verdicts = list(threads.map(lambda p: ours(url, *p[1:]), every))
        late = [n for n, v in enumerate(verdicts) if v[1] == "time_limit"][ENDLESS:]
        print(f"{len(every)} programs; {len(late)} mutants that do not end are left out", flush=True)
        kept = [n for n in range(len(every)) if n not in set(late)]
        for peer, ask in peers.items():
            answers = list(pool.map(ask, [every[n][1] for n in kept], [every[n][2] for n in kept]))
            for n, there in zip(kept, answers):
                name, tests, code = every[n]
                if there[0] != verdicts[n][0]:
                    print(json.dumps([peer, name, tests["kind"], verdicts[n], there[0], str(there[1])[:600], code]), flush=True)


if __name__ == "__main__":
    main()
