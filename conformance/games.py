#!/usr/bin/env python3
"""Explain every step of the games by programs that share no code with them, and count disagreements.

    REQUIREMENTS=games.txt conformance/python conformance/games.py [--steps 200000] [--games pawn_race,chess_endgame]

conformance/games_rows.go plays: the best moves, any legal ones, and some of another position. Of each step, the
legal moves, the best moves, the value, the reward, the opponent's answer, the position that is shown and the end
are worked out here again: slippery_grid by the transitions of Gymnasium's FrozenLake, chess_endgame by python-chess,
the others by the rules and the search of game_rules.py. These rules are held to open_spiel on whole games first:
legal moves, ends, results and values of all positions of the small boards. Games alone,
cards, dice, coins and matrices are those of the other files game_*.py; matrices are worth what nashpy says. The rules of
15 games are also held to TextArena, on random games. No scenario has the rules of MiniGrid: rooms has no grid. Of the
scenarios with tools, game_tools.py tells what each call gives, and what the state and the answer are worth in the end.

The distances to mate are worked out by game_mates.py, and must obey the recursion over python-chess' moves.
"""
import argparse
import functools
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import game_cards
import game_codes
import game_coins
import game_dice
import game_lies
import game_mates
import game_matrix
import game_rules
import game_solo
import game_table
import game_textarena
import game_tools

ROOT = pathlib.Path(__file__).resolve().parent.parent
SLACK = 1e-9
sys.setrecursionlimit(10_000)


class Count:
    """What was compared, and what differs."""

    def __init__(self, game):
        self.game, self.steps, self.compared, self.wrong = game, 0, 0, []
        self.rewards, self.open = 0, 0  # of the episodes, and those that are not worked out here

    def same(self, what, ours, theirs, where=""):
        self.compared += 1
        near = isinstance(theirs, float) and abs(ours - theirs) <= SLACK
        if not near and ours != theirs:
            self.wrong.append(f"{self.game}: {what} is {ours!r}, and by the other program {theirs!r} {where}")


