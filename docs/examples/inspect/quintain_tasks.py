"""Tasks and scenarios of Quintain as tasks of Inspect AI.

    inspect eval docs/examples/inspect/quintain_tasks.py@problems -T name=chain_sum -T level=1 -T count=50 -T num_fewshot=2 --model …
    inspect eval docs/examples/inspect/quintain_tasks.py@higher_lower -T level=1 --model …
    inspect eval docs/examples/inspect/quintain_tasks.py@scenario -T name=service_desk -T url=http://127.0.0.1:8000 --model …
"""

import json
import pathlib
import sys

import anyio.to_thread
import httpx
import quintain
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser, get_model
from inspect_ai.scorer import Score, mean, scorer, stderr
from inspect_ai.solver import generate, solver
from inspect_ai.tool import ToolInfo

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))
import higher_lower as game  # noqa: E402  # a scenario in Python, as docs/scenarios.md describes them

ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@task
def problems(name="chain_sum", level=0, count=100, seed=1, num_fewshot=0):
    """Problems of any task: always the same ones for a level and a seed. num_fewshot solved ones, none of them held out, stand before each."""
    drawn = quintain.task(name, level).problems(seed, count, chat=True, examples=num_fewshot)
    return Task(MemoryDataset([sample(one) for one in drawn], name=f"{name}:{level}"), solver=generate(), scorer=verdict())


def sample(problem):
    """A problem as a sample. Its metadata hold the solution, which no model sees."""
    messages = [ROLES[message["role"]](content=message["content"]) for message in problem["prompt"]]
    name = f"{problem['task']}.s{problem['seed']}.l{problem['level']}.{problem['index']}"
    return Sample(input=messages, id=name, metadata={"problem": problem["problem"]})


@scorer(metrics=[mean(), stderr()])
def verdict():
    """The score of the whole reply by the problem's own task, from 0 to 1."""

    async def score(state, target):
        problem, reply = state.metadata["problem"], state.output.completion
        [found] = await anyio.to_thread.run_sync(quintain.judge_all, [problem], [reply])
        return Score(value=found.score, answer=reply, explanation=found.reason, metadata={"malformed": found.malformed})

    return score


@task
def higher_lower(level=0, count=20, seed=1):
    """A scenario of several turns: the model guesses a number, and is told whether it is higher or lower."""
    draws = [{"seed": seed, "level": level, "index": index} for index in range(count)]
    samples = [Sample(input=quintain.ScenarioEnvironment(game.higher_lower).reset(**draw), id=draw["index"], metadata=draw) for draw in draws]
    return Task(MemoryDataset(samples, name=f"higher_lower:{level}"), solver=play(game.higher_lower), scorer=earned())


@solver
def play(scenario):
    """Play an episode of a scenario. The sample's input is what it says first."""

    async def solve(state, generate):
        episode = quintain.ScenarioEnvironment(scenario)
        episode.reset(**state.metadata)
        state = await generate(state)
        while (said := episode.reply(state.output.completion)) != quintain.environments.OVER:
            state.messages.append(ChatMessageUser(content=said))
            state = await generate(state)
        state.store.set("reward", episode.get_reward())
        return state

    return solve


@scorer(metrics=[mean(), stderr()])
def earned():
    """The sum of the rewards of the episode."""

    async def score(state, target):
        return Score(value=state.store.get("reward"), answer=state.output.completion)

    return score


@task
def scenario(name="mastermind", problems=None, level=0, count=20, seed=1, url="http://127.0.0.1:8000"):
    """A scenario of quintain serve, at its address; problems is the task that it poses, by default its own."""
    draw = {"task": problems or name, "scenario": name, "seed": seed, "level": level, "count": count}
    drawn, offered = httpx.post(f"{url}/v1/problems", json=draw), httpx.get(f"{url}/{name}/tools")
    made = drawn.raise_for_status().json()
    tools = [] if offered.status_code == 404 else offered.raise_for_status().json()["tools"]  # only games and scenarios of tools have some
    tools = [ToolInfo(name=one["name"], description=one["description"], parameters=one["input_schema"]) for one in tools if one["name"] != "submit"]
    samples = [
        Sample(input=[ROLES[one["role"]](content=one["content"]) for one in messages], id=problem["index"], metadata={"problem": problem})
        for problem, messages in zip(made["problems"], made["messages"], strict=True)
    ]
    return Task(MemoryDataset(samples, name=f"{name}:{level}"), solver=play_on(url, tools), scorer=earned())


@solver
def play_on(url, tools):
    """Play an episode on the server, whose cookie names it. What the server does not answer is an error, and no score."""

    async def solve(state, generate):
        reward, over = 0.0, False
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            (await client.post("/reset", json={"problem": state.metadata["problem"]})).raise_for_status()
            while not over:
                state.output = await get_model().generate(state.messages, tools=tools)
                state.messages.append(state.output.message)
                step = (await client.post("/step", json={"response": {"output": said(state.output.message)}})).raise_for_status().json()
                for result in step["info"].get("tool_outputs", []):
                    state.messages.append(ChatMessageTool(content=result["output"], tool_call_id=result["call_id"]))
                if step["observation"] is not None:
                    state.messages.append(ChatMessageUser(content=step["observation"]))
                reward, over = reward + step["reward"], step["terminated"] or step["truncated"]
        state.store.set("reward", reward)
        return state

    return solve


def said(message):
    """A reply as the server takes it: its text, and its calls of tools."""
    text = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": message.text}]}
    calls = [{"type": "function_call", "call_id": one.id, "name": one.function, "arguments": json.dumps(one.arguments)} for one in message.tool_calls or []]
    return [text, *calls]
