"""Liar's dice, told a second time for conformance/games.py. What a move wins is worked out by Bayes' rule over the
rolls that the opponent may have, given its strategy as the prompt tells it. The rules are held to open_spiel by rounds()."""
import collections
import fractions
import functools
import itertools
import re

import game_equilibrium

FACES = ["one", "two", "three", "four", "five", "six"]


class Cups:
    def __init__(self, dice, faces, wild):
        self.dice, self.faces, self.wild = dice, faces, wild
        self.bids = [(n, face) for n in range(1, 2 * dice + 1) for face in range(1, faces + 1)]
        self.names = [f"{n} {FACES[f - 1]}" + ("" if n == 1 else "es" if f == 6 else "s") for n, f in self.bids] + ["liar"]
        self.rolls = collections.Counter(tuple(sorted(r)) for r in itertools.product(range(1, faces + 1), repeat=dice))

    def moves(self, last):
        """The numbers of the moves after a bid; -1: none. The last number is liar."""
        return [*range(last + 1, len(self.bids)), *([len(self.bids)] if last >= 0 else [])]

    def shown(self, roll, face):
        return sum(d == face or self.wild and d == self.faces for d in roll)

    def holds(self, bid, rolls):
        count, face = self.bids[bid]
        return sum(self.shown(roll, face) for roll in rolls) >= count


class Opponent:
    def __init__(self, cups, name, errs):
        self.cups, self.name, self.errs = cups, name, fractions.Fraction(errs, 100)
        self.table = equilibrium(cups) if name == "equilibrium" else None

    def odds(self, bids, roll):
        """The chances of its moves, by number."""
        return self.table[bids, roll] if self.table else self.rules(bids[-1] if bids else -1, roll)

    @functools.cache
    def rules(self, last, roll):
        moves = self.cups.moves(last)
        if self.name == "random":
            return dict.fromkeys(moves, 1 / len(moves))
        odds = dict.fromkeys(moves, self.errs / len(moves))
        odds[self.rule(last, moves, roll)] += 1 - self.errs
        return {m: float(p) for m, p in odds.items()}

    def rule(self, last, moves, roll):
        liar = len(self.cups.bids)
        if self.name == "honest":
            return next((m for m in moves if m == liar or self.cups.holds(m, [roll])), liar)
        if last >= 0:
            true = sum(n for other, n in self.cups.rolls.items() if self.cups.holds(last, [roll, other]))
            if moves == [liar] or 2 * true < sum(self.cups.rolls.values()):
                return liar
        return moves[0]

    @functools.cache
    def worths(self, seat, own):
        """What each move wins on average, by the bids so far; and what the round is worth, by the best play and by uniform play."""
        worth = {}

        def look(bids, weights):
            """What the policy wins, weighted by the rolls of the opponent: by its best play and by uniform play."""
            last = bids[-1] if bids else -1
            mine, liar = len(bids) % 2 == seat, len(self.cups.bids)
            if last == liar:
                challenged = (1 if len(bids) % 2 == seat else -1)  # the policy made the bid, or challenged it
                won = sum(w * (1 if self.cups.holds(bids[-2], [own, other]) else -1) for other, w in weights.items()) * challenged
                return won, won
            if mine:
                each = {m: look((*bids, m), weights) for m in self.cups.moves(last)}
                total = sum(weights.values())
                worth[bids] = {m: best / total for m, (best, _) in each.items()} if total else None
                return max(best for best, _ in each.values()), sum(blind for _, blind in each.values()) / len(each)
            best = blind = 0.0
            for m in self.cups.moves(last):
                reached = {other: w * self.odds(bids, other)[m] for other, w in weights.items()}
                reached = {other: w for other, w in reached.items() if w > 0}
                if reached:
                    a, b = look((*bids, m), reached)
                    best, blind = best + a, blind + b
            return best, blind

        every = sum(self.cups.rolls.values())
        best, blind = look((), {other: n / every for other, n in self.cups.rolls.items()})
        return worth, best, blind

    @functools.cache
    def gap(self, seat):
        """What uniform play gives away in a round."""
        every = sum(self.cups.rolls.values())
        return sum(n / every * (self.worths(seat, own)[1] - self.worths(seat, own)[2]) for own, n in self.cups.rolls.items())


@functools.cache
def opponent(dice, faces, wild, name, errs):
    return Opponent(Cups(dice, faces, wild), name, errs)


def equilibrium(cups):
    """The chances of the moves of an equilibrium, by the bids so far and the roll."""
    found = {}
    game, table = game_equilibrium.strategy(f"liars_dice(numdice=1,dice_sides={cups.faces})")

    def walk(state, bids, rolls):
        if state.is_terminal():
            return
        if not state.is_chance_node():
            found[bids, rolls[len(bids) % 2]] = table[state.information_state_string()]
        for a in state.legal_actions():
            walk(state.child(a), *((bids, (*rolls, (a + 1,))) if state.is_chance_node() else ((*bids, a), rolls)))

    walk(game.new_initial_state(), (), ())
    if not cups.wild or cups.dice > 1 or game_equilibrium.rest(game, table) > game_equilibrium.REST:
        raise ValueError(f"open_spiel finds no equilibrium for {vars(cups)}")
    return found


