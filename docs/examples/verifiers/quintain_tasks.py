"""Problems of any task of Quintain as a taskset of verifiers."""

import asyncio

import quintain
import verifiers.v1 as vf

__all__ = ["QuintainTaskset"]


class ProblemData(vf.TaskData):
    """A problem. It holds the solution, which no model sees."""

    problem: str


class ProblemTask(vf.Task[ProblemData]):
    @vf.reward
    async def verdict(self, trace: vf.Trace) -> float:
        """The score of the whole reply by the problem's own task, from 0 to 1."""
        [found] = await asyncio.to_thread(quintain.judge_all, [self.data.problem], [trace.last_reply])
        return found.score


class QuintainConfig(vf.TasksetConfig):
    problems: str = "chain_sum"  # the task of Quintain; name would be that of the taskset
    level: int = 0
    count: int = 100
    seed: int = 1


class QuintainTaskset(vf.Taskset[ProblemTask, QuintainConfig]):
    def load(self) -> list[ProblemTask]:
        """Always the same problems for a level and a seed."""
        of = self.config
        drawn = quintain.task(of.problems, of.level).problems(of.seed, of.count, chat=True)
        return [ProblemTask(self.row(number, one), of.task) for number, one in enumerate(drawn)]

    @staticmethod
    def row(number: int, problem: quintain.Problem) -> ProblemData:
        says = {message["role"]: message["content"] for message in problem["prompt"]}
        return ProblemData(idx=number, system_prompt=says.get("system"), prompt=says["user"], problem=problem["problem"])
