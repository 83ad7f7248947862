#!/usr/bin/env python3
"""The hosts of python/quintain/guests, with the real packages: REQUIREMENTS=guests_textarena.txt
conformance/python conformance/guests_hosts.py --scheme textarena [--short]

Each environment is played by a plain loop over its package, in which a script that looks behind the scenes makes the
replies; every eighth episode is nonsense. Then the hosts play the same problems with the same replies: interleaved in one
process, and in another order in four. Reward, metrics and end must equal those of the loop, openings must be the same
in both, and half of the episodes must earn other than the nonsense. Games of TextArena must tell all that their wrappers
do, once, but for the moves. Then come the environments that are refused, and faults.
"""

import argparse
import collections
import contextlib
import http.server
import importlib.util
import itertools
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import fake_chat

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOST = ROOT / "python" / "quintain" / "guests" / "host.py"
SEED, COUNT, NONSENSE = "20261130", 64, "I do not know."
spec = importlib.util.spec_from_file_location("quintain_host", HOST)
host = importlib.util.module_from_spec(spec)
spec.loader.exec_module(host)


def problem(index):
    return {"seed": SEED, "level": 0, "index": index, "params": {"split": "all"}}


# Scripts: generators of replies, which look at the environment.


def constant(*replies):
    return lambda env: iter(replies)


def cycle(*replies):
    return lambda env: itertools.cycle(replies)


def path(env):
    """The way over the frozen lake."""
    grid, start = env.state.game_state["grid"], tuple(env.state.game_state["player_pos"])
    steps = {"[up]": (-1, 0), "[down]": (1, 0), "[left]": (0, -1), "[right]": (0, 1)}
    queue, seen = collections.deque([(start, [])]), {start}
    while queue:
        at, way = queue.popleft()
        if grid[at[0]][at[1]] == "G":
            return iter(way)
        for name, (down, right) in steps.items():
            to = at[0] + down, at[1] + right
            if to not in seen and all(0 <= n < len(grid) for n in to) and grid[to[0]][to[1]] != "H":
                seen.add(to)
                queue.append((to, [*way, name]))


def lights(env):
    """Presses that put all lights out: those of the first row are tried, the rest follows."""
    size, grid = env.size, env.state.game_state["grid"]
    for first in itertools.product((0, 1), repeat=size):
        on, pressed = [[int(x) for x in row] for row in grid], []
        for row in range(size):
            for column in range(size):
                if first[column] if row == 0 else on[row - 1][column]:
                    pressed.append(f"[{row} {column}]")
                    for a, b in ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)):
                        if 0 <= row + a < size and 0 <= column + b < size:
                            on[row + a][column + b] ^= 1
        if not any(map(any, on)):
            return iter(pressed)
    return iter(["[0 0]"] * 20)


def cells(env, form, first):
    """All cells without a mine."""
    yield form.format(*first)
    for row in range(env.rows):
        for column in range(env.cols):
            if env.grid[row][column] != -1 and not env.revealed[row][column]:
                yield form.format(row, column)


def sudoku(env, form):
    board = env.state.game_state["board"] if hasattr(env, "state") else env.board
    size = len(board)
    for row in range(size):
        for column in range(size):
            if board[row][column] == 0:
                yield form.format(row + 1, column + 1, env.full_grid[row][column])


def pegs(env):
    """Jumps as they come."""
    board = env.state.game_state["board"]
    while True:
        yield next(f"[{a} {c}]" for a, b, c in env.ALLOWED_MOVES if board[a] and board[b] and not board[c])


def sets(env):
    while True:
        board = env.state.game_state["board"]
        found = next((three for three in itertools.combinations(range(len(board)), 3) if all(len({board[n][k] for n in three}) != 2 for k in range(4))), (0, 1, 2))
        yield f"[{', '.join(str(n + 1) for n in found)}]"


def logic(env):
    done = set()
    for grid in env.game_board_solution.values():
        for name, row in grid.items():
            for item, mark in row.items():
                if (name, item) not in done:
                    done |= {(name, item), (item, name)}
                    yield f"[{name} {item} {mark}]"


