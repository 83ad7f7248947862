"""A scenario: the model counts a letter in a row of letters, and has two attempts."""

import quintain


def letters(problem):
    """The letters of a problem. All chance comes from problem.random, so every process draws the same ones."""
    random = problem.random
    return "".join(random.choice("abc") for _ in range(problem.params["length"]))


def solution(problem):
    """The right answer."""
    return str(letters(problem).count("a"))


@quintain.scenario(levels=[{"length": 5}, {"length": 10}, {"length": 20}], solve=solution)
def NAME(problem):
    """Count a letter in a row of letters, in two attempts."""
    reply = yield f"How many times does the letter a occur in {letters(problem)}? Write the number as <answer>7</answer>."
    for reward in (1.0, 0.5):
        if not reply.answer:
            return quintain.Step(malformed=True, why="the reply has no answer")
        if reply.answer == solution(problem):
            return quintain.Step(reward=reward, right=True, answer=reply.answer)
        if reward == 1.0:
            reply = yield "That is not right. Count again, and write the number as <answer>7</answer>."
    return quintain.Step(answer=reply.answer, why=f"want {solution(problem)}")


if __name__ == "__main__":
    quintain.serve_scenario(NAME)
