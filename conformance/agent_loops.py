"""Loops of agents, each of a real client as its documents show it: it calls a tool until it has an answer, and returns
that. A loop gets the addresses and the key of a session, its question, and whether to stream."""
import asyncio
import collections
import json
import os
import pathlib
import subprocess
import time

os.environ.update(
    OPENAI_AGENTS_DISABLE_TRACING="1", LITELLM_LOG="ERROR", LITELLM_LOCAL_MODEL_COST_MAP="True", MSWEA_SILENT_STARTUP="1",
    PYDANTIC_DISABLE_PLUGINS="1", HF_HUB_OFFLINE="1",
)  # fmt: skip

Access = collections.namedtuple("Access", "openai anthropic key question streamed")
INSTRUCTIONS = "You are a calculator."
MODEL = "any-model"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
CHAT_TOOL = {"type": "function", "function": {"name": "add", "description": "Adds two numbers.", "parameters": SCHEMA}}
RESPONSES_TOOL = {"type": "function", "name": "add", "description": "Adds two numbers.", "parameters": SCHEMA}
MESSAGES_TOOL = {"name": "add", "description": "Adds two numbers.", "input_schema": SCHEMA}


def add(a: int, b: int) -> int:
    """Adds two numbers.

    Args:
        a: one
        b: the other
    """
    return a + b


def call(name, arguments):
    """The result of a tool call, as a text."""
    given = arguments if isinstance(arguments, dict) else json.loads(arguments)
    return str(add(**given)) if name == "add" else f"there is no tool {name}"


def again(ask):
    """What ask returns; it is called again if the connection is cut within a stream, which no SDK repeats."""
    import httpx
    import httpx2
    import openai

    for _ in range(3):
        try:
            return ask()
        except (httpx.TransportError, httpx2.TransportError, openai.APIConnectionError):
            time.sleep(0.05)
    return ask()


def openai_chat(to):
    import openai

    client, talk = openai.OpenAI(base_url=to.openai, api_key=to.key), [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": to.question}]

    def ask():
        if not to.streamed:
            return client.chat.completions.create(model=MODEL, messages=talk, tools=[CHAT_TOOL]).choices[0].message
        with client.chat.completions.stream(model=MODEL, messages=talk, tools=[CHAT_TOOL], stream_options={"include_usage": True}) as events:
            for _ in events:
                pass
            return events.get_final_completion().choices[0].message

    while True:
        message = again(ask)
        talk.append({k: v for k, v in message.model_dump(exclude_none=True).items() if k in ("role", "content", "tool_calls")})
        if not message.tool_calls:
            return message.content
        for c in message.tool_calls:
            talk.append({"role": "tool", "tool_call_id": c.id, "content": call(c.function.name, c.function.arguments)})


def responses(to, **kept):
    """Responses of OpenAI, with the whole conversation in each request, or only the news."""
    import openai

    client, talk, before = openai.OpenAI(base_url=to.openai, api_key=to.key), [{"role": "user", "content": to.question}], None

    def ask():
        more = {"previous_response_id": before} if kept and before else {}
        if not to.streamed:
            return client.responses.create(model=MODEL, instructions=INSTRUCTIONS, input=talk, tools=[RESPONSES_TOOL], **more)
        with client.responses.stream(model=MODEL, instructions=INSTRUCTIONS, input=talk, tools=[RESPONSES_TOOL], **more) as events:
            for _ in events:
                pass
            return events.get_final_response()

    while True:
        reply = again(ask)
        results = [{"type": "function_call_output", "call_id": c.call_id, "output": call(c.name, c.arguments)} for c in reply.output if c.type == "function_call"]
        if not results:
            return reply.output_text
        before = reply.id
        talk = results if kept else [*talk, *reply.output, *results]


def openai_responses(to):
    return responses(to)


def openai_responses_previous(to):
    return responses(to, previous=True)


def anthropic_messages(to):
    import anthropic

    client, talk = anthropic.Anthropic(base_url=to.anthropic, api_key=to.key), [{"role": "user", "content": to.question}]
    common = {"model": MODEL, "max_tokens": 2000, "system": INSTRUCTIONS, "tools": [MESSAGES_TOOL]}

    def ask():
        if not to.streamed:
            return client.messages.create(messages=talk, **common)
        with client.messages.stream(messages=talk, **common) as events:
            return events.get_final_message()

    while True:
        reply = again(ask)
        results = [{"type": "tool_result", "tool_use_id": b.id, "content": call(b.name, b.input)} for b in reply.content if b.type == "tool_use"]
        if not results:
            return "".join(b.text for b in reply.content if b.type == "text")
        talk += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]


def langchain(to, **more):
    from langchain_openai import ChatOpenAI

    return langchain_loop(to, ChatOpenAI(base_url=to.openai, api_key=to.key, model=MODEL, **more))


