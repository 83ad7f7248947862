#!/usr/bin/env python3
"""Judge replies with verl's own compute_score of SandboxFusion, unchanged, on our /run_code.

    REQUIREMENTS=verl_codes.txt PIP_NO_DEPS=1 conformance/python conformance/verl_codes.py --quintain bin/quintain

500 rows are problems of write_program in verl's form. Each has a reply whose outcome in each test is known from how it
was made: what verl makes of the answers that SandboxFusion's documentation describes. Code -1, a fault of the sandbox,
must not come: where other work on this machine leaves a program too little of the processor for as long as verl waits,
its row is judged again, alone. Then the same problems, as rows of LiveCodeBench, of SkyRL and of NeMo Gym, go through our readers: a
right reply must be accepted, and a wrong one must not.
"""
import argparse
import base64
import collections
import concurrent.futures
import importlib.metadata
import json
import logging
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import types
import zlib

from serving import call, serving

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNT, CASES, AT_ONCE = 500, 4, 16
CODES = {"success": True, "wrong_answer": False, "runtime_error": -2, "timeout": -3, "compile_error": -4, "compile_timeout": -4, "compile_error_skipped": -4}


def verl_module(name):
    """A module of verl as it is installed, without verl's __init__, which needs PyTorch."""
    for package in ("verl", "verl.utils"):
        stub = types.ModuleType(package)
        stub.__path__ = [str(importlib.metadata.distribution("verl").locate_file(package.replace(".", "/")))]
        sys.modules.setdefault(package, stub)
    return importlib.import_module(name)


