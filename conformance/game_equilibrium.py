"""The equilibria of small_poker and liars_dice, for conformance/games.py. Kuhn's poker and liar's dice are solved by
open_spiel's CFR+, in as many rounds as Quintain plays, and rounded to 10,000ths as Quintain rounds them. In Leduc hold'em
the rounding of numbers decides which of many equilibria CFR+ finds, so Quintain tells its strategy, and open_spiel
what the best responses to it win."""
import functools

ROUNDS = {"kuhn_poker": 3000}  # else 1000
NEAR = 0.002  # moves whose worths differ by less are as good
REST = 0.003  # what the best responses may win


def rounded(odds):
    """In 10,000ths; what is below 0.003 goes to the most likely move."""
    parts = [int(p * 10_000 + 0.5) if p > 0.003 else 0 for p in odds]
    most = odds.index(max(odds))
    parts[most] += 10_000 - sum(parts)
    return [part / 10_000 for part in parts]


@functools.cache
def strategy(name):
    """The game, and the chance of each action by the text of an information set."""
    import pyspiel

    game = pyspiel.load_game(name)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(ROUNDS.get(name, 1000)):
        solver.evaluate_and_update_policy()
    table = {}
    for text, row in solver.tabular_average_policy().policy_table().items():
        table[text] = dict(zip([action for action, _ in row], rounded([p for _, p in row])))
    return game, table


def rest(game, table):
    """What the best responses to a strategy win together."""
    import pyspiel

    return pyspiel.nash_conv(game, {text: list(row.items()) for text, row in table.items()})
