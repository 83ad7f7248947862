"""Anthropic's SDK, streamed, with a tool, on problems of our own that we judge ourselves. It plays until Ctrl-C.

    quintain run --gateway --consumer hub --policy server --url http://127.0.0.1:8001 --tokenizer my-model
    python docs/examples/sessions/anthropic_tools.py
"""
import itertools
import random

import quintain

TOOL = {
    "name": "stock",
    "description": "Says how many pieces of an article are in stock.",
    "input_schema": {"type": "object", "properties": {"article": {"type": "string"}}, "required": ["article"]},
}
ARTICLES = ("nails", "screws", "hooks", "bolts")


def problems():
    for number in itertools.count():
        rng = random.Random(number)
        stock = {article: rng.randrange(100) for article in ARTICLES}
        first, second = rng.sample(ARTICLES, 2)
        question = f"How many {first} and {second} do we have together? Look them up, then answer with the number alone."
        yield {"prompt": question, "stock": stock, "answer": stock[first] + stock[second]}


@quintain.agent
def count(problem, session):
    client, messages = session.anthropic(), [{"role": "user", "content": problem["prompt"]}]
    for _ in range(8):
        with client.messages.stream(model="policy", max_tokens=1000, messages=messages, tools=[TOOL]) as stream:
            reply = stream.get_final_message()
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            answer = "".join(block.text for block in reply.content if block.type == "text")
            return float(answer.strip() == str(problem["answer"]))
        results = [str(problem["stock"].get(call.input.get("article"), "no such article")) for call in calls]
        messages += [
            {"role": "assistant", "content": reply.content},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": c.id, "content": r} for c, r in zip(calls, results)]},
        ]
    return 0.0  # it never answered


if __name__ == "__main__":
    print(f"{count.run(problems(), parallel=16)} sessions")
