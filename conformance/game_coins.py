"""coin_weighing, told a second time for conformance/games.py: the weighings that the worst case needs, by a search over
how many coins may be heavy or light, only heavy, only light, or are good."""
import functools
import itertools
import re

OUTCOMES = ["they balance", "the left pan is heavier", "the right pan is heavier"]


def outcome(verdict, left, right):
    coin, heavy = verdict
    if coin in left or coin in right:
        return 1 if (coin in left) == heavy else 2
    return 0


@functools.cache
def need(odd, heavy, light, good, none):
    """The weighings of the best play in the worst case."""
    n = 0
    while not enough(odd, heavy, light, good, none, n):
        n += 1
    return n


@functools.cache
def enough(odd, heavy, light, good, none, n):
    cases = 2 * odd + heavy + light + none
    if cases <= 1:
        return True
    if n == 0 or cases > 3 ** n:
        return False
    every = odd + heavy + light + good
    for a, b, c in itertools.product(range(odd + 1), range(heavy + 1), range(light + 1)):
        for d, e, f in itertools.product(range(odd - a + 1), range(heavy - b + 1), range(light - c + 1)):
            left, right = a + b + c, d + e + f
            if not max(left, right) or abs(left - right) > good or left > right:
                continue
            parts = [(odd - a - d, heavy - b - e, light - c - f, none), (0, a + b, d + f, False), (0, d + e, a + c, False)]
            if any(2 * o + h + l + z > 3 ** (n - 1) for o, h, l, z in parts):
                continue
            if all(enough(o, h, l, every - o - h - l, z, n - 1) for o, h, l, z in parts):
                return True
    return False


class Coins:
    """What this knows of an episode."""

    def __init__(self, episode):
        s = episode.start
        self.episode, self.coins, self.every, self.heavy = episode, s["coins"], s["coins"] + s["good"], s["heavy"]
        self.adversary, self.truth = s["adversary"], (s["truth"]["coin"], s["truth"]["heavy"])
        self.verdicts = [(coin, kind) for coin in range(1, self.coins + 1) for kind in ([True] if self.heavy else [True, False])]
        if s["none"]:
            self.verdicts.append((0, False))
        self.left, self.wasted, self.past, self.right = list(self.verdicts), 0, [], None

    @staticmethod
    def name(verdict):
        coin, heavy = verdict
        return f"{coin} {'heavy' if heavy else 'light'}" if coin else "none"

    def need(self, left):
        kinds = [((coin, True) in left, (coin, False) in left) for coin in range(1, self.every + 1)]
        return need(kinds.count((True, True)), kinds.count((True, False)), kinds.count((False, True)), kinds.count((False, False)), (0, False) in left)

    def after(self, pans):
        return [[v for v in self.left if outcome(v, *pans) == o] for o in range(3)]

    def waste(self, pans):
        return 1 + max(self.need(part) for part in self.after(pans)) - self.need(self.left)

    def legal(self):
        return None  # they are too many, and some are listed

    def read(self, text):
        verdict = next((v for v in self.verdicts if self.name(v) == text), None)
        if verdict:
            return verdict
        found = re.fullmatch(r"weigh ([\d,]+) \| ([\d,]+)", text)
        if not found:
            return None
        pans = [[int(c) for c in pan.split(",")] for pan in found.groups()]
        named = pans[0] + pans[1]
        good = len(pans[0]) == len(pans[1]) and len(set(named)) == len(named) and all(1 <= c <= self.every for c in named)
        return [sorted(pan) for pan in pans] if good else None

    def best(self):
        return []

    def plan(self, text):
        """Whether a move gives nothing away."""
        move = self.read(text)
        return self.left == [move] if isinstance(move, tuple) else self.waste(move) == 0

    def play(self, move, why):
        if isinstance(move, tuple):
            self.right = self.left == [move]
            told = "That is right." if self.right else "That is right, but you could not know it." if "could not" in why else "The truth is: "
            if not self.right and not self.adversary and self.truth in self.left:
                self.episode.same("the answer is the truth", "could not" in why, move == self.truth)
            self.episode.same("the text", why.startswith(f"You answer {self.name(move)}. {told}"), True)
            return
        self.wasted += self.waste(move)
        parts = self.after(move)
        found = re.match(r"You weigh ([\d,]+ \| [\d,]+), and ([a-z ]+)\.", why)
        shown = OUTCOMES.index(found[2])
        if self.adversary:
            hard = {o: 2 * self.need(part) + (o == outcome(self.truth, *move)) for o, part in enumerate(parts) if part}
            self.episode.same("the outcome leaves most to do", hard.get(shown), max(hard.values()))
        else:
            self.episode.same("the outcome", shown, outcome(self.truth, *move))
        pans = " | ".join(",".join(map(str, pan)) for pan in move)
        self.episode.same("the pans", found[1], pans)
        self.left = parts[shown]
        self.past.append(f"{len(self.past) + 1}. {pans}: {OUTCOMES[shown]}")

    def worth(self):
        return None if self.right is None else 1.0

    def value(self):
        return 0.0 if self.right is False else max(0.0, 1 - self.wasted / 4)

    def show(self):
        return "Weighings:\n" + "\n".join(self.past) if self.past else f"There are {self.every} coins. Nothing has been weighed yet."
