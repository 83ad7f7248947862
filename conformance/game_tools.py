"""Scenarios with tools, told a second time for conformance/games.py: what each call gives, and what the whole is worth.

calculator computes with Python's fractions, and file_tree's tools are the programs of the machine, in a folder. What the goal
wants is worked out anew from the record: of calendar, by trying all bookings with all moves.
"""
import ast
import collections
import datetime
import fractions
import itertools
import math
import operator
import pathlib
import re
import sqlite3
import subprocess
import tempfile

import service_desk


class Refused(Exception):
    """A call that cannot be made."""


class Numbers:
    """calculator."""

    def __init__(self, start):
        self.start, self.book = start, {}
        for one in start["of"]:
            self.book[one["name"]] = one["hop"] or one["value"]
            if one["hop"]:
                self.book[str(one["hop"])] = one["value"]

    def look(self, name):
        if name not in self.book:
            raise Refused
        return str(self.book[name])

    def calc(self, expression):
        return str(self.value(expression))

    @staticmethod
    def value(text):
        text = re.sub(r"%|mod", " % ", re.sub("÷", "/", re.sub("×", "*", re.sub("−", "-", text)))) if len(text) <= 40 else "too long"
        if not re.fullmatch(r"[\d +\-*/%()]+", text):
            raise Refused
        try:
            return Numbers.worked(ast.parse(re.sub(r"\d+", lambda n: str(int(n[0])), text).strip(), mode="eval").body)
        except (SyntaxError, ZeroDivisionError) as fault:
            raise Refused from fault

    @staticmethod
    def worked(node):
        if isinstance(node, ast.Constant):
            return fractions.Fraction(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -Numbers.worked(node.operand)
        if not isinstance(node, ast.BinOp):
            raise Refused
        a, b = Numbers.worked(node.left), Numbers.worked(node.right)
        if isinstance(node.op, ast.Mod) and (a.denominator != 1 or b.denominator != 1 or b <= 0):
            raise Refused
        does = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Mod: operator.mod}.get(type(node.op))
        if does is None:
            raise Refused
        return does(a, b)

    def answers(self, answer):
        """Whether it can be an answer."""
        return isinstance(answer, str) == (self.start["kind"] == "target")

    def worth(self, answer):
        values = [one["value"] for one in self.start["of"]]
        if self.start["kind"] != "target":
            right = {
                "sum": lambda: sum(-one["value"] if one["minus"] else one["value"] for one in self.start["of"]),
                "divisor": lambda: math.gcd(*values), "power": lambda: pow(*values),
            }[self.start["kind"]]()
            return float(answer == right)
        try:
            reached = self.value(answer or "")
        except Refused:
            return 0.0
        used = collections.Counter(map(int, re.findall(r"\d+", answer)))
        return float(reached == fractions.Fraction(self.start["target"]) and not used - collections.Counter(values) and not re.search("mod|%", answer))


def number(text):
    """A number of a store; 0: it is none."""
    return int(text) if re.fullmatch(r"[+-]?\d+", text or "") and abs(int(text)) < 10**12 else 0


