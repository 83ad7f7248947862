# Runs beside a program under test, solution.py, or beside its tests, never both unless they are
# shared. A task is on standard input; the result goes to quintain_result.json. A value has one of
# Python's own types; objects of any other, and of classes derived from them, have no form.
import builtins, collections, json, os, sys, types

RESULT, EXIT = os.path.abspath("quintain_result.json"), os._exit
DICTS = (dict, collections.defaultdict, collections.OrderedDict, collections.Counter)
DEEPEST, LARGEST, MOST_CALLS = 150, 12 << 20, 20_000
REMEDY = ': tests that share objects with the program need "shared": true (docs/sandbox.md)'
TEXT, INTEGER, FLOAT, COMPLEX, JOIN = json.encoder.encode_basestring_ascii, int.__repr__, float.__repr__, complex.__repr__, "".join


class NoForm(Exception):
    pass


class Parts(list):
    size = 0


def pack(value, parts, depth=0):
    kind = type(value)
    if value is None:
        text = "null"
    elif kind is bool:
        text = "true" if value else "false"
    elif kind is int:
        text = INTEGER(value)
    elif kind is str:
        text = TEXT(value)
    elif kind is float:
        text = '{"float":"%s"}' % FLOAT(value)
    elif kind is bytes:
        text = '{"bytes":%s}' % TEXT(value.decode("latin-1"))
    elif kind is complex:
        text = '{"complex":"%s"}' % COMPLEX(value)
    else:
        return pack_all(value, kind, parts, depth)
    parts.size += len(text)
    if parts.size > LARGEST:
        raise NoForm("a value is too large")
    parts.append(text)


def pack_all(value, kind, parts, depth):
    if depth == DEEPEST:
        raise NoForm("a value is nested too deep")
    if kind is list:
        begin, members, end = "[", value, "]"
    elif kind is tuple or kind is set or kind is frozenset:
        begin, members, end = '{"%s":[' % kind.__name__, value, "]}"
    elif kind in DICTS:
        begin, members, end = '{"dict":[', dict.items(value), "]}"
    else:
        raise NoForm("a value is a %s" % kind.__name__)
    parts.append(begin)
    for i, one in enumerate(members):
        if i:
            parts.append(",")
        if kind in DICTS:
            parts.append("[")
            pack(one[0], parts, depth + 1)
            parts.append(",")
            pack(one[1], parts, depth + 1)
            parts.append("]")
        else:
            pack(one, parts, depth + 1)
        parts.size += 8
    parts.append(end)


def packed(value):
    parts = Parts()
    pack(value, parts)
    return JOIN(parts)


def result_of(value):
    """Packs a result, or tells why it has no form."""
    try:
        return packed(value)
    except (NoForm, RuntimeError) as e:
        return '{"none":%s}' % TEXT(str(e))


def unpack(value):
    if type(value) is list:
        return [unpack(one) for one in value]
    if type(value) is not dict:
        return value
    ((kind, inner),) = value.items()
    if kind == "float":
        return float(inner)
    if kind == "bytes":
        return inner.encode("latin-1")
    if kind == "complex":
        return complex(inner)
    if kind == "dict":
        return {unpack(k): unpack(v) for k, v in inner}
    for plain in (tuple, set, frozenset):
        if kind == plain.__name__:
            return plain(unpack(one) for one in inner)
    raise NoForm(inner + REMEDY)


def write(text):
    with open(RESULT, "w") as f:
        f.write(text)


