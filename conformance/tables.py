#!/usr/bin/env python3
"""Run the statements of the scenario tables in Python's sqlite3, plainly and by the scenario's own program: the rows that Quintain
works out, and after a change the same tables.

The statements are right ones and misreadings of problems of all levels. With sqlglot installed, it must be able to parse them too.
"""
import argparse
import collections
import json
import pathlib
import runpy
import sqlite3
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = runpy.run_path(str(ROOT / "grade/codegrade/tables/tables.py"))


def multiset(rows):
    return collections.Counter(tuple(round(v, 9) if isinstance(v, float) else v for v in row) for row in rows or [])


def plain(sample):
    """What a statement gives here: its rows, and those of all tables."""
    base = sqlite3.connect(":memory:")
    for create, name, rows in zip(sample["create"], sample["names"], sample["fill"]):
        base.execute(create)
        for row in rows:
            base.execute(f"INSERT INTO {name} VALUES ({','.join('?' * len(row))})", row)
    rows = base.execute(sample["sql"]).fetchall()
    return rows, [base.execute(f"SELECT * FROM {name}").fetchall() for name in sample["names"]]


def by_program(sample):
    """The same, by the program of the scenario."""
    got = PROGRAM["Base"](sample["create"], sample["names"], sample["fill"]).run(sample["sql"], True)
    return got.get("rows", got.get("why")), got.get("after")


def difference(sample, run):
    """What differs when a statement runs; None: nothing."""
    rows, after = run(sample)
    if sample["after"] is None:
        if isinstance(rows, str) or multiset(rows) != multiset(sample["rows"]):
            return f"{rows} by {run.__name__}, {sample['rows']} in ours"
        if sample["sorted"] and [row[-1] for row in rows] != [row[-1] for row in sample["rows"] or []]:
            return f"another order by {run.__name__}"
        return None
    for name, have, want in zip(sample["names"], after or [[[rows]]] * len(sample["names"]), sample["after"]):
        if multiset(have) != multiset(want):
            return f"table {name} differs by {run.__name__}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="number of statements; the specification asks for 10000")
    count = parser.parse_args().count
    made = subprocess.run(["go", "run", "conformance/rows.go", "-of", "tables", "-count", str(count)], cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    samples = [json.loads(line) for line in made.stdout.splitlines()]
    faults = [(s["sql"], why) for s in samples for run in (plain, by_program) if (why := difference(s, run))]
    try:
        import sqlglot
    except ImportError:
        parsed = "sqlglot is not installed"
    else:
        for s in samples:
            sqlglot.parse_one(s["sql"], dialect="sqlite")
        parsed = f"sqlglot {sqlglot.__version__} parses them"
    for sql, why in faults[:5]:
        print(f"{sql}\n\t{why:.500}", file=sys.stderr)
    changes = sum(s["after"] is not None for s in samples)
    print(f"{len(samples)} statements, {len({s['sql'] for s in samples})} different, {changes} of them change rows: {len(faults)} differ in SQLite {sqlite3.sqlite_version}; {parsed}")
    if faults or len(samples) != count:
        sys.exit("tables: not the same")


if __name__ == "__main__":
    main()
