#!/usr/bin/env python3
"""Generate small Jinja programs with the results of CPython's jinja2, and check package chattemplate against them.

A line is {"template", "vars", "text"} or {"template", "vars", "error"}; a text may have "spans", the places of its
generation blocks. The test TestPrograms reads them. With --update, the outcomes in a file are written anew instead.
Needs Go.
"""
import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile

import jinja2
import jinja_chat

VARS = {
    "n": None, "t": True, "f": False, "i": 7, "neg": -3, "big": 123456789012345678901234567890, "x": 2.5, "s": "Hello, wörld", "q": "it's \"q\"\n\t\\é 😀",
    "ws": "  a  b\u2003c \x1f", "html": "<a>&\"b\"", "l": [3, 1, 2, 3], "names": ["bob", "Alice", "carol"], "nested": [[1, [2, "x"]], {"k": [None, True]}],
    "d": {"b": 1, "a": "two", "items": "own", "z": {"y": [1, 2]}}, "users": [{"name": "Zed", "age": 3}, {"name": "amy", "age": 30, "on": True}],
    "m": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo", "thinking": "t"}],
}
NAMES = [*VARS, "undef", "a", "b", "ns"]
METHODS = ["upper()", "lower()", "title()", "strip()", "strip('a ')", "split()", "split(',')", "split('l', 1)", "rsplit(' ', 1)", "splitlines()", "startswith('H')", "endswith(('d', 'x'))",
           "replace('l', 'L')", "find('o')", "count('l')", "join(['x', 'y'])", "partition(',')", "items()", "keys()", "values()", "get('a')", "get('k', 0)", "append(1)", "index(1)", "isdigit()",
           "zfill(9)", "capitalize()", "removeprefix('H')", "lstrip('H')", "update({})", "pop()"]
FILTERS = ["upper", "lower", "title", "trim", "length", "list", "first", "last", "join", "join(', ')", "sort", "reverse", "unique", "sum", "max", "min", "string", "int", "float", "abs", "round", "round(1)",
           "tojson", "tojson(indent=2)", "default('D')", "default('D', true)", "items", "dictsort", "map('string')", "map('upper')", "map(attribute='name')", "map(attribute=0)", "select", "select('odd')",
           "reject('none')", "selectattr('on')", "selectattr('age', 'gt', 5)", "rejectattr('on', 'defined')", "replace('a', 'b')", "indent", "indent(2, true)", "safe", "e", "capitalize", "wordcount",
           "batch(2)", "slice(2)", "groupby('age')", "truncate(5)", "center(9)", "urlencode", "attr('name')", "format(1)", "count", "select('string')", "map('length')", "sort(attribute='age')"]
TESTS = ["defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "mapping", "sequence", "iterable", "true", "false", "odd", "even", "callable", "divisibleby(3)", "in(l)",
         "eq(7)", "gt(2)", "lower", "upper", "sameas(n)", "escaped"]


