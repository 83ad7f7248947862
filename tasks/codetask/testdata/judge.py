"""Run the Python of problems against their tests, and mutants of it.

Reads problems of a kind as JSON lines from standard input: kind, python and tests. Writes a JSON line for each: failed, the inputs of cases with another output; slowest, in seconds; made, the number of mutants;
alive, the mutants that pass all tests, each as the line that differs, before and after.
"""

import ast
import contextlib
import copy
import io
import json
import resource
import signal
import sys
import time

SECONDS = 1.0  # of a mutant and a case
MUTANTS = 60  # of all problems, of which one gives a third at most

SWAPS = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Add,), ast.FloorDiv: (ast.Mult,), ast.Mod: (ast.FloorDiv,),
    ast.BitXor: (ast.BitOr,), ast.BitAnd: (ast.BitOr,), ast.LShift: (ast.RShift,), ast.RShift: (ast.LShift,),
    ast.And: (ast.Or,), ast.Or: (ast.And,),
}  # fmt: skip
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "abs": "int", "set": "list"}


class TooLong(BaseException):
    """A mutant does not end."""


def stop(*_):
    raise TooLong


def changes(node):
    """The changes of one node, each a function that returns the node in its place."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            for other in SWAPS.get(type(op), ()):
                yield lambda n, i=i, other=other: (n.ops.__setitem__(i, other()), n)[1]
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)):
        for other in SWAPS.get(type(node.op), ()):
            yield lambda n, other=other: (setattr(n, "op", other()), n)[1]
    if isinstance(node, ast.Constant):
        if type(node.value) is int:
            yield lambda n: ast.Constant(n.value + 1)
            yield lambda n: ast.Constant(n.value - 1)
        if type(node.value) is bool:
            yield lambda n: ast.Constant(not n.value)
    if isinstance(node, ast.UnaryOp):
        yield lambda n: n.operand
    if isinstance(node, (ast.If, ast.IfExp)):
        yield lambda n: (setattr(n, "test", ast.Constant(True)), n)[1]
        yield lambda n: (setattr(n, "test", ast.Constant(False)), n)[1]
    if isinstance(node, ast.comprehension) and node.ifs:
        yield lambda n: (n.ifs.pop(), n)[1]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
        if not (node.func.id == "sorted" and node.keywords):
            yield lambda n: (setattr(n.func, "id", CALLS[n.func.id]), n)[1]
    if isinstance(node, (ast.AugAssign, ast.Continue)) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield lambda n: ast.Pass()
    if isinstance(node, ast.Break):
        yield lambda n: ast.Continue()


class Mutate(ast.NodeTransformer):
    """Make the change with a number; changed becomes true."""

    def __init__(self, number):
        self.number = number
        self.count = 0
        self.changed = False

    def visit(self, node):
        for change in changes(node):
            self.count += 1
            if self.count - 1 == self.number:
                self.changed = True
                return change(node)
        return self.generic_visit(node)


def function(tree):
    """The last function but main."""
    return [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name != "main"][-1]


def mutants(source):
    """All mutants, each as its code and the first line that differs, before and after."""
    tree = ast.parse(source)
    before = ast.unparse(function(tree)).split("\n")
    number = 0
    while True:
        other = copy.deepcopy(tree)
        mutate = Mutate(number)
        mutate.visit(function(other))
        if not mutate.changed:
            return
        number += 1
        ast.fix_missing_locations(other)
        after = ast.unparse(function(other)).split("\n")
        pairs = [(a, b) for a, b in zip(before, after) if a != b]
        a, b = pairs[0] if pairs else (before[-1], after[-1])
        yield compile(other, "mutant", "exec"), a.strip() + " -> " + b.strip()


def same(got, want, compare):
    if compare == "tokens":
        return got.split() == want.split()
    return got.rstrip("\n") == want.rstrip("\n")


def passes(code, tests, case):
    """Whether a program passes a case."""
    scope = {"__name__": "__main__"}
    stdin, out = sys.stdin, io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            if tests["kind"] == "call":
                exec(code, scope)
                got = scope[tests["function"]](*json.loads(case["input"]))
                return json.dumps(got) == json.dumps(json.loads(case["output"]))
            sys.stdin = io.StringIO(case["input"])
            exec(code, scope)
            return same(out.getvalue(), case["output"], tests["compare"])
    finally:
        sys.stdin = stdin


def survives(code, tests):
    """Whether a mutant passes all cases, of which the small ones come first."""
    for case in sorted(tests["cases"], key=lambda c: len(c["input"])):
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            if not passes(code, tests, case):
                return False
        except (Exception, TooLong):
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return True


def judge(problem, most):
    """What one problem says."""
    code, tests = compile(problem["python"], "reference", "exec"), problem["tests"]
    failed, slowest = [], 0.0
    for case in tests["cases"]:
        began = time.process_time()
        try:
            if not passes(code, tests, case):
                failed.append(case["input"][:300])
        except Exception as e:
            failed.append(f"{e!r} for {case['input'][:300]}")
        slowest = max(slowest, time.process_time() - began)
    made, alive = 0, []
    if most > 0:
        every = list(mutants(problem["python"]))
        step = max(1, len(every) / most)
        for i in range(min(len(every), most)):
            code, text = every[int(i * step)]
            made += 1
            if survives(code, tests):
                alive.append(text)
    return {"kind": problem["kind"], "failed": failed, "slowest": slowest, "made": made, "alive": alive}


def main():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    signal.signal(signal.SIGALRM, stop)
    left = MUTANTS
    for line in sys.stdin:
        judged = judge(json.loads(line), min(left, MUTANTS // 3))
        left -= judged["made"]
        print(json.dumps(judged), flush=True)


if __name__ == "__main__":
    main()
