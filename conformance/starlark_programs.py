#!/usr/bin/env python3
"""Generate small programs with CPython's results, and check package starlark against them.

A line is {"program", "value"}, or {"program"} if CPython refuses it. A program that package starlark runs must give
CPython's value; it may refuse more. The test TestAgainstCPython reads the lines. With --write, they are written for
go test instead. Needs Go, and no package.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

NAMES = {"int": ["n", "m", "i"], "str": ["s", "w"], "ints": ["l", "k"], "strs": ["t"], "dict": ["d"], "bool": ["b"]}
START = "    n, m, i, s, w, b = 7, -3, 0, 'Hello, world', 'ab', True\n    l, k, t, d = [3, 1, 2, 3], [], ['x', 'yy', 'x y'], {'a': 1, 'b': -2}\n"


class Maker(random.Random):
    """Makes expressions of a type, and statements."""

    def expr(self, kind, depth=3):
        if depth <= 0 or self.random() < 0.2:
            return self.choice(NAMES[kind]) if self.random() < 0.7 else self.literal(kind)
        if self.random() < 0.04:  # of another type
            kind = self.choice(list(NAMES))
        e = lambda of: self.expr(of, depth - 1)
        if self.random() < 0.1:
            return f"({e(kind)} if {e('bool')} else {e(kind)})"
        return self.choice(getattr(self, "of_" + kind)(e))()

    def literal(self, kind):
        return self.choice({"int": ["0", "1", "2", "-5", "12", "4000000000", "99999999999999999999"], "str": ["''", "'a'", "'b c'", "\"it's\"", "'\\n'", "'Zz9'", "'12'", "'é😀'"], "ints": ["[]", "[0]", "[5, -1, 5]", "list(range(4))"],
                            "strs": ["[]", "['a', 'B', 'a']", "['']"], "dict": ["{}", "{'x': 3}", "dict(a=2)"], "bool": ["True", "False"]}[kind])  # fmt: skip

    def of_int(self, e):
        return [lambda: f"({e('int')} {self.choice(['+', '-', '*', '//', '%'])} {e('int')})", lambda: f"len({e(self.choice(['str', 'ints', 'strs', 'dict']))})", lambda: f"{e('ints')}[{e('int')}]", lambda: f"-{e('int')}",
                lambda: f"{self.choice(['max', 'min'])}({e('ints')})", lambda: f"max({e('int')}, {e('int')})", lambda: f"abs({e('int')})", lambda: f"int({e('str')})", lambda: f"{e('dict')}[{e('str')}]", lambda: f"{e('dict')}.get({e('str')}, {e('int')})",
                lambda: f"{e('str')}.{self.choice(['find', 'count', 'rfind', 'index'])}({e('str')})", lambda: f"{e('ints')}.index({e('int')})", lambda: f"(lambda i: {e('int')})({e('int')})", lambda: f"min({e('strs')}, key=len) and {e('int')}"]  # fmt: skip

    def of_str(self, e):
        return [lambda: f"({e('str')} + {e('str')})", lambda: f"({e('str')} * {e('int')})", lambda: f"str({e(self.choice(['int', 'str', 'bool']))})", lambda: f"{e('str')}[{e('int')}]", lambda: f"{e('str')}[{self.cut(e)}]", lambda: f"{e('strs')}[{e('int')}]",
                lambda: f"{e('str')}.{self.choice(['upper', 'lower', 'title', 'strip', 'capitalize', 'lstrip', 'rstrip'])}()", lambda: f"{e('str')}.join({e('strs')})", lambda: f"{e('str')}.replace({e('str')}, {e('str')})", lambda: f"max({e('strs')})",
                lambda: f"{e('str')}.{self.choice(['removeprefix', 'removesuffix', 'strip'])}({e('str')})", lambda: f"({e('str')} or {e('str')})"]  # fmt: skip

    def of_ints(self, e):
        return [lambda: f"({e('ints')} + {e('ints')})", lambda: f"({e('ints')} * {e('int')})", lambda: f"{e('ints')}[{self.cut(e)}]", lambda: f"sorted({e('ints')}, reverse={e('bool')})", lambda: f"[{e('int')}, {e('int')}]", lambda: f"list(reversed({e('ints')}))",
                lambda: f"[{e('int')} for i in {e('ints')} if {e('bool')}]", lambda: f"[i * n for n, i in enumerate({e('ints')})]", lambda: f"[i - n for i, n in zip({e('ints')}, {e('ints')})]", lambda: f"sorted({e('ints')}, key=lambda i: {e('int')})",
                lambda: f"list({e('dict')}.values())", lambda: f"list(range({e('int')}, {e('int')}, {e('int')}))", lambda: f"[i + n for i in {e('ints')} for n in {e('ints')}]"]  # fmt: skip

    def of_strs(self, e):
        return [lambda: f"({e('strs')} + {e('strs')})", lambda: f"{e('str')}.split({e('str')})", lambda: f"{e('str')}.split()", lambda: f"sorted({e('strs')})", lambda: f"[{e('str')} for w in {e('strs')}]", lambda: f"list({e('dict')}.keys())", lambda: f"{e('strs')}[{self.cut(e)}]",
                lambda: f"[w for w, n in {e('dict')}.items() if n < {e('int')}]", lambda: f"list({e('str')}.{self.choice(['partition', 'rpartition'])}({e('str')}))", lambda: f"{e('str')}.rsplit({e('str')}, {e('int')})", lambda: f"{e('str')}.splitlines()"]  # fmt: skip

    def of_dict(self, e):
        return [lambda: f"{{{e('str')}: {e('int')}, {e('str')}: {e('int')}}}", lambda: f"{{w: {e('int')} for w in {e('strs')}}}", lambda: f"{{str(i): i for i in {e('ints')} if {e('bool')}}}", lambda: f"dict(zip({e('strs')}, {e('ints')}))", lambda: f"dict({e('dict')})"]

    def of_bool(self, e):
        return [lambda: f"({e('int')} {self.choice(['<', '<=', '==', '!=', '>'])} {e('int')})", lambda: f"({e('str')} {self.choice(['<', '==', 'in', 'not in'])} {e('str')})", lambda: f"({e('ints')} {self.choice(['==', '<', '>='])} {e('ints')})", lambda: f"(not {e('bool')})",
                lambda: f"({e('int')} in {e('ints')})", lambda: f"({e('str')} in {e('dict')})", lambda: f"({e('bool')} {self.choice(['and', 'or'])} {e('bool')})", lambda: f"bool({e(self.choice(list(NAMES)))})", lambda: f"{self.choice(['any', 'all'])}({e('ints')})",
                lambda: f"{e('str')}.{self.choice(['isdigit', 'isalpha', 'isupper', 'islower', 'isalnum', 'isspace'])}()", lambda: f"{e('str')}.{self.choice(['startswith', 'endswith'])}({e('str')})", lambda: f"({e('dict')} == {e('dict')})", lambda: f"({e('bool')} == {e('bool')})"]  # fmt: skip

    def cut(self, e):
        return self.choice([f"{e('int')}:", f":{e('int')}", f"{e('int')}:{e('int')}", "::-1", f"::{e('int')}", f"{e('int')}::{e('int')}"])

    def block(self, depth, loop, indent):
        return "".join(self.statement(depth - 1, loop, indent) for _ in range(self.randint(1, 3)))

    def statement(self, depth, loop, indent):
        kind = self.choice(list(NAMES))
        name, pad = self.choice(NAMES[kind]), "    " * indent
        simple = [f"{name} = {self.expr(kind)}", f"{self.choice('nmi')} {self.choice(['+=', '-=', '*=', '//=', '%='])} {self.expr('int', 1)}", f"s += {self.expr('str', 1)}", f"{self.choice('lk')} += {self.expr('ints', 1)}",
                  f"{self.choice('lk')}.{self.choice(['append', 'remove', 'pop'])}({self.expr('int', 1)})", f"l.insert({self.expr('int', 1)}, {self.expr('int', 1)})", f"l.extend({self.expr('ints', 1)})", f"l[{self.expr('int', 1)}] {self.choice(['=', '+='])} {self.expr('int', 1)}",
                  f"d[{self.expr('str', 1)}] = {self.expr('int', 1)}", f"d.pop({self.expr('str', 1)}, 0)", f"d.update({self.expr('dict', 1)})", f"n = d.setdefault({self.expr('str', 1)}, {self.expr('int', 1)})", "n, m = m, n", "k = l", f"n = helper({self.expr('int')}, {self.expr('ints')})"]  # fmt: skip
        if loop:
            simple += ["break", "continue"]
        if depth <= 0 or self.random() < 0.6:
            return f"{pad}{self.choice(simple)}\n"
        if self.random() < 0.5:
            text = f"{pad}if {self.expr('bool')}:\n{self.block(depth, loop, indent + 1)}"
            return text + (f"{pad}elif {self.expr('bool')}:\n{self.block(depth, loop, indent + 1)}" if self.random() < 0.4 else "") + (f"{pad}else:\n{self.block(depth, loop, indent + 1)}" if self.random() < 0.5 else "")
        head = self.choice([f"for i in range({self.expr('int', 1)})", f"for i in {self.expr('ints', 2)}", f"for w in {self.expr('strs', 2)}", f"for i, n in enumerate({self.expr('ints', 1)})", f"for w, n in {self.expr('dict', 1)}.items()"])
        return f"{pad}{head}:\n{self.block(depth, True, indent + 1)}"

    def program(self):
        body = "".join(self.statement(2, False, 1) for _ in range(self.randint(0, 4)))
        result = self.choice([f"[n, m, i, s, w, b, l, k, t, d, {self.expr(self.choice(list(NAMES)))}]", self.expr(self.choice(list(NAMES)), 4)])
        return f"def main():\n{START}{body}    return {result}\n\ndef helper(n, l):\n    for i in l:\n        n += i\n    return n\n"


LARGE = 1 << 30  # bytes of memory, with which a text times a large number fails


def row(program):
    """A line for a program; none if CPython takes long or much room, or the result is not JSON."""
    lines, scope = 0, {}

    def count(*_):
        nonlocal lines
        lines += 1
        if lines > 5000:
            raise TimeoutError
        return count

    try:
        exec(program, scope)  # made above, of nothing that reads or writes
        sys.settrace(count)
        value = scope["main"]()
    except (TimeoutError, MemoryError, OverflowError):
        return None
    except Exception:
        return {"program": program}
    finally:
        sys.settrace(None)
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        return None
    return {"program": program, "value": json.loads(text)} if len(text) < 5000 else None


def rows(seed, count):
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (LARGE, before[1]))
    maker = Maker(seed)
    while count > 0:
        made = row(maker.program())
        if made and ("value" in made or maker.random() < 0.2):
            count -= 1
            yield made
    resource.setrlimit(resource.RLIMIT_AS, before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--write", metavar="FILE", help="write the lines for go test")
    args = parser.parse_args()
    made = "".join(json.dumps(line) + "\n" for line in rows(args.seed, args.count))
    if args.write:
        with open(args.write, "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.write(made)
        file.flush()
        command = ["go", "test", "-count=1", "-v", "-run", "^TestAgainstCPython$", "./starlark", "-args", "-programs", file.name]
        return subprocess.run(command, cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
