"""Tasks of inspect-ai: one eval lasts, and gets a sample for each episode."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import pathlib
import sys
import tempfile
import types

from inspect_ai import SampleSource, eval_async, task_with
from inspect_ai._eval.loader import load_tasks
from inspect_ai._eval.task.sample_source import get_sample_enqueuer
from inspect_ai.log._samples import sample_active
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser, GenerateConfig, ModelName, ModelOutput, get_model
from inspect_ai.model._model import init_active_model, init_model_roles
from inspect_ai.scorer import Target
from inspect_ai.scorer._scorer import unique_scorer_name
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolCall
from inspect_ai.util._display import init_display_type
from quintain_host import Fault, Refused

PACKAGE, KNOWN = "inspect_ai", ("0.3.285",)

# Nobody answers here: each call goes to the session of its sample.
NOWHERE = "http://127.0.0.1:9/v1"

# Samples of one eval, which keeps something of each.
MOST = 500

MARKS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


class Guest:
    def __init__(self, name: str, part: str, args: dict):
        init_display_type("none")
        self.scorer, self.parallel, self.right_at = args.pop("reward", None), int(args.pop("parallel", 64)), float(args.pop("right_at", 1.0))
        graders = args.pop("model_roles", {})
        tasks = load_tasks([f"{name}@{part}" if part else name], {**args})
        args.clear()
        if len(tasks) != 1:
            raise Refused(f"there are {len(tasks)} tasks, want one: name it after #")
        self.task = tasks[0]
        if not self.task.scorer:
            raise Refused("the task has no scorer, and so no reward")
        self.samples = [s if s.id is not None else s.model_copy(update={"id": i}) for i, s in enumerate(self.task.dataset, 1)]
        self.module = named(name)
        self.model = get_model("openai-api/quintain/policy", base_url=NOWHERE, api_key="none", config=GenerateConfig(max_retries=0, max_connections=1000), memoize=False)
        self.model.api.client._client.event_hooks["request"].append(self.route)
        nobody = get_model("mockllm/model", custom_outputs=refuse, memoize=False)
        self.roles = {"grader": nobody, **graders}
        self.at: dict[tuple, dict] = {}
        self.over = False

    def about(self) -> dict:
        return {"parallel": self.parallel, "right_at": self.right_at, "splits": [{"name": "all", "size": len(self.samples)}]}

    @contextlib.asynccontextmanager
    async def serving(self):
        self.feed = Feed()
        with tempfile.TemporaryDirectory() as folder:
            running = asyncio.create_task(self.last(folder))
            yield
            self.over = True
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def last(self, folder: str) -> None:
        """Keep an eval going. What ends it ends its episodes."""
        while not self.over:
            fault = None
            try:
                logs = await eval_async(
                    task_with(self.task, dataset=self.feed), self.model, model_roles=self.roles, log_dir=folder, log_samples=False, log_realtime=False, log_level="error",
                    epochs=1, fail_on_error=False, retry_on_error=0, max_samples=self.parallel, ctl_server=False, acp_server=False,
                )  # fmt: skip
                fault = "it was interrupted" if not logs else logs[0].error and logs[0].error.message
            except Exception as broken:
                fault = str(broken)
            if not self.over:
                self.feed.renew(fault)
            for log in pathlib.Path(folder).glob("*"):
                log.unlink()

    async def route(self, request) -> None:
        """Send a call of the model to the session of the sample that makes it."""
        active = sample_active()
        model = active and self.at.get((active.sample.id, active.epoch))
        if not model:
            raise Fault("the call belongs to no episode")
        request.url = type(request.url)(model["url"] + str(request.url).removeprefix(NOWHERE))
        request.headers["host"] = request.url.netloc.decode()
        request.headers["authorization"] = f"Bearer {model['key']}"

    async def play(self, row: int, split: str, models: dict) -> dict:
        sample = self.samples[row % len(self.samples)]
        run = (sample.id, next(self.feed.numbers))  # inspect tells the episodes of a sample by their epochs
        self.at[run] = models["policy"]
        try:
            return self.ended(await self.feed.run(sample, run))
        finally:
            del self.at[run]

    async def grade(self, row: int, messages: list) -> dict | None:
        """Score a conversation. What a sandbox holds, and the marks of choices, are gone."""
        sample = self.samples[row % len(self.samples)]
        if sample.sandbox or self.task.sandbox or sample.choices:
            return None
        init_active_model(self.model, GenerateConfig())
        init_model_roles(self.roles)
        talk, target, scores = [message(m) for m in messages], Target(sample.target), {}
        said = ModelOutput.from_content("policy", talk[-1].text)
        state = TaskState(ModelName(self.model), sample.id, 1, sample.input, talk, target, output=said, completed=True, metadata=sample.metadata)
        for scorer in self.task.scorer:
            scores[unique_scorer_name(scorer, list(scores))] = await scorer(state, target)
        return self.ended(types.SimpleNamespace(error=None, scores=scores, limit=None, id=sample.id))

    def ended(self, sample) -> dict:
        """The end of a sample. What inspect did not score has no reward here."""
        if sample.error:
            raise Fault(sample.error.message)
        if not sample.scores:
            raise Fault("no scorer gave a score")
        values = {}
        for name, score in sample.scores.items():
            parts = score.value if isinstance(score.value, dict) else {"": score.value}
            values.update({f"{name}/{key}" if key else name: MARKS.get(v, v) if isinstance(v, str) else v for key, v in parts.items()})
        name = self.scorer or next(iter(values))
        if name not in values:
            raise Fault(f"there is no score {name!r}; there are {', '.join(values)}")
        score = sample.scores.get(name) or sample.scores[name.rpartition("/")[0]]
        return {
            "reward": values[name], "metrics": values, "malformed": score.value == "N", "end": "truncated" if sample.limit else "terminated",
            "answer": (score.answer or "")[:2000], "why": (score.explanation or "")[:300], "record": {"id": sample.id, "limit": sample.limit and sample.limit.type},
        }  # fmt: skip


class Feed(SampleSource):
    """The samples of an eval, and of those after it."""

    def __init__(self):
        self.numbers = itertools.count(1)  # epochs
        self.ends: dict[tuple, asyncio.Future] = {}
        self.waiting: list = []  # for an eval that takes samples
        self.come = asyncio.Event()
        self.enqueuer, self.count = None, 0

    def run(self, sample, run: tuple) -> asyncio.Future:
        """The end of a sample, which runs as an epoch of its own."""
        self.ends[run] = asyncio.get_running_loop().create_future()
        self.waiting.append((sample, run))
        self.come.set()
        if self.enqueuer is not None:
            self.admit()
        return self.ends[run]

    def admit(self) -> None:
        while self.waiting and self.count < MOST:
            sample, run = self.waiting.pop(0)
            self.count += 1
            self.enqueuer.enqueue([sample], epoch=run[1])

    async def next_samples(self):
        """Nothing runs: wait for a sample, or end the eval."""
        if self.count >= MOST:
            return None
        self.enqueuer = None
        while not self.waiting:
            self.come.clear()
            await self.come.wait()
        self.enqueuer = get_sample_enqueuer()
        self.admit()
        return []

    async def sample_complete(self, sample):
        self.end((sample.id, sample.epoch), sample, None)

    async def sample_abandoned(self, sample, epoch):
        self.end((sample.id, epoch), None, "inspect gave the sample up")

    def end(self, run: tuple, sample, fault) -> None:
        future = self.ends.pop(run, None)
        if future is None or future.done():
            return
        if fault is None:
            future.set_result(sample)
        else:
            future.set_exception(Fault(fault))

    def renew(self, fault) -> None:
        """An eval has ended; another comes."""
        self.enqueuer, self.count = None, 0
        queued = {run for _, run in self.waiting}
        for run in [run for run in self.ends if run not in queued]:
            self.end(run, None, f"the eval ended: {fault}")
        if fault:
            print(f"an eval of inspect ended: {fault}", file=sys.stderr)


def message(m: dict):
    """A message of inspect, of one by OpenAI."""
    calls = [ToolCall(id=c["id"], function=c["function"]["name"], arguments=json.loads(c["function"]["arguments"])) for c in m.get("tool_calls") or []]
    content = m.get("content") or ""
    if m["role"] == "assistant":
        return ChatMessageAssistant(content=content, tool_calls=calls or None)
    if m["role"] == "tool":
        return ChatMessageTool(content=content, tool_call_id=m.get("tool_call_id"))
    return {"system": ChatMessageSystem, "user": ChatMessageUser}[m["role"]](content=content)


def refuse(*_):
    raise Fault("the scorer asks a model: name one in environment.args, model_roles.grader")


def named(name: str) -> str | None:
    """The module of a task: that of its package, or of its file."""
    file = pathlib.Path(name)
    if not file.is_file():
        top = name.split("/")[0]
        return top if top in sys.modules else None
    module = sys.modules["quintain_inspect_task"] = types.ModuleType("quintain_inspect_task")
    module.__file__ = str(file.resolve())
    return module.__name__
