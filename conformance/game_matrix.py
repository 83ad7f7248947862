"""matrix_duel, told a second time for conformance/games.py: Bayes' rule over the members of the family, looked ahead to
the end; and the values of matrices by their square kernels, in fractions, which are those of nashpy's linear program."""
import fractions
import functools
import itertools
import math
import re

LETTERS = "ABCDE"


def solve(matrix):
    """The solution of linear equations, or None."""
    rows = [[fractions.Fraction(v) for v in row] for row in matrix]
    for i in range(len(rows)):
        pivot = next((r for r in range(i, len(rows)) if rows[r][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(len(rows)):
            if r != i and rows[r][i]:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
    return [row[-1] for row in rows]


@functools.cache
def value(pay):
    """What a matrix is worth: one of its square parts has mixes that make all moves of the other player equal, and are best."""
    n = len(pay)
    for k in range(1, n + 1):
        for rows, columns in itertools.product(itertools.combinations(range(n), k), repeat=2):
            ours = solve([[pay[r][c] for r in rows] + [-1, 0] for c in columns] + [[1] * k + [0, 1]])
            theirs = solve([[pay[r][c] for c in columns] + [-1, 0] for r in rows] + [[1] * k + [0, 1]])
            if not ours or not theirs or min(ours[:k]) < 0 or min(theirs[:k]) < 0:
                continue
            worst = min(sum(p * pay[r][c] for p, r in zip(ours, rows)) for c in range(n))
            most = max(sum(q * pay[r][c] for q, c in zip(theirs, columns)) for r in range(n))
            if worst == most:
                return worst
    raise ValueError("the matrix has no value")


@functools.cache
def by_nashpy(pay):
    """What a matrix is worth."""
    import nashpy
    import numpy
    ours, theirs = nashpy.Game(numpy.array(pay)).linear_program()
    return float(ours @ numpy.array(pay) @ theirs)


def worst(mix, pay):
    """What a mix wins against the best answer."""
    return min(sum(w * row[c] for w, row in zip(mix, pay)) for c in range(len(pay))) / fractions.Fraction(sum(mix))


def fourths(n):
    return [mix for mix in itertools.product(range(5), repeat=n) if sum(mix) == 4]


class Family:
    """A match against one of several members, looked ahead."""

    def __init__(self, pay, members, rounds):
        self.pay, self.members, self.rounds, self.known = pay, members, rounds, {}

    def chance(self, m, number, last, move):
        n, kind = len(self.pay), m["kind"]
        if kind == "mix":
            return m["percent"][move] / 100
        sure = m["move"]
        if kind == "cycles":
            sure = (sure + number) % n
        elif number and kind == "copies":
            sure = last
        elif number and kind == "follows":
            sure = (last + 1) % n
        elif number and kind == "answers":
            sure = self.pay[last].index(min(self.pay[last]))
        return float(move == sure)

    def look(self, number, last, weights):
        """By the policy's move, what it wins to the end; and what the best and uniform play win. Weights are the chances of the members."""
        if number == self.rounds:
            return [], 0.0, 0.0
        key = (number, last, tuple(round(w, 12) for w in weights))
        if key not in self.known:
            n = len(self.pay)
            of, blind = [0.0] * n, 0.0
            for theirs in range(n):
                reached = [w * self.chance(m, number, last, theirs) if w else 0.0 for w, m in zip(weights, self.members)]
                p = sum(reached)
                if p:
                    after = [w / p for w in reached]
                    for mine in range(n):
                        _, best, then = self.look(number + 1, mine, after)
                        of[mine] += p * (self.pay[mine][theirs] + best)
                        blind += p * (self.pay[mine][theirs] + then) / n
            self.known[key] = of, max(of), blind
        return self.known[key]


class Matrices:
    """What this knows of an episode."""

    def __init__(self, episode):
        s = episode.start
        self.episode, self.rounds, self.members = episode, s["rounds"], s.get("members") or []
        self.pays = [tuple(map(tuple, pay)) for pay in s["pay"]]
        self.actual, self.number, self.lost, self.past = s.get("actual", 0), 0, 0.0, []
        if self.members:
            self.family = Family(self.pays[0], self.members, self.rounds)
            self.last, self.weights = 0, [1 / len(self.members)] * len(self.members)
            _, best, blind = self.family.look(0, 0, self.weights)
            self.par = best - blind
        else:
            for pay in self.pays:
                episode.same("the value of a matrix", float(value(pay)), by_nashpy(pay))
            self.par = sum(float(sum(value(pay) - worst(mix, pay) for mix in fourths(len(pay))) / len(fourths(len(pay)))) for pay in self.pays)

    def pay(self):
        return self.pays[0 if self.members else self.number]

    def spelled(self, mix):
        share = math.gcd(*mix)
        return ", ".join(f"{letter} {w // share}" for letter, w in zip(LETTERS, mix) if w)

    def legal(self):
        n = len(self.pay())
        return list(LETTERS[:n]) if self.members else [self.spelled(mix) for mix in fourths(n)]

    def read(self, text):
        n = len(self.pay())
        if self.members:
            return LETTERS.index(text.upper()) if len(text) == 1 and text.upper() in LETTERS[:n] else None
        mix = [0] * n
        for part in text.split(","):
            found = re.fullmatch(r" ?([A-E]) (\d+)", part)
            if not found or LETTERS.index(found[1]) >= n:
                return None
            mix[LETTERS.index(found[1])] = int(found[2])
        return mix

    def best(self):
        if self.members:
            of, most, _ = self.family.look(self.number, self.last, self.weights)
            return [LETTERS[i] for i, w in enumerate(of) if w >= most - 1e-9]
        return [self.spelled(mix) for mix in fourths(len(self.pay())) if worst(mix, self.pay()) == value(self.pay())]

    def plan(self, text):
        return worst(self.read(text), self.pay()) == value(self.pay())

    def play(self, move, why):
        pay = self.pay()
        if self.members:
            of, most, _ = self.family.look(self.number, self.last, self.weights)
            self.lost += most - of[move] if most - of[move] > 1e-9 else 0
            found = re.match(r"You play (.), and your opponent plays (.):", why)
            theirs = LETTERS.index(found[2])
            self.episode.same("the member makes the move", self.family.chance(self.members[self.actual], self.number, self.last, theirs) > 0, True)
            won = pay[move][theirs]
            result = f"you {'win' if won > 0 else 'lose'} {abs(won)}." if won else "nobody wins."
            self.episode.same("the text", why.startswith(f"You play {LETTERS[move]}, and your opponent plays {LETTERS[theirs]}: {result}"), True)
            reached = [w * self.family.chance(m, self.number, self.last, theirs) for w, m in zip(self.weights, self.members)]
            self.weights = [w / sum(reached) for w in reached]
            self.last = move
            self.past.append(LETTERS[move] + " " + LETTERS[theirs])
        else:
            self.lost += float(value(pay) - worst(move, pay))
            self.episode.same("the text", f"you gain {float(worst(move, pay)):.3f} on average" in why, True)
        self.number += 1

    def worth(self):
        return None if self.number < self.rounds else 1.0

    def value(self):
        return max(0.0, 1 - self.lost / self.par) if self.lost else 1.0

    def show(self):
        pay = self.pay()
        lines = ["   " + "  ".join(LETTERS[:len(pay)])] + [f"{LETTERS[i]} " + " ".join(f"{v:2}" for v in row) for i, row in enumerate(pay)]
        text = "\n".join(["```", *lines, "```"])
        if self.past:
            text += f"\nRounds so far, your move first: {', '.join(self.past)}."
        return text + f"\nThis is {'round' if self.members else 'matrix'} {self.number + 1} of {self.rounds}."
