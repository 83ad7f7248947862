"""The tests of the scenario."""

import unittest

import quintain
import scenario

DRAW = quintain.Draw(seed=1, level=0, index=0, params={"length": 5})
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
        for why, replies, reward, right in (
            ("right at once", [RIGHT], 1.0, True),
            ("right in the second attempt", ["<answer>99</answer>", RIGHT], 0.5, True),
            ("wrong twice", ["<answer>99</answer>", "<answer>98</answer>"], 0.0, None),
            ("no answer", ["I do not know."], 0.0, None),
            ("two answers", [RIGHT + RIGHT], 0.0, None),
        ):
            with self.subTest(why):
                _, last = play(*replies)
                self.assertEqual((last.reward, last.right), (reward, right))

    def test_the_question_has_the_letters(self):
        read, _ = play(RIGHT)
        self.assertIn(scenario.letters(DRAW), read[0])

    def test_equal_draws_give_equal_problems(self):
        self.assertEqual(scenario.letters(DRAW), scenario.letters(quintain.Draw(1, 0, 0, {"length": 5})))


if __name__ == "__main__":
    unittest.main()
