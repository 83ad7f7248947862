#!/usr/bin/env python3
"""Measure a step of the games beside TextArena and gem, on the processor.

    REQUIREMENTS=games_bench.txt conformance/python bench/games.py [--seconds 3] [--write docs/benchmarks.md]

Ours is `go test ./tasks/catalog -bench Steps`: episodes of 500 problems at once, by uniform legal play, with the exact
value of each position. A step of TextArena is an observation and a move, as its users take them, of random moves; one
of gem is a move. Neither works out a value. Times are those of the process on the processor, so other work of the
machine changes them little. Python runs on one core; a second row of ratios counts the cores that Go uses.
"""
import argparse
import os
import pathlib
import random
import re
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = re.compile(r"(<!-- games -->\n).*?(<!-- /games -->)", re.S)
BENCH = re.compile(r"^BenchmarkSteps/(\w+?)(?:-\d+)?\s.*?([\d.]+) ns/step", re.M)
LONGEST = 200  # steps of an episode of a peer

ways = ["up", "down", "left", "right"]
digits = lambda most, n: " ".join(map(str, random.sample(range(1, most + 1), n)))  # noqa: E731
TEXTARENA = {  # ours: their game, its players, a move
    "slippery_grid": ("FrozenLake-v0", 1, lambda: f"[{random.choice(ways)}]"),
    "guess_number": ("GuessTheNumber-v0", 1, lambda: f"[{random.randint(1, 20)}]"),
    "mastermind": ("Mastermind-v0", 1, lambda: f"[{digits(6, 4)}]"),
    "minesweeper_play": ("Minesweeper-v0-small", 1, lambda: f"[{random.randint(0, 4)} {random.randint(0, 4)}]"),
    "sliding_play": ("FifteenPuzzle-v0", 1, lambda: f"[{random.choice(ways)}]"),
    "connect_small": ("ConnectFour-v0", 2, lambda: f"[col {random.randint(0, 6)}]"),
    "k_in_a_row": ("TicTacToe-v0", 2, lambda: f"[{random.randint(0, 8)}]"),
    "nim_family": ("Nim-v0", 2, lambda: f"[{random.randint(0, 2)} 1]"),
    "pawn_race": ("Breakthrough-v0-tiny", 2, lambda: random.choice(["[a2a3]", "[b2b3]", "[c2c3]", "[a4a3]", "[b4b3]", "[c4c3]"])),
    "small_poker": ("KuhnPoker-v0", 2, lambda: random.choice(["[check]", "[bet]", "[call]", "[fold]"])),
    "liars_dice": ("LiarsDice-v0-small", 2, lambda: random.choice(["[call]", "[bid: 1, 2]", "[bid: 2, 3]", "[bid: 3, 3]"])),
    "blackjack_table": ("Blackjack-v0", 1, lambda: random.choice(["[hit]", "[stand]"])),
}
GEM = {
    "guess_number": ("game:GuessTheNumber-v0-easy", lambda: f"\\boxed{{{random.randint(1, 10)}}}"),
    "mastermind": ("game:Mastermind-v0-easy", lambda: f"\\boxed{{{digits(6, 3)}}}"),
    "minesweeper_play": ("game:Minesweeper-v0-easy", lambda: f"\\boxed{{reveal {random.randint(0, 4)} {random.randint(0, 4)}}}"),
    "sliding_play": ("game:FifteenPuzzle-v0-easy", lambda: f"\\boxed{{{random.choice(ways)}}}"),
    "sokoban_play": ("game:Sokoban-v0-easy", lambda: f"\\boxed{{{random.choice(ways)}}}"),
}


def timed(seconds, reset, step):
    """Microseconds of a step, over episodes that last so long in all."""
    steps, spent, until = 0, 0.0, time.monotonic() + seconds
    while time.monotonic() < until:
        reset()
        for _ in range(LONGEST):
            began = time.process_time()
            over = step()
            spent, steps = spent + time.process_time() - began, steps + 1
            if over:
                break
    return 1e6 * spent / steps


def of_textarena(seconds):
    """Microseconds of a step, by our name of the game."""
    import textarena

    found = {}
    for ours, (name, players, move) in TEXTARENA.items():
        env = textarena.make(name)

        def step():
            env.get_observation()
            return env.step(move())[0]

        found[ours] = timed(seconds, lambda: env.reset(num_players=players), step)
    return found


def of_gem(seconds):
    """Microseconds of a step, by our name of the game."""
    import gem

    found = {}
    for ours, (name, move) in GEM.items():
        env = gem.make(name)

        def step():
            _, _, terminated, truncated, _ = env.step(move())
            return terminated or truncated

        found[ours] = timed(seconds, env.reset, step)
    return found


def of_ours():
    """Microseconds of a step, by game."""
    out = subprocess.run(["go", "test", "./tasks/catalog", "-run", "-", "-bench", "Steps", "-benchtime", "3x"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name: float(ns) / 1000 for name, ns in BENCH.findall(out)}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seconds", type=float, default=3, help="of each game of a peer")
    p.add_argument("--write", type=pathlib.Path)
    args = p.parse_args()
    ours, textarena, gem = of_ours(), of_textarena(args.seconds), of_gem(args.seconds)
    lines = ["| | Quintain, µs a step | TextArena | times | gem | times |", "|---|--:|--:|--:|--:|--:|"]
    for name, took in sorted(ours.items()):
        cells = [f"`{name}`", f"{took:.1f}"]
        for peer in (textarena, gem):
            cells += [f"{peer[name]:.0f}", f"{peer[name] / took:.1f}"] if name in peer else ["", ""]
        lines.append("| " + " | ".join(cells) + " |")
    for what, cores in (("median, a core each", 1), (f"median, {os.cpu_count()} cores of which Python uses one", os.cpu_count())):
        cells = [what, f"{statistics.median(ours.values()) / cores:.1f}"]
        for peer in (textarena, gem):
            cells += ["", f"{cores * statistics.median(peer[n] / ours[n] for n in peer if n in ours):.1f}"]
        lines.append("| " + " | ".join(cells) + " |")
    text = "\n".join(lines)
    print(text)
    if args.write:
        args.write.write_text(MARK.sub(lambda m: m[1] + text + "\n" + m[2], args.write.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