class Rows:
    """The program games_rows.go, built once."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder) / "games_rows"
        subprocess.run(["go", "build", "-o", self.path, "conformance/games_rows.go", "conformance/tools_rows.go"], cwd=ROOT, check=True)
        self.leduc = functools.cache(lambda: json.loads(subprocess.run([self.path, "-leduc"], check=True, stdout=subprocess.PIPE).stdout))

    def episodes(self, game, steps):
        with subprocess.Popen([self.path, "-game", game, "-steps", str(steps)], stdout=subprocess.PIPE, text=True) as process:
            yield from map(json.loads, process.stdout)
        if process.returncode:
            raise SystemExit(f"games_rows.go ended with status {process.returncode}")


def move_of(reply):
    return reply.removeprefix("<move>").removesuffix("</move>")


class Episode:
    """Walks over an episode. Each game gives what it knows; all that games share is compared here."""

    def __init__(self, count, row):
        self.count, self.row, self.start = count, row, row["record"]["start"]
        self.left = int(re.search(r"(\d+) replies are left", row["opening"][-1])[1])
        self.faults, self.where = 0, json.dumps(row["record"]["start"])

    def same(self, what, ours, theirs):
        self.count.same(what, ours, theirs, self.where)

    def turns(self, know):
        """know has legal(), the names of the moves, or None if only some are listed; read(text), a move or None; best(),
        the names of those that give nothing away; plan(text), whether a move that it does not name does; play(move, why), which makes a move and what follows it; value(); worth(), if it is over, else
        None; and show(). Where best() or value() is None, it is not compared."""
        try:
            self.follow(know)
        except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError) as fault:
            self.same("what Step tells can be followed", repr(fault), None)

    def follow(self, know):
        self.same("the position", know.show() in self.row["opening"][-1], True)
        for turn in self.row["turns"]:
            self.count.steps += 1
            self.left -= 1
            self.where = json.dumps([self.start, turn])
            self.advice(know, list(map(move_of, turn["allowed"])), list(map(move_of, turn["best"])))
            move = know.read(move_of(turn["reply"]))
            self.same("illegal", turn["illegal"], move is None)
            if move is None:
                self.faults += 1
                if self.faults == 2:
                    self.ends(turn, 0.0)
                    continue
            else:
                know.play(move, turn["why"])
            if know.worth() is not None:
                self.ends(turn, know.value())
            elif self.left == 0:
                self.ends(turn, 0.0)
            else:
                self.same("the end", turn["end"], "")
                self.same("the reward", turn["reward"], 0.0)
                if know.value() is not None:
                    self.same("the value", turn["value"], know.value())
                self.same("the position", know.show() in turn["observe"], True)
                self.same("replies left", f"{self.left} replies are left" in turn["observe"] or self.left == 1, True)
        self.same("the episode ended", self.row["turns"][-1]["end"], "terminated")

    def advice(self, know, allowed, told):
        """The moves that are listed as legal and as best."""
        legal, best = know.legal(), know.best()
        if legal is None:
            for move in allowed:
                self.same("a move is legal", know.read(move) is not None, True)
                self.same("a move is one of the best", move in told, know.plan(move))
        else:
            self.same("the legal moves", sorted(allowed), sorted(legal))
        if best is None:
            return
        for move in [m for m in told if hasattr(know, "plan") and (legal is None or m not in legal)]:
            self.same("another move is one of the best", know.plan(told.pop(told.index(move))), True)
        self.same("the best moves", sorted(told), sorted(best))

    def ends(self, turn, value):
        self.same("the end", turn["end"], "terminated")
        self.count.rewards += 1
        self.count.open += value is None
        if value is not None:
            self.same("the last value", turn["value"], value)
        self.same("the reward", turn["reward"], turn["value"])


class Duelist:
    """What the rules of game_rules.py know of an episode against an opponent."""

    def __init__(self, episode, values, p):
        self.episode, self.game, self.values, self.p = episode, values.game, values, p
        self.first, self.lost, self.mine = values.hope(p), 0.0, True

    def legal(self):
        return self.game.moves(self.p)

    def read(self, text):
        return text if text in self.legal() else None

    def best(self):
        hope = self.values.hope(self.p)
        return [name for name, q in self.legal().items() if self.values.after(q) >= hope - 1e-12]

    def play(self, move, why):
        after = self.legal()[move]
        loss = self.values.hope(self.p) - self.values.after(after)
        self.lost += loss if loss > 1e-12 else 0
        self.p, self.mine = after, False
        told = f"You play {move}."
        if self.game.ended(self.p) is None:
            answers = self.legal()
            if self.values.blunders == 0:
                answers = self.values.strongest(answers)
            answer = re.match(r"You play [^.]*\. Your opponent plays ([^.]*)\.", why)
            self.episode.same("the opponent's move is one of its best" if self.values.blunders == 0 else "the opponent's move is legal",
                              bool(answer) and answer[1] in answers, True)
            self.p, self.mine = answers[answer[1]], True
            told += f" Your opponent plays {answer[1]}."
        if self.worth() is not None:
            told += {1.0: " You have won.", 0.0: " You have lost.", 0.5: " The game is drawn."}[self.worth()]
        self.episode.same("the text", why.startswith(told), True)

    def worth(self):
        end = self.game.ended(self.p)
        return end if end is None or self.mine else 1 - end

    def value(self):
        return max(0.0, 1 - self.lost / self.first) if self.lost else 1.0

    def show(self):
        return "```\n" + self.game.show(self.p) + "\n```"


def duels(rules):
    """Explains a game by rules of game_rules.py."""

    def explain(count, rows, steps):
        known = {}
        for row in rows.episodes(count.game, steps):
            start = row["record"]["start"]
            game, p = rules.start(start)
            opponent = start["opponent"]
            blunders = {"optimal": 0.0, "random": 1.0}.get(opponent) if ":" not in opponent else float(opponent.split(":")[1])
            kind = json.dumps([{k: v for k, v in start.items() if k in ("line", "kind", "rule", "take")}, vars(game).get("columns"), vars(game).get("rows"), blunders])
            if kind not in known or len(known[kind].bounds) > 300_000:
                known[kind] = game_rules.Values(game, blunders)
            episode = Episode(count, row)
            episode.turns(Duelist(episode, known[kind], p))

    return explain


class Crossing:
    """What Gymnasium's FrozenLake knows of an episode on the ice."""

    def __init__(self, episode, transitions, chances):
        self.episode, self.transitions, self.chances = episode, transitions, chances
        self.at, self.left, self.kept = 0, len(chances) - 1, 1.0
        self.rows = episode.start["rows"]

    NAMES = ["left", "down", "right", "up"]

    def legal(self):
        return self.NAMES

    def read(self, text):
        return text if text in self.NAMES else None

    def hope(self, name):
        return sum(p * self.chances[self.left - 1][to] for p, to, _, _ in self.transitions[self.at][self.NAMES.index(name)])

    def ratio(self, name):
        chance = self.chances[self.left][self.at]
        ratio = self.hope(name) / chance if chance else 1.0
        return 1.0 if ratio > 1 - 1e-9 else ratio

    def best(self):
        return [name for name in self.NAMES if self.ratio(name) == 1]

    def play(self, move, why):
        told = re.match(r"You (?:move (\w+)\.|want to move (\w+) and slip (\w+)\.)", why)
        self.episode.same("the move is told", bool(told) and (told[1] or told[2]) == move, True)
        self.kept *= self.ratio(move)
        step = {"left": (0, -1), "down": (1, 0), "right": (0, 1), "up": (-1, 0)}[told[3] or move]
        size = len(self.rows)
        row, column = (min(max(v + d, 0), size - 1) for v, d in zip(divmod(self.at, size), step))
        goes = {to for p, to, _, _ in self.transitions[self.at][self.NAMES.index(move)] if p > 0}
        self.at = row * size + column
        self.episode.same("FrozenLake goes there", self.at in goes, True)
        self.left -= 1

    def worth(self):
        cell = "".join(self.rows)[self.at]
        return 1.0 if cell == "G" else 0.0 if cell == "H" or self.left == 0 else None

    def value(self):
        return self.kept

    def show(self):
        cells = ["G" if c == "G" else "O" if c == "H" else "." for c in "".join(self.rows)]
        cells[self.at] = "P"
        size = len(self.rows)
        lines = [f"{i + 1} {' '.join(cells[i * size:(i + 1) * size])}" for i in range(size)]
        return "\n".join(["```", "  " + " ".join("abcdefghijkl"[:size]), *lines, "```"])


