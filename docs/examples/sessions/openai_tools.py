"""OpenAI's SDK with a tool, on problems of a run, whose tasks judge the answers. It plays until Ctrl-C.

    quintain run --gateway --tasks chain_sum:2 --consumer hub --policy server --url http://127.0.0.1:8001 --tokenizer my-model
    python docs/examples/sessions/openai_tools.py
"""
import ast
import json
import operator

import quintain

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
TOOL = {
    "type": "function",
    "function": {
        "name": "calculate",
        "description": "Works out an expression of whole numbers, +, - and *.",
        "parameters": {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]},
    },
}


def value(node):
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](value(node.left), value(node.right))
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    raise ValueError("want whole numbers, +, - and *")


def calculate(arguments):
    """What the model gets for its call. A bad call is no error of ours."""
    try:
        return str(value(ast.parse(json.loads(arguments)["expression"], mode="eval").body))
    except (ValueError, SyntaxError, KeyError, TypeError) as fault:
        return f"Error: {fault}"


@quintain.agent
def solve(problem, session):
    client = session.openai()
    messages = [
        {"role": "system", "content": "Use the tool. Give the final answer between <answer> and </answer>."},
        {"role": "user", "content": problem["prompt"]},
    ]
    for _ in range(8):
        message = client.chat.completions.create(model="policy", messages=messages, tools=[TOOL]).choices[0].message
        messages.append(message)
        for call in message.tool_calls or []:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": calculate(call.function.arguments)})
        if not message.tool_calls:
            break


if __name__ == "__main__":
    print(f"{solve.run(parallel=16)} sessions")
