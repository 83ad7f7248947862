#!/usr/bin/env python3
"""Play the environments of quintain serve with the client of the Open Reward Standard."""
import argparse
import asyncio

from openreward import AsyncOpenReward
from openreward.api.environments.types import Task, ToolCallError

from serving import export, serving


async def answered(environment, task, answers):
    """Submit answers in a session of a problem: (its prompt, the outputs, why the call after them is refused)."""
    async with environment.session(task=Task("quintain", task["task"], task, None)) as session:
        prompt = "\n".join(block.text for block in await session.get_prompt())
        outputs = [await session.call_tool("submit", {"answer": answer}) for answer in answers]
        try:
            await session.call_tool("submit", {"answer": answers[-1]})
            return prompt, outputs, None
        except ToolCallError as refused:
            return prompt, outputs, refused.reason


async def play(url, quintain):
    """Play with all the client's abilities; returns the faults."""
    client, wrong = AsyncOpenReward(api_key="none"), []

    def expect(why, got, want):
        if got != want:
            wrong.append(f"{why}: {got}, want {want}")

    every = client.environments.get("quintain", base_url=url)
    sums = client.environments.get("quintain", variant="chain_sum", base_url=url)
    expect("splits", await sums.list_splits(), ["train", "test"])
    expect("tasks", len(await sums.list_tasks("test")), await sums.num_tasks("test"))
    expect("tools", [tool.name for tool in await sums.list_tools()], ["submit"])
    seven, = await sums.get_task_range("train", 7, 8)
    expect("the task of a range", seven.task_spec, (await sums.get_task("train", 7)).task_spec)

    entries = export(quintain, "chain_sum", 5)
    right = [answered(sums, {"task": "chain_sum", "seed": "1", "params": {}, "index": i}, [entry["answer"]]) for i, entry in enumerate(entries)]
    for entry, (prompt, outputs, refused) in zip(entries, await asyncio.gather(*right)):
        expect("a right answer", (prompt, outputs[0].reward, outputs[0].finished, refused), (entry["question"], 1, True, "episode_finished"))
    _, outputs, _ = await answered(sums, {"task": "chain_sum", "seed": "1"}, ["no idea"])
    expect("a wrong answer", (outputs[0].reward, outputs[0].finished), (0, True))

    turns = {"task": "chain_sum", "seed": "1", "params": {}, "scenario": "math_multi_turn"}
    _, outputs, refused = await answered(sums, turns, ["I do not know.", f"\\boxed{{{entries[0]['answer']}}}"])
    expect("two turns", ([o.finished for o in outputs], outputs[1].metadata["right"], outputs[0].reward, refused), ([False, True], True, 0, "episode_finished"))

    nim = {"task": "nim_family", "seed": "1", "level": 0, "index": 3}
    _, outputs, _ = await answered(client.environments.get("quintain", variant="nim_family", base_url=url), nim, ["<move>take 2 from b</move>", "<move>take 1 from b</move>"])
    expect("a game", ([o.finished for o in outputs], outputs[1].reward), ([False, True], 1))
    office = client.environments.get("quintain", variant="calculator", base_url=url)
    expect("the tools of a scenario", {"look", "calc", "finish"} <= {tool.name for tool in await office.list_tools()}, True)
    async with office.session(task=Task("quintain", "calculator", {"task": "calculator", "seed": "1"}, None)) as session:
        told = await session.call_tool("calc", {"expression": "17*17"})
        over = await session.call_tool("finish", {"answer": 1})
        expect("calls", (told.blocks[0].text, told.finished, over.finished), ("289", False, True))

    sessions = [every.session(split="train", index=index) for index in range(64)]
    await asyncio.gather(*(session.__aenter__() for session in sessions))
    prompts = await asyncio.gather(*(session.get_messages("openai") for session in sessions))
    expect("sessions at once", len({str(prompt) for prompt in prompts}), len(sessions))
    try:
        await sessions[0].call_tool("guess", {})
        wrong.append("a tool that there is not is called")
    except ToolCallError as refused:
        expect("a tool that there is not", refused.reason, "not_found")
    await asyncio.gather(*(session.__aexit__(None, None, None) for session in sessions))
    await client.environments.aclose()
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quintain", required=True)
    quintain = parser.parse_args().quintain
    with serving(quintain) as url:
        wrong = asyncio.run(play(url, quintain))
    for line in wrong:
        print(line)
    print(f"splits, tasks, 9 episodes, and 64 sessions at once: {len(wrong)} wrong")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
