"""The code of the documents works as they say."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import quintain
from test_hub import WithHub, group

ROOT = pathlib.Path(__file__).resolve().parents[2]


def code(name):
    """The Python parts of a document."""
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)


class Documents(unittest.TestCase):
    def test_problems_and_grades(self):
        names = {}
        exec(code("docs/python.md")[0], names)
        self.assertEqual((len(names["problems"]), len(names["verdicts"])), (1000, 1000))
        self.assertLess(names["verdicts"][0].score, 1)

    def test_readme(self):
        done = subprocess.run([sys.executable, "-c", code("python/README.md")[0]], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "True"), done.stderr)

    def test_scenarios(self):
        names = {"__name__": "twice"}
        exec(code("docs/scenarios.md")[0], names)
        play = names["twice"].play(quintain.Draw(seed=1, level=0, index=0, params={}))
        number = int(re.search(r"\d+", next(play))[0])
        self.assertEqual(play.send(quintain.Reply("I do not know.")), "No. Try again.")
        with self.assertRaises(StopIteration) as end:
            play.send(quintain.Reply(f"<answer>{2 * number}</answer>"))
        self.assertEqual(end.exception.value, 1.0)
        exec(code("docs/scenarios.md")[1], names)
        [problem] = quintain.task("gcd").problems(count=1)
        play = names["second_chance"].play(problem)
        self.assertTrue(next(play).startswith(problem["prompt"]))
        self.assertIn("not right", play.send(quintain.Reply("<answer>-1</answer>")))
        with self.assertRaises(StopIteration) as end:
            play.send(quintain.Reply("<answer>7</answer>"))
        self.assertEqual(end.exception.value.grade, "7")

    def test_runs(self):
        [block] = [c for c in code("docs/python.md") if "quintain.Run(" in c]
        with tempfile.TemporaryDirectory() as folder:
            block = block.replace('"my-run", policy="server", url="http://127.0.0.1:8001"', f'"{folder}/data", policy="script"')
            names = {"quintain": quintain}
            exec(block, names)
            self.assertFalse(names["run"].running)


class Batches(WithHub):
    """The loop of the document, with a hub like the other tests."""

    def test_loop(self):
        [block] = [c for c in code("docs/python.md") if "hub.batches(" in c]
        block = block.replace("http://127.0.0.1:8000", self.url).replace("steps=1000", "steps=2")
        quintain.Hub(self.url, trainer="mine").post([group(f"g{i}", 4) for i in range(32)])
        shapes = []
        exec(block, {"quintain": quintain, "train": lambda *arrays: shapes.append([a.shape for a in arrays])})
        self.assertEqual(shapes, [[(64, 6)] * 3 + [(64,)] * 2] * 2)


if __name__ == "__main__":
    unittest.main()