def alone(worlds):
    """Explains a game by a class that knows an episode."""

    def explain(count, rows, steps):
        for row in rows.episodes(count.game, steps):
            episode = Episode(count, row)
            episode.turns(worlds(episode))

    return explain


def small_poker(count, rows, steps):
    alone(lambda episode: game_cards.Poker(episode, rows.leduc))(count, rows, steps)


def slippery_grid(count, rows, steps):
    import numpy
    from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

    for row in rows.episodes("slippery_grid", steps):
        start = row["record"]["start"]
        sure = 1 / 3 if start["sure"] == 34 else start["sure"] / 100
        lake = FrozenLakeEnv(desc=start["rows"], is_slippery=start["sure"] < 100, success_rate=sure)
        cells = "".join(start["rows"])
        moves = numpy.zeros((4, len(cells), len(cells)))
        for at, a in itertools.product(range(len(cells)), range(4)):
            for p, to, _, _ in lake.P[at][a]:
                moves[a, at, to] += p if cells[at] in "SF" else 0
        chances = [numpy.array([float(c == "G") for c in cells])]
        for _ in range(start["moves"]):
            chances.append(numpy.maximum((moves @ chances[-1]).max(axis=0), chances[0]))
        episode = Episode(count, row)
        episode.turns(Crossing(episode, lake.P, chances))


