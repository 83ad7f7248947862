"""Graders of programs by others, and problems for them.

LiveCodeBench's grader is in NVIDIA's package of it (MIT); prime_code and the client of SandboxFusion are in verl's
(Apache-2.0), of which nothing else is imported: it would need PyTorch.
"""
import importlib
import json
import pathlib
import subprocess
import sys
import sysconfig
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent


def rows(count, seed=1):
    """Problems of package codetask."""
    command = ["go", "run", "conformance/rows.go", "-of", "code", "-count", str(count), "-seed", str(seed)]
    lines = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def verl(module):
    """A module of verl's rewards."""
    site = pathlib.Path(sysconfig.get_paths()["purelib"])
    for name in ("verl", "verl.utils", "verl.utils.reward_score"):
        package = types.ModuleType(name)
        package.__path__ = [str(site / name.replace(".", "/"))]
        sys.modules.setdefault(name, package)
    return importlib.import_module("verl.utils.reward_score." + module)


def in_outs(tests):
    """Tests in the form of APPS, which LiveCodeBench and verl read."""
    if tests["kind"] == "stdin":
        return {"inputs": [c["input"] for c in tests["cases"]], "outputs": [c["output"] for c in tests["cases"]]}
    lines = ["\n".join(json.dumps(a) for a in json.loads(c["input"])) for c in tests["cases"]]
    return {"inputs": lines, "outputs": [c["output"] for c in tests["cases"]], "fn_name": tests["function"]}


def by_livecodebench(tests, code, timeout=6):
    """Whether a program passes, and what is said of it."""
    from livecodebench.evaluation.compute_code_generation_metrics import check_correctness

    try:
        results, said = check_correctness({"input_output": json.dumps(in_outs(tests))}, code, timeout=timeout, debug=False)
    except IndexError:  # its process died
        return False, "no result"
    return all(r is True for r in results), said


def by_verl(tests, code):
    """The score of a program, as verl rewards code of APPS, TACO and the like; it prints nothing of its own."""
    score, said = verl("prime_code").compute_score(code, json.dumps(in_outs(tests)), continuous=True)
    return float(score) == 1, said
