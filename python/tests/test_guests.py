"""The host of other systems' environments, with a system that is made here."""

import contextlib
import importlib.util
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HOST = pathlib.Path(__file__).resolve().parents[1] / "quintain" / "guests" / "host.py"
FAKE = '''
import json, os, random, sys, threading, time
print("the module prints")
sys.modules["fake"] = sys.modules[__name__]
from quintain_host import Refused
PACKAGE, KNOWN = "fake", ("1",)

def names():
    return {"b": 1, "a": 2}

class Guest:
    def __init__(self, name, args):
        self.name, self.args = name, args
        self.about = {"right_at": 1.0, "max_turns": 9}
        faults = {
            "refused": Refused("it wants more"), "module": ImportError("Could not import x. Error: No module named 'numpy'"),
            "words": LookupError("Resource \\x1b[93mwords\\x1b[0m not found."), "key": ValueError("Set the OPENROUTER_API_KEY variable"),
            "file": FileNotFoundError("no rules.txt"), "code": SyntaxError("invalid syntax"), "other": KeyError("x"), "exit": SystemExit(3),
        }
        if name in faults:
            raise faults[name]
        if name == "rows":
            self.about["splits"] = [{"name": "train", "size": 5}, {"name": "test", "size": 3, "held_out": True}]
        if name == "solved":
            self.solve = lambda seed, split: str(seed)
        if name == "graded":
            self.grade = lambda seed, split, messages: {"end": "terminated", "reward": messages[-1]["content"] or None, "why": f"{seed} {random.random()}"}
        if args.get("thread"):
            threading.Thread(target=time.sleep, args=(1000,)).start()
    def open(self, seed, split):
        return Episode(self, seed, split)

class Episode:
    def __init__(self, guest, seed, split):
        self.guest, self.number = guest, seed if guest.name == "rows" else random.randint(1, 10**9)
        self.split = split
    def begin(self):
        if self.guest.name == "over":
            return {"end": "terminated", "reward": 0.5}
        told = os.urandom(8).hex() if self.guest.name == "fresh" else f"{self.split} {self.number}"
        return {"system": "Play.", "text": told}
    def step(self, text):
        print("a step prints")
        if text == "draw":
            return {"text": str(random.random()), "reward": None}
        if text == "read":
            return {"text": input()}
        if text.startswith("raise"):
            raise {"raise": KeyError("x"), "raise exit": SystemExit(1), "raise memory": MemoryError()}[text]
        if text == "die":
            os._exit(7)
        if text == "half":
            return {"text": "on", "reward": 0.5}
        value = {"nan": float("nan"), "text": "Bad move.", "true": True, "none": None, "list": [1]}.get(text, 0.25)
        info = {"n": 3, "flag": True, "nan": float("nan"), "word": "x", **({f"m{n:03}": n for n in range(99)} if text == "many" else {})}
        return {"end": "truncated" if text == "cut" else "terminated", "reward": value, "why": text, "info": info, "malformed": text == "bad"}
    def close(self):
        if self.guest.name == "stubborn":
            raise ValueError("it does not close")
'''


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name)
        shutil.copy(HOST, here)
        (here / "fake.py").write_text(FAKE, encoding="utf-8")
        yield here


HELLO = {"id": 1, "hello": {"protocol": 2, "least": 1}}