class Board:
    """What python-chess knows of an endgame, with the distances to mate of game_mates.py."""

    def __init__(self, episode):
        import chess

        self.chess, self.episode = chess, episode
        self.board = chess.Board(None)
        for letter, at in zip(game_mates.MEN[episode.start["ending"]], episode.start["at"]):
            self.board.set_piece_at(at, chess.Piece.from_symbol(letter))
        self.hold = episode.start["hold"]
        self.board.turn = not self.hold
        self.optimal = episode.start["opponent"] == "optimal"
        self.need, self.excess, self.lost, self.made = episode.start["mate"], 0, False, 0
        if not self.hold:
            self.episode.same("the distance to mate", self.mate(self.board), self.need)
        else:
            self.episode.same("a move holds", any(map(self.holds, self.board.legal_moves)), True)

    def mate(self, board):
        """How many moves White, who is to move, needs to mate; 0: it cannot force it."""
        white, black = (board.occupied_co[side] & ~board.kings for side in (self.chess.WHITE, self.chess.BLACK))
        kings = [board.king(self.chess.WHITE), board.king(self.chess.BLACK)]
        others = [at for men in (white, black) for at in self.chess.scan_forward(men)]
        letters = ["".join(board.piece_at(at).symbol().upper() for at in self.chess.scan_forward(men)) for men in (white, black)]
        name = f"K{letters[0]}K{letters[1]}"
        return game_mates.ending(name).moves([*kings, *others]) if name in game_mates.MEN else 0

    def after(self, board, move):
        board = board.copy(stack=False)
        board.push(move)
        return board

    def distance(self, move):
        """How many moves White needs with this one, by the recursion; None: it cannot force mate."""
        board = self.after(self.board, move)
        answers = list(board.legal_moves)
        if not answers:
            return 1 if board.is_check() else None
        longest = 0
        for answer in answers:
            then = self.after(board, answer)
            n = 0 if then.has_insufficient_material(self.chess.WHITE) else self.mate(then)
            if n == 0:
                return None
            longest = max(longest, n)
        return longest + 1

    def holds(self, move):
        """Whether White cannot force mate after a move of Black."""
        then = self.after(self.board, move)
        return then.has_insufficient_material(self.chess.WHITE) or self.mate(then) == 0

    def legal(self):
        return [self.spelled(move) for move in self.board.legal_moves]

    def spelled(self, move):
        """Standard algebraic notation. A side that cannot mate needs no sign for check."""
        san = self.board.san(move)
        if move.promotion in (self.chess.BISHOP, self.chess.KNIGHT) or self.hold and self.board.turn == self.chess.BLACK and self.board.is_capture(move):
            san = san.rstrip("+#")
        return san

    def best(self):
        if self.hold:
            return [self.spelled(move) for move in self.board.legal_moves if self.holds(move)]
        distances = {self.spelled(move): self.distance(move) for move in self.board.legal_moves}
        soonest = min(d for d in distances.values() if d)
        self.episode.same("the recursion of the distance to mate", self.mate(self.board), soonest)
        return [name for name, d in distances.items() if d == soonest]

    def read(self, text):
        plain = lambda san: san.translate(str.maketrans("", "", "+#x=-")).lower()
        return next((m for m in self.board.legal_moves if plain(self.board.san(m)) == plain(text)), None)

    def play(self, move, why):
        told = f"You play {self.spelled(move)}."
        self.made += 1
        if self.hold:
            self.lost = not self.holds(move)
        else:
            distance = self.distance(move)
            self.lost = distance is None
            self.excess += 0 if self.lost else distance - self.mate(self.board)
        self.board.push(move)
        if not self.over():
            answers = {self.spelled(m): m for m in self.board.legal_moves}
            answer = re.match(r"You play [^.]*\. Your opponent plays ([^.]*)\.", why)
            self.episode.same("the opponent's move is legal", bool(answer) and answer[1] in answers, True)
            told += f" Your opponent plays {answer[1]}."
            self.board.push(answers[answer[1]])
            if not self.hold and self.optimal:
                self.episode.same("the opponent lasts longest", self.mate(self.board), distance - 1)
        self.episode.same("the text", why.startswith(told), True)

    def over(self):
        return self.lost or self.board.has_insufficient_material(self.chess.WHITE) or not any(self.board.legal_moves)

    def worth(self):
        if self.over() or self.hold and self.made == self.hold:
            return float(not self.lost)
        return None

    def value(self):
        return 0.0 if self.lost else max(0.0, 1 - self.excess / (self.need + 4)) if self.excess else 1.0

    def show(self):
        rows = str(self.board).split("\n")
        lines = [f"{8 - i} {row}" for i, row in enumerate(rows)]
        return "\n".join(["```", *lines, "  a b c d e f g h", "```"])


def chess_endgame(count, rows, steps):
    for row in rows.episodes("chess_endgame", steps):
        episode = Episode(count, row)
        board = Board(episode)
        episode.same("FEN", f"FEN: {board.board.board_fen()} {'w' if board.board.turn else 'b'} - - 0 1" in row["opening"][-1], True)
        episode.turns(board)


