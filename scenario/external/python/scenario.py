"""A scenario: the model counts a letter in a row of letters, and has two attempts."""

import quintain


def letters(problem):
    """The letters of a problem. All chance comes from problem.random, which begins anew each time: read it once in a function."""
    random = problem.random
    return "".join(random.choice("abc") for _ in range(problem.params["length"]))


def right(problem, answer):
    """Whether an answer is right, also as 07 or +7."""
    try:
        return int(answer) == letters(problem).count("a")
    except ValueError:
        return False


def solution(problem):
    """A right answer."""
    return str(sum(1 for letter in letters(problem) if letter == "a"))


@quintain.scenario(levels=[{"length": 15}, {"length": 30}, {"length": 60}], solve=solution)
def NAME(problem):
    """Count a letter in a row of letters, in two attempts."""
    reply = yield f"How many times does the letter a occur in {letters(problem)}? Write the number between <answer> and </answer>."
    for reward in (1.0, 0.3):
        if not reply.answer:
            return quintain.Step(malformed=True, why="the reply has no answer, or more than one")
        if right(problem, reply.answer):
            return quintain.Step(reward=reward, right=True, answer=reply.answer)
        if reward == 1.0:
            reply = yield "That is not right. Count again, and write the number between <answer> and </answer>."
    return quintain.Step(answer=reply.answer, why=f"want {solution(problem)}")


if __name__ == "__main__":
    quintain.serve_scenario(NAME)
