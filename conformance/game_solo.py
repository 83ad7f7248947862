"""Games without an opponent, told a second time for conformance/games.py.

Each class has what games.Episode.turns asks of it.
"""
import collections
import functools
import itertools

STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
FAR = 1 << 20


class Field:
    """The cells of a minefield."""

    def __init__(self, side):
        self.side, self.cells = side, range(side * side)
        self.near = [[r * side + c for r, c in itertools.product(*(range(max(v - 1, 0), min(v + 2, side)) for v in divmod(at, side)))
                      if r * side + c != at] for at in self.cells]

    def number(self, at, mines):
        return sum(n in mines for n in self.near[at])

    def opened(self, seen, mines, at):
        seen, todo = set(seen), [at]
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                if self.number(at, mines) == 0:
                    todo += self.near[at]
        return frozenset(seen)


class Mines(Field):
    """Minesweeper: all layouts of mines that fit the numbers are listed."""

    def __init__(self, episode):
        s = episode.start
        super().__init__(s["side"])
        self.episode, self.gamble, self.hidden = episode, s["gamble"], frozenset(s["at"])
        self.open = frozenset()
        for at in s["open"]:
            self.open = self.opened(self.open, self.hidden, at)
        self.fit = self.layouts(len(self.hidden))
        self.safe = len(self.cells) - len(self.hidden) - len(self.open)
        self.earned, self.kept, self.hit = 0, 1.0, False
        self.wins = functools.cache(self.wins)

    def layouts(self, mines):
        """All sets of so many mines in closed cells that agree with the open ones."""
        closed = [at for at in self.cells if at not in self.open]
        need = {at: self.number(at, self.hidden) for at in self.open}
        room = {at: sum(n not in self.open for n in self.near[at]) for at in self.open}
        found, chosen = [], []

        def place(i, left):
            if i == len(closed) or left > len(closed) - i:
                if left == 0:
                    found.append(frozenset(chosen))
                return
            touched = [n for n in self.near[closed[i]] if n in need]
            for n in touched:
                room[n] -= 1
            for mine in (0, 1):
                if mine <= left:
                    for n in touched:
                        need[n] -= mine
                    if all(0 <= need[n] <= room[n] for n in touched):
                        if mine:
                            chosen.append(closed[i])
                        place(i + 1, left - mine)
                        if mine:
                            chosen.pop()
                    for n in touched:
                        need[n] += mine
            for n in touched:
                room[n] += 1

        place(0, mines)
        return frozenset(found)

    def wins(self, seen, fit):
        """In how many of the layouts the best play wins."""
        closed = [at for at in self.cells if at not in seen]
        if len(closed) == len(self.hidden):
            return len(fit)
        sure = next((at for at in closed if not any(at in mines for mines in fit)), None)
        return max(self.after(seen, fit, at) for at in ([sure] if sure is not None else closed))

    def after(self, seen, fit, at):
        parts = collections.defaultdict(set)
        for mines in fit:
            if at not in mines:
                then = self.opened(seen, mines, at)
                parts[then, tuple(self.number(n, mines) for n in sorted(then - seen))].add(mines)
        return sum(self.wins(then, frozenset(part)) for (then, _), part in parts.items())

    def keeps(self, at):
        if not self.gamble:
            return float(not any(at in mines for mines in self.fit))
        return self.after(self.open, self.fit, at) / self.wins(self.open, self.fit)

    def name(self, at):
        return f"{'abcdefg'[at % self.side]}{at // self.side + 1}"

    def legal(self):
        return [self.name(at) for at in self.cells if at not in self.open]

    def read(self, text):
        return next((at for at in self.cells if self.name(at) == text and at not in self.open), None)

    def best(self):
        return [self.name(at) for at in self.cells if at not in self.open and self.keeps(at) == 1]

    def play(self, at, why):
        keeps, before = self.keeps(at), self.open
        self.hit = at in self.hidden
        if self.hit:
            told = "It has a mine"
        else:
            self.open = self.opened(before, self.hidden, at)
            told = "the field is clear" if self.worth() else "It has no mine around" if len(self.open - before) > 1 else f"Its number is {self.number(at, self.hidden)}"
        self.episode.same("the text", why.startswith(f"You open {self.name(at)}") and told in why, True)
        fresh = self.open - before
        if keeps == 1:
            self.earned += len(fresh)
        elif self.gamble:
            self.kept *= 0 if self.hit else keeps
        else:
            self.kept = self.earned / self.safe if self.hit else max(0.0, self.kept - len(fresh) / self.safe)
        self.fit = frozenset(mines for mines in self.fit if not self.hit and at not in mines and self.opened(before, mines, at) == self.open
                             and all(self.number(n, mines) == self.number(n, self.hidden) for n in fresh))

    def worth(self):
        return 0.0 if self.hit else 1.0 if len(self.open) + len(self.hidden) == len(self.cells) else None

    def value(self):
        return self.kept

    def show(self):
        rows = [[str(self.number(at, self.hidden)) if at in self.open else "#" for at in self.cells[r * self.side:(r + 1) * self.side]] for r in range(self.side)]
        return "\n".join(["```", "  " + " ".join("abcdefg"[:self.side]), *(f"{i + 1} {' '.join(row)}" for i, row in enumerate(rows)), "```"])


