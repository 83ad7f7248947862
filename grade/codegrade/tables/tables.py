"""Runs the statements of models in SQLite, one a cell, on databases in memory."""

import base64
import json
import re
import sqlite3
import sys

MOST_ROWS, MOST_BYTES, MOST_STEPS, EVERY = 2000, 200_000, 200_000, 100
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 800,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 2000,
    sqlite3.SQLITE_LIMIT_COLUMN: 50,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 60,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 10,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 5000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 20,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 50,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}

# None of these reads chance, or makes long values. Those of time get another clock.
FUNCTIONS = set(
    "abs avg ceil ceiling coalesce concat concat_ws count cume_dist date datetime dense_rank first_value floor format glob group_concat ifnull iif "
    "instr julianday lag last_value lead length like lower ltrim max min mod nth_value ntile nullif percent_rank power printf rank replace round row_number rtrim sign "
    "strftime string_agg substr substring sum time timediff total trim typeof unixepoch upper".split()
)
READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
WRITES = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
NOW = "2024-06-30 12:00:00"
ENDLESS = (float("inf"), float("-inf"))  # JSON has none: a list of whether it is positive stands for them


class Refused(Exception):
    """A statement does too much."""


def text(raw):
    """The text of bytes, up to a zero."""
    return raw.split(b"\0")[0].decode("utf-8", "replace")


def still(value):
    """A moment as it is for a clock that stands still, with what else it says."""
    word = value
    if isinstance(word, bytes):
        word = word.decode("latin-1")
    word = word.split("\0")[0].lower() if isinstance(word, str) else ""
    if word in ("subsec", "subsecond"):
        return [NOW, word]
    return [NOW if word == "now" else value]


# A format with a width or a precision that some versions of SQLite take long to write.
WIDE = re.compile(r"%[^A-Za-z%]*(\*|[0-9]{4})")


def replace_functions(base):
    """Give a database functions that call those of SQLite: of time, but for what is now, and of formats, unless they are wide."""
    others = sqlite3.connect(":memory:", cached_statements=64)
    for limit, most in LIMITS.items():
        others.setlimit(limit, most)

    def replaced(name, at):
        def call(*args):
            args = list(args)
            if name in ("printf", "format"):
                if args and WIDE.search(str(args[0])):
                    raise ValueError
            elif name == "timediff":
                args = [still(a)[0] for a in args]
            elif len(args) > at:
                args[at : at + 1] = still(args[at])
            elif len(args) == at:
                args.append(NOW)
            return others.execute(f"SELECT {name}({','.join('?' * len(args))})", args).fetchone()[0]

        return call

    moment = f"'{NOW}'"
    for name, example in (("strftime", f"'%Y', {moment}"), ("timediff", f"{moment}, {moment}"), *((name, moment) for name in "date time datetime julianday unixepoch printf format".split())):
        try:
            others.execute(f"SELECT {name}({example})")
        except sqlite3.OperationalError:  # this version has none
            continue
        base.create_function(name, -1, replaced(name, 1 if name == "strftime" else 0), deterministic=True)


class Base:
    """A database of an episode."""

    def __init__(self, create, names, fill):
        self.names = names
        self.base = sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)
        self.base.text_factory = text
        self.base.execute("PRAGMA temp_store = MEMORY")
        self.base.execute("BEGIN")
        for statement, name, rows in zip(create, names, fill):
            self.base.execute(statement)
            if rows:
                self.base.executemany(f"INSERT INTO {name} VALUES ({','.join('?' * len(rows[0]))})", rows)
        self.base.execute("COMMIT")
        replace_functions(self.base)
        for limit, most in LIMITS.items():
            self.base.setlimit(limit, most)

    def authorize(self, action, first, second, *_):
        """Whether a statement may do something."""
        self.seen = True
        why = self.forbids(action, first, second)
        self.why = self.why or why
        return sqlite3.SQLITE_DENY if why else sqlite3.SQLITE_OK

    def forbids(self, action, first, second):
        """Why a statement must not do something; empty: it may."""
        if action in READS:
            return ""
        if action == sqlite3.SQLITE_FUNCTION:
            return "" if second.lower() in FUNCTIONS else f"there is no function {second[:40]} here"
        if action in WRITES and not self.may_write:
            return "the statement must only read: begin with SELECT or WITH"
        if action in WRITES and not first.lower().startswith("sqlite_"):
            return ""
        return "the statement must be a SELECT, INSERT, UPDATE or DELETE" if self.may_write else "the statement must be a SELECT"

    def progress(self):
        """Counts steps of SQLite's machine; true: stop."""
        self.steps += EVERY
        if self.steps >= MOST_STEPS:
            self.why = "the statement takes too many steps"
        return self.steps >= MOST_STEPS

    def rows(self, cursor):
        """The rows of a statement, as JSON has them."""
        all, size = [], 0
        for row in cursor:
            row = [text(v) if isinstance(v, bytes) else [int(v > 0)] if v in ENDLESS else v for v in row]
            size += sum(len(v.encode()) for v in row if isinstance(v, str))
            all.append(row)
            if len(all) > MOST_ROWS or size > MOST_BYTES:
                raise Refused(f"the result has more than {MOST_ROWS} rows or {MOST_BYTES} bytes")
        return all

    def watched(self, sql, may_write):
        """Run a statement of a model: its columns and rows."""
        self.may_write, self.why, self.steps, self.seen = may_write, "", 0, False
        self.base.set_authorizer(self.authorize)
        self.base.set_progress_handler(self.progress, EVERY)
        try:
            cursor = self.base.execute(sql)
            if not self.seen:
                raise Refused("there is no statement")
            return [column[0] for column in cursor.description or ()], self.rows(cursor)
        finally:
            self.base.set_authorizer(None)
            self.base.set_progress_handler(None, 0)

    def whole(self, name):
        """The rows of a table."""
        try:
            return self.rows(self.base.execute(f"SELECT * FROM {name}"))
        except (sqlite3.Error, Refused) as fault:
            raise Refused(f"the table {name} would become too large; nothing has changed") from fault

    def run(self, sql, may_write):
        """Run a statement of a model: what it gives, or why not. It then has changed nothing."""
        self.base.execute("BEGIN")
        done = False
        try:
            columns, rows = self.watched(sql, may_write)
            (changed,) = self.base.execute("SELECT changes()").fetchone() if may_write else (0,)
            after = [self.whole(name) for name in self.names] if may_write else None
            done = True
            return {"columns": columns, "rows": rows, "changed": changed, "after": after}
        except Refused as fault:
            return {"why": str(fault)}
        except (sqlite3.Error, sqlite3.Warning, MemoryError, OverflowError) as fault:
            why = self.why or str(fault) or type(fault).__name__
            return {"why": "there is more than one statement" if why.startswith("You can only execute one") else why}
        finally:
            if self.base.in_transaction:
                self.base.execute("COMMIT" if done else "ROLLBACK")


class Desk:
    """Takes requests, in Base64 and perhaps in parts, and answers each after its last part."""

    def __init__(self):
        self.parts, self.base = [], None

    def take(self, part, last):
        self.parts.append(part)
        if not last:
            return
        request, self.parts = json.loads(base64.b64decode("".join(self.parts))), []
        if request.get("fill"):
            self.base = Base(**request["fill"])
        sys.stdout.write(json.dumps(self.base.run(request["sql"], request.get("write", False))))


desk = Desk()