def problems():
    """Problems of write_program, with tests and solutions; a few tests of each."""
    done = subprocess.run(["go", "run", "conformance/rows.go", "-of", "code", "-count", str(COUNT)], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    for n, line in enumerate(done.stdout.splitlines()):
        p = json.loads(line)
        p["id"], p["tests"]["cases"] = f"{p['kind']}-{n}", p["tests"]["cases"][:CASES]
        yield p


def lines_of(p):
    """The inputs and outputs of a problem as texts. A call has a line of JSON for each argument."""
    cases = p["tests"]["cases"]
    if p["tests"]["kind"] == "stdin":
        return [c["input"] for c in cases], [c["output"] for c in cases]
    return ["\n".join(json.dumps(one) for one in json.loads(c["input"])) for c in cases], [c["output"] for c in cases]


def printed(p):
    """What verl's program prints for the expected results."""
    if p["tests"]["kind"] == "stdin":
        return lines_of(p)[1]
    results = [json.loads(c["output"]) for c in p["tests"]["cases"]]
    return [str(r) if isinstance(r, (int, float, str)) and not isinstance(r, bool) else json.dumps(r) for r in results]


def ground_truth(p):
    inputs, _ = lines_of(p)
    return {"inputs": inputs, "outputs": printed(p), **({"fn_name": p["tests"]["function"]} if p["tests"]["kind"] == "call" else {})}


def body(p, stdin, function):
    """A program that does the one or the other, by what the tests want."""
    if p["tests"]["kind"] == "stdin":
        return stdin
    return f"def {p['tests']['function']}(*arguments):\n    {function}\n"


def constant(p):
    """A program with the first expected result, whatever the input."""
    if p["tests"]["kind"] == "stdin":
        return f"print({printed(p)[0]!r}, end='')"
    return body(p, "", f"import json\n    return json.loads({p['tests']['cases'][0]['output']!r})")


def same(a, b):
    return a.rstrip("\n") == b.rstrip("\n")


# name, the program for a problem, the code of each test, the time limit
ANSWERS = [
    ("right", lambda p: p["python"], lambda p, outs: [True] * len(outs), 10),
    ("wrong", lambda p: body(p, "print('no such answer')", "return 'no such answer'"), lambda p, outs: [False] * len(outs), 10),
    ("right", lambda p: p["python"], lambda p, outs: [True] * len(outs), 10),
    ("the first result always", constant, lambda p, outs: [same(one, outs[0]) for one in outs], 10),
    ("an error at the beginning", lambda p: "raise ValueError('x')\n" + p["python"], lambda p, outs: [-2] * len(outs), 10),
    ("right", lambda p: p["python"] + "\n# the end\n", lambda p, outs: [True] * len(outs), 10),
    ("no Python", lambda p: p["python"] + "\ndef f(:\n", lambda p, outs: [-2] * len(outs), 10),  # SandboxFusion compiles no Python: an error of the run
    ("status 3 after the answer", lambda p: p["python"] + "\nimport sys\nsys.exit(3)\n", lambda p, outs: [-2] * len(outs), 10),
    ("nothing", lambda p: body(p, "pass", "raise KeyError(1)"), lambda p, outs: [same(one, "") for one in outs], 10),  # the wrapper prints the trace, and ends well
    ("too much memory", lambda p: "x = []\nwhile True:\n    x.append(bytes(1 << 22))\n", lambda p, outs: [-2] * len(outs), 10),
    ("killed by itself", lambda p: "import os\nos.kill(os.getpid(), 11)\n", lambda p, outs: [-2] * len(outs), 10),
    ("an endless loop", lambda p: "while True:\n    pass\n", lambda p, outs: [-3] * len(outs), 1),
    ("a sleeper", lambda p: "import time\ntime.sleep(60)\n", lambda p, outs: [-3] * len(outs), 1),
    ("endless recursion", lambda p: "def f():\n    f()\nf()\n", lambda p, outs: [-2] * len(outs), 10),
    ("no end of output", lambda p: "while True:\n    print('x' * 1000)\n", lambda p, outs: [-2] * len(outs), 10),
]  # fmt: skip
SLOW = 20  # every so many rows have a slow answer

CPP = [  # program, input and expected output, the code
    ("#include <iostream>\nint main() { int a; std::cin >> a; std::cout << 2 * a << std::endl; }", [("1", "2"), ("4", "8")], [True, True]),
    ("#include <iostream>\nint main() { std::cout << 2; }", [("1", "2"), ("4", "8")], [True, False]),
    ("int main() { return 1; }", [("1", "2"), ("4", "8")], [-2, -2]),
    ("int main() { for (;;) { volatile int x = 0; (void)x; } }", [("1", "2")], [-3]),
    ("int main( {", [("1", "2"), ("4", "8"), ("5", "10")], [-4, -4, -4]),
    ("#include <none.h>\nint main() {}", [("1", "2")], [-4]),
]


def answer_of(n):
    """The answer of row n: slow ones are rare, because they take their time."""
    slow = [a for a in ANSWERS if a[3] == 1]
    if n % SLOW == SLOW - 1:
        return slow[n // SLOW % len(slow)]
    quick = [a for a in ANSWERS if a[3] != 1]
    return quick[n % len(quick)]


def codes(url, all_problems):
    """The faults of verl's codes."""
    score = verl_module("verl.utils.reward_score.sandbox_fusion").compute_score
    turns = threading.Semaphore(AT_ONCE)

    def row(n, again=True):
        p = all_problems[n]
        name, program, code, limit = answer_of(n)
        outs = printed(p)
        due = code(p, outs)
        if limit == 1:
            outs, due = outs[:2], due[:2]
        truth = ground_truth(p)
        truth["inputs"], truth["outputs"] = truth["inputs"][: len(outs)], outs
        reply = f"I think so.\n```python\n{program(p)}\n```\nThat is it."
        got, about = score(f"{url}/run_code", turns, 1024, reply, truth if n % 2 else json.dumps(truth), timeout=limit)
        found = [CODES.get(m["status"], -1) for m in about]
        if -1 in found and again:
            return name, len(due), n
        if found != due or abs(got - sum(d is True for d in due) / len(due)) > 1e-9:
            return name, len(due), f"{p['id']}, {name}: codes {found}, score {got}, want {due}\n{json.dumps(about)[:1500]}"
        return name, len(due), None

    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        rows = list(pool.map(row, range(len(all_problems))))
    print(f"verl {importlib.metadata.version('verl')}: {len(rows)} rows, {sum(tests for _, tests, _ in rows)} tests, {time.monotonic() - began:.0f} s;",
          ", ".join(f"{count} {name}" for name, count in collections.Counter(name for name, _, _ in rows).items()))  # fmt: skip
    starved = [fault for _, _, fault in rows if type(fault) is int]
    print(f"{len(starved)} rows had too little of the processor, and are judged again")
    return [fault for _, _, fault in rows + [row(n, False) for n in starved] if type(fault) is str]


def compiled(url):
    """The faults of verl's codes of programs in C++, and of replies without a program."""
    module = verl_module("verl.utils.reward_score.sandbox_fusion")
    faults = []
    for program, tests, due in CPP:
        truth = {"inputs": [i for i, _ in tests], "outputs": [o for _, o in tests]}
        found, _ = module.check_correctness(f"{url}/run_code", truth, program, timeout=10 if due != [-3] else 1, language="cpp")
        if found != due:
            faults.append(f"{program}: codes {found}, want {due}")
    none = module.compute_score(f"{url}/run_code", None, 1024, "I do not know.", {"inputs": ["1"], "outputs": ["1"]})
    if none[0] != 0:
        faults.append(f"no program: {none}")
    choose = verl_module("verl.utils.reward_score").default_compute_score
    chosen = choose("taco", "```python\nprint(input())\n```", json.dumps({"inputs": ["1", "2"], "outputs": ["1", "3"]}), None, f"{url}/run_code", None, 1024)
    if chosen != 0.5:
        faults.append(f"default_compute_score: {chosen}")
    print(f"C++: {len(CPP)} programs; and the default score of verl")
    return faults


def live_code_bench(p):
    inputs, outputs = lines_of(p)
    kind, name = ("functional", p["tests"]["function"]) if p["tests"]["kind"] == "call" else ("stdin", None)
    tests = [{"input": i, "output": o, "testtype": kind} for i, o in zip(inputs, outputs)]
    private = base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests[1:])))).decode()
    return {"question_id": p["id"], "question_content": p["statement"], "starter_code": "", "difficulty": "easy", "public_test_cases": json.dumps(tests[:1]),
            "private_test_cases": private, "metadata": json.dumps({"func_name": name} if name else {})}  # fmt: skip