class Store:
    """key_value."""

    def __init__(self, start):
        self.start, self.coming = start, list(start["client"] or [])
        self.now = {pair["key"]: pair["value"] for pair in start["entries"]}
        self.first, self.alone, self.above = dict(self.now), dict(self.now), False

    def clock(self, call):
        while self.coming and self.coming[0]["call"] <= call:
            change = self.coming.pop(0)
            for keys in (self.now, self.alone):
                if change["value"]:
                    keys[change["key"]] = change["value"]
                elif re.fullmatch(r"-?\d+", keys.get(change["key"], "")):
                    keys[change["key"]] = str(number(keys[change["key"]]) + change["add"])

    def held(self, key):
        if key not in self.now:
            raise Refused
        return self.now[key]

    def store(self, key, value):
        if not 1 <= len(key.encode()) <= 40 or not 1 <= len(value.encode()) <= 80 or any(c < " " for c in key + value):
            raise Refused
        self.now[key] = value
        money = lambda keys: sum(number(v) for k, v in keys.items() if k.startswith(self.start["from"]))
        self.above |= money(self.now) > money(self.alone)
        return "Set."

    def get(self, key):
        return self.held(key)

    def put(self, key, value):
        return self.store(key, value)

    def delete(self, key):
        self.held(key)
        del self.now[key]
        return "Deleted."

    def scan(self, prefix, after=""):
        keys = sorted(k for k in self.now if k.startswith(prefix) and k > after)
        page = keys[:self.start["page"]]
        end = "There are more." if len(keys) > len(page) else "There are no more."
        return "\n".join([*(f"{k} = {self.now[k]}" for k in page), end]) if keys else "No keys."

    def cas(self, key, old, new):
        value = self.held(key)
        return self.store(key, new) if value == old else "Not set: the value is " + value

    def answers(self, answer):
        return isinstance(answer, int) if self.start["kind"] in ("rename", "merge") else answer is None

    def worth(self, answer):
        kind, old, new = self.start["kind"], self.start["from"], self.start["to"]
        want, count = dict(self.alone), None
        if kind == "elect":
            ranked = sorted((k for k in self.alone if k.startswith(old)), key=lambda k: (-number(self.alone[k]), k))
            want[new] = ranked[0].removeprefix(old)
        elif kind == "move":
            for move in self.start["moves"]:
                for key, sign in ((move["from"], -1), (move["to"], 1)):
                    want[key] = str(number(want[key]) + sign * move["amount"])
        else:
            count = sum(k.startswith(old) for k in self.first)
            for key in [k for k in self.alone if k.startswith(old)]:
                value, to = want.pop(key), new + key.removeprefix(old)
                want[to] = str(number(value) + number(want.get(to))) if kind == "merge" else value
        high = kind == "move" and self.start["strict"] and self.above
        return float(self.now == want and not high and (count is None or answer == count))


class Folder:
    """file_tree, by the programs of the machine."""

    def __init__(self, start):
        self.start, self.kept = start, tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.kept.name, "all")
        self.root.mkdir()
        self.files = {one["path"]: one["text"] for one in start["files"]}
        for path, text in self.files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(text.encode())

    def run(self, *command, fine=(0,)):
        done = subprocess.run(command, cwd=self.root, capture_output=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, check=False)
        if done.returncode not in fine:
            raise Refused
        return done.stdout.decode()

    def inside(self, path):
        """A path as it is given to a program."""
        if ".." in path.split("/") or any(len(name) > 60 or any(c < " " for c in name) for name in path.split("/")):
            raise Refused
        return "./" + path.lstrip("/")

    def shown(self, lines):
        size = 0
        for i, line in enumerate(lines):
            size += len(line.encode()) + 1
            if size > 1400:
                return "\n".join(lines[:i]) + f"\n({len(lines) - i} more lines)"
        return "\n".join(lines)

    def ls(self, path):
        if (self.root / self.inside(path)).is_file():
            return str(pathlib.PurePosixPath(self.inside(path)))
        return self.shown(self.run("ls", "-1p", "--", self.inside(path)).splitlines()) or "The folder is empty."

    def cat(self, path):
        return self.run("cat", "--", self.inside(path))

    def write(self, path, text):
        if len(text.encode()) > 1200 or any(c < " " and c not in "\n\t" for c in text):
            raise Refused
        try:
            (self.root / self.inside(path)).write_bytes(text.encode())
        except OSError as fault:
            raise Refused from fault
        return "Written."

    def mv(self, **args):
        self.run("mv", "--", self.inside(args["from"]), self.inside(args["to"]))
        return "Moved."

    def cp(self, **args):
        self.run("cp", "--", self.inside(args["from"]), self.inside(args["to"]))
        return "Copied."

    def rm(self, path):
        self.run("ls", "--", self.inside(path))
        self.run("rm", "-r", "--", self.inside(path))
        return "Removed."

    def mkdir(self, path):
        self.run("mkdir", "--", self.inside(path))
        return "Made."

    def grep(self, text, path):
        if not text or "\n" in text:
            raise Refused
        lines = self.run("grep", "-rnHF", "--", text, self.inside(path), fine=(0, 1)).splitlines()
        found = [str(pathlib.PurePosixPath(line.partition(":")[0])) + ":" + line.partition(":")[2] for line in lines]
        return self.shown(sorted(found, key=lambda line: (line.split(":")[0], int(line.split(":")[1])))) or "No line has it."

    def wc(self, path):
        counted = self.run("wc", "-lwc", "--", self.inside(path)).split()
        return "{} lines, {} words, {} bytes".format(*counted)

    def answers(self, answer):
        return isinstance(answer, int)

    def wanted(self):
        """The files, the new folders and the answer that the goal wants."""
        kind, old, new = self.start["kind"], self.start["from"], self.start["to"]
        files, count = dict(self.files), 0
        if kind == "find":
            lines = [line for text in files.values() for line in text.split("\n")]
            for _ in range(self.start["steps"]):
                old = next(line for line in lines if line.startswith(old + " works for ")).removeprefix(old + " works for ")
            count = int(next(line for line in lines if line.startswith(old + " sits in room ")).rpartition(" ")[2])
        elif kind == "sort":
            for path, text in self.files.items():
                folder, _, name = path.rpartition("/")
                if folder == old and text.startswith("topic: "):
                    files[f"{new}/{text.split(chr(10))[0].removeprefix('topic: ')}/{name}"] = files.pop(path)
                    count += 1
        elif kind == "rename":
            for path, text in self.files.items():
                lines = text.split("\n")
                count += lines.count(f"see: {old}")
                files[path] = "\n".join(f"see: {new}" if line == f"see: {old}" else line for line in lines)
            files[new] = files.pop(old)
        else:
            seen = set()
            for path in sorted((p for p in files if p.startswith(old + "/")), key=lambda p: (p.rpartition("/")[2], p)):
                if files[path] in seen:
                    del files[path]
                    count += 1
                seen.add(self.files[path])
        folders = {str(parent) for path in [*self.files, *files] for parent in pathlib.PurePosixPath(path).parents}
        return files, folders, count

    def worth(self, answer):
        files, folders, count = self.wanted()
        there = [p for p in self.root.rglob("*")]
        here = {str(p.relative_to(self.root)): p.read_bytes().decode() for p in there if p.is_file()}
        same = here == files and {str(p.relative_to(self.root)) for p in there if p.is_dir()} == folders - {"."}
        self.kept.cleanup()
        return float(same and answer == count)


