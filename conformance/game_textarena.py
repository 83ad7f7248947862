"""TextArena beside the rules of the files game_*.py, as a black box: the same random moves in both, for conformance/games.py.

Of each move, what it shows and tells, the legal moves where it lists them, the end and the result are compared. Some
moves are illegal, and must be refused. Its words of Wordle would be fetched; it gets a list of them that is made here. Its
Breakthrough forbids to step diagonally without taking, so it is held to hexapawn's rules on five rows.
"""
import itertools
import json
import pathlib
import random
import re
import tempfile
import types

import game_cards
import game_codes
import game_dice
import game_rules
import game_solo
import game_table

WORDS = ["abbey", "added", "alarm", "bebop", "cabal", "crane", "eerie", "erase", "geese", "label", "level", "lever", "mamma", "otter", "radar", "sleep", "steel", "tepee", "these", "trace"]


class Peer:
    """A game of TextArena."""

    made = {}

    def __init__(self, name, seed, players=1):
        if name not in self.made:
            import textarena
            self.made[name] = textarena.make(name)
        self.env = self.made[name]
        self.env.reset(num_players=players, seed=seed)
        self.state = self.env.state.game_state
        self.random = random.Random(f"{name} {seed}")

    def play(self, move):
        """Whether the game is over."""
        return self.env.step(f"[{move}]")[0]

    def read(self):
        """All that the player to move has read."""
        return str(self.env.get_observation()[1])

    def told(self):
        """The last of it."""
        return self.read().rpartition("[Player")[2]

    def won(self, player=0):
        """1: the player has won, 0.5: nobody has."""
        return (self.env.close()[0][player] + 1) / 2


def duel(name, game, first, spelled, every):
    """A game of game_rules.py. Every is the names of all moves, by the rules or not."""

    def walk(count, seed):
        peer, p, mover = Peer(name, seed, 2), first, 0
        while True:
            moves = game.moves(p)
            right = set(map(spelled, moves))
            wrong = [m for m in every if spelled(m) not in right]
            if wrong and peer.random.random() < 0.1:
                move = peer.random.choice(wrong)
                peer.play(spelled(move))
                count.same(f"{move} is refused", True, "invalid move" in peer.told(), peer.told())
            move = peer.random.choice(list(moves))
            p, over = moves[move], peer.play(spelled(move))
            count.steps += 1
            end = game.ended(p)
            if end is not None and not over and not game.moves(p):
                return None  # TextArena does not see that the next player cannot move
            count.same("the end", end is not None, over, peer.told())
            if over or end is not None:
                return count.same("the result", end if end is None else 1 - end, peer.won(mover), peer.told())
            mover = 1 - mover

    return walk


def mastermind(name):
    def walk(count, seed):
        peer = Peer(name, seed)
        code, most = peer.state["secret_code"], peer.state["num_numbers"]
        guesses = [g for g in itertools.permutations(range(1, most + 1), len(code)) if list(g) != code]
        for guess in [*map(list, peer.random.sample(guesses, 12)), code]:
            over = peer.play(" ".join(map(str, guess)))
            count.steps += 1
            count.same("the end", guess == code, over)
            if over or guess == code:
                return count.same("the result", 1.0, peer.won())
            count.same("the marks", "{} black peg(s), {} white peg(s)".format(*game_codes.marks(tuple(guess), tuple(code))), peer.told().partition("Feedback: ")[2].rstrip(".\n"))

    return walk


def wordle(count, seed):
    peer = Peer("Wordle-v0", seed)
    code = peer.state["secret_word"]
    for guess in [*peer.random.sample([w for w in WORDS if w != code], 5), code]:
        over = peer.play(guess)
        count.steps += 1
        count.same("the end", guess == code, over)
        marks = game_codes.marks(guess, code).translate(str.maketrans("+o-", "GYX"))
        if not over:
            count.same("the marks", " ".join(marks), peer.read().rpartition("Feedback:\n")[2].split("\n")[1], peer.read())
    count.same("the result", 1.0, peer.won())


def guess_number(count, seed):
    peer = Peer("GuessTheNumber-v0", seed)
    hidden = int(peer.state["game_number"])
    for guess in [*peer.random.sample([n for n in range(1, 21) if n != hidden], 8), hidden]:
        over = peer.play(str(guess))
        count.steps += 1
        count.same("the end", guess == hidden, over)
        if not over:
            count.same("the verdict", "higher" if guess < hidden else "lower", peer.told().partition("target number is ")[2].split(".")[0], peer.told())
    count.same("the result", 1.0, peer.won())


