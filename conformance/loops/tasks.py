"""Tasks of inspect-ai: sums, sums with a tool, and one whose scorer gives shares, and breaks on BOOM."""
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, includes, match, mean, scorer
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool


@task
def sums():
    samples = [Sample(input=f"What is {i} times 3?", target=str(3 * i)) for i in range(50)]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match())


@tool
def add():
    async def execute(a: int, b: int) -> int:
        """Add two numbers.

        Args:
            a: the first
            b: the second
        """
        return a + b

    return execute


@task
def with_tool():
    samples = [Sample(id=f"n{i}", input=f"Add {i} and {2 * i + 1}.", target=str(3 * i + 1)) for i in range(50)]
    return Task(dataset=MemoryDataset(samples), solver=[use_tools(add()), generate()], scorer=[includes(), match()])


@scorer(metrics=[mean()])
def shares():
    async def score(state, target):
        said = state.output.completion
        if "BOOM" in said:
            raise RuntimeError("the scorer broke")
        number = int("".join(c for c in said if c.isdigit()))
        return Score(value="C" if number == int(target.text) else "P" if number % 2 else 0.25, answer=str(number))

    return score


@task
def errand(boom: bool = False):
    samples = [Sample(input=f"What is {i} plus 10?" + (" Say BOOM." if boom and i % 2 else ""), target=str(i + 10)) for i in range(50)]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=shares(), message_limit=10)
