import verifiers.v1 as vf


class ErrandData(vf.TaskData):
    answer: str


class ErrandTask(vf.Task[ErrandData]):
    @vf.reward
    async def told(self, trace: vf.Trace) -> float:
        return float(self.data.answer in trace.last_reply)


class ErrandConfig(vf.TasksetConfig):
    num_tasks: int = 50


class ErrandTaskset(vf.Taskset[ErrandTask, ErrandConfig]):
    def load(self):
        for i in range(self.config.num_tasks):
            yield ErrandTask(ErrandData(prompt=f"You want to know what {i} plus 10 is.", answer=str(i + 10)), self.config.task)