def minesweeper(count, seed):
    """After the first cell, whose surroundings TextArena clears of mines."""
    peer = Peer("Minesweeper-v0-small", seed)
    side = len(peer.state["grid"])
    field = game_solo.Field(side)
    peer.play(f"{peer.random.randrange(side)} {peer.random.randrange(side)}")
    while True:
        grid = sum(peer.state["grid"], [])
        mines = frozenset(at for at in field.cells if grid[at] == -1)
        opened = frozenset(at for at in field.cells if sum(peer.state["revealed"], [])[at])
        closed = [at for at in field.cells if at not in opened]
        if closed == sorted(mines):
            return
        at = peer.random.choice([at for at in closed if at not in mines] if peer.random.random() < 0.9 else closed)
        over = peer.play("{} {}".format(*divmod(at, side)))
        count.steps += 1
        if at in mines:  # a fault, there
            return count.same("the mine is told", True, "hit a mine" in peer.told(), peer.told())
        then = field.opened(opened, mines, at)
        rows = re.findall(r"^ *\d+ ((?: +[\d.])+) *$", peer.told() if not over else peer.state["rendered_board"], re.M)
        shown = " ".join(rows[-side:]).split()
        if not over:
            count.same("the board", [str(field.number(n, mines)) if n in then else "." for n in field.cells], shown, peer.told())
        count.same("the end", len(then) + len(mines) == len(field.cells), over)
        if over:
            return count.same("the result", 1.0, peer.won())


def fifteen(count, seed):
    peer = Peer("FifteenPuzzle-v0", seed)
    frame = object.__new__(game_solo.Slides)
    frame.rows = frame.columns = 4
    tiles = tuple(t or 0 for row in peer.state["board"] for t in row)
    for _ in range(30):
        ways = frame.ways(tiles)
        count.same("the legal moves", sorted(ways), sorted(re.findall(r"\[(up|down|left|right)\]", peer.read().rpartition("Available Moves: ")[2])))
        move = peer.random.choice(list(ways))
        tiles = ways[move]
        peer.play(move)
        count.steps += 1
        count.same("the tiles", tiles, tuple(t or 0 for row in peer.state["board"] for t in row))


def sokoban(count, seed):
    """Half of the moves come nearer to the goal, so that some walks end."""
    peer = Peer("Sokoban-v0", seed)
    signs = {"#": "#", "_": "-", "O": ".", "X": "$", "√": "*", "P": "@"}
    rows = ["".join(signs[c] for c in row.split()) for row in peer.state["board"].strip().split("\n")]
    if sum(map("$".__eq__, "".join(rows))) != sum(map(".".__eq__, "".join(rows))):
        return  # the player stands on a goal, which TextArena does not show
    world = game_solo.Boxes(types.SimpleNamespace(start={"rows": rows, "steps": 1000}))
    for _ in range(40):
        ways, here = world.ways(world.state), world.distance(world.state)
        near = [step for step, then in ways.items() if here and world.distance(then) == here - 1]
        step = peer.random.choice(near if near and peer.random.random() < 0.5 else list(game_solo.STEPS))
        over = peer.play(step)
        count.steps += 1
        if step not in ways:
            return count.same("a blocked step is refused", True, "invalid move" in peer.told(), peer.told())
        world.state = ways[step]
        count.same("the end", world.solved(world.state), over)
        if over:
            return count.same("the result", 1.0, peer.won())
        back = {sign: c for c, sign in signs.items()} | {"+": "P"}
        shown = peer.told().partition("Current Board:\n\n")[2].split("\n\n")[0]
        count.same("the board", "\n".join(" ".join(back[sign] for sign in row.split()) for row in world.show().split("\n")), shown.strip(), peer.told())


def kuhn(count, seed):
    """TextArena leaves the bets out of the pot: who wins is compared, and one chip is paid for it."""
    peer, rules = Peer("KuhnPoker-v0", seed, 2), game_cards.Rules(3)
    over, totals = False, [0, 0]
    while not over:
        cards, first = peer.state["player_cards"], peer.state["starting_player"]
        seats, hand = (cards[first], cards[1 - first]), ((),)
        while rules.mover(hand) is not None:
            count.same("the player", (first + rules.mover(hand)) % 2, peer.env.get_observation()[0])
            listed = peer.read().rpartition("available actions are: ")[2]
            count.same("the legal moves", sorted(rules.moves(hand)), sorted(re.findall(r"\[(\w+)\]", listed)))
            move = peer.random.choice(rules.moves(hand))
            hand, over = rules.after(hand, move), peer.play(move)
            count.steps += 1
        won = 1 if rules.won(hand, seats, None) > 0 else -1
        totals[first] += won
        totals[1 - first] -= won
        if not over:
            count.same("the chips", list(map(str, totals)), re.findall(r"Player \d: '(-?\d+)'", peer.read())[-2:], peer.read())
    count.same("the winner", (totals[0] > totals[1]) - (totals[0] < totals[1]), 2 * peer.won() - 1)