def anchors(count, boards):
    """Holds the rules of game_rules.py to open_spiel, on whole games: those of the first boards."""
    import pyspiel

    def walk(game, p, state, name, seen):
        """Both programs at one position, and the value by each."""
        if p in seen:
            return seen[p]
        end = game.ended(p)
        count.same("the end", end is not None, state.is_terminal(), state)
        if state.is_terminal():
            to_move = (1 - last_player(state)) if state.history() else 0
            worth = (state.returns()[to_move] + 1) / 2
            count.same("the result", end, worth, state)
            seen[p] = (end, worth)
            return seen[p]
        moves = game.moves(p)
        theirs = {name(state, a): a for a in state.legal_actions()}
        count.same("the legal moves", sorted(moves), sorted(theirs), state)
        both = [walk(game, q, state.child(theirs[m]), name, seen) for m, q in moves.items()]
        seen[p] = (max(1 - a for a, _ in both), max(1 - b for _, b in both))
        count.same("the value", *seen[p], state)
        return seen[p]

    def last_player(state):
        return (len(state.history()) - 1) % 2

    def square(columns, rows):
        return lambda state, a: "abcdef"[a % columns] + str(a // columns + 1)

    def pawn(rows):
        def name(state, a):
            text = state.action_to_string(a)
            at, to = text[:2], text[2:4]
            turned = lambda s: s[0] + str(rows + 1 - int(s[1]))  # there, Black moves first, and down
            return turned(at) + ("x" if "*" in text else "-") + turned(to)
        return name

    def heap(state, a):
        pile, take = map(int, re.findall(r"\d+", state.action_to_string(a)))
        return f"take {take} from {chr(96 + pile)}"

    cases = [
        ("tic_tac_toe", game_rules.KInARow(3, 3, 3, "normal"), ("." * 9, "x"), square(3, 3)),
        ("misere(game=tic_tac_toe())", game_rules.KInARow(3, 3, 3, "misère"), ("." * 9, "x"), square(3, 3)),
        ("mnk(m=3,n=3,k=3)", game_rules.KInARow(3, 3, 3, "normal"), ("." * 9, "x"), square(3, 3)),
        ("nim(pile_sizes=3;4;5,is_misere=False)", game_rules.Heaps("nim"), (3, 4, 5), heap),
        ("nim(pile_sizes=3;4;5,is_misere=True)", game_rules.Heaps("misère"), (3, 4, 5), heap),
    ]
    for columns, rows in ((3, 4), (3, 5)):
        rules = game_rules.Pawns(columns, rows, "breakthrough")
        cases.append((f"breakthrough(rows={rows},columns={columns})", rules, (rules.last[1], rules.last[0], False), pawn(rows)))
    cases.append(("connect_four(rows=4,columns=4,x_in_row=3)", game_rules.Connect(4, 4, 3), (0, 0), lambda state, a: "abcdef"[a]))
    for text, rules, p, name in cases[:boards]:
        seen = {}
        walk(rules, p, pyspiel.load_game(text).new_initial_state(), name, seen)
        print(f"open_spiel {text}: {len(seen):,} positions, worth {seen[p][1]:g} to the first player", flush=True)
    game_cards.hands(count, pyspiel)
    game_dice.rounds(count, pyspiel)


# A game is explained by a function of (Count, Rows, steps). It plays them by Rows.episodes, and compares with
# Count.same; Episode compares what all games have in common.
GAMES = {
    "slippery_grid": slippery_grid,
    "k_in_a_row": duels(game_rules.KInARow),
    "nim_family": duels(game_rules.Heaps),
    "connect_small": duels(game_rules.Connect),
    "pawn_race": duels(game_rules.Pawns),
    "chess_endgame": chess_endgame,
    "mastermind": alone(game_codes.Codes),
    "wordle_play": alone(game_codes.Words),
    "minesweeper_play": alone(game_solo.Mines),
    "sliding_play": alone(game_solo.Slides),
    "sokoban_play": alone(game_solo.Boxes),
    "rooms": alone(game_solo.Rooms),
    "small_poker": small_poker,
    "liars_dice": alone(game_dice.Dice),
    "blackjack_table": alone(game_table.Table),
    "matrix_duel": alone(game_matrix.Matrices),
    "coin_weighing": alone(game_coins.Coins),
    "guess_number": alone(lambda episode: (game_lies.Lies if episode.start["lies"] else game_solo.Number)(episode)),
    **dict.fromkeys(game_tools.WORLDS, game_tools.explain),
}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--steps", type=int, default=12_000, help="of all games together; the rules are held to fewer whole games if they are below 10,000")
    p.add_argument("--games", default=",".join(GAMES))
    args = p.parse_args()
    wrong, steps, compared = [], 0, 0
    chosen = args.games.split(",")
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(folder)
        counts = [Count("open_spiel"), Count("TextArena")]
        anchors(counts[0], 5 if args.steps < 10_000 else None)
        game_textarena.play(counts[1], max(10, args.steps // 200))
        for name in chosen:
            began = time.monotonic()
            count = Count(name)
            GAMES[name](count, rows, args.steps // len(chosen))
            print(f"{name}: {count.steps:,} steps, {count.compared:,} comparisons, {len(count.wrong)} disagreements, {count.open:,} of {count.rewards:,} rewards not worked out, {time.monotonic() - began:.0f} s", flush=True)
            counts.append(count)
    for count in counts:
        wrong, compared = wrong + count.wrong, compared + count.compared
        steps += count.steps if count.game in GAMES else 0
    for text in wrong[:10]:
        print("WRONG", text[:2000])
    print(f"games: {steps:,} steps, {compared:,} comparisons, {len(wrong)} disagreements, {sum(c.open for c in counts):,} of {sum(c.rewards for c in counts):,} rewards not worked out")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