def sky_rl(p):
    inputs, outputs = lines_of(p)
    kind, name = ("functional", p["tests"]["function"]) if p["tests"]["kind"] == "call" else ("stdin", None)
    tests = [{"input": i, "output": o, "testtype": kind, "metadata": {"func_name": name}} for i, o in zip(inputs, outputs)]
    return {"id": p["id"], "data_source": "livecodebench", "prompt": [{"role": "user", "content": p["statement"]}], "ability": "code", "env_class": "lcb",
            "reward_model": {"style": "rule", "ground_truth": json.dumps(tests)}, "extra_info": {"split": "train"}}  # fmt: skip


def nemo_gym(p):
    inputs, outputs = lines_of(p)
    tests = {"inputs": inputs, "outputs": outputs, "fn_name": p["tests"].get("function")}
    return {"id": p["id"], "responses_create_params": {"input": [{"role": "user", "content": p["statement"]}]}, "verifier_metadata": {"unit_tests": tests}}


FORMS = {"live_code_bench": live_code_bench, "sky_rl": sky_rl, "nemo_gym": nemo_gym}


def verdicts(url, form, some):
    """The faults of verdicts by the rows of a form."""
    wrong = next(a for a in ANSWERS if a[0] == "wrong")

    def judge(p, right):
        program = p["python"] if right else wrong[1](p)
        request = {"dataset": form, "id": p["id"], "completion": f"```python\n{program}\n```", "config": {}}
        got = call("POST", f"{url}/submit", request, patience=600)[1]
        return None if got["accepted"] is right else f"{form}, {p['id']}, right {right}: {json.dumps(got)[:1500]}"

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        all_of = list(pool.map(lambda one: judge(*one), [(p, right) for p in some for right in (True, False)]))
    print(f"{form}: {len(all_of)} verdicts")
    return [fault for fault in all_of if fault]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quintain", required=True)
    quintain = parser.parse_args().quintain
    logging.disable(logging.CRITICAL)
    all_problems = list(problems())
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for form, write in FORMS.items():
            files.append(str(pathlib.Path(folder) / f"{form}.jsonl"))
            pathlib.Path(files[-1]).write_text("".join(json.dumps(write(p)) + "\n" for p in all_problems[:100]), encoding="utf-8")
        with serving(quintain, "--serve-problems", ",".join(files)) as url:
            faults = codes(url, all_problems) + compiled(url)
            for form in FORMS:
                faults += verdicts(url, form, all_problems[:100])
    if faults:
        raise SystemExit(f"{len(faults)} faults\n" + "\n".join(faults[:10]))


main()
