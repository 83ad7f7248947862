"""A game of several turns as a scenario: the model guesses a number, and is told whether it is higher or lower."""

import quintain


def number(problem):
    return problem.random.randint(1, problem.params["most"])


@quintain.scenario(levels=[{"most": 10}, {"most": 100}, {"most": 1000}], solve=number)
def higher_lower(problem):
    """Guess a number in seven turns; after each, the model is told whether the number is higher or lower."""
    reply = yield f"I think of a number from 1 to {problem.params['most']}. Guess it; write each guess as <answer>7</answer>."
    for left in range(6, -1, -1):
        guess = reply.answer
        if not guess.isdecimal() or len(guess) > 9:  # Python refuses numbers of thousands of digits
            return quintain.Step(malformed=True, why="the reply has no guess")
        if int(guess) == number(problem):
            return quintain.Step(reward=(left + 1) / 7, right=True, answer=guess)
        if left > 0:
            reply = yield "It is higher." if int(guess) < number(problem) else "It is lower."
    return quintain.Step(answer=guess, why="no guess is left")


if __name__ == "__main__":
    quintain.serve_scenario(higher_lower)
