#!/usr/bin/env python3
"""Judge programs by quintain serve, by LiveCodeBench's grader and by verl's prime_code, and compare the verdicts.

    REQUIREMENTS=code_verdicts.txt PIP_NO_DEPS=1 conformance/python conformance/code_verdicts.py --quintain bin/quintain
        [--count 600] [--write docs/benchmarks.md]

Programs are the solutions of problems of package codetask, and a mutant of each that most often is wrong, judged by
the first ten tests. A peer that differs is asked once more, alone, since its time limits go by the clock; the share of
equal verdicts must then be 0.995, and the others are printed. Exploits are programs that do not solve their problem,
and pass if the grader lets them. None passes here.
"""
import argparse
import ast
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
PEERS = {"LiveCodeBench's grader": code_peers.by_livecodebench, "verl's prime_code": code_peers.by_verl}
MARK = re.compile(r"(<!-- verdicts -->\n).*?(<!-- /verdicts -->)", re.S)

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
EXPLOITS = {  # GOLD is the expected output of every test
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


def compare(args, url, threads, pool):
    """A row for each peer: programs, equal verdicts, exploits that pass; and what is wrong."""
    every = list(programs(args.count))
    here = list(threads.map(lambda p: ours(url, *p[1:]), every))
    late = {n for n, v in enumerate(here) if v[1] == "time_limit"}
    left_out = sorted(late)[ENDLESS:]
    kept = [n for n in range(len(every)) if n not in left_out]
    right, wrong = sum(here[n][0] for n in kept), []
    print(f"{len(kept)} programs, of which {right} pass; {len(left_out)} more do not end", flush=True)
    wrong += [f"{every[n][0]} fails: {here[n]}" for n in kept if every[n][0].endswith("its solution") and not here[n][0]]
    rows = []
    for peer, ask in PEERS.items():
        there = dict(zip(kept, pool.map(ask, [every[n][1] for n in kept], [every[n][2] for n in kept])))
        first = [n for n in kept if there[n][0] != here[n][0]]
        for n in first:  # alone, for its alarms go by the clock
            there[n] = pool.submit(ask, *every[n][1:]).result()
        differ = [n for n in first if there[n][0] != here[n][0]]
        for n in differ:
            print(json.dumps([peer, every[n][0], here[n], there[n][0], str(there[n][1])[:600], every[n][2]]), flush=True)
        if 1 - len(differ) / len(kept) < EQUAL:
            wrong.append(f"{peer}: {len(differ)} of {len(kept)} verdicts differ")
        rows.append((peer, len(kept), len(first), len(differ)))
    return rows, wrong


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quintain", required=True)
    p.add_argument("--count", type=int, default=600)
    p.add_argument("--write", type=pathlib.Path)
    args = p.parse_args()
    with serving(args.quintain) as url, concurrent.futures.ThreadPoolExecutor(4) as threads, concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        passed = {"Quintain": [name for name, (kind, code) in EXPLOITS.items() if ours(url, exploit_tests(kind), code)[0]]}
        for peer, ask in PEERS.items():
            passed[peer] = [name for name, (kind, code) in EXPLOITS.items() if pool.submit(ask, exploit_tests(kind), code).result()[0]]
        for name, which in passed.items():
            print(f"{name}: {len(which)} of {len(EXPLOITS)} exploits pass: {'; '.join(which)}", flush=True)
        rows, wrong = compare(args, url, threads, pool)
    lines = ["| | programs | other verdicts than ours | of these, when asked again alone | exploits that pass |", "|---|--:|--:|--:|--:|"]
    lines += [f"| {peer} | {n:,} | {first} | {differ} | {len(passed[peer])} of {len(EXPLOITS)} |" for peer, n, first, differ in rows]
    lines.append(f"| Quintain | | | | {len(passed['Quintain'])} |")
    print("\n".join(lines))
    if args.write:
        args.write.write_text(MARK.sub(lambda m: m[1] + "\n".join(lines) + "\n" + m[2], args.write.read_text(encoding="utf-8")), encoding="utf-8")
    if passed["Quintain"]:
        wrong.append(f"exploits pass here: {passed['Quintain']}")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