class Dice:
    """What these rules know of an episode."""

    def __init__(self, episode):
        s = episode.start
        self.episode, self.cups, self.rolls = episode, Cups(s["dice"], s["faces"], s["wild"]), [[tuple(r) for r in both] for both in s["rolls"]]
        self.near = game_equilibrium.NEAR if s["opponent"] == "equilibrium" else 1e-9
        self.opponent = opponent(s["dice"], s["faces"], s["wild"], s["opponent"], s["errs"])
        self.round, self.bids, self.lost = 0, (), 0.0
        self.par = sum(self.opponent.gap(i % 2) for i in range(len(self.rolls)))

    def seat(self):
        return self.round % 2

    def last(self):
        return self.bids[-1] if self.bids else -1

    def legal(self):
        return [self.cups.names[m] for m in self.cups.moves(self.last())]

    def read(self, text):
        return next((m for m in self.cups.moves(self.last()) if self.cups.names[m] == text), None)

    def worths(self):
        return self.opponent.worths(self.seat(), self.rolls[self.round][self.seat()])[0][self.bids]

    def best(self):
        worth = self.worths()
        return [self.cups.names[m] for m, w in worth.items() if w >= max(worth.values()) - self.near]

    def play(self, move, why):
        loss = max(self.worths().values()) - self.worths()[move]
        self.lost += loss if loss > self.near else 0
        told = [self.said("You", "", move)]
        self.bids += (move,)
        answers = re.findall(r"Your opponent (?:bids|says) ([^.]*)\.", why)
        while self.round < len(self.rolls) and (self.last() == len(self.cups.bids) or len(self.bids) % 2 != self.seat()):
            told.append(self.go_on(answers))
        self.episode.same("the opponent's moves left over", answers, [])
        self.episode.same("the text", why.startswith(" ".join(told)), True)

    def said(self, who, s, move):
        name = self.cups.names[move]
        return f"{who} say{s} liar." if name == "liar" else f"{who} bid{s} {name}."

    def go_on(self, answers):
        both, seat = self.rolls[self.round], self.seat()
        if self.last() == len(self.cups.bids):
            true = self.cups.holds(self.bids[-2], both)
            won = true == (len(self.bids) % 2 == seat)  # the bidder wins with a true bid
            roll = both[1 - seat]
            faces = f"die shows {roll[0]}" if len(roll) == 1 else f"dice show {roll[0]} and {roll[1]}"
            told = f"Your opponent's {faces}, so the bid of {self.cups.names[self.bids[-2]]} is {'true' if true else 'false'}. You {'win' if won else 'lose'} the round."
            self.round, self.bids = self.round + 1, ()
            return told + " The next round begins." * (self.round < len(self.rolls))
        move = self.cups.names.index(answers.pop(0))
        self.episode.same("the opponent's move is legal", move in self.cups.moves(self.last()), True)
        self.episode.same("the opponent's strategy makes the move", self.opponent.odds(self.bids, both[1 - seat])[move] > 0, True)
        self.bids += (move,)
        return self.said("Your opponent", "s", move)

    def worth(self):
        return None if self.round < len(self.rolls) else 1.0

    def value(self):
        return max(0.0, 1 - self.lost / self.par) if self.lost else 1.0

    def show(self):
        roll = self.rolls[self.round][self.seat()]
        faces = f"die shows {roll[0]}" if len(roll) == 1 else f"dice show {roll[0]} and {roll[1]}"
        return f"Round {self.round + 1} of {len(self.rolls)}. You bid {['first', 'second'][self.seat()]}. Your {faces}."


def rounds(count, pyspiel):
    """Holds the rules to open_spiel, where the highest face is wild, over all rounds."""

    def walk(cups, state, bids, rolls):
        over = bool(bids) and bids[-1] == len(cups.bids)
        count.same("the end", over, state.is_terminal(), state)
        if over:
            bidder = len(bids) % 2
            winner = bidder if cups.holds(bids[-2], rolls) else 1 - bidder
            count.same("the winner", [1.0, -1.0][winner], state.returns()[0], state)
            return 1
        theirs = {a: state.action_to_string(a) for a in state.legal_actions()}
        name = lambda m: "Liar" if m == len(cups.bids) else "{}-{}".format(*cups.bids[m])
        ours = {name(m): m for m in cups.moves(bids[-1] if bids else -1)}
        count.same("the legal moves", sorted(ours), sorted(theirs.values()), state)
        return 1 + sum(walk(cups, state.child(a), (*bids, ours[text]), rolls) for a, text in theirs.items())

    for faces in (3, 4):
        cups, total = Cups(1, faces, True), 0
        root = pyspiel.load_game(f"liars_dice(numdice=1,dice_sides={faces})").new_initial_state()
        for a in root.legal_actions():
            for b in root.child(a).legal_actions():
                roll = lambda state, action: (int(re.search(r"\d+", state.action_to_string(action))[0]),)
                total += walk(cups, root.child(a).child(b), (), [roll(root, a), roll(root.child(a), b)])
        print(f"open_spiel liars_dice of {faces} faces: {total:,} positions of rounds", flush=True)