def liar(count, seed):
    """Challenges: TextArena orders its bids otherwise, and no face is wild."""
    peer = Peer("LiarsDice-v0-small", seed, 2)
    rolls = [tuple(sorted(roll)) for roll in peer.state["dice_rolls"].values()]
    cups = game_dice.Cups(3, 6, False)
    bid = peer.random.randrange(len(cups.bids) // 2)
    peer.play("bid: {}, {}".format(*cups.bids[bid]))
    peer.play("call")
    count.steps += 2
    loser = re.search(r"Player (\d) \(the (?:caller|bidder|last bidder)\) loses", peer.told()) or re.search(r"Player (\d)[^.]*loses one die", peer.told())
    count.same("who loses", "1" if cups.holds(bid, rolls) else "0", loser and loser[1], peer.told())


def blackjack(count, seed):
    peer, over = Peer("Blackjack-v0", seed), False
    value = lambda hand: [1 if c[:-1] == "A" else 10 if c[:-1] in ("J", "Q", "K") else int(c[:-1]) for c in hand]
    while not over:
        seen = re.findall(r"Your hand: (.*) \(Score: (\d+)\)", peer.read())[-1]
        cards = value(seen[0].split(", "))
        count.same("the total", str(game_table.count(cards)[0]), seen[1])
        over = peer.play(peer.random.choice(["Hit", "Stand", "Stand"]))
        count.steps += 1
        ended = re.findall(r"you (win|lose|draw)\. Your final (\d+), Dealer (\d+)", peer.told())
        if ended:
            result, mine, dealt = ended[0][0], int(ended[0][1]), int(ended[0][2])
            count.same("the dealer has 17 or more", True, dealt >= 17)
            count.same("the result", game_table.beaten(mine, dealt), {"win": 1, "draw": 0, "lose": -1}[result], peer.told())


def word_list(folder):
    """Gives NLTK a list of words, all of them nouns."""
    import nltk
    tagger = pathlib.Path(folder, "taggers", "averaged_perceptron_tagger_eng")
    words = pathlib.Path(folder, "corpora", "words")
    for made in (tagger, words):
        made.mkdir(parents=True)
    for name in ("en", "en-basic"):
        (words / name).write_text("\n".join(WORDS) + "\n")
    for name, value in (("weights", {}), ("tagdict", dict.fromkeys(WORDS, "NN")), ("classes", ["NN"])):
        (tagger / f"averaged_perceptron_tagger_eng.{name}.json").write_text(json.dumps(value))
    nltk.data.path.insert(0, str(folder))
    nltk.download = lambda *_, **__: True


def square(columns):
    return lambda name: str("abc".index(name[-2]) + columns * (int(name[-1]) - 1))


squares = [c + str(r) for c, r in itertools.product("abc", (1, 2, 3))]
ranks = [c + str(r) for c, r in itertools.product("abcde", range(1, 6))]
pawns = game_rules.Pawns(5, 5, "hexapawn")
GAMES = {
    "tic-tac-toe": duel("TicTacToe-v0", game_rules.KInARow(3, 3, 3, "normal"), ("." * 9, "x"), square(3), squares),
    "wild tic-tac-toe": duel("WildTicTacToe-v0", game_rules.KInARow(3, 3, 3, "wild"), ("." * 9, "x"), lambda m: f"{m[0].upper()} {square(3)(m)}", [f"{m} {s}" for m in "xo" for s in squares]),
    "connect four": duel("ConnectFour-v0", game_rules.Connect(7, 6, 4), (0, 0), lambda m: f"col {'abcdefg'.index(m)}", "abcdefg"),
    "nim": duel("Nim-v0", game_rules.Heaps("nim"), (3, 4, 5), lambda m: f"{'abc'.index(m[-1])} {m.split()[1]}", [f"take {n} from {h}" for n in range(7) for h in "abc"]),
    "pawns": duel("Breakthrough-v0-tiny", pawns, (0b1111111111, 0b1111111111 << 15, False), lambda m: m.replace("-", "").replace("x", ""), [f"{a}-{b}" for a in ranks for b in ranks]),
    "mastermind": mastermind("Mastermind-v0"),
    "mastermind, hard": mastermind("Mastermind-v0-hard"),
    "wordle": wordle,
    "guess the number": guess_number,
    "minesweeper": minesweeper,
    "fifteen puzzle": fifteen,
    "sokoban": sokoban,
    "Kuhn's poker": kuhn,
    "liar's dice": liar,
    "blackjack": blackjack,
}


def play(count, games):
    """Plays so many games of each kind in both."""
    with tempfile.TemporaryDirectory() as folder:
        word_list(folder)
        for name, walk in GAMES.items():
            before, wrong = count.steps, len(count.wrong)
            for seed in range(games):
                try:
                    walk(count, seed)
                except (IndexError, KeyError, TypeError, ValueError) as fault:
                    count.same("what TextArena tells can be followed", repr(fault), None, f"{name}, game {seed}")
            print(f"TextArena, {name}: {count.steps - before:,} steps, {len(count.wrong) - wrong} disagreements", flush=True)
