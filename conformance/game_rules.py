"""Rules of the two-player games of package scenarios/games/duels, told a second time.

A position is hashable and says who is to move. A game has moves(position), the next positions by the name of
the move, none after the end; children(position), the same without names; ended(position), what the end is worth to
the player who would move, or None; and show(position), as Quintain draws it.
"""
import functools
import itertools


def grid(rows, labels, columns):
    """A board in a code block."""
    return "\n".join(f"{label} {' '.join(row)}".rstrip() for label, row in zip(labels, rows)), "  " + " ".join("abcdefgh"[:columns])


class Game:
    def children(self, p):
        return list(self.moves(p).values())


class KInARow(Game):
    """Positions: (cells, a string of x, o and dots row by row; the mark to move)."""

    def __init__(self, columns, rows, line, kind):
        self.columns, self.rows, self.kind = columns, rows, kind
        inside = lambda c, r: 0 <= c < columns and 0 <= r < rows
        ways = [(1, 0), (0, 1), (1, 1), (1, -1)]
        runs = [[(c + i * dc, r + i * dr) for i in range(line)] for c in range(columns) for r in range(rows) for dc, dr in ways]
        self.lines = [[r * columns + c for c, r in run] for run in runs if all(inside(*at) for at in run)]

    @classmethod
    def start(cls, s):
        game = cls(s["columns"], s["rows"], s["line"], s["kind"])
        cells = "".join("x" if s["x"] >> i & 1 else "o" if s["o"] >> i & 1 else "." for i in range(game.columns * game.rows))
        return game, (cells, "xo"[sum(c != "." for c in cells) % 2])

    def ended(self, p):
        cells = p[0]
        for run in self.lines:
            mark = cells[run[0]]
            if mark != "." and all(cells[i] == mark for i in run):
                return 1.0 if self.kind == "misère" else 0.0  # the other player has just completed it
        return None if "." in cells else 0.5

    def moves(self, p):
        if self.ended(p) is not None:
            return {}
        cells, mark = p
        found = {}
        for at in range(len(cells)):
            if cells[at] == ".":
                name = "abcdef"[at % self.columns] + str(at // self.columns + 1)
                for put in "xo" if self.kind == "wild" else mark:
                    found[f"{put} {name}" if self.kind == "wild" else name] = (cells[:at] + put + cells[at + 1:], "o" if mark == "x" else "x")
        return found

    def show(self, p):
        body = [p[0][i:i + self.columns] for i in range(0, len(p[0]), self.columns)]
        lines, header = grid(body, range(1, self.rows + 1), self.columns)
        return header + "\n" + lines


class Connect(Game):
    """Positions: (discs of the player to move, all discs), sets of bits column by column with a gap above each."""

    def __init__(self, columns, rows, line):
        self.columns, self.rows, self.line = columns, rows, line

    @classmethod
    def start(cls, s):
        game = cls(len(s["discs"]), s["rows"], s["line"])
        marks = {"x": 0, "o": 0}
        for column, text in enumerate(s["discs"]):
            for row, mark in enumerate(text):
                marks[mark] |= 1 << (column * (game.rows + 1) + row)
        count = sum(map(len, s["discs"]))
        return game, (marks["xo"[count % 2]], marks["x"] | marks["o"])

    def has_line(self, discs):
        for step in (1, self.rows, self.rows + 1, self.rows + 2):
            run = discs
            for i in range(1, self.line):
                run &= discs >> (i * step)
            if run:
                return True
        return False

    def ended(self, p):
        mine, every = p
        if self.has_line(every ^ mine):
            return 0.0
        return 0.5 if every.bit_count() == self.columns * self.rows else None

    def moves(self, p):
        if self.ended(p) is not None:
            return {}
        mine, every = p
        found = {}
        for column in range(self.columns):
            low = column * (self.rows + 1)
            height = (every >> low & ((1 << self.rows) - 1)).bit_count()
            if height < self.rows:
                found["abcdefg"[column]] = (every ^ mine, every | 1 << (low + height))
        return found

    def show(self, p):
        mine, every = p
        me, other = ("x", "o") if every.bit_count() % 2 == 0 else ("o", "x")
        out = [" ".join("abcdefg"[:self.columns])]
        for row in reversed(range(self.rows)):
            bits = [1 << (column * (self.rows + 1) + row) for column in range(self.columns)]
            out.append(" ".join("." if not every & b else me if mine & b else other for b in bits))
        return "\n".join(out)


class Pawns(Game):
    """Positions: (white pawns, black pawns, whether Black is to move); a set of bits, rank by rank from White's side."""

    def __init__(self, columns, rows, kind):
        self.columns, self.rows, self.kind = columns, rows, kind
        self.last = [((1 << columns) - 1) << (columns * (rows - 1)), (1 << columns) - 1]  # of White and of Black
        self.ways = {black: {at: [] for at in range(columns * rows)} for black in (False, True)}
        for black, at, d in itertools.product((False, True), range(columns * rows), (-1, 0, 1)):
            column, rank = at % columns + d, at // columns + (-1 if black else 1)
            if 0 <= column < columns and 0 <= rank < rows:
                self.ways[black][at].append((rank * columns + column, d != 0))

    @classmethod
    def start(cls, s):
        game = cls(len(s["rows"][0]), len(s["rows"]), s["kind"])
        text = "".join(reversed(s["rows"]))
        at = lambda mark: sum(1 << i for i, m in enumerate(text) if m == mark)
        return game, (at("w"), at("b"), s["black"])

    def steps(self, p):
        """(from, to, takes) of the moves by the rules of pawns."""
        white, black, blacks = p
        mine, theirs = (black, white) if blacks else (white, black)
        for at, ways in self.ways[blacks].items():
            if mine >> at & 1:
                for to, diagonal in ways:
                    takes = theirs >> to & 1
                    if not mine >> to & 1 and (diagonal if takes else not diagonal or self.kind == "breakthrough"):
                        yield at, to, takes

    def ended(self, p):
        white, black, blacks = p
        arrived = white & self.last[0] if blacks else black & self.last[1]
        return None if not arrived and any(True for _ in self.steps(p)) else 0.0

    def made(self, p, at, to):
        white, black, blacks = p
        if blacks:
            return white & ~(1 << to), black & ~(1 << at) | 1 << to, False
        return white & ~(1 << at) | 1 << to, black & ~(1 << to), True

    def children(self, p):
        """The moves that take first."""
        return [self.made(p, at, to) for at, to, _ in sorted(self.steps(p), key=lambda step: -step[2])]

    def name(self, at):
        return f"{'abcdef'[at % self.columns]}{at // self.columns + 1}"

    def moves(self, p):
        if self.ended(p) is not None:
            return {}
        return {self.name(at) + "-x"[takes] + self.name(to): self.made(p, at, to) for at, to, takes in self.steps(p)}

    def show(self, p):
        marks = ["w" if p[0] >> at & 1 else "b" if p[1] >> at & 1 else "." for at in range(self.columns * self.rows)]
        body = [marks[r * self.columns:(r + 1) * self.columns] for r in reversed(range(self.rows))]
        lines, header = grid(body, range(self.rows, 0, -1), self.columns)
        return lines + "\n" + header


class Heaps(Game):
    """Positions: the heaps."""

    def __init__(self, rule, take=()):
        self.rule, self.take = rule, take

    @classmethod
    def start(cls, s):
        return cls(s["rule"], tuple(s.get("take", ()))), tuple(s["heaps"])

    def moves(self, p):
        found = {}
        if self.rule == "kayles":
            for i, n in enumerate(p):
                for k, left in itertools.product((1, 2), range(n)):
                    if left + k <= n:
                        rest = tuple(m for m in (left, n - k - left) if m)
                        found[f"take {k} from {chr(97 + i)} at {left + 1}"] = p[:i] + rest + p[i + 1:]
            return found
        for i, n in enumerate(p):
            for k in range(1, n + 1):
                if self.rule != "subtraction" or k in self.take:
                    found[f"take {k} from {chr(97 + i)}"] = p[:i] + (n - k,) + p[i + 1:]
        if self.rule == "wythoff":
            for k in range(1, min(p) + 1):
                found[f"take {k} from both"] = (p[0] - k, p[1] - k)
        return found

    def ended(self, p):
        if self.rule == "misère":
            return None if any(p) else 1.0
        return None if self.moves(p) else 0.0

    def children(self, p):
        if self.rule in ("kayles", "wythoff"):
            return list(self.moves(p).values())
        takes = self.take if self.rule == "subtraction" else range(1, max(p, default=0) + 1)
        return [p[:i] + (n - k,) + p[i + 1:] for i, n in enumerate(p) if i == 0 or n != p[i - 1] for k in takes if k <= n]

    def worth(self, p):
        """What rows of Kayles are worth, by their nimbers; they have too many positions for a search."""
        if self.rule != "kayles":
            return None
        total = 0
        for n in p:
            total ^= nimber(n)
        return float(total != 0)

    def show(self, p):
        return "\n".join(f"{chr(97 + i)}: {n}" for i, n in enumerate(p))


@functools.cache
def nimber(n):
    """Of a row of n pins."""
    options = {nimber(left) ^ nimber(n - k - left) for k in (1, 2) for left in range(n - k + 1)}
    return next(i for i in itertools.count() if i not in options)


class Values:
    """What positions are worth to the player to move: best, if both play their best; hope, to the policy against an
    opponent who makes any move with the probability blunders, and else one of the best."""

    def __init__(self, game, blunders):
        self.game, self.blunders, self.bounds, self.hopes = game, blunders, {}, {}

    def best(self, p, low=0.0, high=1.0):
        end = self.game.ended(p)
        if end is not None:
            return end
        known = getattr(self.game, "worth", lambda _: None)(p)
        if known is not None:
            return known
        key = tuple(sorted(p)) if isinstance(self.game, Heaps) else p
        least, most = self.bounds.get(key, (0.0, 1.0))
        low, high = max(low, least), min(high, most)
        if low >= high:
            return low
        value = 0.0
        for q in self.game.children(p):
            value = max(value, 1 - self.best(q, 1 - high, 1 - max(low, value)))
            if value >= high:
                break
        self.bounds[key] = (value if value > low else least, value if value < high else most)
        return value

    def strongest(self, moves):
        """The best moves by name."""
        worth = {name: 1 - self.best(q) for name, q in moves.items()}
        return {name: moves[name] for name in moves if worth[name] == max(worth.values())}

    def hope(self, p):
        if self.blunders == 0:
            return self.best(p)
        if p not in self.hopes:
            end = self.game.ended(p)
            self.hopes[p] = end if end is not None else max(self.after(q) for q in self.game.children(p))
        return self.hopes[p]

    def after(self, q):
        """What a move of the policy is worth to it that leads to q."""
        if self.blunders == 0:
            return 1 - self.best(q)
        end = self.game.ended(q)
        if end is not None:
            return 1 - end
        moves = self.game.moves(q)
        mean = lambda some: sum(self.hope(p) for p in some.values()) / len(some)
        return self.blunders * mean(moves) + (1 - self.blunders) * mean(self.strongest(moves))
