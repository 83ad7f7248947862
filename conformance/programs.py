#!/usr/bin/env python3
"""Check the task codeio against CPython, which runs the programs of its questions.

    python3 conformance/programs.py --quintain bin/quintain [--count N] [--seed S]
    python3 conformance/programs.py --quintain bin/quintain --count 60000 --write tasks/programs/testdata/cpython.jsonl

For each problem, main of the program in the question must return the output for the input. If the question asks for
an input, inputs of other problems with the same program are answers too, and changes of its own input: they earn 1 if
CPython says that they lead to the output, and 0 otherwise. quintain refuses values of other kinds than it draws, such
as true for 1, where CPython may run: the script counts these, and they are no faults. The second command writes cases
for go test: a few inputs of each family of programs, with what each of its programs returns. It tries no other inputs,
and so many problems meet all programs. Needs no package.
"""

import argparse
import collections
import copy
import json
import re
import subprocess
import sys

PROGRAMS = 1150  # the least number
CASES = 2  # inputs of each family that --write keeps
OTHERS = 4  # inputs of other problems to try as answers

REFUSED = re.compile(r"want \w+ to be |the input has |-?\d+ is too large for ")  # reasons


def lines(command, *args, stdin=""):
    """Run quintain and decode the lines that it prints."""
    done = subprocess.run([command, *args], input=stdin, capture_output=True, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


def outcome(question, arguments):
    """CPython's result, in the form of JSON; None if the program fails."""
    scope = {}
    exec(re.search(r"```python\n(.*?)\n```", question, re.S).group(1), scope)  # a program of ours
    try:
        return json.loads(json.dumps(scope["main"](**copy.deepcopy(arguments))))
    except Exception:
        return None


def cases(programs):
    """For each family and a few inputs, what its programs return, in their order."""
    families = collections.defaultdict(dict)  # the problems of each program, by its number
    for name, problems in programs.items():
        family, _, number = name.partition(".")
        families[family][int(number or 1)] = problems
    for family, members in sorted(families.items()):
        for problems in list(members.values())[:CASES]:
            given = problems[0]["metadata"]["input_data"]
            yield {"family": family, "input": given, "outputs": [outcome(members[n][0]["question"], given) for n in sorted(members)]}


def same(a, b):
    """Whether two values are the same JSON: True is not 1."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def changes(v):
    """Values like v: with its lists backwards, its words twice, its integers as bools."""
    if isinstance(v, dict):
        return [dict(zip(v, c, strict=True)) for c in zip(*map(changes, v.values()), strict=True)]
    if isinstance(v, list):
        items = list(zip(*map(changes, v), strict=True)) or [[]] * 3
        return [v[::-1], list(items[1]), list(items[2])]
    return [v, v + v, v] if isinstance(v, str) else [v, v, bool(v) if v in (0, 1) else v]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("--count", type=int, default=12000, help="problems")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", metavar="FILE", help="write cases for go test")
    args = parser.parse_args()

    export = ["tasks", "export", "--format", "reasoning-gym", "--task", "codeio", "--seed", str(args.seed), "--count", str(args.count), "--params", "{}"]
    entries = lines(args.quintain, *export)
    programs = collections.defaultdict(list)  # problems by program
    faults = []
    for entry in entries:
        data = entry["metadata"]
        programs[data["program"]].append(entry)
        want = outcome(entry["question"], data["input_data"])
        if not same(want, data["output_data"]):
            faults.append(f"{data['program']} of {data['input_data']}: CPython returns {want}, not {data['output_data']}")
        if json.loads(entry["answer"]) != data[data["asks"] + "_data"]:
            faults.append(f"{data['program']}: the answer is {entry['answer']}, not its {data['asks']}")

    tries = []  # entry, answer, whether it is right
    for problems in [] if args.write else programs.values():
        for i, entry in enumerate(problems):
            if entry["metadata"]["asks"] != "input":
                continue
            others = [problems[(i + 1 + k) % len(problems)]["metadata"]["input_data"] for k in range(min(OTHERS, len(problems) - 1))]
            for other in others + changes(entry["metadata"]["input_data"]):
                tries.append((entry, other, same(outcome(entry["question"], other), entry["metadata"]["output_data"])))
    verdicts = lines(args.quintain, "grade", "--format", "reasoning-gym", stdin="".join(json.dumps({"entry": e, "answer": json.dumps(a)}) + "\n" for e, a, _ in tries))
    refused = collections.Counter()  # by what CPython says
    for (entry, answer, right), verdict in zip(tries, verdicts, strict=True):
        if verdict["score"] == 0 and REFUSED.match(verdict["reason"]) and re.search("True|False", str(answer)):
            refused[right] += 1
        elif verdict["score"] != right:
            faults.append(f"{entry['metadata']['program']} of {answer}: the score is {verdict['score']}, and CPython says {right}")
    if len(programs) < PROGRAMS:
        faults.append(f"there are {len(programs)} programs, want at least {PROGRAMS}")

    for fault in faults[:10]:
        print("   ", fault)
    print(f"{len(entries)} problems of {len(programs)} programs, {len(tries)} other inputs of which {sum(right for *_, right in tries)} are right, {refused.total()} refused ({refused[True]} of the right): {len(faults)} faults")
    if args.write and not faults:
        with open(args.write, "w", encoding="utf-8") as f:
            f.write("".join(json.dumps(case, separators=(",", ":")) + "\n" for case in cases(programs)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