def letters(env):
    solution = env.state.game_state["solution"]
    for row, column in itertools.product(range(len(solution)), range(len(solution[0]))):
        if solution[row][column] != ".":
            yield f"[{row} {column} {solution[row][column]}]"


def bandit(env):
    truth = env.state.game_state["ground_truth"]
    return itertools.repeat(f"[{max(truth, key=truth.get)}]")


def secretary(env):
    draws = env.state.game_state["draws"]
    return iter(["[continue]"] * draws.index(max(draws)) + ["[accept]"])


def blackjack(env):
    while True:
        yield "[Hit]" if env._hand_score(env.state.game_state["player_hand"]) < 15 else "[Stand]"


def best(env):
    """The best actions of a small environment of Gymnasium, by its table of transitions."""
    table = env.P
    worth = {s: 0.0 for s in table}
    value = lambda s, a: sum(p * (r + (0 if done else 0.99 * worth[to])) for p, to, r, done in table[s][a])
    for _ in range(200):
        worth = {s: max(value(s, a) for a in table[s]) for s in table}
    while True:
        yield f"<action>{max(table[int(env.s)], key=lambda a: value(int(env.s), a))}</action>"


def steered(form):
    def script(env):
        while True:
            yield f"<action>{form(env.state)}</action>"

    return script


HANOI = "AC", "AB", "CB", "AC", "BA", "BC", "AC"
TEXTARENA = {
    "GuessTheNumber-v0": lambda env: iter(["[1]", "[99]", f"[{env.game_number}]", "[2]"]), "FrozenLake-v0": path, "ThreeCardMonte-v0": lambda env: iter([f"[{env.ball_pos}]"]),
    "2048-v0-mega-easy": cycle("[up]", "[left]", "[down]", "[right]"), "Bandit-v0": bandit, "Blackjack-v0": blackjack, "Crosswords-v0": letters,
    "Cryptarithm-v0": constant("[S 9]", "[E 5]", "[N 6]", "[D 7]", "[M 1]", "[O 0]", "[R 8]", "[Y 2]"), "LightsOut-v0": lights, "LogicPuzzle-v0": logic,
    "Mastermind-v0": lambda env: iter(["[1 2 3 4]", "[6 5 4 3]", f"[{' '.join(map(str, env.state.game_state['secret_code']))}]"]),
    "Minesweeper-v0-small": lambda env: cells(env, "[{} {}]", (2, 2)), "PegJump-v0": pegs, "Secretary-v0": secretary, "Set-v0": sets,
    "Sudoku-v0-easy": lambda env: sudoku(env, "[{} {} {}]"), "TowerOfHanoi-v0": constant(*(f"[{a} {b}]" for a, b in HANOI)),
}  # fmt: skip
GYMNASIUM = {
    "FrozenLake-v1": best, "FrozenLake8x8-v1": best, "Taxi-v4": best, "CliffWalking-v1": best,
    "Blackjack-v1": lambda env: (f"<action>{int(sum(env.player) < 17)}</action>" for _ in itertools.count()),
    "CartPole-v1": steered(lambda s: int(s[2] > 0)), "MountainCarContinuous-v0": steered(lambda s: f"[{math.copysign(1, s[1])}]"),
}  # fmt: skip
GEM = {
    "game:GuessTheNumber-v0-easy": lambda env: iter([r"\boxed{1}", rf"\boxed{{{env.game_number}}}", r"\boxed{2}"]),
    "game:Mastermind-v0-easy": lambda env: iter([rf"\boxed{{{' '.join(map(str, env.game_code))}}}"]),
    "game:Minesweeper-v0-easy": lambda env: cells(env, r"\boxed{{reveal {} {}}}", (2, 2)), "game:Sudoku-v0-easy": lambda env: sudoku(env, r"\boxed{{{} {} {}}}"),
    "game:TowerofHanoi-v0-easy": constant(*(rf"\boxed{{{a} {b}}}" for a, b in HANOI)), "game:Game2048-v0-easy": cycle(r"\boxed{up}", r"\boxed{left}", r"\boxed{down}", r"\boxed{right}"),
    "game:GuessTheNumber-v0-random": lambda env: iter([rf"\boxed{{{env.game_number}}}"]), "rg:chain_sum": lambda env: iter([rf"\boxed{{{env.data['answer']}}}"]),
}  # fmt: skip
REASONING_GYM = dict.fromkeys(["basic_arithmetic", "caesar_cipher", "chain_sum", "countdown", "knights_knaves", "mini_sudoku", "spell_backward", "word_ladder"])
SCHEMES = {"textarena": TEXTARENA, "gymnasium": GYMNASIUM, "gem": GEM, "reasoning_gym": REASONING_GYM}
REFUSED = {
    "textarena": {"TicTacToe-v0": "a game of 2 players", "SpiteAndMalice-v0": "a game of 2 players", "Debate-v0": "OPENROUTER_API_KEY", "Sokoban-v0": "the module numpy", "GuessTheNumber": "GuessTheNumber-v0",
                  "UsedCarNegotiation-v0": "a file is missing"},
    "gymnasium": {"CarRacing-v3": "Box2D", "LunarLander-v3": "Box2D", "FrozenLake": "there are FrozenLake-v1"}, "gem": {"eval:MATH500": "the module datasets", "game:Nothing": "there are"}, "reasoning_gym": {"nothing": "nothing"},
}  # fmt: skip


