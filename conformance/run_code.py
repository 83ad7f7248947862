#!/usr/bin/env python3
"""Run and judge programs with the client of SandboxFusion.

    REQUIREMENTS=run_code.txt conformance/python conformance/run_code.py --quintain bin/quintain

Every call of the client, sync and async, must end as it would there. Then 64 programs are run at once, and all their
answers must be those of one alone: a machine that is busy makes no failed program.
"""
import argparse
import asyncio
import base64
import functools
import json
import pathlib
import tempfile

import sandbox_fusion as sf
from serving import serving

PROGRAMS = [  # name, request, status of the answer, status of the run, standard output
    ("a sum", dict(code="print(sum(map(int, input().split())))", stdin="3 4"), "Success", "Finished", "7\n"),
    ("an error", dict(code="print(1)\nraise ValueError('x')"), "Failed", "Finished", "1\n"),
    ("an endless loop", dict(code="while True: pass", run_timeout=1), "Failed", "TimeLimitExceeded", ""),
    ("a sleeper", dict(code="import time\ntime.sleep(60)", run_timeout=1), "Failed", "TimeLimitExceeded", ""),
    ("status 3", dict(code="import sys\nsys.exit(3)"), "Failed", "Finished", ""),
    ("no network", dict(code="import socket\ntry:\n    socket.create_connection(('127.0.0.1', 80))\nexcept OSError: print('none')"), "Success", "Finished", "none\n"),
    ("a module beside it", dict(code="import helper\nprint(helper.x)", files={"helper.py": base64.b64encode(b"x = 5").decode()}), "Success", "Finished", "5\n"),
    ("half UTF-8", dict(code="import sys\nsys.stdout.buffer.write(b'\\xffa')"), "Success", "Finished", "\ufffda"),
    ("C++", dict(code='#include <iostream>\nint main() { int a; std::cin >> a; std::cout << 2 * a; }', language="cpp", stdin="21"), "Success", "Finished", "42"),
    ("C++ that does not compile", dict(code="int main( {", language="cpp"), "Failed", None, None),
]
SUMMARY = sf.SummaryMapping(Success="success", Failed="failed", CompileFailed="compile", CompileTimeout="compile time", RunFailed="run", RunTimeout="run time")
SUMMARIES = [  # request, the client's own summary of the answer
    (dict(code="print(1)"), "success"), (dict(code="1 / 0"), "run"), (dict(code="(", language="python"), "run"),
    (dict(code="while True: pass", run_timeout=1), "run time"), (dict(code="int main( {", language="cpp"), "compile"),
]

# Rows in the forms of its documentation, as they come with a request.
OJ = {"id": 1, "content": "Add two numbers.", "labels": {}, "test": [
    {"input": {"stdin": "1 2"}, "output": {"stdout": "3"}}, {"input": {"stdin": "2 2"}, "output": {"stdout": "4\n"}}, {"input": {"stdin": "0.5 1"}, "output": {"stdout": "1.5"}},
]}  # fmt: skip
OJ_AS_JSON = {**OJ, "labels": "{}", "test": json.dumps(OJ["test"])}
MBPP = {"id": 2, "content": "Add two numbers.", "test": ["assert add(1, 2) == 3", "assert add(2, 2) == 4"], "labels": {"test_setup_code": ""}}
AUTO = {"id": "3", "content": "Add two numbers.", "test": {"code": "assert add(1, 2) == 3"}, "labels": {"programming_language": "python", "execution_language": "python"}}
HUMAN = {"task_id": "T/4", "prompt": "def add(a, b):\n    \"\"\"The sum.\"\"\"\n", "entry_point": "add", "canonical_solution": "    return a + b\n",
         "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n"}
