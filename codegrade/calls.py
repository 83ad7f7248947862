# Calls a function of solution.py: its name and arguments are on standard input, its result goes to
# quintain_result.json. A value has one of Python's own types; objects of any other, and of classes
# derived from them, have no form.
import collections, json, os, sys, traceback, types

RESULT, EXIT = os.path.abspath("quintain_result.json"), os._exit
DICTS = (dict, collections.defaultdict, collections.OrderedDict, collections.Counter)
DEEPEST, LARGEST = 150, 12 << 20
TEXT, INTEGER, FLOAT, JOIN = json.encoder.encode_basestring_ascii, int.__repr__, float.__repr__, "".join


class NoForm(Exception):
    pass


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
    else:
        return pack_all(value, kind, parts, depth)
    parts.size += len(text)
    if parts.size > LARGEST:
        raise NoForm("the result is too large")
    parts.append(text)


def pack_all(value, kind, parts, depth):
    if depth == DEEPEST:
        raise NoForm("the result is nested too deep")
    if kind is list:
        begin, members, end = "[", value, "]"
    elif kind is tuple or kind is set or kind is frozenset:
        begin, members, end = '{"%s":[' % kind.__name__, value, "]}"
    elif kind in DICTS:
        begin, members, end = '{"dict":[', dict.items(value), "]}"
    else:
        raise NoForm("the result has a %s" % kind.__name__)
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


class Parts(list):
    size = 0


def packed(value):
    parts = Parts()
    pack(value, parts)
    return JOIN(parts)


def write(text):
    with open(RESULT, "w") as f:
        f.write(text)


def load():
    """Runs solution.py as a module, and returns its names."""
    with open("solution.py", "rb") as f:
        source = f.read()
    try:
        code = compile(source, "solution.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as e:
        traceback.print_exception(SyntaxError, e if isinstance(e, SyntaxError) else SyntaxError(str(e)), None)
        sys.exit(1)
    module = types.ModuleType("solution")
    sys.modules["solution"] = module
    exec(code, module.__dict__)
    return module


def find(module, name):
    solution = getattr(module, "Solution", None)
    if isinstance(solution, type) and hasattr(solution, name):
        return getattr(solution(), name)
    return getattr(module, name)


def main():
    call = json.load(sys.stdin)
    result = find(load(), call["name"])(*call["args"])
    try:
        text = packed(result)
    except NoForm as e:
        text = '{"none":%s}' % TEXT(str(e))
    write(text)
    EXIT(0)


if __name__ == "__main__":
    main()