DAYS = ["mon", "tue", "wed", "thu", "fri"]


def clock(slot):
    return f"{slot // 2:02}:{slot % 2 * 30:02}"


class Week:
    """calendar."""

    def __init__(self, start):
        self.start, self.wish = start, start["wish"]
        self.people = {one["name"]: one for one in start["people"]}
        self.rooms = start["rooms"] or []
        self.first = {f"m{i + 1}": m for i, m in enumerate(start["meetings"] or [])}
        self.now, self.next, self.blamed = {i: dict(m) for i, m in self.first.items()}, len(self.first) + 1, None

    def local(self, who, slot):
        slot += 2 * self.people[who]["zone"] if who in self.people else 0
        return clock(slot + 48) + " of the day before" if slot < 0 else clock(slot - 48) + " of the next day" if slot > 48 else clock(slot)

    def heading(self, who):
        if who in self.rooms:
            return []
        if who not in self.people:
            raise Refused
        one = self.people[who]
        zone = f" (UTC{one['zone']:+})" if any(p["zone"] for p in self.people.values()) else ""
        return [f"{who} works from {clock(one['from'] + 2 * one['zone'])} to {clock(one['to'] + 2 * one['zone'])}{zone}."]

    def of(self, who, day):
        return {i: m for i, m in self.now.items() if m["day"] == DAYS.index(day) and (m["room"] == who or who in m["people"])}

    def list(self, who, day):
        told = self.heading(who)
        lines = []
        for i, m in self.of(who, day).items():
            room = f", room {m['room']}" if m["room"] else ""
            lines.append(f"{self.local(who, m['start'])}-{self.local(who, m['start'] + m['length'])} {i} {m['title']}, {'movable' if m['movable'] else 'fixed'}, with {', '.join(m['people'])}{room}")
        return Folder.shown(None, told + (sorted(lines) or ["No meetings."]))

    def free(self, who, day):
        told = self.heading(who)
        hours = range(self.people[who]["from"], self.people[who]["to"]) if who in self.people else range(48)
        busy = {slot for m in self.of(who, day).values() for slot in range(m["start"], m["start"] + m["length"])}
        runs = [list(run) for is_free, run in itertools.groupby(hours, lambda slot: slot not in busy) if is_free]
        return " ".join([*told, "Free: " + (", ".join(f"{self.local(who, run[0])}-{self.local(who, run[-1] + 1)}" for run in runs) or "never") + "."])

    def when(self, start, length):
        slot = next((s for s in range(48) if start in (clock(s), clock(s).removeprefix("0"))), 48)
        if slot + length > 48:
            raise Refused
        return slot

    def book(self, title, people, day, start, minutes, room=""):
        if not 30 <= minutes <= 480 or minutes % 30:
            raise Refused
        slot = self.when(start, minutes // 30)
        if not people or len(set(people)) < len(people) or set(people) - set(self.people) or room and room not in self.rooms or not 1 <= len(title.encode()) <= 30:
            raise Refused
        name, self.next = f"m{self.next}", self.next + 1
        self.now[name] = {"title": title, "people": people, "room": room, "day": DAYS.index(day), "start": slot, "length": minutes // 30, "movable": False}
        return f"Booked as {name}."

    def move(self, meeting, day, start):
        if meeting not in self.now:
            raise Refused
        slot = self.when(start, self.now[meeting]["length"])
        self.now[meeting].update(day=DAYS.index(day), start=slot)
        return "Moved."

    def cancel(self, meeting):
        if meeting not in self.now:
            raise Refused
        del self.now[meeting]
        return "Cancelled."

    def impossible(self, condition):
        self.blamed = condition
        return ""

    def ended(self):
        return self.blamed is not None

    def answers(self, answer):
        return answer is None

    def members(self, m):
        return [*m["people"], *([m["room"]] if m["room"] else [])]

    def works(self, m):
        return all(p not in self.people or self.people[p]["from"] <= m["start"] and m["start"] + m["length"] <= self.people[p]["to"] for p in m["people"])

    def apart(self, meetings):
        """Whether nobody has two meetings at once, and all are within working hours."""
        taken = collections.Counter((who, m["day"], slot) for m in meetings for who in self.members(m) for slot in range(m["start"], m["start"] + m["length"]))
        return max(taken.values(), default=0) < 2 and all(map(self.works, meetings))

    def best(self, wish, most):
        """The moves, the day and the start of the best booking, or None."""
        for moves in range(most + 1):
            for day in wish["days"]:
                for start in range(wish["from"], wish["to"] - wish["length"] + 1):
                    if self.possible({**wish, "day": day, "start": start}, moves):
                        return moves, day, start
        return None

    def possible(self, new, moves):
        """Whether the meeting can be, if exactly so many others of its day are moved."""
        if not self.works(new):
            return False
        cells = lambda m: {(who, slot) for who in self.members(m) for slot in range(m["start"], m["start"] + m["length"])}
        others = [(m, cells(m)) for m in self.first.values() if m["day"] == new["day"]]
        wanted = cells(new)
        hit = [i for i, (_, at) in enumerate(others) if at & wanted]
        movable = [i for i, (m, _) in enumerate(others) if m["movable"]]
        if len(hit) > moves or set(hit) - set(movable):
            return False
        for more in itertools.combinations([i for i in movable if i not in hit], moves - len(hit)):
            chosen = [*hit, *more]
            taken = wanted.union(*(at for i, (_, at) in enumerate(others) if i not in chosen))
            if self.placed([others[i][0] for i in chosen], taken, cells):
                return True
        return False

    def placed(self, meetings, taken, cells):
        """Whether all find another place."""
        if not meetings:
            return True
        for start in range(49 - meetings[0]["length"]):
            there = {**meetings[0], "start": start}
            if self.works(there) and not cells(there) & taken and self.placed(meetings[1:], taken | cells(there), cells):
                return True
        return False

    def conditions(self):
        """What drops each."""
        wish = self.wish
        all_of = [lambda w, p=p: {**w, "people": [q for q in w["people"] if q != p]} for p in wish["people"]]
        drops = [(len(wish["days"]) < 5, {"days": list(range(5))}), (wish["from"] > 0, {"from": 0}), (wish["to"] < 48, {"to": 48}), (wish["room"] != "", {"room": ""})]
        return all_of + [lambda w, drop=drop: {**w, **drop} for is_one, drop in drops if is_one]

    def blames(self, number):
        """Whether some conditions can hold, and not together with this one."""
        drops, met, unmet = self.conditions(), [], []
        if not 1 <= number <= len(drops):
            return False

        def can(kept):
            if any(kept <= known for known in met):
                return True
            if any(kept >= known for known in unmet):
                return False
            wish = self.wish
            for i, drop in enumerate(drops, 1):
                wish = wish if i in kept else drop(wish)
            (met if self.best(wish, self.wish["moves"]) else unmet).append(kept)
            return kept in met

        rest = [i for i in range(1, len(drops) + 1) if i != number]
        return any(not can(frozenset({number, *some})) and can(frozenset(some)) for n in range(len(rest) + 1) for some in itertools.combinations(rest, n))

    def worth(self, _):
        best = self.best(self.wish, self.wish["moves"])
        if self.blamed is not None:
            return float(best is None and self.now == self.first and self.blames(self.blamed))
        new = [m for i, m in self.now.items() if i not in self.first]
        changed = {i for i, m in self.first.items() if self.now.get(i) != m}
        kept = all(i in self.now and self.first[i]["movable"] and self.now[i]["day"] == self.first[i]["day"] for i in changed) and len(changed) <= self.wish["moves"]
        if best is None or not kept or len(new) != 1 or not self.apart(self.now.values()):
            return 0.0
        m, wish = new[0], self.wish
        fits = (m["title"], m["length"], sorted(m["people"]), m["room"]) == (wish["title"], wish["length"], sorted(wish["people"]), wish["room"])
        if not fits or m["day"] not in wish["days"] or m["start"] < wish["from"] or m["start"] + m["length"] > wish["to"]:
            return 0.0
        return 1.0 if (len(changed), m["day"], m["start"]) == best else 0.5


FEATURES = {
    "reason": ["There is damage: it does not work as it should.", "You sent a wrong item, not the one that I ordered.", "It was a change of mind, I just do not need it.", "It was a late delivery, I had to wait for weeks."],
    "wish": ["money back", "a new item", "a repair"], "package": ["opened", "unopened"], "category": ["clothes", "kitchen", "electronics", "toys"],
    "price": None, "days": None, "payment": ["card", "invoice", "cash"], "shipping": ["standard", "express"], "tier": ["basic", "plus", "gold"],
}


class Desk:
    """service_desk, with the manual as service_desk.py decides it."""

    def __init__(self, start):
        list(service_desk.named(start["manual"], {name: i for i, name in enumerate(FEATURES)}))
        self.start, self.verified, self.breach, self.done, self.said = start, False, False, {}, []
        self.customers, self.all_orders = {c["id"]: c for c in start["customers"]}, {o["id"]: o for o in start["orders"]}
        self.owner = start["customers"][0]["id"]
        self.asked = start["orders"][:len(start["requests"])]

    def left(self):
        return len(self.said) >= len(self.asked) or any(text.startswith("unverified") for text in self.said)

    def look(self, records, name):
        if name not in records:
            raise Refused
        return records[name]

    def needs(self, customer):
        self.breach |= self.start["verify"] and not (self.verified and customer == self.owner)

    def wish(self, i):
        return self.start["requests"][i]["later" if i and self.asked[i - 1]["id"] in self.done else "wish"]

    def ask(self, topic, item=""):
        if self.left():
            return "The customer has left."
        if topic in ("number", "code"):
            return f'"My number is {self.owner}."' if topic == "number" else f'"The code is {self.start["code"]}."'
        found = [i for i, o in enumerate(self.asked) if o["item"] == item.lower() or not item and len(self.asked) == 1]
        if not found:
            return '"Which of my items do you mean?"'
        request = self.start["requests"][found[0]]
        told = {
            "reason": FEATURES["reason"][request["reason"]], "wish": f"I want {FEATURES['wish'][self.wish(found[0])]}.", "package": f"The package is {FEATURES['package'][request['opened']]}.",
        }
        return f'"{told[topic]}"'

    def verify(self, customer, code):
        if self.look(self.customers, customer)["code"] != code:
            return "The code does not match."
        self.verified |= customer == self.owner
        return "The code matches. The customer is verified."

    def customer(self, customer):
        one = self.look(self.customers, customer)
        self.needs(customer)
        return f"customer: {customer}\nname: {one['name']}\ntier: {FEATURES['tier'][one['tier']]}"

    def orders(self, customer):
        self.look(self.customers, customer)
        self.needs(customer)
        lines = sorted(f"{o['id']}: {o['item']}" for o in self.all_orders.values() if self.start["customers"][o["customer"]]["id"] == customer)
        return "\n".join([*lines, f"({len(lines)} orders)"])

    def order(self, order):
        o = self.look(self.all_orders, order)
        of = self.start["customers"][o["customer"]]["id"]
        self.needs(of)
        named = {name: f"{name}: {FEATURES[name][o[name]]}" for name in ("category", "payment", "shipping")}
        day = datetime.date(2024, 6, 30) - datetime.timedelta(o["days"])
        lines = [f"order: {order}", f"customer: {of}", f"item: {o['item']}", named["category"], f"price: {o['price']} euros", named["payment"], named["shipping"], f"delivered on: {day}"]
        return "\n".join(lines + ([f"resolved by: {self.done[order]}"] if order in self.done else []))

    def resolve(self, order, action):
        o = self.look(self.all_orders, order)
        if order in self.done:
            raise Refused
        self.needs(self.start["customers"][o["customer"]]["id"])
        self.done[order] = action
        return f"Order {order} is resolved by {action}."

    def tell(self, message, order="", amount=0):
        if order and order not in self.all_orders or not order and message != "unverified" or self.left():
            raise Refused
        if message != "unverified":
            self.needs(self.owner)
        self.said.append(f"{message} {order}".strip() + f", {amount} euros")
        if message == "unverified":
            return '"Then I must look for the right code. Goodbye."'
        n = len(self.said)
        if self.left():
            return '"Thank you, that was all. Goodbye."'
        wish = self.wish(n)
        changed = f" I have changed my mind about what I want there: now it is {FEATURES['wish'][wish]}." if wish != self.start["requests"][n]["wish"] else ""
        return f'"Thank you. The next is the {self.asked[n]["item"]}.{changed}"'

    def answers(self, answer):
        return answer is None

    def worth(self, _):
        actions, told = service_desk.right(self.start)
        want = {o["id"]: action for o, action in zip(self.asked, actions or []) if action != "refuse"}
        return float(not self.breach and self.done == want and self.said == told)


class Tables:
    """tables, in Python's sqlite3. What is right is the plan's statement, run here."""

    def __init__(self, row):
        self.fillings = row["fillings"]
        self.asked = "query" in row["record"]["start"]
        self.right = [call["arguments"]["sql"] for call in row["plan"] if call["name"] == ("finish" if self.asked else "execute")]
        self.sorted = self.asked and bool(row["record"]["start"]["query"].get("sort"))
        self.base = self.filled(self.fillings[0])

    @staticmethod
    def filled(filling):
        base = sqlite3.connect(":memory:")
        for create, name, rows in zip(filling["create"], filling["names"], filling["fill"]):
            base.execute(create)
            for row in rows:
                base.execute(f"INSERT INTO {name} VALUES ({','.join('?' * len(row))})", row)
        return base

    def names(self):
        return self.fillings[0]["names"]

    def rows(self, base, name):
        return base.execute(f"SELECT * FROM {name}").fetchall()

    def tables(self):
        return "\n".join(f"{name}: {len(self.rows(self.base, name))} rows" for name in self.names())

    def describe(self, table):
        name = next((n for n in self.names() if n.lower() == table.lower()), None)
        if name is None:
            raise Refused
        cursor = self.base.execute(f"SELECT * FROM {name}")
        rows = cursor.fetchall()
        return self.fillings[0]["create"][self.names().index(name)] + "\n\n" + self.shown(cursor.description, rows[:3], len(rows))

    def run(self, base, sql, reads):
        """The cursor and the rows of a statement."""
        if reads and not sql.lstrip().upper().startswith("SELECT"):
            raise Refused
        try:
            cursor = base.execute(sql)
            return cursor, cursor.fetchall()
        except sqlite3.Error as fault:
            raise Refused from fault

    def query(self, sql):
        cursor, rows = self.run(self.base, sql, reads=True)
        return Unordered(self.shown(cursor.description, rows, len(rows)))

    def execute(self, sql):
        if self.asked:
            raise Refused
        cursor, rows = self.run(self.base, sql, reads=False)
        return Unordered(self.shown(cursor.description, rows, len(rows))) if cursor.description else f"{cursor.rowcount} rows have changed."

    @staticmethod
    def shown(columns, rows, n):
        cell = lambda v: "NULL" if v is None else v[:40] if isinstance(v, str) else f"{v:.12g}" if isinstance(v, float) else str(v)
        lines = [" | ".join(cell(c[0]) for c in columns)]
        for row in rows[:50]:
            line = " | ".join(map(cell, row))
            if len("\n".join([*lines, line]).encode()) > 1100:
                break
            lines.append(line)
        some = len(lines) - 1
        return "\n".join(lines) + (f"\n({n} rows, of which {some} are shown)" if some < n else f"\n({n} rows)")

    def answers(self, answer):
        return isinstance(answer, str) if self.asked else answer is None

    def worth(self, answer):
        if not self.asked:
            right = self.filled(self.fillings[0])
            for sql in self.right:
                right.execute(sql)
            return float(all(multiset(self.rows(self.base, n)) == multiset(self.rows(right, n)) for n in self.names()))
        try:
            return float(all(self.alike(self.filled(filling), answer or "") for filling in self.fillings))
        except Refused:
            return 0.0

    def alike(self, base, sql):
        want, got = self.run(base, self.right[0], True)[1], self.run(base, sql, True)[1]
        return multiset(want) == multiset(got) and (not self.sorted or [row[-1] for row in want] == [row[-1] for row in got])


def multiset(rows):
    return collections.Counter(tuple(round(v, 9) if isinstance(v, float) else v for v in row) for row in rows)


class Unordered(str):
    """A result of rows, whose order may be another one where the statement does not say it."""

    def __eq__(self, other):
        if other is None or "are shown" in self:
            return other is not None and self.split("\n")[0] == other.split("\n")[0]
        return sorted(self.split("\n")) == sorted(other.split("\n"))

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__


WORLDS = {"calculator": Numbers, "key_value": Store, "file_tree": Folder, "calendar": Week, "service_desk": Desk, "tables": Tables}


def explain(count, rows, steps):
    """Compares all episodes of a scenario."""
    for row in rows.episodes(count.game, steps):
        world = WORLDS[count.game](row if "fillings" in row else row["record"]["start"])
        most = int(re.search(r"(?:have|most|has) (\d+) calls", row["opening"][0])[1])
        follow(count, row, world, most)


def follow(count, row, world, most):
    made, over, answer = 0, False, None
    count.rewards += 1
    for turn in row["turns"]:
        count.steps += 1
        where = str([row["record"]["start"], row["turns"]])
        results = iter(turn.get("results") or [])
        told, refused = [], False
        for call in turn["calls"]:
            if over:
                break
            made += 1
            getattr(world, "clock", lambda _: None)(made)
            try:
                if call["name"] == "finish":
                    given = next(iter(call["arguments"].values()), None)
                    if not world.answers(given):
                        raise Refused
                    over, answer = True, given
                    told.append("")
                else:
                    told.append(getattr(world, call["name"])(**call["arguments"]))
                    over = getattr(world, "ended", bool)()
            except Refused:
                refused = True
                told.append(None)
            over = over or made == most
        if not over:
            for call, ours, theirs in itertools.zip_longest(turn["calls"], results, told):
                count.same(f"what {call['name']} gives", None if (ours or "").startswith("Error: ") else ours, theirs, where)
            count.same("illegal", turn["illegal"], refused, where)
        count.same("the end", turn["end"], "terminated" if over else "", where)
        needed = (most - 2) // 2
        worth = world.worth(answer) * max(1 - 0.02 * max(made - needed, 0), 0.8) if over else 0.0
        count.same("the reward", turn["reward"], worth, where)
    count.same("the episode ended", over, True, str(row["record"]["start"]))
