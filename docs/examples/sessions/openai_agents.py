"""The Agents SDK of OpenAI, over Responses, with a tool and a reward for few steps. It plays until Ctrl-C.

    quintain run --gateway --consumer hub --policy server --url http://127.0.0.1:8001 --tokenizer my-model
    python docs/examples/sessions/openai_agents.py
"""
import asyncio
import itertools
import random

import agents

import quintain

agents.set_tracing_disabled(True)


def problems():
    for number in itertools.count():
        secret = random.Random(number).randrange(1, 101)
        yield {"prompt": "I think of a number from 1 to 100. Find it with the tool guess, then say it.", "secret": secret}


async def play(problem, client):
    guesses = []

    @agents.function_tool
    def guess(number: int) -> str:
        """Compares a number with the secret one."""
        guesses.append(number)
        return "right" if number == problem["secret"] else "too low" if number < problem["secret"] else "too high"

    model = agents.OpenAIResponsesModel("policy", client)
    agent = agents.Agent(name="guesser", instructions="You guess numbers.", tools=[guess], model=model)
    try:
        await agents.Runner.run(agent, problem["prompt"], max_turns=12)
    except agents.MaxTurnsExceeded:
        pass  # it guessed for too long, which is no fault of ours
    return guesses


@quintain.agent
def find(problem, session):
    guesses = asyncio.run(play(problem, session.async_openai()))
    return 1 - 0.05 * len(guesses) if problem["secret"] in guesses else 0.0


if __name__ == "__main__":
    print(f"{find.run(problems(), parallel=16)} sessions")