PYTHON = "I add.\n```python\n%s\n```\n"
READS, ADDS = PYTHON % "print(sum(map(eval, input().split())))", PYTHON % "def add(a, b):\n    return a + b"
CPP = "```cpp\n#include <iostream>\nint main() { double a, b; std::cin >> a >> b; std::cout << a + b; }\n```"
SUBMISSIONS = [  # name, row, completion, more of the configuration, accepted, and whether each test that ran passed
    ("CommonOJ", OJ, READS, {}, True, [True] * 3),
    ("CommonOJ, its columns as JSON", OJ_AS_JSON, READS, {}, True, [True] * 3),
    ("CommonOJ in C++", OJ, CPP, dict(language="cpp"), True, [True] * 3),
    ("all cases of a wrong program", OJ, PYTHON % "print(3)", dict(extra={"run_all_cases": True}), False, [True, False, False]),
    ("a program that takes too long", OJ, PYTHON % "while True: pass", dict(run_timeout=1), False, None),
    ("no program", OJ, "I do not know.", {}, False, None),
    ("MBPP", MBPP, ADDS, {}, True, [True] * 2),
    ("MBPP, wrong", MBPP, PYTHON % "def add(a, b):\n    return 3", dict(extra={"run_all_cases": True}), False, [True, False]),
    ("AutoEval", AUTO, ADDS, {}, True, [True]),
    ("AutoEval, an early end", AUTO, PYTHON % "import os\nos._exit(0)", {}, False, [False]),
    ("HumanEval, the rest of the code", HUMAN, "    return a + b\n\ndef other():\n    pass\n", {}, True, [True]),
    ("HumanEval, all of the code", HUMAN, ADDS, dict(extra={"is_freeform": True}), True, [True]),
    ("HumanEval, wrong", HUMAN, "    return a - b\n", {}, False, [False]),
]  # fmt: skip
CELLS = ["a = 123", "a", "print(a)", "import sys; sys.stderr.write(\"stderr message\")", "raise RuntimeError(\"error message\")", "open('a.txt', 'w').write(str(a)) and None"]
DATA = [
    {"id": "sum", "statement": "Print the sum of two numbers.", "solutions": ["print('SOLUTION')"],
     "tests": {"language": "python", "kind": "stdin", "cases": [{"input": "1 2", "output": "3", "public": True}, {"input": "SECRET".lower(), "output": "SECRET"}]}},
    {"id": "42", "statement": "Print 42.", "tests": {"language": "python", "kind": "stdin", "cases": [{"input": "", "output": "42"}]}},
]  # fmt: skip


class Checks:
    """What was wrong."""

    def __init__(self):
        self.wrong = []

    def same(self, name, got, want):
        if got != want:
            self.wrong.append(f"{name}: {got}, want {want}")

    def refused(self, name, call):
        try:
            self.wrong.append(f"{name}: has an answer, {call()}")
        except Exception as error:
            print(f"{name}: {error}")


def run(request):
    return sf.run_code(sf.RunCodeRequest(**{"language": "python", **request}), max_attempts=3, client_timeout=60)


def programs(checks):
    for name, request, status, ran, stdout in PROGRAMS:
        a = run(request)
        r = a.run_result
        checks.same(name, (a.status.value, r and r.status.value, r and r.stdout), (status, ran, stdout))
    for request, summary in SUMMARIES:
        checks.same(f"the summary of {request}", sf.summary_run_code_result(run(request), SUMMARY), summary)
    checks.same("fetched files", run(dict(code="open('a.txt', 'w').write('b')", fetch_files=["a.txt"])).files, {"a.txt": base64.b64encode(b"b").decode()})
    for language in ("ruby", "lean", "cuda"):
        checks.refused(language, lambda language=language: sf.run_code(sf.RunCodeRequest(code="x", language=language), max_attempts=1))
    answers = sf.run_concurrent(run, args=[[dict(code=f"print(sum(range({n} * 10_000)))")] for n in range(64)], concurrency=64)
    checks.same("64 at once", [int(a.run_result.stdout) for a in answers], [sum(range(n * 10_000)) for n in range(64)])
    pure = sf.run_concurrent_pure((functools.partial(run, dict(code=f"print({n})")) for n in range(8)), concurrency=8)
    checks.same("8 at once", [a.run_result.stdout for a in pure], [f"{n}\n" for n in range(8)])
    print(f"{len(PROGRAMS) + len(SUMMARIES)} programs, and 72 at once")


def submission(row, completion, more, dataset="any", id=0):
    return sf.SubmitRequest(dataset=dataset, id=id, completion=completion, config=sf.TestConfig(**{"language": "python", "provided_data": row, **more}))


def submissions(checks):
    for name, row, completion, more, accepted, passed in SUBMISSIONS:
        a = sf.submit(submission(row, completion, more), max_attempts=1, client_timeout=120)
        checks.same(name, (a.id, a.accepted, passed and [t.passed for t in a.tests]), (0, accepted, passed))
        if "```" in completion:
            checks.same(f"{name}: the program", a.extracted_code.strip(), completion.split("```")[1].split("\n", 1)[1].strip())
    slow = sf.submit(submission(OJ, PYTHON % "while True: pass", dict(run_timeout=1)), max_attempts=1)
    checks.same("the end of a slow program", {t.exec_info.run_result.status.value for t in slow.tests}, {"TimeLimitExceeded"})
    checks.same("a test", sf.submit(submission(OJ, READS, {}), max_attempts=1).tests[0].test_info, {"input": {"stdin": "1 2"}, "output": {"stdout": "3"}})
    safe = sf.submit_safe(submission(OJ, READS, dict(run_timeout=-1)), max_attempts=1)
    checks.same("submit_safe of a request that is refused", (safe.accepted, safe.tests), (False, []))
    checks.same("submit_safe", sf.submit_safe(submission(OJ, READS, {}), max_attempts=1).accepted, True)
    checks.refused("a row without tests", lambda: sf.submit(submission({"test": []}, READS, {}), max_attempts=1))
    checks.refused("a data set that is not there", lambda: sf.submit(submission(None, READS, {}), max_attempts=1))
    print(f"{len(SUBMISSIONS)} submissions")


