"""guess_number with lies, told a second time for conformance/games.py: Ulam's game. A state counts the numbers by the
answers that speak against them; the worst case is searched, and bounded by Berlekamp's weights."""
import functools
import itertools
import math
import re


@functools.cache
def weight(state, n):
    """The ways in which n answers may come out with the lies that are left; 2**n are enough for no more of them."""
    return sum(count * sum(math.comb(n, lies) for lies in range(len(state) - i)) for i, count in enumerate(state))


def answered(state, asked):
    """The states after a yes and after a no, if so many numbers of each kind are asked for."""
    rest = tuple(a - b for a, b in zip(state, asked))
    after = lambda true, false: tuple(a + b for a, b in zip(true, (0, *false)))
    return after(asked, rest), after(rest, asked)


@functools.cache
def enough(state, n):
    if sum(state) <= 1:
        return True
    if n == 0 or weight(state, n) > 2**n:
        return False
    middle_first = [sorted(range(count + 1), key=lambda part, count=count: abs(2 * part - count)) for count in state]
    for asked in itertools.product(*middle_first):
        both = answered(state, asked)
        if all(weight(then, n - 1) <= 2 ** (n - 1) for then in both) and all(enough(then, n - 1) for then in both):
            return True
    return False


@functools.cache
def need(state):
    """The questions of the best play in the worst case."""
    return next(n for n in itertools.count() if enough(state, n))


def spelled(numbers):
    text = []
    for _, run in itertools.groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0]):
        run = [n for _, n in run]
        text.append(str(run[0]) + (f"-{run[-1]}" if len(run) > 1 else ""))
    return ",".join(text)


class Lies:
    """What this knows of an episode."""

    def __init__(self, episode):
        s = episode.start
        self.episode, self.most, self.lies, self.hidden = episode, s["numbers"], s["lies"], s["hidden"]
        self.against = dict.fromkeys(range(1, self.most + 1), 0)
        self.first, self.told, self.wasted, self.past, self.right = self.state(self.against), 0, 0, [], None

    def state(self, among):
        kinds = [self.against[n] for n in among]
        return tuple(kinds.count(i) for i in range(self.lies + 1))

    def possible(self):
        return [n for n, lies in self.against.items() if lies <= self.lies]

    def waste(self, asked):
        now = self.state(self.against)
        return 1 + max(map(need, answered(now, self.state(asked)))) - need(now)

    def legal(self):
        return None  # they are too many, and some are listed

    def read(self, text):
        """The number of an answer, or the numbers of a question."""
        if found := re.fullmatch(r"answer (\d+)", text):
            return int(found[1]) if 1 <= int(found[1]) <= self.most else None
        if not re.fullmatch(r"ask \d+(-\d+)?(, ?\d+(-\d+)?)*", text):
            return None
        ranges = [list(map(int, part.split("-"))) for part in text.removeprefix("ask ").split(",")]
        if any(not 1 <= r[0] <= r[-1] <= self.most for r in ranges):
            return None
        return {n for r in ranges for n in range(r[0], r[-1] + 1)}

    def best(self):
        return []

    def plan(self, text):
        """Whether a move gives nothing away."""
        move = self.read(text)
        return self.possible() == [move] if isinstance(move, int) else self.waste(move) == 0

    def play(self, move, why):
        if isinstance(move, int):
            known = self.possible() == [move]
            self.right = known and move == self.hidden
            told = f"The number is {self.hidden}." if move != self.hidden else "That is the number" + ("." if known else ", but you could not know it.")
            self.episode.same("the text", why.startswith(f"You answer {move}. {told}"), True)
            return
        self.wasted += self.waste(move)
        yes = "The answer is yes." in why
        self.told += yes != (self.hidden in move)
        self.episode.same("there are not more lies", self.told <= self.lies, True)
        answer = "yes" if yes else "no"
        self.episode.same("the text", why.startswith(f"You ask whether the number is one of {spelled(move)}. The answer is {answer}."), True)
        for n in self.against:
            self.against[n] += yes != (n in move)
        self.past.append(f"{len(self.past) + 1}. ask {spelled(move)}: {answer}")

    def worth(self):
        return None if self.right is None else float(self.right)

    def value(self):
        return 0.0 if self.right is False else max(0.0, 1 - self.wasted / need(self.first))

    def show(self):
        if not self.past:
            return f"The number is one of 1 to {self.most}. There are no questions yet."
        title = "Questions and answers" if len(self.past) <= 10 else "The last 10 questions and answers"
        return f"{title}:\n" + "\n".join(self.past[-10:])
