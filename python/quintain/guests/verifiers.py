"""Tasksets of verifiers, with the environment that their package or the address names."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import sys
import traceback
import types

import httpx
import openai
from quintain_host import Again, Fault, Refused
from verifiers.v1.clients import EvalClient, EvalClientConfig, ModelContext
from verifiers.v1.clients.client import SESSION_ID_HEADER
from verifiers.v1.configs.agent import AgentConfig
from verifiers.v1.errors import model_error
from verifiers.v1.graph import MessageNode
from verifiers.v1.harnesses.null import NullHarness
from verifiers.v1.harnesses.utils.launch import CHAT_PROGRAM_SOURCE
from verifiers.v1.runtimes import PrimeConfig, ProgramResult
from verifiers.v1.runtimes.subprocess import SubprocessRuntime
from verifiers.v1.state import State, state_cls
from verifiers.v1.trace import AgentInfo, Trace, TraceTask
from verifiers.v1.utils.loaders import default_harness_id, env_config_type, import_taskset, load_environment, resolve_env_config, taskset_config_type
from verifiers.v1.utils.memory import trim_memory_periodically

PACKAGE, KNOWN = "verifiers", ("0.4.0",)

# Failures of the machine, by the names that verifiers records.
MACHINE = {"SandboxError", "TunnelError", "InterceptionError"}

# Nobody answers here: each call goes to the session of its episode.
NOWHERE = "http://127.0.0.1:9/v1"


class Guest:
    def __init__(self, name: str, part: str, args: dict):
        self.count, self.parallel, self.right_at = int(args.pop("count", 10_000)), int(args.pop("parallel", 64)), float(args.pop("right_at", 1.0))
        taskset, env = {**args.pop("taskset", {}), "id": name}, {**args.pop("env", {})}
        fields = taskset_config_type(name).model_fields
        for key in [k for k in args if k in fields]:
            taskset[key] = args.pop(key)
        self.module, self.split = import_taskset(name).__name__, str(taskset.get("split", "all"))
        env = {"interception": {"type": "server"}, **env, "taskset": taskset, **({"id": part} if part else {})}
        for role, usual in roles(name, part).items():
            env[role] = seated(env.get(role) or {}, usual, name)
        sys.modules["quintain_null"] = in_process()
        self.env = load_environment(resolve_env_config(env))
        self.config = EvalClientConfig(base_url=NOWHERE, api_key_var="QUINTAIN_NO_KEY")
        self.context = ModelContext(model="policy", client=self.config)
        self.sessions = Sessions(self.config)
        taskset = self.env.taskset
        self.tasks = list(taskset.take(self.count) if taskset.INFINITE else taskset)
        if not self.tasks:
            raise Refused("the taskset has no tasks")

    @contextlib.asynccontextmanager
    async def serving(self):
        chat.http = httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None))
        async with self.env.serving():
            servers = getattr(self.env._interception, "servers", [self.env._interception])
            for server in servers:
                server.clients[self.config.model_dump_json()] = self.sessions
            await self.cast()
            yield
        await self.sessions.close()
        await chat.http.aclose()

    async def cast(self) -> None:
        """Find the roles that other models than the policy play."""
        agents = self.env._episode_agents(self.context, [], None, None)
        await self.env.setup(agents)
        asked = {name: agent for name, agent in agents._agents.items() if agent.ctx.client == self.config}
        self.models = [name for name, agent in asked.items() if not agent.trainable]
        played = [name for name in asked if name not in self.models]
        if len(played) != 1:
            raise Refused(f"the policy plays {', '.join(played) or 'nobody'} in it, want one role: give the others a client in environment.args.env")

    def about(self) -> dict:
        held = self.split in ("test", "validation", "eval")
        return {"parallel": self.parallel, "right_at": self.right_at, "models": self.models, "splits": [{"name": self.split, "size": len(self.tasks), "held_out": held}]}

    async def play(self, row: int, split: str, models: dict) -> dict:
        task, mine = self.tasks[row % len(self.tasks)], []

        def minted(trace) -> None:
            role = "policy" if trace.agent.trainable else trace.agent.name
            if role in models:
                self.sessions.at[trace.id] = models[role]
                mine.append(trace.id)

        try:
            return ended(await self.env.run_episode(task, self.context, on_trace=minted))
        finally:
            for trace in mine:
                del self.sessions.at[trace]
            await trim_memory_periodically()

    async def grade(self, row: int, messages: list) -> dict | None:
        """Score a conversation. What an environment of its own, a state or a runtime holds, is gone."""
        task = self.tasks[row % len(self.tasks)]
        graders = [*task.hooks("reward"), *(judge.score for judge in task.plugged_judges())]
        if not type(self.env).__module__.startswith("verifiers.") or state_cls(type(task)) is not State or any("runtime" in inspect.signature(g).parameters for g in graders):
            return None
        of = TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash)
        trace = Trace(task=of, agent=AgentInfo(config=AgentConfig()), ok=True, is_completed=True, nodes=[node(n, m) for n, m in enumerate(messages)])
        await task.score(trace)
        if not trace.rewards or None in trace.rewards.values():
            return None
        return {"reward": trace.reward, "metrics": {**{name: reward.score for name, reward in trace.rewards.items()}, **trace.metrics}, "end": "terminated", "answer": trace.last_reply[:2000]}


def node(n: int, m: dict) -> MessageNode:
    """A message of a trace, of one by OpenAI."""
    calls = [{"id": c["id"], "name": c["function"]["name"], "arguments": c["function"]["arguments"]} for c in m.get("tool_calls") or []]
    fields = {**m, "content": m.get("content") or "", **({"tool_calls": calls} if calls else {})}
    return MessageNode(parent=n - 1 if n else None, message=fields, sampled=m["role"] == "assistant")


def roles(name: str, part: str) -> dict:
    """The agents of the environment, as its author set them."""
    return {role: field.default for role, field in env_config_type(name, part).model_fields.items() if isinstance(field.default, AgentConfig)}


def seated(given: dict, usual: AgentConfig, name: str) -> dict:
    """The settings of an agent: it runs on this machine, without tries of its own, and a plain chat runs in this process."""
    harness = dict(given.get("harness") or {})
    ident = harness.get("id") or (usual.harness.id if usual.harness else "") or default_harness_id(name)
    if ident in ("bash", "null") and harness.get("id") != "bash":
        ident = "quintain-null"
    seat = {**given, "harness": {**harness, "id": ident}, "retries": {"max_retries": 0, "rules": []}}
    if "runtime" not in seat and isinstance(usual.runtime, PrimeConfig):
        seat["runtime"] = {"type": "subprocess"}
    return seat


def ended(episode) -> dict:
    """The end of an episode. What verifiers did not score has no reward here, and not a reward of 0."""
    faults = [*episode.errors, *(error for trace in episode.traces for error in trace.errors)]
    told = "; ".join(f"{f.type}: {f.message}" for f in faults)
    if any(f.type in MACHINE for f in faults):
        raise Again(told)
    mine = [trace for trace in episode.traces if trace.agent.trainable]
    if not episode.ok or not mine:
        raise Fault(told or "verifiers says that the episode failed, and not why")
    if len(mine) > 1:
        raise Fault(f"the policy played {len(mine)} times in one episode, want once")
    trace = mine[0]
    unscored = [name for name, reward in trace.rewards.items() if reward is None]
    if unscored:
        raise Fault(f"{unscored[0]} was not scored: {trace.stop_condition}")
    cut = trace.is_truncated or trace.is_timeout or episode.is_timeout
    return {
        "reward": trace.reward, "metrics": {**{name: reward.score for name, reward in trace.rewards.items()}, **trace.metrics},
        "end": "truncated" if cut else "terminated", "answer": trace.last_reply[:2000], "why": trace.stop_condition or "",
        "record": {"idx": trace.task.data.idx, "key": trace.task.key, "stop_condition": trace.stop_condition},
    }  # fmt: skip


class Sessions(EvalClient):
    """The one client of all episodes: a call goes to the session of the trace that it belongs to."""

    def __init__(self, config: EvalClientConfig):
        super().__init__(config)
        self.at: dict[str, dict] = {}

    async def _request(self, url: str, body: dict, headers: httpx.Headers, *, stream: bool = False) -> httpx.Response:
        model = self.at.get(headers.pop(SESSION_ID_HEADER, ""))
        if model is None:
            raise model_error("the call belongs to no episode", status_code=400)
        headers.pop("x-api-key", None)
        headers["authorization"] = f"Bearer {model['key']}"
        return await super()._request(model["url"] + url.removeprefix(NOWHERE), body, headers, stream=stream)


class InProcess(NullHarness):
    """The chat loop of the harness null: its program, in this process."""

    async def setup(self, runtime) -> None:
        if not isinstance(runtime, SubprocessRuntime):
            await super().setup(runtime)

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data, tool_interception_url=None) -> ProgramResult:
        if isinstance(runtime, SubprocessRuntime):
            runtime = Here(runtime)
        return await super().launch(ctx, trace, runtime, endpoint, secret, mcp_urls, data, tool_interception_url)


class Here:
    """A runtime that runs the chat program in this process."""

    def __init__(self, runtime: SubprocessRuntime):
        self.write, self.folder = runtime.write, runtime.workdir

    async def prepare_uv_script(self, source: str, env: dict, activate: bool = True) -> list[str]:
        return []

    async def run_program(self, argv: list[str], env: dict) -> ProgramResult:
        return await chat.run(argv, self.folder)


class Chat:
    """The chat program that the harnesses null and bash of verifiers launch, as a module."""

    def __init__(self):
        self.http = None  # for the calls of all episodes
        self.given = contextvars.ContextVar("given")
        self.program = types.ModuleType("quintain_chat")
        exec(compile(CHAT_PROGRAM_SOURCE, "chat program of verifiers", "exec"), self.program.__dict__)
        self.parse, self.program.parse_args = self.program.parse_args, self.given.get
        self.program.AsyncOpenAI = lambda **given: openai.AsyncOpenAI(**{**given, "max_retries": 0, "timeout": None})  # it calls this process
        self.program.DefaultAsyncHttpxClient = lambda **_: self.http

    async def run(self, argv: list[str], folder) -> ProgramResult:
        kept, sys.argv = sys.argv, ["chat", *argv]
        try:
            args = self.parse()
        finally:
            sys.argv = kept
        if args.initial_messages_file:
            args.initial_messages_file = str(folder / args.initial_messages_file)
        self.given.set(args)
        try:
            await self.program.main()
        except SystemExit as end:
            return ProgramResult(end.code if isinstance(end.code, int) else 1, "", str(end.code))
        except Exception:
            return ProgramResult(1, "", traceback.format_exc())
        return ProgramResult(0, "", "")


chat = Chat()


def in_process() -> types.ModuleType:
    """The harness as a module that verifiers finds by its name."""
    module = types.ModuleType("quintain_null")
    module.InProcess, module.__all__ = InProcess, ["InProcess"]
    return module