class Maker(random.Random):
    """Makes programs."""

    def literal(self):
        return self.choice(["1", "0", "2.0", "'a'", "'Hello'", "\"x y\"", "none", "true", "[]", "{}", "[1, 'a']", "{'k': 1}", "(1, 2)", "''", "-1", "'%s'", "range(3)"])

    def expr(self, depth=3):
        if depth <= 0 or self.random() < 0.15:
            return self.choice(NAMES) if self.random() < 0.7 else self.literal()
        sub = lambda: self.expr(depth - 1)
        return self.choice([
            lambda: f"{sub()} {self.choice(['+', '-', '*', '/', '//', '%', '~', '~', '+'])} {sub()}",
            lambda: f"{sub()} {self.choice(['==', '!=', '<', '>=', 'in', 'not in', 'and', 'or'])} {sub()}",
            lambda: f"({sub()})", lambda: f"not {sub()}", lambda: f"-{sub()}", lambda: f"[{sub()}, {sub()}]", lambda: f"{{'k': {sub()}, {sub()}: 1}}",
            lambda: f"{sub()} if {sub()} else {sub()}", lambda: f"({sub()} if {sub()})",
            lambda: f"{self.atom(depth)}.{self.choice(['a', 'z', 'name', 'role', 'items', 'k', '0', 'content', 'nope'])}",
            lambda: f"{self.atom(depth)}[{sub()}]", lambda: f"{self.choice(NAMES)}[{self.choice(['1:', ':-1', '::-1', '0:2', '-2:', '::2', 'i:', ':n'])}]",
            lambda: f"{self.atom(depth)}.{self.choice(METHODS)}", lambda: f"{self.atom(depth)}|{self.choice(FILTERS)}", lambda: f"{self.atom(depth)}|{self.choice(FILTERS)}",
            lambda: f"{self.atom(depth)}|{self.choice(FILTERS)}|{self.choice(FILTERS)}", lambda: f"{self.atom(depth)} is {self.choice(['', 'not '])}{self.choice(TESTS)}",
        ])()

    def atom(self, depth):
        return self.choice(NAMES) if self.random() < 0.7 else f"({self.expr(depth - 1)})"

    def sign(self):
        return self.choice(["", "", "", "-", "+"])

    def tag(self, inner):
        return f"{{%{self.sign()} {inner} {self.sign()}%}}"

    def space(self):
        return self.choice(["", "", " ", "\n", "\n  ", "x", " y \n", "\n\n"])

    def body(self, depth, loop):
        return "".join(self.space() + self.statement(depth - 1, loop) for _ in range(self.randint(1, 3))) + self.space()

    def statement(self, depth, loop):
        if depth <= 0:
            return self.choice([lambda: f"{{{{{self.choice(['', '-'])} {self.expr(2)} {self.choice(['', '-'])}}}}}", lambda: f"{{#{self.sign()} c {self.sign()}#}}"])()
        body = lambda inside=loop: self.body(depth, inside)
        return self.choice([
            lambda: f"{{{{ {self.expr()} }}}}", lambda: f"{{{{ {self.expr()} }}}}",
            lambda: f"{self.tag('if ' + self.expr(2))}{body()}{self.tag('else')}{body()}{self.tag('endif')}",
            lambda: f"{self.tag('if ' + self.expr(1))}{body()}{self.tag('elif ' + self.expr(1))}{body()}{self.tag('endif')}",
            lambda: f"{self.tag('for a in ' + self.iterable())}{body(True)}{self.tag('endfor')}",
            lambda: f"{self.tag('for a in ' + self.iterable() + ' if ' + self.expr(1))}{body(True)}{{{{ loop.{self.choice(['index', 'last', 'first', 'length', 'revindex', 'previtem', 'nextitem', 'index0'])} }}}}{self.tag('else')}{body()}{self.tag('endfor')}",
            lambda: f"{self.tag('for a, b in d.items()')}{body(True)}{self.tag('endfor')}",
            lambda: self.tag(f"set {self.choice('ab')} = {self.expr(2)}"), lambda: self.tag("set ns = namespace(a=1)"), lambda: self.tag(f"set ns.{self.choice('ab')} = {self.expr(2)}"),
            lambda: f"{self.tag('set a')}{body()}{self.tag('endset')}", lambda: f"{self.tag('filter ' + self.choice(['upper', 'trim', 'length', 'indent(1)', 'tojson']))}{body()}{self.tag('endfilter')}",
            lambda: f"{self.tag('macro g(a, b=' + self.literal() + ')')}{body(False)}{self.tag('endmacro')}{{{{ g({self.expr(1)}) }}}}",
            lambda: f"{self.tag('macro h(a)')}[{{{{ caller({self.expr(1)}) }}}}]{self.tag('endmacro')}{self.tag('call(b) h(1)')}{body(False)}{self.tag('endcall')}",
            lambda: f"{self.tag('with a = ' + self.expr(1))}{body()}{self.tag('endwith')}", lambda: f"{self.tag('generation')}{body(False)}{self.tag('endgeneration')}",
            lambda: self.tag(self.choice(["break", "continue"])) if loop else "z", lambda: f"{self.tag('raw')}{{{{ x }}}}{self.tag('endraw')}",
        ])()

    def iterable(self):
        return self.choice(["l", "names", "users", "m", "d", "range(3)", "nested", "undef", "s", self.expr(1)])


class TimeUp(BaseException):
    """Not an Exception, which would count as an outcome."""


def ring(*_):
    raise TimeUp


def row(template):
    """A line of the file; none if jinja2's outcome is an accident, or takes too long."""
    signal.signal(signal.SIGALRM, ring)
    signal.alarm(5)
    try:
        compiled = jinja_chat.compiled(template)
        if isinstance(compiled, Exception) and not isinstance(compiled, jinja2.TemplateError):
            return None  # it computes constants when it compiles, even unread ones: see docs/chat-templates.md
        text, error = jinja_chat.render(compiled, json.loads(json.dumps(VARS)))
    except TimeUp:
        return None
    finally:
        signal.alarm(0)
    if text is None:
        return {"template": template, "error": error}
    if re.search(r" at 0x[0-9a-f]+|0x7f|&lt;bound", text) or len(text) > 20_000:
        return None  # an address in memory
    made = {"template": template, "text": text}
    # If a block's text is written later, the places of transformers are not those of the text.
    if template.count(" generation ") <= 1 and not re.search(r"\b(macro |call|filter |set [abns.]+ *[-+]?%)", template):
        made["spans"] = compiled.environment.spans
    return made


def rows(seed, count):
    maker = Maker(seed)
    while count > 0:
        expression = maker.random() < 0.5
        made = row(f"{{{{ {maker.expr(4)} }}}}" if expression else maker.body(4, False))
        # Half of the programs should work.
        if made and ("text" in made or maker.random() < 0.35):
            count -= 1
            yield made


def update(path):
    with open(path, encoding="utf-8") as file:
        first, *lines = map(json.loads, file)
    VARS.clear()
    VARS.update(first["vars"])
    made = filter(None, [first, *(row(line["template"]) for line in lines)])
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in made)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--update", metavar="FILE", help="file to write anew")
    args = parser.parse_args()
    if args.update:
        update(args.update)
        return 0
    made = [{"vars": VARS}, *rows(args.seed, args.count)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "programs.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in made)
        print(f"{len(made) - 1} programs, of which {sum('error' in line for line in made)} fail")
        command = ["go", "test", "-count=1", "-run", "^TestPrograms$", "./text/chattemplate", "-args", "-programs", path]
        return subprocess.run(command, cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
