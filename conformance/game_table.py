"""blackjack_table, told a second time for conformance/games.py: what each move wins, from an endless shoe in fractions, and
from a deck whose cards are counted for all that the player may draw at once."""
import collections
import functools
import re
from fractions import Fraction

NEAR = 1e-9  # moves whose worths differ by less are as good


def face(card):
    return "A" if card == 1 else str(card)


def faces(cards):
    names = list(map(face, cards))
    return ", ".join(names[:-1]) + " and " + names[-1]


def count(cards):
    """The best total, and whether an ace counts 11."""
    total = sum(cards)
    soft = 1 in cards and total <= 11
    return (total + 10, True) if soft else (total, False)


def beaten(total, dealt):
    """1: the total beats the dealer's, -1: the dealer's beats it."""
    return (dealt > 21 or dealt < total) - (21 >= dealt > total)


def written(cards):
    total, soft = count(cards)
    return f"soft {total}" if soft else str(total)


def natural(cards):
    return sorted(cards) == [1, 10]


class Shoe:
    def __init__(self, weights, double):
        self.double = double
        self.chance = {card: Fraction(w, sum(weights)) for card, w in enumerate(weights, 1) if w}

    @functools.cache
    def dealer(self, hard, ace):
        """How likely the dealer ends at each total, above 21 as 22."""
        total = hard + 10 if ace and hard <= 11 else hard
        if total >= 17:
            return {min(total, 22): Fraction(1)}
        return self.mixed(self.chance, hard, ace)

    def mixed(self, chance, hard, ace):
        ends = collections.Counter()
        for card, p in chance.items():
            for total, q in self.dealer(hard + card, ace or card == 1).items():
                ends[total] += p * q
        return dict(ends)

    @functools.cache
    def ends(self, shown):
        """The same for an open card, if there is no natural."""
        chance = {card: p for card, p in self.chance.items() if not natural([shown, card])}
        return self.mixed({card: p / sum(chance.values()) for card, p in chance.items()}, shown, shown == 1) if chance else {}

    @functools.cache
    def stand(self, hard, ace, shown):
        total = hard + 10 if ace and hard <= 11 else hard
        if total > 21:
            return Fraction(-1)
        return sum((p * beaten(total, dealt) for dealt, p in self.ends(shown).items()), Fraction(0))

    @functools.cache
    def play(self, hard, ace, shown):
        """What hitting and standing win: by the best play, and by uniform play."""
        if hard > 21:
            return Fraction(-1), Fraction(-1)
        stand, (best, blind) = self.stand(hard, ace, shown), self.hit(hard, ace, shown)
        return max(stand, best), (stand + blind) / 2

    @functools.cache
    def hit(self, hard, ace, shown):
        each = [(p, self.play(hard + card, ace or card == 1, shown)) for card, p in self.chance.items()]
        return sum(p * best for p, (best, _) in each), sum(p * blind for p, (_, blind) in each)

    @functools.cache
    def doubled(self, hard, ace, shown):
        return 2 * sum(p * self.stand(hard + card, ace or card == 1, shown) for card, p in self.chance.items())

    def moves(self, cards, shown):
        at = (sum(cards), 1 in cards, shown)
        worth = {"hit": self.hit(*at)[0], "stand": self.stand(*at)}
        if self.double and len(cards) == 2:
            worth["double"] = self.doubled(*at)
        return worth

    @functools.cached_property
    def gap(self):
        """What uniform play gives away in a hand."""
        total = Fraction(0)
        for one, p in self.chance.items():
            for two, q in self.chance.items():
                for shown, r in self.chance.items():
                    if natural([one, two]):
                        continue
                    at = (one + two, 1 in (one, two), shown)
                    best, blind = self.play(*at)
                    if self.double:
                        best, blind = max(best, self.doubled(*at)), (2 * blind + self.doubled(*at)) / 3
                    lost = sum(c for card, c in self.chance.items() if natural([shown, card]))
                    total += p * q * r * (1 - lost) * (best - blind)
        return total


USUAL = (1,) * 9 + (4,)  # the weights of the cards in a deck


@functools.cache
def dealings(shown):
    """The steps of the dealer with an open card, as (set of cards drawn, card, how many of it are drawn, cards drawn, set or total then)."""
    steps, layer = [], [()]
    while layer:
        after = {}
        for drawn in layer:
            for card in range(1, 11):
                if not drawn and natural([shown, card]):
                    continue
                then = tuple(sorted((*drawn, card)))
                total = count([shown, *then])[0]
                steps.append((drawn, card, drawn.count(card), len(drawn), then if total < 17 else min(total, 22)))
                if total < 17:
                    after[then] = True
        layer = list(after)
    return steps


