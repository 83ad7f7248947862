"""Mastermind and Wordle with a list, told a second time for conformance/games.py: the fewest guesses, by a search over all of
them with bounds, and with the symmetries of codes."""
import collections
import functools
import itertools

import numpy

FAR = 1 << 20


@functools.cache
def marks(guess, code):
    """Black and white pegs; of words, a sign for each letter."""
    if isinstance(guess, str):
        spare = collections.Counter(c for g, c in zip(guess, code) if g != c)
        signs = ""
        for g, c in zip(guess, code):
            signs += "+" if g == c else "o" if spare[g] > 0 else "-"
            spare[g] -= signs[-1] == "o"
        return signs
    black = sum(a == b for a, b in zip(guess, code))
    return black, (collections.Counter(guess) & collections.Counter(code)).total() - black


class Codes:
    """Mastermind: the fewest guesses in all, over the codes that are left."""

    COLOURS = ["red", "green", "blue", "yellow", "orange", "purple"]

    def __init__(self, episode):
        s = episode.start
        self.episode, self.code = episode, tuple(s["code"])
        self.codes = tuple(itertools.product(range(s["colours"]), repeat=s["places"]))
        self.begin()

    def begin(self):
        self.search = search(self.codes)
        self.left, self.past, self.lost = tuple(range(len(self.codes))), [], 0.0

    def words(self, code):
        return " ".join(self.COLOURS[c] for c in code)

    def legal(self):
        return [self.words(code) for code in self.codes]

    def read(self, text):
        return next((code for code in self.codes if self.words(code) == text), None)

    def best(self):
        return [self.words(self.codes[n]) for n in self.search.best(self.left)]

    def play(self, guess, why):
        number = self.search.number[guess]
        self.lost += (self.search.with_guess(number, self.left) - self.search.fewest(self.left)) / len(self.left)
        answer = marks(guess, self.code)
        self.past.append((guess, answer))
        self.episode.same("the marks", why.startswith(self.heading(guess) + self.told(guess, answer)), True)
        self.left = tuple(n for n in self.left if marks(guess, self.codes[n]) == answer)

    def heading(self, guess):
        return f"You guess {self.words(guess)}"

    def told(self, guess, answer):
        return ". That is the code." if guess == self.code else ": {} black, {} white.".format(*answer)

    def worth(self):
        return 1.0 if self.past and self.past[-1][0] == self.code else None

    def value(self):
        return max(0.0, 1 - self.lost / (self.search.fewest(tuple(range(len(self.codes)))) / len(self.codes)))

    def show(self):
        if not self.past:
            return f"The code has {len(self.code)} pegs. There are no guesses yet."
        guess, (black, white) = self.past[-1]
        return f"\n{self.words(guess).ljust(max(5, *(len(self.words(g)) for g, _ in self.past)))}  {black:5}  {white:5}\n```"


class Words(Codes):
    """Wordle with a list: the same search."""

    def __init__(self, episode):
        s = episode.start
        self.episode, self.code, self.codes = episode, s["list"][s["hidden"]], tuple(s["list"])
        self.begin()

    def words(self, code):
        return code

    def told(self, guess, answer):
        return "That is the word." if guess == self.code else f"The marks are {' '.join(answer)}."

    def heading(self, guess):
        return f"You guess {guess}. "

    def show(self):
        if not self.past:
            return "There are no guesses yet."
        lines = [" ".join(text) for guess, answer in self.past for text in (guess, answer)]
        gone = {g for guess, _ in self.past for g in guess if g not in self.code}
        return "\n".join(["Your guesses:", "```", *lines, "```", "Letters that may occur: " + " ".join(c for c in "abcdefghijklmnopqrstuvwxyz" if c not in gone)])