def run(name, *requests, args=None):
    """The answers of a process to requests, its status and its log. Hello comes before them."""
    lines = "".join(json.dumps(r) + "\n" for r in (HELLO, *requests))
    with folder() as here:
        done = subprocess.run([sys.executable, here / "host.py", "fake", name, json.dumps(args or {})], input=lines, capture_output=True, text=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode, done.stderr


def inside(name, *requests, args=None):
    """The same in this process, without the status."""
    said = io.StringIO()
    with folder() as here, contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        spec = importlib.util.spec_from_file_location("quintain_host", here / "host.py")
        module = sys.modules["quintain_host"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        host = module.Host("fake", name, json.dumps(args or {}))
        answers = [json.loads(host.answer(json.dumps(r).encode())) for r in (HELLO, *requests)]
        host.close()
    return answers, said.getvalue()


def opening(number, index, split="all", seed="18446744073709551615"):
    return {"id": number, "open": {"seed": seed, "level": 0, "index": index, "params": {"split": split}}}


def reply(number, text):
    return {"id": number, "step": {"text": text, "finish": "stop"}}


def told(answer):
    return answer["messages"][-1]["content"]


class Hellos(unittest.TestCase):
    def test_a_hello_tells_the_environment(self):
        answers, log = inside("My-Game:v0", args={"query": {"size": "7", "word": "x"}, "args": {"size": 8}})
        hello = answers[0]["hello"]
        self.assertEqual(len(hello["source"].pop("digest")), 32)
        want = {
            "protocol": 2, "name": "fake_my_game_v0", "version": 1, "doc": "The environment My-Game:v0 of fake.", "settings": {"name": "My-Game:v0", "size": 8, "word": "x"},
            "splits": [{"name": "all"}], "replayable": True, "solves": False, "grades": False, "source": {"system": "fake", "package": "fake", "version": "unknown"}, "right_at": 1.0, "max_turns": 9,
        }  # fmt: skip
        self.assertEqual(hello, want)
        self.assertIn("is not one that was tried (1)", log)

    def test_what_cannot_be_played_is_refused_at_the_start(self):
        for name, want in {
            "refused": "fake:refused: it wants more", "module": "name its package in environment.packages", "words": "-m nltk.downloader words", "key": "set OPENROUTER_API_KEY, and name it in environment.keys",
            "file": "a file is missing in its package: no rules.txt", "code": "(invalid syntax): choose another by environment.python", "other": "KeyError: 'x'", "exit": "SystemExit: 3",
        }.items():  # fmt: skip
            with self.subTest(name):
                self.assertIn(want, inside(name)[0][0]["error"])
        self.assertIn("the arguments are", inside("game", args={"size": 3})[0][0]["error"])

    def test_names_are_listed(self):
        with folder() as here:
            done = subprocess.run([sys.executable, here / "host.py", "fake"], capture_output=True, text=True, timeout=300, check=True)
            self.assertEqual(done.stdout.splitlines()[-2:], ["a", "b"])
            missing = subprocess.run([sys.executable, here / "host.py", "none"], capture_output=True, text=True, timeout=300)
            self.assertIn("there is no host for 'none'", missing.stderr)

    def test_an_environment_that_opens_differently_is_not_replayable(self):
        self.assertFalse(inside("fresh")[0][0]["hello"]["replayable"])


class Episodes(unittest.TestCase):
    def test_rewards_are_checked(self):
        rows = [
            ("true", {"reward": 1.0, "right": True, "end": "terminated"}), ("fine", {"reward": 0.25, "right": False}), ("cut", {"end": "truncated"}), ("bad", {"malformed": True, "reward": 0.25}),
            ("nan", {"error": "the reward is nan, want a finite number"}), ("text", {"error": "the reward is 'Bad move.', want a number"}), ("list", {"error": "the reward is [1], want a number"}),
            ("none", {"error": "the episode ends without a reward"}), ("raise", {"error": "KeyError: 'x'"}), ("raise exit", {"error": "SystemExit: 1"}), ("raise memory", {"error": "MemoryError: "}),
            ("read", {"error": "EOFError: EOF when reading a line"}), ("fine", {"reward": 0.25}),
        ]  # fmt: skip
        answers, status, log = run("game", *(r for n, (text, _) in enumerate(rows) for r in (opening(n + 2, n), reply(n + 2, text))))
        self.assertEqual((status, len(answers)), (0, 1 + 2 * len(rows)))
        for answer, (text, want) in zip(answers[2::2], rows):
            with self.subTest(text):
                self.assertEqual({k: answer.get(k) for k in want}, want)
                self.assertNotIn("again", answer)
        self.assertIn("the module prints", log)
        self.assertIn("a step prints", log)

    def test_rewards_of_an_episode_add_up(self):
        answers, _ = inside("game", opening(2, 0), reply(2, "half"), reply(2, "half"), reply(2, "none"))
        self.assertEqual([a.get("reward") for a in answers[2:]], [0.5, 0.5, 0.0])
        self.assertTrue(answers[4]["right"])

    def test_numbers_beside_the_reward(self):
        answers, log = inside("game", opening(2, 0), reply(2, "fine"), opening(3, 0), reply(3, "many"))
        self.assertEqual(answers[2]["metrics"], {"flag": 1.0, "n": 3.0})
        self.assertEqual(len(answers[4]["metrics"]), 64)
        self.assertIn("gives 101 numbers beside the reward", log)

    def test_chance_is_that_of_the_episode(self):
        alone, _ = inside("game", opening(2, 5), reply(2, "draw"), reply(2, "draw"))
        beside, _ = inside(
            "game", opening(3, 6), opening(2, 5), reply(3, "draw"), reply(2, "draw"), opening(4, 5), reply(3, "draw"), reply(4, "raise"), reply(2, "draw"),
        )  # fmt: skip
        self.assertEqual([told(a) for a in alone if a["id"] == 2], [told(a) for a in beside if a["id"] == 2])
        again, _ = inside("game", opening(2, 5, seed="1"))
        self.assertNotEqual(told(again[1]), told(alone[1]))

    def test_thinking_is_not_played(self):
        for text, why in {"<think>raise</think>\ncut": "cut", "<think>cut": "", "raise </think> fine": "fine"}.items():
            with self.subTest(text):
                self.assertEqual(inside("game", opening(2, 0), reply(2, text))[0][2].get("why", ""), why)

    def test_a_row_is_its_index(self):
        answers, _ = inside("rows", opening(2, 2, "test"), opening(3, 2, "train"), opening(4, 2, "none"))
        self.assertEqual([told(a) for a in answers[1:3]], ["test 2", "train 2"])
        self.assertEqual((answers[3]["error"], answers[3]["again"]), ("there is no split 'none'", True))

    def test_what_was_played_before_is_graded(self):
        def played(number, content):
            return {"id": number, "grade": {"problem": opening(0, 3)["open"], "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": content}]}}

        answers, _ = inside("graded", opening(2, 5), played(3, True), played(4, ""), played(5, True), reply(2, "draw"))
        self.assertTrue(answers[0]["hello"]["grades"])
        self.assertEqual((answers[2]["reward"], answers[2]["right"], answers[3]["error"]), (1.0, True, "the episode ends without a reward"))
        self.assertEqual(answers[2]["why"], answers[4]["why"])  # its chance is that of the problem
        self.assertEqual(told(answers[5]), told(inside("graded", opening(2, 5), reply(2, "draw"))[0][2]))

    def test_an_episode_may_be_over_at_once(self):
        answers, _ = inside("over", opening(2, 0), reply(2, "fine"))
        self.assertEqual((answers[1]["reward"], answers[1]["end"]), (0.5, "terminated"))
        self.assertEqual(answers[2]["error"], "there is no episode 2")

    def test_a_solution(self):
        answers, _ = inside("solved", {"id": 2, "solve": {"seed": "1", "level": 0, "index": 0, "params": {"split": "all"}}})
        self.assertTrue(answers[0]["hello"]["solves"])
        self.assertTrue(answers[1]["solution"].isdecimal())


