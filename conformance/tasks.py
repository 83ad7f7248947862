#!/usr/bin/env python3
"""Compare quintain with reasoning-gym, treating both as black boxes.

For every task that both have:

  solutions  reasoning-gym's scorer gives 1.0 to the answer of every entry that
             `quintain tasks export --format reasoning-gym` prints, at every level
             and with the default settings, for several seeds;
  grades     `quintain grade --format reasoning-gym` gives the score that
             reasoning-gym gives, on entries of both sides, to right answers, to
             answers of other entries, to spoiled answers and to junk.

Differences listed in docs/deviations.json are counted separately; with --scores
reasoning-gym, quintain gives the scores of reasoning-gym, and only problems that it does not have differ. If reasoning-gym
raises an exception or takes too long, our result only has to be a score. The program
prints a line for each task, and at the end "N passed, M failed", counting tasks.
"""

import argparse
import dataclasses
import decimal
import enum
import json
import math
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import reasoning_gym
from reasoning_gym.factory import DATASETS

TOLERANCE = 1e-9
CASE_SECONDS = 10  # time limit for one score of reasoning-gym
DRAW_SECONDS = 8  # time limit for making a few entries
COMMAND_SECONDS = 300
COMPARES_TUPLES = ("arc_agi", "rearc")  # their scorers need tuples, which JSON turns into lists
STORED_ANSWERS = ("example_correct_answer", "example_answer", "possible_answer")


class TimeUp(BaseException):
    """Not an Exception, because reasoning-gym's scorers catch those."""


def within(seconds, function, *args):
    """Return function(*args), or raise TimeUp."""

    def ring(*_):
        raise TimeUp

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        return function(*args)
    finally:
        signal.alarm(0)


# ---- our side


def quintain(command, *args, stdin=""):
    """Run quintain and decode the lines that it prints."""
    done = subprocess.run([command, *args], input=stdin, capture_output=True, encoding="utf-8", timeout=COMMAND_SECONDS)
    if done.returncode != 0:
        wrong = next((line for line in done.stdout.split("\n") if '"error"' in line), done.stderr.strip())
        raise RuntimeError(f"quintain {' '.join(args)}: status {done.returncode}: {wrong[-400:]}")
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


def export(command, task, seed, count, settings):
    """Our entries; settings is a level or an object of parameters."""
    which = ["--level", str(settings)] if isinstance(settings, int) else ["--params", json.dumps(settings)]
    entries = quintain(command, "tasks", "export", "--format", "reasoning-gym", "--task", task, "--seed", str(seed), "--count", str(count), *which)
    if len(entries) != count:
        raise RuntimeError(f"{len(entries)} entries, want {count}")
    for entry in entries:
        if not isinstance(entry["question"], str) or not isinstance(entry["answer"], str) or entry["metadata"]["source_dataset"] != task:
            raise RuntimeError(f"not an entry of {task}: {json.dumps(entry)[:200]}")
    return entries


def grade(command, by, cases):
    """Our score for each (entry, answer), by quintain's scores or reasoning-gym's."""
    lines = "".join(json.dumps({"entry": entry, "answer": answer}) + "\n" for entry, answer in cases)
    verdicts = quintain(command, "grade", "--format", "reasoning-gym", "--scores", by, stdin=lines)
    if len(verdicts) != len(cases):
        raise RuntimeError(f"{len(verdicts)} verdicts for {len(cases)} answers")
    return [v.get("score") for v in verdicts]


# ---- their side


