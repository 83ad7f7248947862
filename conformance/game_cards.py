"""Kuhn's poker and Leduc hold'em, told a second time for conformance/games.py.

A hand is the moves so far, in rounds: (("check", "bet"),) is one round, and (("check", "check"), ()) the beginning of
the second. The rules are held to open_spiel by hands(), for three cards of Kuhn's poker and for Leduc hold'em.
"""
import functools
import json
import re

import game_equilibrium

SIGN = {"check": "checks", "bet": "bets", "fold": "folds", "call": "calls", "raise": "raises"}


class Rules:
    def __init__(self, cards):
        self.leduc = cards == 0
        self.ranks, self.suits = (3, 2) if self.leduc else (cards, 1)
        self.sizes, self.most = ((2, 4), 2) if self.leduc else ((1,), 1)
        self.names = "JQK" if self.leduc else [str(n + 1) for n in range(cards)]

    def mover(self, hand):
        """0 or 1; "public", if the public card is next; None, if the hand is over."""
        last = hand[-1]
        if last and (last[-1] == "fold" or last[-1] == "call" or last[-2:] == ("check", "check")):
            return None if last[-1] == "fold" or len(hand) == len(self.sizes) else "public"
        return len(last) % 2

    def moves(self, hand):
        bets = sum(m in ("bet", "raise") for m in hand[-1])
        if bets == 0:
            return ["check", "bet"]
        return ["fold", "call", "raise"] if bets < self.most else ["fold", "call"]

    def after(self, hand, move):
        return (*hand[:-1], (*hand[-1], move))

    def paid(self, hand):
        """The chips of both players."""
        paid = [1, 1]
        for size, moves in zip(self.sizes, hand):
            for i, move in enumerate(moves):
                if move in ("bet", "raise", "call"):
                    paid[i % 2] = max(paid) + (0 if move == "call" else size)
        return paid

    def won(self, hand, cards, public):
        """What the first player wins."""
        paid, last = self.paid(hand), hand[-1]
        if last[-1] == "fold":
            return paid[1] if len(last) % 2 == 0 else -paid[0]
        strength = [self.ranks * (c == public) + c for c in cards]
        return paid[0] * ((strength[0] > strength[1]) - (strength[0] < strength[1]))

    def left(self, rank, *gone):
        return self.suits - gone.count(rank)


class Opponent:
    """The value of each move against a strategy that is told."""

    def __init__(self, rules, name, table):
        self.rules, self.name, self.table = rules, name, table
        self.parts = [self.whole(seat) for seat in (0, 1)]

    def odds(self, hand, card, public):
        """The chances of its moves."""
        moves = self.rules.moves(hand)
        if self.name == "equilibrium":
            return self.table[hand, card, public]
        if self.name == "random":
            return [1 / len(moves)] * len(moves)
        fixed = {"calls": {"bet": 0, "call": 100, "raise": 0}, "bets": {"bet": 100, "call": 0, "raise": 100}}
        row = fixed.get(self.name) or self.table[-1 if card == public else card]
        bet, call, rise = row["bet"] / 100, row["call"] / 100, row["raise"] / 100
        fold = (100 - row["call"] - row["raise"]) / 100
        return [1 - bet, bet] if moves[0] == "check" else [fold, 1 - fold] if len(moves) == 2 else [fold, call, rise]

    def weights(self, own):
        return {o: self.rules.left(o, own) for o in range(self.rules.ranks) if self.rules.left(o, own) > 0}

    def look(self, seat, hand, own, public, weights, blind=False):
        """What the policy wins, weighted by the cards that the opponent may hold."""
        rules, mover = self.rules, self.rules.mover(hand)
        if mover is None:
            sign = 1 if seat == 0 else -1
            return sum(w * sign * rules.won(hand, (own, o) if seat == 0 else (o, own), public) for o, w in weights.items())
        if mover == "public":
            cards = rules.ranks * rules.suits - 2
            return sum(self.look(seat, (*hand, ()), own, p, {o: w * rules.left(p, own, o) / cards for o, w in weights.items() if rules.left(p, own, o) > 0}, blind)
                       for p in range(rules.ranks))
        moves = rules.moves(hand)
        if mover == seat:
            each = [self.look(seat, rules.after(hand, m), own, public, weights, blind) for m in moves]
            return sum(each) / len(each) if blind else max(each)
        total = 0.0
        for i, m in enumerate(moves):
            reached = {o: w * self.odds(hand, o, public)[i] for o, w in weights.items()}
            total += self.look(seat, rules.after(hand, m), own, public, {o: w for o, w in reached.items() if w > 0}, blind)
        return total

    def whole(self, seat):
        """What uniform play gives away in a hand."""
        every = self.rules.ranks * self.rules.suits
        pairs = every * (every - 1)
        return sum(self.rules.suits * (self.look(seat, ((),), own, None, self.weights(own)) - self.look(seat, ((),), own, None, self.weights(own), True))
                   for own in range(self.rules.ranks)) / pairs

    @functools.cache
    def worth(self, seat, hand, own, public, weights):
        """What each move wins on average."""
        total = sum(w for _, w in weights)
        return {m: self.look(seat, self.rules.after(hand, m), own, public, dict(weights)) / total for m in self.rules.moves(hand)}