# Plain loops. Each returns the environment to look at, its opening and a function of a reply: (reward, metrics or None).


def seeded(seed):
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)


def plain_textarena(name, seed):
    import textarena

    env = inner = textarena.make(name)
    env.reset(num_players=1, seed=seed)
    while hasattr(inner, "env"):
        inner = inner.env

    def act(reply):
        over, _ = env.step(action=reply)
        if not over:
            env.get_observation()
            return 0, None, None
        rewards, info = env.close()
        inner.told = "\n".join(f"[{env.state.role_mapping.get(who)}] {text}" for who, text, kind in env.full_observations[0] if isinstance(kind, textarena.ObservationType) and kind.name != "PLAYER_ACTION")
        return rewards[0], host.metrics(info[0]), "terminated"

    env.get_observation()
    return inner, act


def plain_gymnasium(name, seed):
    import gymnasium
    import numpy

    env, bad = gymnasium.make(name), []
    env.reset(seed=seed)

    def act(reply):
        if reply == NONSENSE:  # it is told once: a rule of ours
            bad.append(reply)
            return 0, ({} if len(bad) == 2 else None), "terminated"
        action = json.loads(reply[8:-9])
        _, reward, terminated, truncated, info = env.step(numpy.array(action, dtype=numpy.float32) if isinstance(action, list) else action)
        over = terminated or truncated
        return reward, (host.metrics(info) if over else None), "terminated" if terminated else "truncated"

    return env.unwrapped, act


def plain_gem(name, seed):
    import gem

    env = gem.make(name)
    env.reset(seed=seed)

    def act(reply):
        _, reward, terminated, truncated, info = env.step(reply)
        return reward, (host.metrics(info) if terminated or truncated else None), "terminated" if terminated else "truncated"

    return env, act


def plain_reasoning_gym(name, seed):
    import reasoning_gym

    rows = reasoning_gym.create_dataset(name, size=1, seed=seed)
    answered = lambda reply: reply[8:-9] if reply != NONSENSE else None
    return rows[0], lambda reply: (rows.score_answer(answered(reply), rows[0]), {}, "terminated")


def looped(scheme, name, index):
    """The replies of a script, and what a plain loop over the package gives for them."""
    seed = host.seed_of(problem(index))
    seeded(seed)
    env, act = globals()["plain_" + scheme](name, seed)
    script = (SCHEMES[scheme][name] or (lambda e: iter([f"<answer>{e['answer']}</answer>"])))(env) if index % 8 else iter(())
    replies, total = [], 0.0
    while len(replies) < 2000:
        replies.append(next(script, NONSENSE))
        reward, metrics, end = act(replies[-1])
        if isinstance(reward, str):  # a fault of some games: the text of an error as a reward
            return replies, env.told, (total, None, f"the reward is {reward!r}, want a number")
        total += float(reward or 0)
        if metrics is not None:
            return replies, getattr(env, "told", None), (total, metrics, end)
    raise SystemExit(f"{scheme}:{name}: problem {index} does not end")