class Peer:
    """A task of reasoning-gym."""

    def __init__(self, task):
        self.task = task
        self.made = {}

    def dataset(self, settings, seed=0, size=1):
        """The dataset with the settings that it knows."""
        known = {f.name for f in dataclasses.fields(DATASETS[self.task][1])}
        default = DATASETS[self.task][1]()
        config = {k: as_tuples(v) if isinstance(getattr(default, k), tuple) else v for k, v in settings.items() if k in known}
        return reasoning_gym.create_dataset(self.task, **{**config, "seed": seed, "size": size})

    def entries(self, settings, seed, count):
        """A few entries in their JSON form; none if reasoning-gym refuses or takes too long."""
        try:
            dataset = within(DRAW_SECONDS, self.dataset, settings, seed, max(count, 2))
            return within(DRAW_SECONDS, lambda: [plain(dataset[i]) for i in range(count)])
        except (Exception, TimeUp):
            return []

    def score(self, settings, entry, answer):
        """Its score, or None if it raises an exception or takes too long."""
        decimal.setcontext(decimal.DefaultContext.copy())  # making items changes the context
        key = json.dumps(settings, sort_keys=True)
        try:
            if key not in self.made:
                try:
                    self.made[key] = within(DRAW_SECONDS, self.dataset, settings)
                except (Exception, TimeUp):
                    self.made[key] = self.dataset({})
            if self.task in COMPARES_TUPLES:
                entry = {**entry, "metadata": as_tuples(entry["metadata"])}
            return float(within(CASE_SECONDS, self.made[key].score_answer, answer, entry))
        except (Exception, TimeUp):
            return None


def as_tuples(value):
    if isinstance(value, list):
        return tuple(as_tuples(v) for v in value)
    if isinstance(value, dict):
        return {k: as_tuples(v) for k, v in value.items()}
    return value


def plain(value):
    """value in a form that JSON can hold."""
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if value is None or isinstance(value, (bool, str)):
        return value
    if type(value) is int:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, dict):
        return {str(k.value if isinstance(k, enum.Enum) else k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(v) for v in value), key=json.dumps)
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if hasattr(value, "tolist"):  # from numpy
        return plain(value.tolist())
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)


# ---- answers to try

JUNK = {
    "none": None, "empty": "", "blank": "   ", "newline": "\n",
    "junk_word": "banana", "junk_sentence": "I do not know the answer.", "junk_punct": "?!,;:",
    "zero": "0", "one": "1", "minus_one": "-1", "float": "0.5", "fraction": "1/2", "hex": "0x10", "sci": "1e3",
    "big": "123456789012345678901234567890", "inf": "inf", "nan": "nan", "underscore_number": "1_000",
    "yes": "Yes", "no": "No", "true": "True", "false": "False", "letters": "A B C", "unbalanced": "((1",
    "json_empty_list": "[]", "json_empty_object": "{}", "json_null": "null", "json_number": "7",
    "json_string": '"a"', "json_nested": "[[]]", "json_broken": '{"a": ',
    "unicode_accents": "na\u00efve r\u00e9sum\u00e9", "unicode_fullwidth_digits": "\uff11\uff12\uff13", "unicode_rtl": "\u05e9\u05dc\u05d5\u05dd",
    "long": "x" * 20_000,
}  # fmt: skip