def states(game, rules):
    """Each decision of a game of open_spiel, with its hand, card and public card."""

    def walk(state, hand, cards, public):
        if state.is_terminal():
            return
        if not state.is_chance_node():
            yield state, hand, cards[state.current_player()], public
        for a in state.legal_actions():
            if not state.is_chance_node():
                yield from walk(state.child(a), rules.after(hand, word(rules, hand, state.action_to_string(a))), cards, public)
            elif len(cards) < 2:
                yield from walk(state.child(a), hand, (*cards, a), None)
            else:
                yield from walk(state.child(a), (*hand, ()), cards, a)

    return walk(game.new_initial_state(), ((),), (), None)


def kuhn_equilibrium(count):
    """The chances of the moves of an equilibrium, by hand, card and public card."""
    rules, found = Rules(3), {}
    game, table = game_equilibrium.strategy("kuhn_poker")
    for state, hand, card, public in states(game, rules):
        found[hand, card, public] = list(table[state.information_state_string()].values())  # pass and bet
    count.same("the best responses win little", game_equilibrium.rest(game, table) <= game_equilibrium.REST, True)
    return found


def leduc_equilibrium(count, told):
    """The same of the strategy that is told."""
    import pyspiel

    rules, found, table = Rules(0), {}, {}
    for spot in told:
        hand = tuple(tuple(part.split()) for part in (spot["moves"] + " ").split("/"))
        found[hand, spot["card"] - 1, spot["public"] - 1 if spot["public"] else None] = spot["odds"]
    game = pyspiel.load_game("leduc_poker(suit_isomorphism=True)")
    for state, hand, card, public in states(game, rules):
        moves = rules.moves(hand)
        odds = found[hand, card, public]
        table[state.information_state_string()] = {a: odds[moves.index(word(rules, hand, state.action_to_string(a)))] for a in state.legal_actions()}
    count.same("the spots of Leduc hold'em", len(found), len(table))
    count.same("the best responses win little", game_equilibrium.rest(game, table) <= game_equilibrium.REST, True)
    return found


def word(rules, hand, text):
    """The name of an action of open_spiel."""
    bet = "raise" if "raise" in rules.moves(hand) or rules.moves(hand)[0] == "fold" else "bet"
    passed = "check" if rules.moves(hand)[0] == "check" else "call"
    return {"Pass": "check" if passed == "check" else "fold", "Bet": bet if passed == "check" else "call", "Fold": "fold", "Call": passed, "Raise": bet}[text]