@functools.cache
def searched(n):
    """The fewest guesses that find each of n numbers, added, where a guess is too low, too high or right."""
    return n + min(searched(k) + searched(n - 1 - k) for k in range((n + 1) // 2)) if n else 0


for size in range(0, 1001, 50):
    searched(size)  # so that no recursion is deep


class Number:
    """Guess a number, without lies."""

    def __init__(self, episode):
        s = episode.start
        self.episode, self.most, self.hidden = episode, s["numbers"], s["hidden"]
        self.left, self.past, self.lost = range(1, self.most + 1), [], 0.0

    def waste(self, guess):
        """The guesses that it adds for all the numbers that are left."""
        if guess not in self.left:
            return len(self.left)
        below = guess - self.left.start
        return len(self.left) + searched(below) + searched(len(self.left) - below - 1) - searched(len(self.left))

    def legal(self):
        return [str(n) for n in range(1, self.most + 1)]

    def read(self, text):
        return int(text) if text.isdigit() and 1 <= int(text) <= self.most else None

    def best(self):
        return [str(n) for n in self.left if self.waste(n) == 0]

    def play(self, guess, why):
        self.lost += self.waste(guess) / len(self.left)
        verdict = "too low" if guess < self.hidden else "too high" if guess > self.hidden else "right"
        self.past.append(f"{guess} is {verdict}")
        self.episode.same("the text", why.startswith(f"Your guess {guess} is {verdict}."), True)
        first = max(self.left.start, guess + 1) if guess < self.hidden else self.left.start
        last = min(self.left.stop, guess) if guess > self.hidden else self.left.stop
        self.left = range(first, last)

    def worth(self):
        return 1.0 if self.past and self.past[-1].endswith("right") else None

    def value(self):
        return max(0.0, 1 - self.lost * self.most / searched(self.most))

    def show(self):
        text = f"The number is one of 1 to {self.most}. "
        return text + (f"Your guesses: {', '.join(self.past)}." if self.past else "There are no guesses yet.")


class Walk:
    """Steps to a goal; the subclass gives start(), ways(state), the next states by the step, solved(state) and
    distance(state), in steps."""

    def __init__(self, episode, state, limit):
        self.episode, self.first, self.state, self.limit, self.used = episode, state, state, limit, 0

    @functools.cached_property
    def least(self):
        return self.distance(self.first)

    def togo(self):
        """FAR, if the steps do not suffice; then they never do again."""
        n = self.distance(self.state)
        return n if self.used + n <= self.limit else FAR

    def legal(self):
        return list(self.ways(self.state))

    def read(self, text):
        steps = text.split(" ")
        return steps if 0 < len(steps) <= 8 and all(s in STEPS for s in steps) and steps[0] in self.ways(self.state) else None

    def plan(self, text):
        """Whether each of several steps comes nearer to the goal."""
        state = self.state
        for step in text.split(" "):
            nearer = self.ways(state).get(step)
            if nearer is None or self.distance(nearer) != self.distance(state) - 1:
                return False
            state = nearer
        return True

    def best(self):
        togo = self.togo()
        if togo == FAR:
            return self.legal()
        return [step for step, then in self.ways(self.state).items() if self.distance(then) == togo - 1]

    def play(self, steps, why):
        made = []
        for step in steps:
            if self.worth() is not None or step not in self.ways(self.state):
                break
            made.append(step)
            self.state = self.ways(self.state)[step]
            self.used += 1
        self.episode.same("the text", why.startswith(f"You moved {' '.join(made)}."), True)

    def worth(self):
        return 1.0 if self.solved(self.state) else 0.0 if self.used >= self.limit else None

    def value(self):
        togo = self.togo()
        return 0.0 if togo == FAR else self.least / (self.used + togo)


class Searched(Walk):
    """A walk whose distances are those of all positions that can be reached from the first one."""

    known = None

    def distance(self, state):
        if self.known is None:
            self.known = self.search(self.core(self.first))
        return self.known.get(self.core(state), FAR)

    def core(self, state):
        """What matters of a state."""
        return state

    def turns(self, state):
        """The states that follow what matters of one."""
        return self.ways(state).values()

    def ends(self, state):
        return self.solved(state)

    def search(self, start):
        """The distance of each state to a solved one."""
        before, todo = {start: []}, [start]
        for state in todo:
            for then in self.turns(state):
                if then not in before:
                    before[then] = []
                    todo.append(then)
                before[then].append(state)
        ends = [state for state in todo if self.ends(state)]
        known = dict.fromkeys(ends, 0)
        for state in ends:
            for was in before[state]:
                if was not in known:
                    known[was] = known[state] + 1
                    ends.append(was)
        return known


class Slides(Walk):
    """Sliding tiles. The distances of all positions near the end are listed; farther ones are searched until they come there."""

    LISTED = 700_000
    listed, found = {}, {}

    def __init__(self, episode):
        s = episode.start
        self.rows, self.columns = s["rows"], s["columns"]
        super().__init__(episode, tuple(s["tiles"]), s["moves"])

    def ways(self, tiles):
        found, gap = {}, tiles.index(0)
        row, column = divmod(gap, self.columns)
        for step, (down, right) in STEPS.items():
            r, c = row - down, column - right  # the tile that moves into the gap
            if 0 <= r < self.rows and 0 <= c < self.columns:
                moved = list(tiles)
                moved[gap], moved[r * self.columns + c] = moved[r * self.columns + c], 0
                found[step] = tuple(moved)
        return found

    def home(self):
        return (*range(1, self.rows * self.columns), 0)

    def solved(self, tiles):
        return tiles == self.home()

    def distance(self, tiles):
        if (self.rows, tiles) not in self.found:
            if len(self.found) > self.LISTED:
                self.found.clear()
            self.found[self.rows, tiles] = self.towards(tiles)
        return self.found[self.rows, tiles]

    def towards(self, tiles):
        """The distance, by a search that ends in the list."""
        near, farthest = self.list()
        seen, layer, steps = {tiles}, [tiles], 0
        while layer and tiles not in near:
            layer = [then for at in layer for then in self.ways(at).values() if then not in seen and not seen.add(then)]
            steps += 1
            if any(then in near for then in layer):
                return steps + farthest
        return near[tiles]

    def list(self):
        """The distances of all positions that are not farther than a number of moves, and this number."""
        size = self.rows, self.columns
        if size not in self.listed:
            near, layer, farthest = {self.home(): 0}, [self.home()], 0
            while layer and len(near) < self.LISTED:
                farthest += 1
                layer = [then for at in layer for then in self.ways(at).values() if near.setdefault(then, farthest) == farthest]
                layer = list(dict.fromkeys(layer))
            self.listed[size] = near, farthest
        return self.listed[size]

    def show(self):
        width = len(str(self.rows * self.columns - 1))
        names = [str(t or "_").rjust(width) for t in self.state]
        return "\n".join(" ".join(names[i:i + self.columns]) for i in range(0, len(names), self.columns))


class Boxes(Searched):
    """Sokoban."""

    def __init__(self, episode):
        s = episode.start
        at = lambda signs: frozenset((r, c) for r, row in enumerate(s["rows"]) for c, sign in enumerate(row) if sign in signs)
        self.walls, self.goals = at("#"), at(".*+")
        self.size = len(s["rows"]), len(s["rows"][0])
        (me,) = at("@+")
        super().__init__(episode, (me, at("$*")), s["steps"])

    @staticmethod
    def beside(at, way):
        return at[0] + way[0], at[1] + way[1]

    def ways(self, state):
        me, boxes = state
        found = {}
        for step, way in STEPS.items():
            to = self.beside(me, way)
            if to in boxes:
                pushed = self.beside(to, way)
                if pushed not in self.walls and pushed not in boxes:
                    found[step] = (to, boxes - {to} | {pushed})
            elif to not in self.walls:
                found[step] = (to, boxes)
        return found

    def solved(self, state):
        return state[1] == self.goals

    def sign(self, at):
        me, boxes = self.state
        if at in self.walls:
            return "#"
        if at == me:
            return "+" if at in self.goals else "@"
        if at in boxes:
            return "*" if at in self.goals else "$"
        return "." if at in self.goals else "-"

    def show(self):
        return "\n".join(" ".join(self.sign((r, c)) for c in range(self.size[1])) for r in range(self.size[0]))


class Rooms(Searched):
    """A house with doors, keys and boxes. States: (room, place of each item, doors that are locked, boxes that are closed);
    places are rooms and then boxes by number, -1 is the hands."""

    SIDES = ["north", "east", "south", "west"]

    def __init__(self, episode):
        self.house = s = episode.start
        self.boxes, self.items = s["boxes"] or [], s["items"]
        locked = frozenset(i for i, d in enumerate(s["doors"]) if d.get("lock"))
        super().__init__(episode, (s["at"], tuple(i["in"] for i in self.items), locked, frozenset(range(len(self.boxes)))), s["moves"])

    def exits(self, room):
        """(side, door, room behind it)."""
        for i, d in enumerate(self.house["doors"]):
            if d["from"] == room:
                yield d["side"], i, d["to"]
            if d["to"] == room:
                yield (d["side"] + 2) % 4, i, d["from"]

    def boxes_in(self, room):
        return [(n, b["name"], len(self.house["rooms"]) + n) for n, b in enumerate(self.boxes) if b["in"] == room]

    def ways(self, state):
        room, places, locked, closed = state
        found = {"look": state}
        carried = {self.items[i]["name"] for i, at in enumerate(places) if at == -1}
        for side, i, to in self.exits(room):
            colour = self.house["doors"][i].get("lock")
            if i not in locked:
                found["go " + self.SIDES[side]] = (to, places, locked, closed)
            elif f"{colour} key" in carried:
                found[f"unlock {colour} door with {colour} key"] = (room, places, locked - {i}, closed)
        reach = [room]
        for n, name, place in self.boxes_in(room):
            if n in closed:
                found["open " + name] = (room, places, locked, closed - {n})
            else:
                reach.append(place)
        for i, item in enumerate(self.items):
            moved = lambda to: (room, (*places[:i], to, *places[i + 1:]), locked, closed)
            if places[i] == -1:
                found["drop " + item["name"]] = moved(room)
                for n, name, place in self.boxes_in(room):
                    if n not in closed:
                        found[f"put {item['name']} in {name}"] = moved(place)
            elif places[i] in reach and len(carried) < self.house["hands"]:
                found["take " + item["name"]] = moved(-1)
        return found

    def solved(self, state):
        return state[1][self.house["thing"]] == self.house["goal"]

    def core(self, state):
        """(room, place of the thing, places of the keys of locked doors, locked doors, closed boxes that matter, other things in the hands).
        A key in an open box might as well lie beside it."""
        room, places, locked, closed = state
        thing, colours = self.house["thing"], {self.house["doors"][i]["lock"] + " key" for i in locked}
        keys = {i: at for i, at in enumerate(places) if self.items[i]["name"] in colours}
        burden = sum(at == -1 for i, at in enumerate(places) if i != thing and i not in keys)
        return self.plain(room, places[thing], keys, locked, closed, burden)

    def plain(self, room, thing, keys, locked, closed, burden):
        first = len(self.house["rooms"])
        closed = frozenset(n for n in closed if first + n in (self.house["goal"], thing, *keys.values()))
        beside = lambda at: self.boxes[at - first]["in"] if at >= first and at - first not in closed else at
        return room, thing, tuple((i, beside(at)) for i, at in sorted(keys.items())), locked, closed, burden

    def ends(self, core):
        return core[1] == self.house["goal"]

    def turns(self, core):
        room, thing, keys, locked, closed, burden = core
        keys = dict(keys)
        free = burden + (thing == -1) + list(keys.values()).count(-1) < self.house["hands"]
        for _, i, to in self.exits(room):
            colour = self.house["doors"][i].get("lock")
            key = next((k for k, at in keys.items() if at == -1 and self.items[k]["name"] == f"{colour} key"), None)
            if i not in locked:
                yield self.plain(to, thing, keys, locked, closed, burden)
            elif key is not None:
                still = locked - {i}
                done = all(self.house["doors"][other]["lock"] != colour for other in still)
                yield self.plain(room, thing, {k: at for k, at in keys.items() if k != key or not done}, still, closed, burden + done)
        reach = [room]
        for n, _, place in self.boxes_in(room):
            if n in closed:
                yield self.plain(room, thing, keys, locked, closed - {n}, burden)
                continue
            reach.append(place)
            if thing == -1:
                yield self.plain(room, place, keys, locked, closed, burden)
        if burden:
            yield self.plain(room, thing, keys, locked, closed, burden - 1)
        if free:
            yield self.plain(room, thing, keys, locked, closed, burden + 1)
        if thing == -1 or free and thing in reach:
            yield self.plain(room, room if thing == -1 else -1, keys, locked, closed, burden)
        for k, at in keys.items():
            if at == -1 or free and at in reach:
                yield self.plain(room, thing, {**keys, k: room if at == -1 else -1}, locked, closed, burden)

    def read(self, text):
        return text if text in self.ways(self.state) else None

    def play(self, move, why):
        verb, _, rest = move.partition(" ")
        told = {"look": "You look around.", "go": f"You go {rest}.", "unlock": f"You unlock the {rest.split(' with ')[0]}.", "put": f"You put the {rest.replace(' in ', ' in the ')}."}
        self.state = self.ways(self.state)[move]
        self.used += 1
        self.episode.same("the text", why.startswith(told.get(verb, f"You {verb} the {rest}.")), True)

    def listed(self, place):
        return ", ".join("a " + item["name"] for item, at in zip(self.items, self.state[1]) if at == place) or "nothing"

    def show(self):
        room, places, locked, closed = self.state
        seen = [f"a {name} (closed)" if n in closed else f"a {name} (open, with {self.listed(place)} in it)" for n, name, place in self.boxes_in(room)]
        if room in places or not seen:
            seen.append(self.listed(room))
        exits = []
        for side, i, _ in sorted(self.exits(room)):
            colour = self.house["doors"][i].get("lock")
            exits.append(self.SIDES[side] + (f" ({colour} door, {'locked' if i in locked else 'open'})" if colour else ""))
        return (f"You are in the {self.house['rooms'][room]}.\nYou see: {', '.join(seen)}.\nExits: {', '.join(exits)}.\n"
                f"You carry: {self.listed(-1)}.\nMoves made: {self.used} of at most {self.limit}.")