def spoiled(a):
    """Variants of the answer a that keep some of its form: (kind, answer)."""
    yield from {
        "oracle": a, "pad_spaces": f"  {a}  ", "pad_newline": f"\n{a}\n", "sentence": f"The answer is {a}", "period": a + ".",
        "quoted": f'"{a}"', "parens": f"({a})", "brackets": f"[{a}]", "latex_boxed": f"\\boxed{{{a}}}", "latex_dollar": f"${a}$",
        "latex_text": f"\\text{{{a}}}", "code_fence": f"```\n{a}\n```", "answer_tags": f"<answer>{a}</answer>", "twice": f"{a} {a}",
        "twice_joined": a + a, "drop_first": a[1:], "drop_last": a[:-1], "first_half": a[: len(a) // 2], "extra_char": a + "x",
        "reversed": a[::-1], "negated": "-" + a, "plus_sign": "+" + a, "leading_zero": "0" + a, "trailing_point_zero": a + ".0",
        "units": a + " units", "upper": a.upper(), "lower": a.lower(), "swapcase": a.swapcase(), "nbsp": a.replace(" ", "\u00a0"),
        "tabs": a.replace(" ", "\t"), "no_spaces": a.replace(" ", ""), "double_spaces": a.replace(" ", "  "),
        "spaces_to_newlines": a.replace(" ", "\n"), "newlines_to_spaces": a.replace("\n", " "),
        "comma_space": a.replace(",", ", "), "comma_no_space": a.replace(", ", ","), "no_commas": a.replace(",", ""),
    }.items()  # fmt: skip
    if digits := list(re.finditer(r"\d", a)):
        for kind, at in (("bump_first_digit", digits[0].start()), ("bump_last_digit", digits[-1].start())):
            yield kind, a[:at] + str((int(a[at]) + 1) % 10) + a[at + 1 :]
    for kind, by in (("tokens", " "), ("lines", "\n"), ("commas", ",")):
        parts = a.split(by)
        if len(parts) > 1:
            middle = len(parts) // 2
            yield f"drop_one_{kind}", by.join(parts[:middle] + parts[middle + 1 :])
            yield f"repeat_one_{kind}", by.join(parts + parts[-1:])
            yield f"spoil_one_{kind}", by.join(parts[:middle] + ["zzz"] + parts[middle + 1 :])
            yield f"swap_ends_{kind}", by.join(parts[-1:] + parts[1:-1] + parts[:1])
    if re.fullmatch(r"-?\d{1,15}", a):
        for by in (1, -1, 2, 10, 100):
            yield f"int{by:+d}", str(int(a) + by)
        yield "int_as_float", a + ".000"
        yield "int_grouped", f"{int(a):,}"


def candidates(right, others):
    """Distinct answers to try: (kind, answer)."""
    seen = set()
    tries = [*(spoiled(right) if right is not None else ()), *((f"other_entry_{i}", o) for i, o in enumerate(others)), *JUNK.items()]
    for kind, answer in tries:
        if answer not in seen:
            seen.add(answer)
            yield kind, answer


def stored_answer(entry):
    """A right answer if the entry has one, else None."""
    if isinstance(entry["answer"], str):
        return entry["answer"]
    for key in STORED_ANSWERS:
        if found := entry["metadata"].get(key):
            return found if isinstance(found, str) else json.dumps(found)
    return None


# ---- a task


@dataclasses.dataclass
class Report:
    task: str
    solutions: int = 0
    solved: int = 0
    grades: int = 0
    same: int = 0
    excused: int = 0
    raised: int = 0
    seconds: float = 0
    faults: list = dataclasses.field(default_factory=list)


def excuses(rows, kind, ours, theirs):
    """Whether a row of docs/deviations.json covers the difference."""
    for row in rows:
        named = row["kind"] == kind or row["kind"] == "*" and kind != "export"
        side = "lower" if ours < theirs else "higher"
        if named and row.get("only", side) == side:
            return True
    return False


def mislabelled(rows, ours):
    """Whether docs/deviations.json says that some stored answers are wrong, and our score says so of this one."""
    return ours != 1 and any(row["kind"] == "label" for row in rows)


def quiet():
    """Keep the output of reasoning-gym out of the table."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def check(job):
    """All checks of one task."""
    task, levels, args, rows = job
    report, began = Report(task), time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)  # because one dataset of reasoning-gym runs recorded programs
            check_task(report, Peer(task), levels, args, rows)
            os.chdir("/")
    except Exception as e:
        report.faults.append(f"{type(e).__name__}: {e}")
    report.seconds = time.monotonic() - began
    return report


def check_task(report, peer, levels, args, rows):
    cases = []  # (settings, entry, kind, answer)
    for settings, params in [({}, {}), *enumerate(levels)]:
        ours = []
        for seed in args.seeds:
            ours += export(args.quintain, peer.task, seed, args.count, settings)
        for entry in list(ours):
            report.solutions += 1
            score = peer.score(params, entry, entry["answer"])
            if score == 1:
                report.solved += 1
            elif score is not None and excuses(rows, "export", 1, score):
                report.excused += 1
                if args.scores == "reasoning-gym":
                    ours.remove(entry)  # it has no such problems
            else:
                report.faults.append(f"solution: theirs {score}, want 1: {params} {entry['question']!r} {entry['answer']!r}")
        theirs = peer.entries(params, args.seeds[0], args.count if settings == {} else 1)
        for entries, most in ((theirs, args.count), (ours, 2 if settings == {} else 1)):
            answers = [stored_answer(e) for e in entries]
            others = [a for a in dict.fromkeys(answers + [e["answer"] for e in ours]) if a is not None]
            for entry, right in list(zip(entries, answers))[:most]:
                cases += [(params, entry, kind, answer) for kind, answer in candidates(right, [o for o in others if o != right][:3])]
    wrong = set()  # entries with a wrong stored answer, if a row says that some are
    scores = grade(args.quintain, args.scores, [(entry, answer) for _, entry, _, answer in cases])
    for (params, entry, kind, answer), ours in zip(cases, scores):
        theirs = peer.score(params, entry, answer)
        report.grades += 1
        if kind == "oracle" and mislabelled(rows, ours):
            wrong.add(id(entry))
        if not isinstance(ours, (int, float)) or not 0 <= ours <= 1:
            report.faults.append(f"{kind}: ours is {ours}, which is not a score: {answer!r}")
        elif theirs is None:
            report.raised += 1
        elif abs(ours - theirs) <= TOLERANCE:
            report.same += 1
        elif excuses(rows, kind, ours, theirs) or id(entry) in wrong:
            report.excused += 1
        else:
            report.faults.append(f"{kind}: ours {ours}, theirs {theirs}: answer {answer!r} to {entry['question']!r}, right is {stored_answer(entry)!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("--deviations", help="docs/deviations.json; with --scores reasoning-gym only its rows of the kind export count")
    parser.add_argument("--scores", default="quintain", choices=["quintain", "reasoning-gym"], help="whose scores quintain gives")
    parser.add_argument("--tasks", help="names, separated by commas (default: all that both have)")
    parser.add_argument("--seeds", default="1,20260", help="numbers, separated by commas")
    parser.add_argument("--count", type=int, default=4, help="entries for each seed and level")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--show", type=int, default=3, help="faults to show for each task")
    parser.add_argument("--all", action="store_true", help="also fail for each task of reasoning-gym that quintain does not have")
    args = parser.parse_args()
    args.quintain = os.path.abspath(args.quintain)
    args.seeds = [int(seed) for seed in args.seeds.split(",")]

    theirs = set(DATASETS) - {"composite"}
    ours = {info["name"]: info["levels"] for info in quintain(args.quintain, "tasks", "list", "--json")}
    missing = sorted(theirs - set(ours))
    names = sorted(set(args.tasks.split(",")) if args.tasks else theirs & set(ours))
    if unknown := [name for name in names if name not in theirs or name not in ours]:
        parser.error(f"not tasks of both: {', '.join(unknown)}")
    rows = []
    if args.deviations and os.path.exists(args.deviations):
        with open(args.deviations, encoding="utf-8") as f:
            rows = [row for row in json.load(f) if args.scores == "quintain" or row["kind"] == "export"]
    jobs = [(name, ours[name], args, [row for row in rows if row["task"] == name]) for name in names]

    print(f"{'task':<26} {'solutions':>9} {'grades':>11} {'listed':>6} {'raised':>6} {'s':>6}")
    failed = 0
    with multiprocessing.Pool(args.jobs, quiet, maxtasksperchild=1) as pool:
        for r in pool.imap(check, jobs, chunksize=1):
            failed += bool(r.faults)
            print(f"{r.task:<26} {r.solved:>4}/{r.solutions:<4} {r.same:>5}/{r.grades:<5} {r.excused:>6} {r.raised:>6} {r.seconds:>6.1f}  {'FAILED' if r.faults else 'ok'}")
            for fault in r.faults[: args.show]:
                print(f"    {fault[:600]}")
            if len(r.faults) > args.show:
                print(f"    and {len(r.faults) - args.show} more")
            sys.stdout.flush()
    if missing and not args.tasks:
        print(f"{len(missing)} of {len(theirs)} tasks of reasoning-gym are not in quintain: {', '.join(missing)}")
    failed += len(missing) if args.all else 0
    print(f"{len(names) + (len(missing) if args.all else 0) - failed} passed, {failed} failed")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
