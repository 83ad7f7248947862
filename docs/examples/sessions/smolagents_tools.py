"""smolagents' ToolCallingAgent on problems of the package, judged by their task. It plays until Ctrl-C.

    quintain run --gateway --consumer hub --policy server --url http://127.0.0.1:8001 --tokenizer my-model
    python docs/examples/sessions/smolagents_tools.py

smolagents rewrites its history at each step, so a session of n calls gives n training sequences: every reply is trained on once.
"""
import quintain
import smolagents

words = quintain.task("spell_backward", level=1)


@smolagents.tool
def reverse(text: str) -> str:
    """Turns a text around.

    Args:
        text: the text
    """
    return text[::-1]


@quintain.agent
def solve(problem, session):
    model = smolagents.OpenAIServerModel("policy", api_base=session.openai_url, api_key=session.key)
    agent = smolagents.ToolCallingAgent(tools=[reverse], model=model, max_steps=6, verbosity_level=0)
    answer = agent.run(problem["prompt"])
    verdict = words.grade(problem, str(answer))
    session.reward(verdict.score, right=verdict.score == 1, malformed=verdict.malformed, why=verdict.reason)


if __name__ == "__main__":
    print(f"{solve.run(words.stream(), parallel=16)} sessions")