class Poker:
    """What these rules know of an episode. told is the strategy of the equilibrium of Leduc hold'em."""

    opponents = {}

    def __init__(self, episode, told):
        s = episode.start
        self.episode, self.rules, self.deals = episode, Rules(s["cards"]), s["deals"]
        key = json.dumps([s["cards"], s["opponent"], s.get("table")])
        if key not in self.opponents:
            if len(self.opponents) > 500:
                self.opponents.clear()
            table = s.get("table")
            if s["opponent"] == "equilibrium":
                table = leduc_equilibrium(episode.count, told()) if self.rules.leduc else kuhn_equilibrium(episode.count)
            self.opponents[key] = Opponent(self.rules, s["opponent"], table)
        self.opponent = self.opponents[key]
        self.near = game_equilibrium.NEAR if s["opponent"] == "equilibrium" else 1e-9
        self.number, self.lost = 0, 0.0
        self.par = sum(self.opponent.parts[i % 2] for i in range(len(self.deals)))
        self.begin()

    def begin(self):
        self.hand, self.seat, self.public = ((),), self.number % 2, None
        if self.number < len(self.deals):
            self.cards = self.deals[self.number][:2]
            self.own = self.cards[self.seat]
            self.weights = self.opponent.weights(self.own)

    def legal(self):
        return self.rules.moves(self.hand)

    def read(self, text):
        return text if text in self.legal() else None

    def worths(self):
        return self.opponent.worth(self.seat, self.hand, self.own, self.public, tuple(sorted(self.weights.items())))

    def best(self):
        worth = self.worths()
        return [m for m, w in worth.items() if w >= max(worth.values()) - self.near]

    def play(self, move, why):
        loss = max(self.worths().values()) - self.worths()[move]
        self.lost += loss if loss > self.near else 0
        told = [f"You {move}."]
        self.hand = self.rules.after(self.hand, move)
        answers = re.findall(r"Your opponent (checks|bets|folds|calls|raises)\.", why)
        while self.number < len(self.deals) and self.rules.mover(self.hand) != self.seat:
            told += self.go_on(answers)
        self.episode.same("the opponent's moves left over", answers, [])
        self.episode.same("the text", why.startswith(" ".join(told)), True)

    def go_on(self, answers):
        """What happens next, in words."""
        mover = self.rules.mover(self.hand)
        if mover is None:
            won = self.rules.won(self.hand, self.cards, self.public) * (1 if self.seat == 0 else -1)
            told = [f"Your opponent shows {self.rules.names[self.cards[1 - self.seat]]}."] if self.hand[-1][-1] != "fold" else []
            if won:
                told.append(f"You {'gain' if won > 0 else 'lose'} {abs(won)} chip{'s' * (abs(won) > 1)}.")
            else:
                told.append("You share the pot.")
            self.number += 1
            self.begin()
            return told + ["The next hand begins."] * (self.number < len(self.deals))
        if mover == "public":
            self.public = self.deals[self.number][2]
            self.hand = (*self.hand, ())
            cards = self.rules.ranks * self.rules.suits - 2
            self.weights = {o: w * self.rules.left(self.public, self.own, o) / cards for o, w in self.weights.items() if self.rules.left(self.public, self.own, o) > 0}
            return [f"The public card is {self.rules.names[self.public]}."]
        said = answers.pop(0) if answers else ""
        names = self.rules.moves(self.hand)
        move = next((m for m in names if SIGN[m] == said), None)
        self.episode.same("the opponent's move is legal", move is not None, True)
        held = self.cards[1 - self.seat]
        self.episode.same("the opponent's strategy makes the move", self.opponent.odds(self.hand, held, self.public)[names.index(move)] > 0, True)
        self.weights = {o: w * self.opponent.odds(self.hand, o, self.public)[names.index(move)] for o, w in self.weights.items()}
        self.weights = {o: w for o, w in self.weights.items() if w > 0}
        self.hand = self.rules.after(self.hand, move)
        return [f"Your opponent {said}."]

    def worth(self):
        return None if self.number < len(self.deals) else 1.0

    def value(self):
        return max(0.0, 1 - self.lost / self.par) if self.lost else 1.0

    def show(self):
        first = "first" if self.seat == 0 else "second"
        return f"Hand {self.number + 1} of {len(self.deals)}. You act {first}. Your card is {self.rules.names[self.own]}. " + (
            f"The public card is {self.rules.names[self.public]}. " if self.public is not None else "") + f"There are {sum(self.rules.paid(self.hand))} chips in the pot."


def hands(count, pyspiel):
    """Holds the rules to open_spiel, over all hands."""

    def walk(rules, state, hand, cards, public):
        mover = rules.mover(hand)
        count.same("the end", mover is None, state.is_terminal(), state)
        if state.is_terminal():
            count.same("the chips", float(rules.won(hand, cards, public)), state.returns()[0], state)
            return 1
        if mover == "public":
            return sum(walk(rules, state.child(a), (*hand, ()), cards, a // rules.suits) for a in state.legal_actions())
        count.same("the player", mover, state.current_player(), state)
        theirs = {word(rules, hand, state.action_to_string(a)): a for a in state.legal_actions()}
        ours = rules.moves(hand)
        count.same("the legal moves", sorted(ours), sorted(theirs), state)
        return 1 + sum(walk(rules, state.child(theirs[m]), rules.after(hand, m), cards, public) for m in ours)

    for name, cards in (("kuhn_poker", 3), ("leduc_poker", 0)):
        rules, total = Rules(cards), 0
        root = pyspiel.load_game(name).new_initial_state()
        for a in root.legal_actions():
            state = root.child(a)
            for b in state.legal_actions():
                total += walk(rules, state.child(b), ((),), (a // rules.suits, b // rules.suits), None)
        print(f"open_spiel {name}: {total:,} positions of hands", flush=True)
