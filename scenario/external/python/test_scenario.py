"""The tests of the scenario."""

import unittest

import quintain
import scenario

DRAW = quintain.Draw(seed=1, level=0, index=0, params={"length": 15})
RIGHT = f"<answer>{scenario.solution(DRAW)}</answer>"


def play(*replies):
    """Play an episode with these replies. The result is the texts that the model read, and the last step."""
    episode = scenario.NAME.play(DRAW)
    read = [next(episode)]
    try:
        for reply in replies:
            read.append(episode.send(quintain.Reply(reply)))
    except StopIteration as end:
        return read, end.value
    raise AssertionError(f"the episode goes on after {len(replies)} replies: {read[-1]}")


class TestScenario(unittest.TestCase):
    def test_rewards(self):
        for why, replies, reward, malformed in (
            ("right at once", [RIGHT], 1.0, False),
            ("right in another form", [RIGHT.replace("<answer>", "<answer>0")], 1.0, False),
            ("right at the end of a long text", ["I count. " * 500 + RIGHT], 1.0, False),
            ("right in the second attempt", ["<answer>99</answer>", RIGHT], 0.3, False),
            ("wrong twice", ["<answer>99</answer>", "<answer>98</answer>"], 0.0, False),
            ("no number", ["<answer>many</answer>", "<answer>some</answer>"], 0.0, False),
            ("no answer", ["I do not know."], 0.0, True),
            ("the solution outside of the tags", ["It is " + scenario.solution(DRAW)], 0.0, True),
            ("two answers", [RIGHT + RIGHT], 0.0, True),
        ):
            with self.subTest(why):
                _, last = play(*replies)
                self.assertEqual((last.reward, last.malformed), (reward, malformed))

    def test_no_guess_earns_much(self):
        """The best two numbers, one after the other, whatever the question."""
        draws = [quintain.Draw(1, 0, i, {"length": 15}) for i in range(300)]
        truth = [scenario.solution(draw) for draw in draws]
        first, second = sorted(set(truth), key=truth.count)[-1:-3:-1]
        self.assertLess((truth.count(first) + 0.3 * truth.count(second)) / len(truth), 0.35)

    def test_the_question_has_the_letters(self):
        read, _ = play(RIGHT)
        self.assertIn(scenario.letters(DRAW), read[0])

    def test_equal_draws_give_equal_problems(self):
        self.assertEqual(scenario.letters(DRAW), scenario.letters(quintain.Draw(1, 0, 0, {"length": 15})))


if __name__ == "__main__":
    unittest.main()