class Process:
    """A host."""

    def __init__(self, scheme, name, **query):
        given = json.dumps({"part": "", "query": query, "args": {}})
        self.process = subprocess.Popen([sys.executable, HOST, scheme, name, given], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT / "conformance")
        self.hello = self.ask({"id": 0, "hello": {"protocol": 2, "least": 1}})

    def ask(self, request):
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            return {"error": "the process has ended"}

    def play(self, indices, replies):
        """All episodes at once, a step of each in turn: their openings, and what they give."""
        opened = {n: self.ask({"id": n + 1, "open": problem(n)})["messages"] for n in indices}
        self.said = {n: [opened[n][-1]["content"]] for n in indices}
        given, total, waiting = {}, dict.fromkeys(indices, 0.0), {n: list(replies[n]) for n in indices}
        while waiting:
            for n in list(waiting):
                answer = self.ask({"id": n + 1, "step": {"text": waiting[n].pop(0), "finish": "stop"}})
                total[n] += answer.get("reward", 0.0)
                if answer.get("end") or answer.get("error"):
                    given[n] = total[n], answer.get("metrics"), answer.get("end") or answer["error"]
                    del waiting[n]
                    continue
                self.said[n].append(answer["messages"][-1]["content"])
                if not waiting[n]:
                    given[n] = total[n], None, "it goes on"
                    del waiting[n]
        return opened, given

    def close(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        return self.process.wait(300)


def checked(scheme, name, count):
    """The faults of an environment."""
    replies, told, want = zip(*(looped(scheme, name, n) for n in range(count)))
    one = Process(scheme, name)
    if "hello" not in one.hello:
        return [f"it is refused: {one.hello['error']}"]
    began = time.monotonic()
    opened, given = one.play(range(count), replies)
    graded = {n: one.ask({"id": n, "grade": {"problem": problem(n), "messages": [*opened[n], {"role": "assistant", "content": replies[n][-1]}]}}) for n in opened if one.hello["hello"]["grades"]}
    took, wrong = time.monotonic() - began, [] if one.close() == 0 else ["the process fails at its end"]
    wrong += [f"problem {n}: the host gives {given[n]}, the loop {want[n]}" for n in range(count) if given[n] != want[n]]
    wrong += [f"problem {n}: the host does not tell all that is new, once" for n in range(count) if told[n] is not None and told[n].split() != " ".join(one.said[n]).split()]
    wrong += [f"problem {n}: it is graded as {said}, the loop gives {want[n]}" for n, said in graded.items() if (said.get("reward"), said.get("metrics"), "terminated") != want[n]]
    order = random.Random(name).sample(range(count), count)
    for part in range(4):
        process = Process(scheme, name)
        again, gives = process.play(order[part::4], replies)
        process.close()
        wrong += [f"problem {n}: another process opens or rewards it otherwise" for n in again if again[n] != opened[n] or gives[n] != given[n]]
    floor = want[0][0]
    above = sum(w[0] != floor for w in want)
    if above < count / 2 and count == COUNT:  # of fewer, chance may take more than half
        wrong.append(f"only {above} of {count} episodes earn other than {floor:g}")
    if not one.hello["hello"]["replayable"]:
        wrong.append("it is told as not replayable")
    print(f"{scheme}:{name}: {count} episodes, {above} other than {floor:g}, {sum(map(len, replies))} replies in {took:.1f} s, {len(wrong)} wrong", flush=True)
    return wrong


INJECTED = {
    "nan": "want a finite number", "infinite": "want a finite number", "text": "the reward is 'Bad move.', want a number", "list": "the reward is [1.0], want a number", "none": "without a reward",
    "raise": "IndexError", "exit": "SystemExit", "die": "the process has ended", "memory": "MemoryError", "deep": "RecursionError", "read": "EOFError", "print": 0.5, "yes": 1.0, "fine": 0.5, "key": "KeyError",
    "open raise": "IndexError", "open exit": "SystemExit", "open memory": "MemoryError", "open die": "the process has ended", "open key": "KeyError", "start": "it never starts",
}  # fmt: skip


def injected():
    """Faults of an environment: none becomes a reward, and the other episode of the process goes on, if that lives."""
    wrong = []
    for fault, want in INJECTED.items():
        process = Process("gymnasium", "Faulty-v0", module="guests_faulty", fault=fault)
        answers = [process.hello, *(process.ask({"id": n, "open": problem(n)}) for n in (1, 2)), *(process.ask({"id": n, "step": {"text": "<action>0</action>", "finish": "stop"}}) for n in (1, 2))]
        at = 0 if fault == "start" else 1 if fault.startswith("open") else 3
        got = answers[at].get("error", answers[at].get("reward"))
        if got != want and not (isinstance(want, str) and want in str(got)) or at == 1 and "die" not in fault and not answers[at].get("again"):
            wrong.append(f"fault {fault}: {answers[at]}, want {want}")
        if process.close() != (7 if "die" in fault else 0):
            wrong.append(f"fault {fault}: the process ends otherwise")
    print(f"{len(INJECTED)} faults, {len(wrong)} of a wrong kind")
    return wrong


OUTCOMES = {
    "fine": {"scored"}, "print": {"scored"}, "open print": {"scored"}, "yes": {"scored"}, "leave": {"scored"}, "disk": {"env_failed", "infra_failed"}, "open hang": {"infra_failed"}, "die": {"env_failed", "infra_failed"}, "hang": {"env_failed", "infra_failed"}, "open raise": {"infra_failed"}, "open die": {"infra_failed"},
    **dict.fromkeys(["nan", "infinite", "text", "list", "none", "huge", "raise", "exit", "memory", "deep", "read", "key"], {"env_failed"}),
}  # fmt: skip


class Chat(fake_chat.Handler):
    """A model that always acts alike."""

    def do_POST(self):
        self.asked()
        choice = {"index": 0, "message": {"role": "assistant", "content": "<action>0</action>"}, "finish_reason": "stop"}
        self.answer({"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}})


def outcomes(quintain):
    """The same faults in evaluations, and their outcomes."""
    server, wrong = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Chat), []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for fault, want in OUTCOMES.items():
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [quintain, "eval", "--policy", "server", "--model", "m", "--url", f"http://127.0.0.1:{server.server_port}/v1", "--count", "4", "--out", f"{folder}/out", "--data", f"{folder}/data",
                 "--environment", f"gymnasium:Faulty-v0?module=guests_faulty&fault={urllib.parse.quote(fault)}", "--with", f"environment.python={sys.executable}", "--with", f"environment.isolate={'sandbox' if fault == 'disk' else 'none'}",
                 "--with", "environment.answer_time=5s", "--with", "run.replays=1", "--with", "exam.max_failed=1"],
                cwd=ROOT / "conformance", capture_output=True, text=True, timeout=600,
            )  # fmt: skip
        last = (done.stdout.splitlines() or [""])[-1]
        if set(re.findall(r"(\w+): \d+", last.partition("episodes 4")[2])) != want:
            wrong.append(f"fault {fault}: the evaluation ends with {last or done.stderr[-400:]}, want {want}")
    if subprocess.run(["pgrep", "-f", "^sleep 86399"], stdout=subprocess.DEVNULL).returncode != 1:
        wrong.append("fault leave: its processes are left")
    print(f"{len(OUTCOMES)} faults in evaluations, {len(wrong)} with a wrong outcome")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scheme", required=True, choices=SCHEMES)
    parser.add_argument("--short", action="store_true", help="three environments, 16 episodes of each")
    parser.add_argument("--only", help="one environment")
    parser.add_argument("--quintain", help="the program, to have it play faults of Gymnasium")
    args = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # as in the hosts
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    names = [args.only] if args.only else list(SCHEMES[args.scheme])[: 3 if args.short else None]
    faults = [f"{name}: {fault}" for name in names for fault in checked(args.scheme, name, 16 if args.short else COUNT)]
    if args.scheme == "gymnasium" and not args.only:
        faults += injected() + (outcomes(args.quintain) if args.quintain else [])
    for name, want in ({} if args.only else REFUSED[args.scheme]).items():
        process = Process(args.scheme, name)
        said = process.hello.get("error", "nothing")
        process.close()
        if want not in said:
            faults.append(f"{name}: its hello says {said}, want {want}")
    for fault in faults[:30]:
        print(fault[:400])
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
