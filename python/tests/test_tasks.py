"""Problems, grades and rewards."""

import importlib.util
import json
import pickle
import subprocess
import sys
import unittest

import quintain


class Tasks(unittest.TestCase):
    def setUp(self):
        self.task = quintain.task("chain_sum", level=1)
        self.problems = self.task.problems(seed=7, count=50)
        self.answers = [str(json.loads(p["problem"])["instance"]["expression"]) for p in self.problems]
        self.answers = [str(eval(a)) for a in self.answers]  # sums of whole numbers

    def test_the_module_lists_its_names(self):
        self.assertEqual(sorted([*quintain.__all__, "__version__"]), dir(quintain))
        for name in dir(quintain):
            self.assertIsNotNone(getattr(quintain, name), name)
        self.assertRegex(quintain.__version__, r"^\d+\.\d+")
        light = "import quintain, sys; dir(quintain); assert 'numpy' not in sys.modules"  # it loads slowly
        self.assertEqual(subprocess.run([sys.executable, "-c", light], timeout=60).returncode, 0)

    def test_problems_are_always_the_same(self):
        self.assertEqual(self.problems, self.task.problems(seed=7, count=50))
        self.assertEqual(self.problems[20:30], self.task.problems(seed=7, count=10, start=20))
        self.assertNotEqual(self.problems, self.task.problems(seed=8, count=50))
        first = next(self.task.stream(seed=7))
        self.assertEqual((first, first["index"], first["level"], first["task"]), (self.problems[0], 0, 1, "chain_sum"))
        self.assertEqual(self.task.problems(count=0), [])
        self.assertEqual(pickle.loads(pickle.dumps(self.task)), self.task)

    def test_params_take_the_place_of_the_level(self):
        long = quintain.task("chain_sum", params={"min_terms": 6, "max_terms": 6}).problems(count=3)
        self.assertEqual([p["level"] for p in long], [-1] * 3)
        self.assertEqual([json.loads(p["problem"])["instance"]["num_terms"] for p in long], [6] * 3)

    def test_grades(self):
        self.assertEqual([v.score for v in self.task.grade_all(self.problems, self.answers)], [1.0] * 50)
        wrong = self.task.grade_all(self.problems, self.answers[1:] + ["x"])
        self.assertLess(sum(v.score for v in wrong), 50)
        for why, answer, want in [("right", self.answers[0], (1.0, False)), ("no answer", None, (0.0, True)), ("a lone surrogate", "\ud83d", (0.0, False)), ("lines", "\n1\n\r\n", (0.0, False))]:
            verdict = quintain.grade(self.problems[0], answer)
            self.assertEqual((verdict.score, verdict.malformed), want, why)
        self.assertEqual(quintain.grade(json.dumps(json.loads(self.problems[0]["problem"]), indent=1), self.answers[0]).score, 1.0)

    def test_faults_are_exceptions(self):
        for why, fault, call in [
            ("unknown task", quintain.Error, lambda: quintain.task("chain_some")),
            ("unknown level", quintain.Error, lambda: quintain.task("chain_sum", level=99)),
            ("wrong params", quintain.Error, lambda: quintain.task("chain_sum", params={"min_terms": -1})),
            ("seed out of range", ValueError, lambda: self.task.problems(seed=-1)),
            ("an answer that is a number", TypeError, lambda: self.task.grade(self.problems[0], 5)),
            ("a problem that is none", TypeError, lambda: self.task.grade({"prompt": "?"}, "5")),
            ("JSON that is no problem", quintain.Error, lambda: self.task.grade("{}", "5")),
            ("no JSON", quintain.Error, lambda: self.task.grade("x", "5")),
            ("an answer too many", ValueError, lambda: self.task.grade_all(self.problems, ["1"])),
            ("an answer beyond the limit", quintain.Error, lambda: self.task.grade(self.problems[0], "x" * (65 << 20))),
        ]:
            with self.subTest(why), self.assertRaises(fault):
                call()
        self.assertEqual(self.task.grade(self.problems[0], self.answers[0]).score, 1.0)  # none of them harmed the process

    def test_all_tasks_draw_and_grade(self):
        names = quintain.tasks()
        self.assertGreater(len(names), 90)
        problems = [quintain.task(name).problems(count=1)[0] for name in names]
        self.assertEqual([v.score for v in quintain.grade_all(problems, [None] * len(names))], [0.0] * len(names))

    def test_mathematics(self):
        self.assertTrue(quintain.math.verify(r"\frac12", r"so \boxed{0.5}"))
        self.assertFalse(quintain.math.verify("1/2", "0.6"))
        self.assertEqual([bool(v) for v in quintain.math.verify_all(["1", "x+1"], ["2", "1+x"])], [False, True])
        with self.assertRaises(TypeError):
            quintain.math.verify(1, "1")


class Rewards(unittest.TestCase):
    def setUp(self):
        self.problems = quintain.task("gcd").problems(count=2, chat=True)
        self.right = [f"<think>7?</think><answer>{self.solve(p)}</answer>" for p in self.problems]

    def solve(self, problem):
        import math

        return math.gcd(*json.loads(problem["problem"])["instance"]["numbers"])

    def test_grpo_is_a_reward_function_of_trl(self):
        columns = {key: [p[key] for p in self.problems] for key in self.problems[0] if key != "prompt"}
        for why, completions, want in [
            ("texts", self.right, [1.0, 1.0]),
            ("messages", [[{"role": "assistant", "content": r}] for r in self.right], [1.0, 1.0]),
            ("parts", [[{"role": "assistant", "content": [{"type": "text", "text": r}]}] for r in self.right], [1.0, 1.0]),
            ("one wrong, one empty", ["<answer>0</answer>", ""], [0.0, 0.0]),
            ("no tags", ["4", []], [0.0, 0.0]),
        ]:
            got = quintain.rewards.grpo(prompts=[p["prompt"] for p in self.problems], completions=completions, completion_ids=[[1]] * 2, trainer_state=None, **columns)
            self.assertEqual(got, want, why)
            self.assertIsInstance(got[0], float)

    def test_accuracy_compares_mathematics(self):
        self.assertEqual(quintain.rewards.accuracy(["?"] * 2, [r"\boxed{2}", "3"], solution=["2", "2"]), [1.0, 0.0])

    def test_compute_score_is_that_of_verl(self):
        rows = quintain.rewards.verl_rows(self.problems)
        self.assertEqual(rows[0]["prompt"][-1]["content"], json.loads(self.problems[0]["problem"])["prompt"])
        for row, reply in zip(rows, self.right):
            truth = row["reward_model"]["ground_truth"]
            self.assertEqual(quintain.rewards.compute_score(row["data_source"], reply, truth, row["extra_info"]), 1.0)
            self.assertEqual(quintain.rewards.compute_score(data_source=row["data_source"], solution_str="none", ground_truth=truth), 0.0)
        self.assertEqual(quintain.rewards.compute_score("gsm8k", "#### 72", "72"), 1.0)
        spec = importlib.util.spec_from_file_location("custom_module", quintain.rewards.__file__)  # as verl loads it
        alone = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(alone)
        self.assertEqual(alone.compute_score(rows[0]["data_source"], self.right[0], rows[0]["reward_model"]["ground_truth"]), 1.0)
        with self.assertRaises(quintain.Error):
            quintain.rewards.compute_score("quintain/gcd", "72", "72")


if __name__ == "__main__":
    unittest.main()
