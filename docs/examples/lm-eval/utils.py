"""The functions of quintain.yaml: which problems are posed, and how replies are scored."""

import datasets
import quintain


def problems(name="chain_sum", level=0, count=100, seed=1, num_fewshot=0, **_):
    """Problems of a task: always the same ones for a level and a seed. num_fewshot solved ones, none of them held out, stand before each."""
    drawn = quintain.task(name, level).problems(seed, count, chat=True, examples=num_fewshot)
    return {"test": datasets.Dataset.from_list([{"prompt": prompt(one), "problem": one["problem"]} for one in drawn])}


def prompt(doc):
    """The text for the model. It asks for the answer between tags; with --apply_chat_template it is the user's message."""
    if isinstance(doc["prompt"], str):
        return doc["prompt"]
    return "\n\n".join(message["content"] for message in doc["prompt"])


def score(doc, results):
    """The score of the whole reply by the problem's own task."""
    [verdict] = quintain.judge_all([doc["problem"]], [results[0]])
    return {"score": verdict.score, "malformed": float(verdict.malformed)}
