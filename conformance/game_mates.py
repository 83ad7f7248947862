"""The distances to mate of chess_endgame, worked out for conformance/games.py by numpy: backwards from the mates, for all positions
at once. An array has two axes, rank and file, for each man but the last; its numbers are sets of squares of the last man."""
import functools
import itertools

import numpy

BIT = (numpy.uint64(1) << numpy.arange(64, dtype=numpy.uint64)).reshape(8, 8)
ALL = ~numpy.uint64(0)
NOT_A, NOT_H = ~BIT[:, 0].sum(dtype=numpy.uint64), ~BIT[:, 7].sum(dtype=numpy.uint64)
MEN = {"KQK": "KkQ", "KRK": "KkR", "KPK": "KkP", "KBBK": "KkBB", "KQKR": "KkQr"}
WAYS = [way for way in itertools.product((-1, 0, 1), repeat=2) if any(way)]


def ways(kind):
    return [(r, f) for r, f in WAYS if kind in "KQ" or (kind == "R") == (r * f == 0)]


def step(squares, way):
    """Sets of squares, moved by a rank and a file."""
    rank, file = way
    squares = squares << numpy.uint64(8) if rank > 0 else squares >> numpy.uint64(8) if rank < 0 else squares
    if file:
        squares = squares << numpy.uint64(1) & NOT_A if file > 0 else squares >> numpy.uint64(1) & NOT_H
    return squares


def seen(kind, squares, empty):
    """The squares from which a piece sees one of a set."""
    found = numpy.uint64(0)
    for way in ways(kind):
        at = squares
        for _ in range(1 if kind == "K" else 7):
            at = step(at, way)
            found, at = found | at, at & empty
    return found


class Ending:
    """The men are those of White in upper case, both kings first."""

    def __init__(self, men, less):
        self.men, self.less, self.fixed = men, less, len(men) - 1
        self.at = [BIT.reshape((1, 1) * i + (8, 8) + (1, 1) * (self.fixed - 1 - i)) for i in range(self.fixed)]
        self.taken = functools.reduce(numpy.bitwise_or, self.at)
        apart = seen("K", self.at[0], ALL) & self.at[1] == 0
        for one, other in itertools.combinations(self.at, 2):
            apart = apart & (one != other)
        self.room = numpy.where(apart, ~self.taken, numpy.uint64(0))
        if men[-1] == "P":
            self.room &= ~(BIT[0].sum() | BIT[7].sum())
        self.mates = numpy.zeros(self.room.size * 64, numpy.uint8)  # moves, by the squares of all men, with White to move
        self.lost = []  # by half of the plies: Black to move is mated
        self.solve()

    def others(self, i):
        """The squares of the fixed men other than one."""
        return functools.reduce(numpy.bitwise_or, [at for j, at in enumerate(self.at) if j != i])

    def shift(self, sets, i, way):
        """The sets of the positions in which man i stands one step further."""
        found = numpy.zeros_like(sets)
        to, source = [slice(None)] * sets.ndim, [slice(None)] * sets.ndim
        for axis, d in zip((2 * i, 2 * i + 1), way):
            to[axis] = slice(max(-d, 0), 8 - max(d, 0))
            source[axis] = slice(max(d, 0), 8 - max(-d, 0))
        found[tuple(to)] = sets[tuple(source)]
        return found

    def before(self, i, sets):
        """The positions from which man i moves to one of some positions."""
        kind = self.men[i].upper()
        if i == self.fixed:
            if kind == "P":
                one = sets >> numpy.uint64(8)
                return one | (one & ~self.taken) >> numpy.uint64(8) & BIT[1].sum()
            return seen(kind, sets, ~self.taken)
        through = numpy.where(self.at[i] & self.others(i) == 0, ~self.at[i], numpy.uint64(0))
        found = numpy.zeros_like(sets)
        for way in ways(kind):
            at = sets
            for _ in range(1 if kind == "K" else 7):
                at = self.shift(at, i, way)
                found |= at
                at = at & through
        return found

    def checks(self, king):
        """The positions in which a king is attacked by a piece or a pawn."""
        found = numpy.zeros_like(self.room)
        for i, man in enumerate(self.men[2:], 2):
            if man.isupper() == (king == 0):
                continue
            if man == "P":
                found |= step(self.at[king], (-1, -1)) | step(self.at[king], (-1, 1))
            elif i == self.fixed:
                found |= seen(man.upper(), self.at[king], ~self.taken)
            else:
                found |= self.before(i, numpy.where(self.at[i] == self.at[king], ALL, numpy.uint64(0)) | numpy.zeros_like(self.room))
        return found & self.room

    def takes(self):
        """The positions in which Black can take a man of White, which then has too little left."""
        found, near = numpy.zeros_like(self.room), seen("K", self.at[1], ALL) & ~seen("K", self.at[0], ALL)
        last, open_squares = self.men[-1], ~self.others(1)
        if last.isupper():
            found |= near & ~(seen(self.men[2], self.at[2], open_squares) if self.fixed == 3 else numpy.uint64(0))
        if self.fixed == 3:
            guards = seen(last, self.at[2], open_squares) if last.isupper() else numpy.uint64(0)
            found |= numpy.where(near & self.at[2] != 0, ~guards, numpy.uint64(0))
            if last.islower():
                found |= seen(last.upper(), self.at[2], ~self.taken)
        return found

    def becomes(self, half):
        """The positions in which White takes the last man or promotes it, and mates in so many plies after that."""
        found = numpy.zeros_like(self.room)
        for ending in self.less:
            if half >= len(ending.lost):
                continue
            lost = ending.lost[half]
            if self.men[-1] == "P":
                found |= lost >> numpy.uint64(8) & BIT[6].sum() & ~(self.taken >> numpy.uint64(8))
                continue
            found |= seen(self.men[2], self.at[2], ~self.taken) & lost[..., None, None]
            mine = numpy.where(lost[..., None, None] & self.at[2] != 0, self.at[0], numpy.uint64(0))
            for way in WAYS:
                found |= self.shift(mine, 0, way)
        return found

    def solve(self):
        sides = [[i for i, man in enumerate(self.men) if man.isupper() == white] for white in (False, True)]
        check = self.checks(1)
        open_positions = self.room & ~check  # of White, not known to be won
        escapes = lambda: functools.reduce(numpy.bitwise_or, [self.before(i, open_positions) for i in sides[False]])
        sound, moves = self.room & ~self.checks(0) & ~self.takes(), escapes()
        holds, fresh = sound & moves, sound & check & ~moves
        self.lost = [fresh]
        while fresh.any() or any(len(self.lost) <= len(ending.lost) for ending in self.less):
            won = self.becomes(len(self.lost) - 1)
            for i in sides[True]:
                won |= self.before(i, fresh)
            won &= open_positions
            open_positions &= ~won
            self.mates[numpy.flatnonzero(numpy.unpackbits(won.ravel().view(numpy.uint8), bitorder="little"))] = len(self.lost)
            fresh = holds & ~escapes()
            holds &= ~fresh
            self.lost.append(fresh)

    def moves(self, squares):
        """How many moves White, who is to move, needs to mate with the men on their squares; 0: it cannot force it."""
        place = 0
        for at in squares:
            place = place << 6 | at
        return int(self.mates[place])


@functools.cache
def ending(name):
    return Ending(MEN[name], list(map(ending, {"KPK": ["KQK", "KRK"], "KQKR": ["KQK"]}.get(name, []))))