FUNCTIONS = """
n = 0
def reset(seed):
    global n
    n = seed % 7
    return f"Say {n}."
def step(reply):
    return "No.", float(reply == str(n)), reply != "wait"
"""
CLASS = """
class Game:
    def __init__(self, most=9):
        self.most = most
    def reset(self, *, seed=None, options=None):
        self.n = seed % self.most
        return f"Say {self.n}.", {}
    def step(self, action):
        return "", float(action == str(self.n)), False, True, {"guess": 1}
    def solve(self):
        return str(self.n)
"""


class Files(unittest.TestCase):
    """A file of the user's, with reset and step."""

    def answers(self, code, *requests, args=None):
        with folder() as here:
            shutil.copy(HOST.parent / "file.py", here)
            (here / "game.py").write_text(code, encoding="utf-8")
            lines = "".join(json.dumps(r) + "\n" for r in (HELLO, *requests))
            words = [sys.executable, here / "host.py", "file", here / "game.py", json.dumps({"args": args or {}})]
            done = subprocess.run(words, input=lines, capture_output=True, text=True, timeout=300, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_functions_have_globals_of_their_own_in_each_episode(self):
        answers = self.answers(FUNCTIONS, opening(2, 1), opening(3, 2), reply(2, "wait"), reply(2, "x"))
        self.assertFalse(answers[0]["hello"]["solves"])
        first, second = (told(a)[4:-1] for a in answers[1:3])
        self.assertNotEqual(first, second)
        self.assertEqual((told(answers[3]), answers[4]["reward"]), ("No.", 0.0))
        self.assertEqual(self.answers(FUNCTIONS, opening(2, 1), opening(3, 2), reply(2, first))[3]["reward"], 1.0)

    def test_a_class_may_be_as_in_gymnasium(self):
        problem = opening(2, 1)["open"]
        answers = self.answers(CLASS, opening(2, 1), {"id": 3, "solve": problem}, reply(2, "x"), args={"most": 5})
        self.assertEqual(told(answers[1]), f"Say {answers[2]['solution']}.")
        self.assertEqual((answers[3]["end"], answers[3]["reward"], answers[3]["metrics"]), ("truncated", 0.0, {"guess": 1.0}))

    def test_other_files_are_refused(self):
        for code, want in {"": "it has 0 classes with reset and step", CLASS + CLASS.replace("Game", "Other"): "it has 2 classes", "import none": "it needs the module none, which"}.items():
            with self.subTest(want):
                self.assertIn(want, self.answers(code)[0]["error"])


class Ends(unittest.TestCase):
    def test_the_process_ends_with_its_input(self):
        answers, status, log = run("stubborn", opening(2, 0), {"id": 2, "close": {}}, opening(3, 1), args={"args": {"thread": True}})
        self.assertEqual((status, answers[2], len(answers)), (0, {"id": 2}, 4))
        self.assertIn("it does not close", log)

    def test_a_death_is_seen(self):
        answers, status, _ = run("game", opening(2, 0), reply(2, "die"), opening(3, 0))
        self.assertEqual((status, len(answers)), (7, 2))


if __name__ == "__main__":
    unittest.main()
