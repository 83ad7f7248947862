import verifiers.v1 as vf
from with_tool.tool import AdderToolset


class WithToolData(vf.TaskData):
    answer: str


class WithToolTask(vf.Task[WithToolData]):
    @vf.reward(weight=0.75)
    async def right(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == self.data.answer)

    @vf.reward(weight=0.25)
    async def called(self, trace: vf.Trace) -> float:
        return float(any(m.tool_calls for m in trace.assistant_messages))


class WithToolConfig(vf.TasksetConfig):
    num_tasks: int = 50
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()


class WithToolTaskset(vf.Taskset[WithToolTask, WithToolConfig]):
    def load(self):
        for i in range(self.config.num_tasks):
            yield WithToolTask(WithToolData(prompt=f"Add {i} and {2 * i + 1}.", answer=str(3 * i + 1)), self.config.task)

    @classmethod
    def toolsets(cls, config):
        return [AdderToolset(config.tools)]