def load(prelude="", name=""):
    """Runs solution.py as a module, after a prelude, and returns its names. The prelude does not give the function
    under test."""
    with open("solution.py", "rb") as f:
        source = f.read()
    try:
        code = compile(source, "solution.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as e:
        import traceback

        traceback.print_exception(SyntaxError, e if isinstance(e, SyntaxError) else SyntaxError(str(e)), None)
        sys.exit(1)
    module = types.ModuleType("solution")
    sys.modules["solution"] = module
    exec(prelude, module.__dict__)
    module.__dict__.pop(name, None)
    exec(code, module.__dict__)
    return module


def find(module, name):
    solution = getattr(module, "Solution", None)
    if isinstance(solution, type) and hasattr(solution, name):
        return getattr(solution(), name)
    return getattr(module, name)


def one_call(task):
    write(result_of(find(load(task["prelude"], task["name"]), task["name"])(*task["args"])))


def many_calls(task):
    """Makes the calls of tests, in their order."""
    module, results = load(), []
    for text in task["calls"]:
        name, args, kwargs = json.loads(text)
        try:
            results.append(result_of(find(module, name)(*unpack(args), **unpack(kwargs))))
        except BaseException as e:
            results.append('{"error":[%s,%s]}' % (TEXT(type(e).__name__), TEXT(str(e)[:1000])))
    write(json.dumps(results))


class Anything:
    """Stands for a result that is not known yet. It agrees with every test."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self):
        return iter(())


for _names, _result in (
    ("call getitem add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow neg abs round matmul and rand or ror", None),
    ("eq ne lt le gt ge bool contains", True), ("len int index hash", 0), ("float", 0.0), ("str repr format", "")):
    for _name in _names.split():
        setattr(Anything, "__%s__" % _name, lambda self, *args, _result=_result, **kwargs: self if _result is None else _result)


class Book:
    """Answers the calls of tests by the results of a program elsewhere."""

    def __init__(self, calls, results, record):
        self.answers, self.calls, self.record = {}, [], record
        self.asked, self.open, self.raised, self.broken = 0, False, [], ""
        self.ran = self.skipped = 0
        for call, result in zip(calls, results):
            self.answers.setdefault(call, []).append(result)

    def ask(self, name, args, kwargs):
        self.asked += 1
        if self.asked > MOST_CALLS:
            raise SystemExit("the tests make more than %d calls" % MOST_CALLS)
        try:
            call = '[%s,%s,%s]' % (TEXT(name), packed(args), packed(kwargs))
        except NoForm as e:
            if "Anything" in str(e):
                return Anything()
            if self.record:  # later the program's results may be to blame
                self.broken = "the tests call %s: %s%s" % (name, e, REMEDY)
            raise SystemExit(str(e))
        self.calls.append(call)
        if not self.answers.get(call):
            self.open = True
            return Anything()
        return self.answer(json.loads(self.answers[call].pop(0)))

    def answer(self, result):
        if type(result) is not dict or "error" not in result:
            return unpack(result)
        name, message = result["error"]
        kind = getattr(builtins, str(name), None)
        if not isinstance(kind, type) or not issubclass(kind, Exception):
            kind = RuntimeError
        try:
            error = kind(message)
        except TypeError:  # it takes other arguments
            error = RuntimeError(message)
        self.raised.append(error)
        raise error

    def proxy(self, name):
        def call(*args, **kwargs):
            return self.ask(name, args, kwargs)

        call.__name__ = call.__qualname__ = name
        return call


def lenient(source):
    """Makes assertions evaluate their test and pass."""
    import ast

    class Lenient(ast.NodeTransformer):
        def visit_Assert(self, node):
            passing = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [ast.Pass()])
            return ast.fix_missing_locations(ast.copy_location(ast.Try([ast.Expr(node.test)], [passing], [], []), node))

    return Lenient().visit(ast.parse(source, "tests.py"))


def names_of(code):
    """Lists all names that code looks up, and more."""
    names = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            names |= names_of(one)
    return names


def seed(task):
    import random

    random.seed(task["seed"])


def tests(task):
    """Runs tests, with a book in place of the program."""
    seed(task)
    book = Book(task["calls"], task["results"], task["record"])
    said = {"failed": "", "raised": False}
    try:
        run(task, book)
        said["nonce"] = task["nonce"]
    except BaseException as e:
        said["failed"], said["raised"] = "%s: %s" % (type(e).__name__, e), any(e is one for one in book.raised)
        if task["record"] and isinstance(e, (SyntaxError, ImportError, NoTests)):
            book.broken, said["missing"] = said["failed"], str(e) if isinstance(e, NoTool) else ""
    said["calls"], said["open"], said["broken"] = book.calls, book.open, book.broken
    said["ran"], said["skipped"] = book.ran, book.skipped
    write(json.dumps(said))


def run(task, book):
    if task["runner"]:
        return unit_tests(task, Standin(task["module"], book), book)
    source = lenient(task["source"]) if task["record"] else task["source"]
    code = compile(source, "tests.py", "exec", dont_inherit=True)
    names = {"__name__": "prelude"}
    try:
        exec(task["prelude"], names)
    except Exception:
        pass  # it needs the program behind it
    ours = [name for name in names_of(code) if name not in names and not hasattr(builtins, name) and not name.startswith("__")]
    names.update((name, book.proxy(name)) for name in ours + [task["function"]])
    names["__name__"] = "__main__"
    exec(code, names)


class NoTests(Exception):
    pass


class NoTool(NoTests):
    pass


class Standin(types.ModuleType):
    """Stands for the program where tests import it."""

    def __init__(self, name, book):
        super().__init__(name)
        self.__dict__["__book"] = book

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__["__book"].proxy(name)


def unit_tests(task, program, tally):
    """Runs a file of unit tests. Names that it does not define are the program's."""
    import ast

    source = ast.unparse(lenient(task["source"])) if task["record"] else task["source"]
    for name in {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}:
        if not hasattr(builtins, name) and not name.startswith("__") and hasattr(program, name):
            setattr(builtins, name, getattr(program, name))
    sys.modules[task["module"]] = program
    fault = {"unittest": by_unittest, "pytest": by_pytest}[task["runner"]](source, tally)
    if isinstance(fault, NoTests) or tally.ran == 0:
        raise fault or NoTests("there is no test")
    if fault is not None and not task["record"]:
        raise fault


def by_unittest(source, tally):
    """Runs tests by unittest, or, of a file without its classes, functions; and returns the first fault."""
    import unittest

    module, faults = types.ModuleType("test_solution"), []
    sys.modules["test_solution"] = module

    class Result(unittest.TestResult):
        def addError(self, test, err):
            super().addError(test, err)
            faults.append(err[1])

        def addFailure(self, test, err):
            super().addFailure(test, err)
            faults.append(err[1])

        def addSubTest(self, test, subtest, err):
            super().addSubTest(test, subtest, err)
            faults.extend([err[1]] if err else [])

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            faults.append(AssertionError("%s succeeds, but should not" % test))

    exec(compile(source, "test_solution.py", "exec", dont_inherit=True), module.__dict__)
    result, suite = Result(), unittest.defaultTestLoader.loadTestsFromModule(module)
    if suite.countTestCases() == 0:
        plain = (f for name, f in vars(module).items() if name.startswith("test") and isinstance(f, types.FunctionType) and f.__code__.co_argcount == 0)
        suite.addTests(map(unittest.FunctionTestCase, plain))
    suite.run(result)
    tally.ran, tally.skipped = result.testsRun, len(result.skipped)
    return faults[0] if faults else None


def by_pytest(source, tally):
    """Runs tests by pytest, and returns the first fault."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        import pytest
    except ImportError:
        raise NoTool("pytest")
    faults = []

    class Plugin:
        def pytest_collectreport(self, report):
            if report.failed:
                faults.append(NoTests(str(report.longrepr)[-1000:]))

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_makereport(self, item, call):
            report = (yield).get_result()
            skipped = report.skipped and not hasattr(report, "wasxfail")
            tally.ran += call.when == "call" or skipped
            tally.skipped += skipped
            if report.failed:
                faults.append(call.excinfo.value if call.excinfo else AssertionError(str(report.longrepr)[-1000:]))

    with open("test_solution.py", "w") as f:
        f.write(source)
    status = pytest.main(["-q", "-p", "no:cacheprovider", "--capture=no", "--noconftest", "-c", os.devnull, "--rootdir=.", "test_solution.py"], [Plugin()])
    if status != 0 and not faults:
        faults.append(NoTests("pytest ends with status %d" % status))
    return faults[0] if faults else None


def shared_tests(task):
    """Runs tests in the process of the program."""
    seed(task)
    if task["runner"]:
        tally = types.SimpleNamespace(ran=0, skipped=0)
        program = load()
        try:
            unit_tests(task, program, tally)
        except AssertionError as e:
            raise AssertionError(str(e).partition("\n")[0]) from None
        return write(json.dumps({"nonce": task["nonce"], "ran": tally.ran, "skipped": tally.skipped}))
    names = load().__dict__
    names["__name__"] = "__main__"
    exec(compile(task["source"], "tests.py", "exec", dont_inherit=True), names)
    write(json.dumps({"nonce": task["nonce"]}))


def main():
    task = json.load(sys.stdin)
    globals()[task["do"]](task)
    EXIT(0)


if __name__ == "__main__":
    main()
