"""Sums, by the template of verifiers. The grader breaks on a reply with BOOM."""
import verifiers.v1 as vf


class AddUpData(vf.TaskData):
    answer: str


class AddUpTask(vf.Task[AddUpData]):
    @vf.reward(weight=1.0)
    async def right(self, trace: vf.Trace) -> float:
        if "BOOM" in trace.last_reply:
            raise RuntimeError("the grader broke")
        return float(trace.last_reply.rpartition("<answer>")[2].partition("</answer>")[0].strip() == self.data.answer)

    @vf.metric
    async def length(self, trace: vf.Trace) -> float:
        return float(len(trace.last_reply))


class AddUpConfig(vf.TasksetConfig):
    num_tasks: int = 50
    boom: bool = False


class AddUpTaskset(vf.Taskset[AddUpTask, AddUpConfig]):
    def load(self):
        for i in range(self.config.num_tasks):
            a, b = 1 + i * 7 % 13, 1 + i * 5 % 11
            word = " Say BOOM." if self.config.boom and i % 2 else ""
            yield AddUpTask(AddUpData(prompt=f"What is {a} + {b}? Write <answer>…</answer>.{word}", answer=str(a + b)), self.config.task)
