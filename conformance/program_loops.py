"""Agents in Python, each as its framework's documents show it: python program_loops.py LOOP ACCESS, with the addresses and
the key of a session, its question, and whether to stream, as JSON. It prints the answer, after a line ANSWER."""
import asyncio
import json
import os
import sys
import tempfile

import agent_loops
from agent_loops import CHAT_TOOL, INSTRUCTIONS, MODEL, Access, add

os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True", DISABLE_TELEMETRY="1", OTEL_SDK_DISABLED="true", DO_NOT_TRACK="1")


def langchain_messages(to):
    from langchain_anthropic import ChatAnthropic

    return agent_loops.langchain_loop(to, ChatAnthropic(base_url=to.anthropic, api_key=to.key, model=MODEL, max_tokens=2000))


def langchain_thinking(to):
    from langchain_anthropic import ChatAnthropic

    thinking = {"type": "enabled", "budget_tokens": 1024}
    return agent_loops.langchain_loop(to, ChatAnthropic(base_url=to.anthropic, api_key=to.key, model=MODEL, max_tokens=2000, thinking=thinking))


def graph(to, model):
    from langchain.agents import create_agent

    agent, given = create_agent(model, tools=[add], system_prompt=INSTRUCTIONS), {"messages": [{"role": "user", "content": to.question}]}
    if not to.streamed:
        return agent.invoke(given)["messages"][-1].text
    texts = {}
    for chunk, _ in agent.stream(given, stream_mode="messages"):
        if chunk.type == "AIMessageChunk":
            texts[chunk.id] = texts.get(chunk.id, "") + chunk.text
    return list(texts.values())[-1]


def langgraph_chat(to):
    from langchain_openai import ChatOpenAI

    return graph(to, ChatOpenAI(base_url=to.openai, api_key=to.key, model=MODEL))


def langgraph_messages(to):
    from langchain_anthropic import ChatAnthropic

    return graph(to, ChatAnthropic(base_url=to.anthropic, api_key=to.key, model=MODEL, max_tokens=2000))


def mcp_chat(to):
    """The tool is that of an MCP server, another process."""
    import mcp
    import openai
    from mcp.client.stdio import stdio_client

    async def play():
        client, talk = openai.AsyncOpenAI(base_url=to.openai, api_key=to.key), [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": to.question}]
        server = mcp.StdioServerParameters(command=sys.executable, args=[__file__, "serve_mcp", "{}"])
        async with stdio_client(server) as (reading, writing), mcp.ClientSession(reading, writing) as session:
            await session.initialize()
            tools = [{"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.input_schema}} for t in (await session.list_tools()).tools]
            while True:
                if to.streamed:
                    async with client.chat.completions.stream(model=MODEL, messages=talk, tools=tools) as events:
                        message = (await events.get_final_completion()).choices[0].message
                else:
                    message = (await client.chat.completions.create(model=MODEL, messages=talk, tools=tools)).choices[0].message
                talk.append({k: v for k, v in message.model_dump(exclude_none=True).items() if k in ("role", "content", "tool_calls")})
                if not message.tool_calls:
                    return message.content
                for c in message.tool_calls:
                    result = await session.call_tool(c.function.name, json.loads(c.function.arguments))
                    talk.append({"role": "tool", "tool_call_id": c.id, "content": [{"type": "text", "text": part.text} for part in result.content]})

    return asyncio.run(play())


def serve_mcp(_):
    from mcp.server import MCPServer

    server = MCPServer("calc")
    server.tool()(add)
    server.run()


def claude_agent_sdk(to):
    import claude_agent_sdk as sdk

    @sdk.tool("add", "Adds two numbers.", {"a": int, "b": int})
    async def adding(given):
        return {"content": [{"type": "text", "text": str(add(**given))}]}

    async def play():
        with tempfile.TemporaryDirectory() as home:
            env = {
                "ANTHROPIC_BASE_URL": to.anthropic, "ANTHROPIC_API_KEY": to.key, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "CLAUDE_CONFIG_DIR": home, "HOME": home,
            }  # fmt: skip
            options = sdk.ClaudeAgentOptions(
                model=MODEL, system_prompt=INSTRUCTIONS, mcp_servers={"calc": sdk.create_sdk_mcp_server("calc", tools=[adding])}, allowed_tools=["mcp__calc__add"],
                tools=[], setting_sources=[], cwd=home, env=env, include_partial_messages=to.streamed,
            )  # fmt: skip
            answer = None
            async for message in sdk.query(prompt=to.question, options=options):
                answer = message.result if isinstance(message, sdk.ResultMessage) else answer
            return answer

    return asyncio.run(play())


def strands_chat(to):
    import strands
    from strands.models.openai import OpenAIModel

    model = OpenAIModel(client_args={"base_url": to.openai, "api_key": to.key}, model_id=MODEL, streaming=to.streamed)
    agent = strands.Agent(model=model, tools=[strands.tool(add)], system_prompt=INSTRUCTIONS, callback_handler=None)
    return str(agent(to.question))


def dspy_chat(to):
    import dspy

    dspy.configure(lm=dspy.LM(f"openai/{MODEL}", api_base=to.openai, api_key=to.key, cache=False))
    return dspy.ReAct("question -> answer", tools=[add])(question=to.question).answer


def qwen_agent(to, **more):
    from qwen_agent.agents import Assistant
    from qwen_agent.tools.base import BaseTool

    class Adding(BaseTool):
        name, description = "add", "Adds two numbers."
        parameters = agent_loops.SCHEMA

        def call(self, params, **_):
            return agent_loops.call("add", params)

    model = {"model": MODEL, "model_type": "oai", "model_server": to.openai, "api_key": to.key, "generate_cfg": more}
    agent, answer = Assistant(llm=model, function_list=[Adding()], system_message=INSTRUCTIONS), None
    if not to.streamed:
        return agent.run_nonstream([{"role": "user", "content": to.question}])[-1]["content"]
    for messages in agent.run([{"role": "user", "content": to.question}]):
        answer = messages[-1]["content"]
    return answer


def qwen_agent_raw(to):
    return qwen_agent(to, use_raw_api=True)


def qwen_agent_text(to):
    return qwen_agent(to)


def openhands_chat(to):
    from openhands.sdk import LLM, Agent, Conversation, Tool
    from openhands.tools.terminal import TerminalTool

    with tempfile.TemporaryDirectory() as folder:
        model = LLM(usage_id="agent", model=f"openai/{MODEL}", base_url=to.openai, api_key=to.key, stream=to.streamed)
        answers, more = [], {"token_callbacks": [lambda _: None]} if to.streamed else {}
        talk = Conversation(agent=Agent(llm=model, tools=[Tool(name=TerminalTool.name)]), workspace=folder, callbacks=[answers.append], visualizer=None, **more)
        talk.send_message(to.question)
        talk.run()
        return str(answers[-1])


if __name__ == "__main__":
    loop, access = sys.argv[1:]
    answer = globals()[loop](Access(**json.loads(access)) if access != "{}" else None)
    if loop != "serve_mcp":
        print(f"\nANSWER\n{answer}", flush=True)
        os._exit(0)  # some leave threads behind
