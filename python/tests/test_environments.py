"""Environments, driven as TRL's GRPOTrainer drives them."""

import inspect
import json
import math
import unittest

import quintain
from quintain import environments


def tools(environment):
    """The tools of an environment, as the trainer finds them."""
    names = [name for name, _ in inspect.getmembers(type(environment), inspect.isfunction)]
    return {name: getattr(environment, name) for name in names if name not in ("reset", "get_reward") and not name.startswith("_")}


@quintain.scenario(levels=[{"most": 9}])
def twice(problem):
    """Double a number, in two attempts."""
    number = problem.random.randint(1, problem.params["most"])
    reply = yield f"What is twice {number}?"
    if reply == str(2 * number):
        return 1.0
    if reply == "fail":
        raise KeyError("x")
    if reply == "nan":
        return math.nan
    reply = yield quintain.Step(messages=[{"role": "user", "content": "No."}, {"role": "user", "content": "Again?"}], reward=-0.25)
    return 1.0 if reply == str(2 * number) else 0.0


@quintain.scenario(tasks=True)
def plain(problem):
    """Ask once."""
    reply = yield problem["prompt"][-1]["content"]
    return quintain.Step(grade=reply)


class Environments(unittest.TestCase):
    def setUp(self):
        self.rows = environments.rows(quintain.task("gcd").problems(count=8))
        self.right = [str(math.gcd(*json.loads(row["problem"])["instance"]["numbers"])) for row in self.rows]

    def test_tools_are_what_the_trainer_wants(self):
        for environment, name in [(quintain.TaskEnvironment(), "submit_answer"), (quintain.ScenarioEnvironment(twice), "reply")]:
            self.assertEqual(list(tools(environment)), [name])
            [argument] = inspect.signature(tools(environment)[name]).parameters
            about = inspect.getdoc(tools(environment)[name])
            self.assertRegex(about, rf"(?s)Args:\n    {argument}: .+Returns:\n    ")

    def test_one_attempt(self):
        pool = [quintain.TaskEnvironment() for _ in self.rows]
        for batch in range(2):  # they are reused
            for environment, row in zip(pool, self.rows):
                self.assertIsNone(environment.reset(**row))
            for place, environment in enumerate(pool):
                if place == 0:
                    continue  # no tool call
                answer = self.right[place] if place % 2 else "0"
                self.assertEqual(tools(environment)["submit_answer"](answer=answer), "The answer is submitted.")
                self.assertEqual(tools(environment)["submit_answer"](answer=self.right[place]), "No attempt is left.")
            self.assertEqual([environment.get_reward() for environment in pool], [0.0, 1.0] * 4)

    def test_more_attempts(self):
        environment = quintain.TaskEnvironment(attempts=3)
        environment.reset(**self.rows[0])
        self.assertEqual(environment.submit_answer("0"), "The answer is not right. Attempts left: 2.")
        self.assertEqual((environment.submit_answer(self.right[0]), environment.get_reward()), ("The answer is right.", 1.0))
        self.assertEqual((environment.submit_answer("0"), environment.get_reward()), ("No attempt is left.", 1.0))

    def test_prompts_are_messages(self):
        self.assertEqual(self.rows[0]["prompt"], [{"role": "user", "content": json.loads(self.rows[0]["problem"])["prompt"]}])
        chat = quintain.task("gcd").problems(count=1, chat=True)
        self.assertEqual(environments.rows(chat), chat)

    def test_faults_are_no_rewards(self):
        environment = quintain.TaskEnvironment()
        environment.reset(problem='{"task":"chain_some"}')
        for call in (lambda: environment.submit_answer("5"), environment.get_reward):  # the trainer catches the first
            with self.assertRaises(quintain.Error):
                call()
        environment.reset(**self.rows[0])
        self.assertEqual(environment.get_reward(), 0.0)
        with self.assertRaises(TypeError):
            environment.reset(prompt=[])
        episode = quintain.ScenarioEnvironment(twice)
        for reply, fault in (("fail", KeyError), ("nan", ValueError)):
            episode.reset(index=1)
            for call in (lambda: episode.reply(reply), episode.get_reward):
                with self.assertRaises(fault):
                    call()

    def test_scenarios(self):
        environment = quintain.ScenarioEnvironment(twice)
        for _ in range(2):
            asked = environment.reset(prompt=[{"role": "user", "content": ""}], index=5)
            number = int(asked.split()[-1][:-1])
            self.assertEqual(environment.reply("I pass."), "No.\n\nAgain?")
            self.assertEqual(environment.get_reward(), -0.25)
            self.assertEqual((environment.reply(str(2 * number)), environment.get_reward()), ("The episode is over.", 0.75))
            self.assertEqual((environment.reply("7"), environment.get_reward()), ("The episode is over.", 0.75))
        task = quintain.ScenarioEnvironment(plain)
        for row, right in zip(self.rows, self.right):
            self.assertEqual(task.reset(**row), row["prompt"][-1]["content"])
            task.reply(right)
            self.assertEqual(task.get_reward(), 1.0)


if __name__ == "__main__":
    unittest.main()