def langchain_loop(to, model):
    from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage

    model = model.bind_tools([CHAT_TOOL])
    talk = [SystemMessage(INSTRUCTIONS), HumanMessage(to.question)]
    while True:
        if to.streamed:
            reply = None
            for chunk in model.stream(talk):
                reply = chunk if reply is None else reply + chunk
        else:
            reply = model.invoke(talk)
        talk.append(reply)
        if not reply.tool_calls:
            return reply.text if isinstance(reply.text, str) else reply.text()
        talk += [ToolMessage(call(c["name"], c["args"]), tool_call_id=c["id"]) for c in reply.tool_calls]


def langchain_chat(to):
    return langchain(to)


def langchain_responses(to):
    return langchain(to, use_responses_api=True)


def openai_agents(to, kind):
    import agents
    import openai

    async def play():
        client = openai.AsyncOpenAI(base_url=to.openai, api_key=to.key)
        agent = agents.Agent(name="calculator", instructions=INSTRUCTIONS, tools=[agents.function_tool(add)], model=getattr(agents, kind)(MODEL, client))
        if not to.streamed:
            return (await agents.Runner.run(agent, to.question)).final_output
        run = agents.Runner.run_streamed(agent, to.question)
        async for _ in run.stream_events():
            pass
        return run.final_output

    return asyncio.run(play())


def agents_responses(to):
    return openai_agents(to, "OpenAIResponsesModel")


def agents_chat(to):
    return openai_agents(to, "OpenAIChatCompletionsModel")


def litellm_loop(to, model, base):
    import litellm

    litellm.suppress_debug_info = True
    talk = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": to.question}]
    while True:
        reply = litellm.completion(model=model, api_base=base, api_key=to.key, messages=talk, tools=[CHAT_TOOL], stream=to.streamed, num_retries=2)
        if to.streamed:
            reply = litellm.stream_chunk_builder(list(reply), messages=talk)
        message = reply.choices[0].message
        talk.append(message)
        if not message.tool_calls:
            return message.content
        for c in message.tool_calls:
            talk.append({"role": "tool", "tool_call_id": c.id, "content": call(c.function.name, c.function.arguments)})


def litellm_chat(to):
    return litellm_loop(to, f"openai/{MODEL}", to.openai)


def litellm_messages(to):
    return litellm_loop(to, f"anthropic/{MODEL}", to.anthropic)


def pydantic_ai(to, model):
    from pydantic_ai import Agent

    agent = Agent(model, instructions=INSTRUCTIONS, tools=[add])

    async def drain(_, events):
        async for _ in events:
            pass

    return asyncio.run(agent.run(to.question, event_stream_handler=drain if to.streamed else None)).output


def pydantic_chat(to):
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return pydantic_ai(to, OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=to.openai, api_key=to.key)))


def pydantic_responses(to):
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return pydantic_ai(to, OpenAIResponsesModel(MODEL, provider=OpenAIProvider(base_url=to.openai, api_key=to.key)))


def pydantic_messages(to):
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return pydantic_ai(to, AnthropicModel(MODEL, provider=AnthropicProvider(base_url=to.anthropic, api_key=to.key)))


def smolagents_tools(to):
    import rich.console
    import smolagents
    from smolagents.monitoring import AgentLogger

    quiet = AgentLogger(level=-1, console=rich.console.Console(quiet=True))
    model = smolagents.OpenAIServerModel(MODEL, api_base=to.openai, api_key=to.key)
    agent = smolagents.ToolCallingAgent(tools=[smolagents.tool(add)], model=model, max_steps=6, logger=quiet, stream_outputs=to.streamed)
    return agent.run(to.question)


def mini_swe_agent(to):
    import minisweagent
    import yaml
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.environments.local import LocalEnvironment
    from minisweagent.models.litellm_model import LitellmModel

    settings = yaml.safe_load((pathlib.Path(minisweagent.__file__).parent / "config" / "mini.yaml").read_text(encoding="utf-8"))
    of_agent = {k: v for k, v in settings["agent"].items() if k not in ("mode", "confirm_exit")}
    of_model = {k: v for k, v in settings.get("model", {}).items() if k not in ("model_name", "model_kwargs", "model_class", "cost_tracking")}
    model = LitellmModel(model_name=f"openai/{MODEL}", model_kwargs={"api_base": to.openai, "api_key": to.key}, cost_tracking="ignore_errors", **of_model)
    return str(DefaultAgent(model, LocalEnvironment(), **{**of_agent, "step_limit": 8}).run(to.question).get("submission", "")).strip()


def in_javascript(to, loop):
    here = pathlib.Path(__file__).resolve().parent
    done = subprocess.run([here / "node", here / "agent_loops.mjs", loop, json.dumps(to._asdict())], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr[-600:])
    return done.stdout


def openai_js_chat(to):
    return in_javascript(to, "chat")


def openai_js_responses(to):
    return in_javascript(to, "responses")


def anthropic_js_messages(to):
    return in_javascript(to, "messages")