def data_sets(checks):
    config = sf.TestConfig()
    got = sf.get_prompts(sf.GetPromptsRequest(dataset="sums", config=config))
    checks.same("IDs", [p.id for p in got], ["sum", 42])  # the client reads numbers
    told = json.dumps([p.dict() for p in got] + [sf.get_prompt_by_id(sf.GetPromptByIdRequest(dataset="sums", config=config, id="sum")).dict()])
    judged = sf.submit(submission(None, PYTHON % "print(input())", dict(extra={"run_all_cases": True}), "sums", "sum"), max_attempts=1)
    checks.same("tests of a data set", [(t.passed, t.test_info is None) for t in judged.tests], [(False, False), (True, True)])
    for secret in ("SECRET", "secret", "SOLUTION"):
        checks.same(f"{secret} is told", secret in told + judged.json(), False)
    checks.same("a row by a number", sf.submit(submission(None, PYTHON % "print(42)", {}, "sums", 42), max_attempts=1).accepted, True)
    provided = sf.get_prompts(sf.GetPromptsRequest(dataset="any", config=sf.TestConfig(provided_data=[OJ, MBPP, AUTO]), offset=1, limit=1))
    checks.same("a prompt of rows that come along", [(p.id, p.prompt.startswith("Add two numbers.")) for p in provided], [(2, True)])
    ours = sf.get_prompts(sf.GetPromptsRequest(dataset="write_program", config=sf.TestConfig(extra={"seed": 1, "level": 1}), limit=20))
    checks.same("problems of ours", len({p.prompt for p in ours}), 20)
    checks.same("a wrong answer to one", sf.submit(submission(None, PYTHON % "print('no')", {}, "write_program", ours[0].id), max_attempts=1).accepted, False)
    print(f"{len(got) + len(provided) + len(ours)} prompts")


def notebooks(checks):
    a = sf.run_jupyter(sf.RunJupyterRequest(cells=CELLS, fetch_files=["a.txt"]), max_attempts=1, client_timeout=60)
    checks.same("a notebook", (a.status.value, a.driver.status.value, a.driver.return_code), ("Success", "Finished", 0))
    checks.same("outputs of cells", [(c.stdout, c.stderr, c.display) for c in a.cells],
                [("", "", []), ("", "", [{"text/plain": "123"}]), ("123\n", "", []), ("", "stderr message", [{"text/plain": "14"}]), ("", "", []), ("", "", [])])  # fmt: skip
    checks.same("errors of cells", [[(e["ename"], e["evalue"]) for e in c.error] for c in a.cells], [[], [], [], [], [("RuntimeError", "error message")], []])
    checks.same("a file of a notebook", a.files, {"a.txt": base64.b64encode(b"123").decode()})
    late = sf.run_jupyter(sf.RunJupyterRequest(cells=["import time", "time.sleep(60)"], total_timeout=2), max_attempts=1)
    checks.same("a late notebook", (late.status.value, late.driver.status.value), ("Failed", "TimeLimitExceeded"))
    print(f"{len(CELLS) + 2} cells")


async def asynchronous(checks):
    runs = [sf.run_code_async(sf.RunCodeRequest(code=f"print({n})", language="python"), client_timeout=60) for n in range(8)]
    checks.same("async runs", [a.run_result.stdout for a in await asyncio.gather(*runs)], [f"{n}\n" for n in range(8)])
    checks.same("an async submission", (await sf.submit_async(submission(OJ, READS, {}), client_timeout=60)).accepted, True)
    checks.same("a safe async submission", (await sf.submit_safe_async(submission(OJ, READS, dict(run_timeout=-1)), max_attempts=1)).accepted, False)
    checks.same("an async notebook", (await sf.run_jupyter_async(sf.RunJupyterRequest(cells=["1 + 1"]))).cells[0].display, [{"text/plain": "2"}])
    checks.same("async prompts", len(await sf.get_prompts_async(sf.GetPromptsRequest(dataset="sums", config=sf.TestConfig()))), 2)
    one = await sf.get_prompt_by_id_async(sf.GetPromptByIdRequest(dataset="sums", config=sf.TestConfig(), id=42))
    checks.same("an async prompt", one.prompt.startswith("Print 42."), True)
    print("13 async calls")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--quintain", required=True)
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder) / "sums.jsonl"
        rows.write_text("".join(json.dumps(row) + "\n" for row in DATA), encoding="utf-8")
        with serving(p.parse_args().quintain, "--serve-problems", str(rows)) as url:
            sf.set_endpoint(url)
            for part in (programs, submissions, data_sets, notebooks):
                part(checks)
            asyncio.run(asynchronous(checks))
    if checks.wrong:
        raise SystemExit("\n".join(checks.wrong))


main()