class Deck:
    """A hand from a deck of which some cards were seen: left is how many of each card are unseen, by card."""

    def __init__(self, cards, shown, left, double):
        self.shown, self.double = shown, double
        rests = {tuple(left): count(cards)[0]}
        todo = [(list(cards), tuple(left))]
        for cards, rest in todo:
            for card in range(1, 11):
                then = self.without(rest, card)
                if rest[card] and then not in rests and count([*cards, card])[0] <= 21:
                    rests[then] = count([*cards, card])[0]
                    todo.append(([*cards, card], then))
        self.stands = dict(zip(rests, self.stand(list(rests), list(rests.values()))))
        self.next, self.play = functools.cache(self.next), functools.cache(self.play)

    @staticmethod
    def without(rest, card):
        return (*rest[:card], rest[card] - 1, *rest[card + 1:])

    def stand(self, rests, totals):
        """What each total wins with a rest of the deck."""
        import numpy

        left, totals = numpy.array(rests, float).T, numpy.array(totals)
        size = left.sum(axis=0)
        hidden = size - sum(left[card] for card in range(1, 11) if natural([self.shown, card]))  # cards that may be the hidden one
        reached, won = {(): numpy.ones(len(totals))}, numpy.zeros(len(totals))
        for drawn, card, had, cards, then in dealings(self.shown):
            p = reached[drawn] * numpy.maximum(left[card] - had, 0) / (size - cards if cards else hidden)
            if isinstance(then, tuple):
                reached[then] = reached[then] + p if then in reached else p
            else:
                won += p * (numpy.sign(totals - then) if then < 22 else 1)
        return won

    def next(self, rest):
        """The chances of the player's next card: the dealer has one of the cards, which makes no natural."""
        hidden = [0] + [0 if natural([self.shown, card]) else n for card, n in enumerate(rest[1:], 1)]
        return {card: sum(h * (n - (other == card)) for other, h in enumerate(hidden)) / (sum(hidden) * (sum(rest) - 1))
                for card, n in enumerate(rest) if n}

    def play(self, hard, ace, rest):
        return max(self.stands[rest], self.hit(hard, ace, rest))

    def hit(self, hard, ace, rest):
        return sum(p * (self.play(hard + card, ace or card == 1, self.without(rest, card)) if hard + card <= 21 else -1) for card, p in self.next(rest).items())

    def moves(self, cards, rest):
        hard, rest = sum(cards), tuple(rest)
        worth = {"hit": self.hit(hard, 1 in cards, rest), "stand": self.stands[rest]}
        if self.double and len(cards) == 2:
            worth["double"] = 2 * sum(p * (self.stands[self.without(rest, card)] if hard + card <= 21 else -1) for card, p in self.next(rest).items())
        return worth


class Table:
    """What these rules know of an episode."""

    shoes = {}

    def __init__(self, episode):
        s = episode.start
        self.episode, self.double, self.hands, self.deck = episode, s["double"], s["hands"], list(s.get("deck") or [])
        self.deals, self.left = s.get("deals"), [0] + [4] * 9 + [16]
        key = (tuple(s.get("weights") or USUAL), s["double"])
        if len(self.shoes) > 100:
            self.shoes.clear()
        self.shoe = self.shoes.setdefault(key, Shoe(*key))
        self.number, self.lost = 0, 0
        self.deal()

    def deal(self):
        cards = [self.deck.pop(0) for _ in range(4)] if self.deals is None else self.deals[self.number]
        self.cards, self.dealer, self.counted = cards[:2], cards[2:], None
        self.see(*cards[:3])

    def see(self, *cards):
        for card in cards:
            self.left[card] -= 1

    def draw(self, said):
        """The next card, which is told; from a deck it is known."""
        card = 1 if said == "A" else int(said)
        if self.deals is None:
            self.episode.same("the card", card, self.deck.pop(0))
        else:
            self.episode.same("the card is in the shoe", card in self.shoe.chance, True)
        self.see(card)
        return card

    def legal(self):
        return ["hit", "stand"] + ["double"] * (self.double and len(self.cards) == 2)

    def read(self, text):
        return text if text in self.legal() else None

    def worths(self):
        if self.deals:
            return self.shoe.moves(self.cards, self.dealer[0])
        if not self.counted:
            self.counted = Deck(self.cards, self.dealer[0], self.left, self.double)
        return self.counted.moves(self.cards, self.left)

    def best(self):
        worth = self.worths()
        return [m for m, w in worth.items() if w >= max(worth.values()) - NEAR]

    def play(self, move, why):
        worth = self.worths()
        loss = max(worth.values()) - worth[move]
        self.lost += loss if loss > NEAR else 0
        told = "You stand."
        if move != "stand":
            card = re.match(rf"You {move} and get (A|\d+)\.", why)[1]
            self.cards = [*self.cards, self.draw(card)]
            told = f"You {move} and get {card}."
        if move != "hit" or count(self.cards)[0] > 21:
            told += self.settle(2 if move == "double" else 1, why) + self.next_hand()
        self.episode.same("the text", why.startswith(told), True)

    def settle(self, stake, why):
        total = count(self.cards)[0]
        self.see(self.dealer[1])
        if total > 21:
            return f" With {written(self.cards)}, you are bust. The dealer's hidden card is {face(self.dealer[1])}." + self.result(-stake)
        drawn = re.search(r"the dealer has ([^:]*):", why)[1].replace(" and ", ", ").split(", ")[2:]
        all_cards = list(self.dealer)
        while count(all_cards)[0] < 17:
            all_cards.append(self.draw(drawn.pop(0)))
        dealt = count(all_cards)[0]
        won = stake * beaten(total, dealt)
        return f" You have {written(self.cards)}, and the dealer has {faces(all_cards)}: {written(all_cards)}." + self.result(won)

    def result(self, won):
        return f" You win {won:g}." if won > 0 else f" You lose {-won:g}." if won < 0 else " Nobody wins."

    def next_hand(self):
        told = ""
        self.number += 1
        while self.number < self.hands:
            self.deal()
            mine, theirs = natural(self.cards), natural(self.dealer)
            if not mine and not theirs:
                return told + " The next hand begins."
            told += f" In the next hand, you have {faces(self.cards)}, and the dealer has {faces(self.dealer)}."
            told += self.result(1.5 * mine if not theirs else mine - 1)
            self.see(self.dealer[1])
            self.number += 1
        return told

    def worth(self):
        return None if self.number < self.hands else 1.0

    def value(self):
        return float(max(0, 1 - self.lost / (self.hands * self.shoe.gap)))

    def show(self):
        return f"Hand {self.number + 1} of {self.hands}. You have {faces(self.cards)}: {written(self.cards)}. The dealer shows {face(self.dealer[0])}."