class Search:
    """The fewest guesses that find codes, by their numbers: all guesses are tried, the promising ones first. It keeps what it found."""

    MOST = 1_000_000  # kept
    FEW = 12  # codes, of which no symmetries are looked for

    def __init__(self, codes):
        self.codes, self.number = codes, {code: n for n, code in enumerate(codes)}
        names = {mark: n for n, mark in enumerate(sorted({marks(guess, code) for guess in codes for code in codes if guess != code}))}
        self.marks = len(names)
        self.table = numpy.array([[names.get(marks(guess, code), self.marks) for code in codes] for guess in codes])
        self.rows = self.table.tolist()
        self.least = numpy.array([self.bound(n) for n in range(len(codes) + 1)])
        self.renamed = None if isinstance(codes[0], str) else self.renamings()
        self.found, self.alias = {}, {}

    def bound(self, n):
        """The fewest guesses that n codes may need together: one code is found at once, then one by each mark, and so on."""
        total, guesses, room = 0, 1, 1
        while n > 0:
            total += guesses * min(n, room)
            n, guesses, room = n - room, guesses + 1, room * self.marks
        return total

    def renamings(self):
        """Where each exchange of colours and places takes the codes."""
        places, colours = range(len(self.codes[0])), range(max(map(max, self.codes)) + 1)
        return numpy.array([[self.number[tuple(names[code[i]] for i in order)] for code in self.codes]
                            for names in itertools.permutations(colours) for order in itertools.permutations(places)])

    def view(self, left):
        """The least set of codes that a renaming makes of one, and the guesses of which no renaming that keeps the set makes a smaller one."""
        if self.renamed is None or len(left) < self.FEW:
            return left, range(len(self.codes))
        if left not in self.alias:
            sets = numpy.zeros(self.renamed.shape, bool)
            numpy.put_along_axis(sets, self.renamed[:, left], True, axis=1)
            packed = numpy.packbits(sets, axis=1)
            names = list(map(bytes, packed))
            mine = numpy.zeros(len(self.codes), bool)
            mine[list(left)] = True
            same = (packed == numpy.packbits(mine)).all(axis=1)
            self.alias[left] = min(names), self.renamed[same].min(axis=0).tolist()
        name, first = self.alias[left]
        return name, [g for g in range(len(self.codes)) if first[g] == g]

    def parts(self, guess, left):
        """What may be left after a guess, where it is not right; the largest first."""
        row, parts = self.rows[guess], collections.defaultdict(list)
        for code in left:
            if code != guess:
                parts[row[code]].append(code)
        return sorted(map(tuple, parts.values()), key=len, reverse=True)

    def bounds(self, left):
        """For each guess the fewest guesses that may be needed, or FAR if it tells nothing."""
        n = len(self.codes)
        places = self.table[:, left] + (self.marks + 1) * numpy.arange(n)[:, None]
        sizes = numpy.bincount(places.ravel(), minlength=n * (self.marks + 1)).reshape(n, -1)[:, :-1]
        return numpy.where(sizes.max(axis=1) < len(left), len(left) + self.least[sizes].sum(axis=1), FAR)

    def fewest(self, left, limit=FAR):
        """The fewest guesses that find each code once, added; or a number from the limit on, if there are so many."""
        if len(left) <= 2:
            return 2 * len(left) - 1
        name, guesses = self.view(left)
        total, sure = self.found.get(name, (0, False))
        if sure or total >= limit:
            return total
        if len(self.found) > self.MOST:
            self.found.clear()
            self.alias.clear()
        bounds, best, tried = self.bounds(left), limit, set()
        for guess in sorted(guesses, key=bounds.__getitem__):
            if bounds[guess] >= best:
                break
            parts = self.parts(guess, left)
            if frozenset(parts) not in tried:
                tried.add(frozenset(parts))
                best = min(best, self.added(parts, int(bounds[guess]), best))
        self.found[name] = best, best < limit
        return best

    def added(self, parts, total, limit):
        """A bound with what the parts need instead."""
        for part in parts:
            if len(part) <= 2 or total >= limit:
                break
            rest = total - int(self.least[len(part)])
            total = rest + self.fewest(part, limit - rest)
        return total

    def with_guess(self, guess, left, limit=FAR):
        parts = self.parts(guess, left)
        return self.added(parts, len(left) + sum(int(self.least[len(part)]) for part in parts), limit)

    def best(self, left):
        """The guesses that need the fewest."""
        least, bounds = self.fewest(left), self.bounds(left)
        good = {g for g in self.view(left)[1] if bounds[g] <= least and self.with_guess(g, left, least + 1) == least}
        if self.renamed is None or len(left) < self.FEW:
            return good
        return [g for g, first in enumerate(self.alias[left][1]) if first in good]


@functools.lru_cache(maxsize=200)
def search(codes):
    return Search(codes)
