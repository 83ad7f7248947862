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

    def test_examples_are_solved_problems_before_the_question(self):
        [shown] = quintain.task("gcd").problems(count=1, examples=2)
        self.assertEqual([m["role"] for m in shown["prompt"]], ["system", "user", "assistant", "user", "assistant", "user"])
        self.assertRegex(shown["prompt"][2]["content"], "^<answer>[0-9]+</answer>$")
        with self.assertRaisesRegex(quintain.Error, "want 0 to 64"):
            quintain.task("gcd").problems(count=1, examples=65)


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

    def test_what_others_say_is_no_reply(self):
        """Only the assistant's last message is: a tool that knows the answer would be paid for it."""
        right, raw = self.right[0], self.problems[0]["problem"]
        call = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {}}}]}
        tool, user, said = {"role": "tool", "name": "f", "content": right}, {"role": "user", "content": right}, {"role": "assistant", "content": right}
        wrong = {"role": "assistant", "content": "<answer>0</answer>"}
        for why, completion, want in [
            ("a tool at the end", [call, tool], 0.0),
            ("a tool alone", [tool], 0.0),
            ("a user at the end", [wrong, user], 0.0),
            ("a tool after a wrong reply", [wrong, tool], 0.0),
            ("a system message", [{"role": "system", "content": right}], 0.0),
            ("a message of nobody", [{"content": right}], 0.0),
            ("an earlier reply", [said, tool, wrong], 0.0),
            ("a reply before a tool's result", [call, tool, said], 1.0),
            ("a reply that a tool answers", [said, {**tool, "content": "noted"}], 1.0),
            ("no content", [{"role": "assistant", "tool_calls": call["tool_calls"]}], 0.0),
            ("content that is None", [{**call, "content": None}], 0.0),
            ("content that is a list of nothing", [{**call, "content": []}], 0.0),
            ("a part whose text is None", [{"role": "assistant", "content": [{"type": "text", "text": right}, {"type": "image", "text": None}]}], 1.0),
            ("a part that is no text", [{"role": "assistant", "content": [{"type": "tool_result", "text": right}]}], 0.0),
            ("parts without text", [{"role": "assistant", "content": [{"type": "image"}, {"type": "text"}]}], 0.0),
            ("one message", said, 1.0),
            ("nothing", None, 0.0),
        ]:
            with self.subTest(why):
                self.assertEqual(quintain.rewards.grpo(["?"], [completion], problem=[raw]), [want])
                self.assertEqual(quintain.rewards.accuracy(["?"], [completion], solution=[str(self.solve(self.problems[0]))]), [want])

    def test_rows_of_other_tasks_have_no_score(self):
        right, raw = self.right[0], self.problems[0]["problem"]
        self.assertEqual(quintain.rewards.grpo(["?"] * 4, ["x", right, [], "x"], problem=[None, raw, float("nan"), raw]), [None, 1.0, None, 0.0])
        self.assertEqual(quintain.rewards.accuracy(["?"] * 3, [r"\boxed{4}", "x", "5"], solution=["4", None, "4"]), [1.0, None, 0.0])
        self.assertEqual(quintain.rewards.grpo(["?"], ["x"], problem=[None]), [None])
        self.assertEqual(quintain.rewards.accuracy([], [], solution=[]), [])

    def test_ground_truths_are_numbers_or_lists_too(self):
        class Array(list):  # as numpy's: no Sequence that is known as one, but with dimensions
            ndim = 1

        for truth, right, wrong in [
            (4, "4", "5"), (4.0, "4", "4.5"), (0.5, r"\frac12", "2"), (-1.5e-7, "-0.00000015", "1"), (10**20, "100000000000000000000", "1"), (1e16, "10000000000000000", "1"),
            (["4", "four"], "4", "5"), (("5", 4), "4", "6"), ([[4], [5.0]], "5", "6"), (Array([4, 7]), "7", "8"), ([], None, "4"), (float("nan"), None, "4"), (float("inf"), None, "4"),
        ]:
            with self.subTest(truth=truth):
                for reply, want in ((right, 1.0), (wrong, 0.0)):
                    if reply is not None:
                        self.assertEqual(quintain.rewards.compute_score("gsm8k", f"The answer is \\boxed{{{reply}}}", truth), want)
        self.assertEqual(quintain.rewards.accuracy([0, 0], ["4", "5"], solution=[4, [4, 5]]), [1.0, 1.0])
        with self.assertRaisesRegex(TypeError, "ground truth is a dict"):
            quintain.rewards.compute_score("countdown", "4", {"target": 4})

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
