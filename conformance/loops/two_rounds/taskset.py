import verifiers.v1 as vf


class TwoRoundsData(vf.TaskData):
    answer: str


class TwoRoundsTask(vf.Task[TwoRoundsData]):
    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == self.data.answer)


class TwoRoundsConfig(vf.TasksetConfig):
    num_tasks: int = 50


class TwoRoundsTaskset(vf.Taskset[TwoRoundsTask, TwoRoundsConfig]):
    def load(self):
        for i in range(self.config.num_tasks):
            yield TwoRoundsTask(TwoRoundsData(prompt=f"What is {i} times 3?", answer=str(3 * i)), self.config.task)


class TwoRoundsEnvConfig(vf.EnvConfig):
    solver: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})


class TwoRoundsEnv(vf.Env[TwoRoundsEnvConfig]):
    """Asks, and asks again whether it is sure."""

    async def run(self, task, agents):
        async with agents.solver.interaction(task) as talk:
            first = await talk.turn()
            self_same = await talk.turn("Are you sure? Say the number alone.")
            talk.trace.info["same"] = first.last_reply == self_same.last_reply

    async def finalize(self, task, episode):
        for trace in episode.traces:
            trace.record_metric("same", float(trace.info["same"]))
