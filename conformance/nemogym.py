#!/usr/bin/env python3
"""Collect rollouts of quintain serve with the real agents of NeMo Gym: its simple agent, which seeds, asks and
verifies, and its gymnasium agent, which resets and steps. The model is a server of this script, which knows the
answers. Rewards are those of quintain grade, the statistics those of NeMo Gym's own resources server, and the rows
of its reasoning_gym data set are graded too.
"""
import argparse
import asyncio
import contextlib
import http.client
import http.server
import importlib.resources
import json
import socket
import subprocess
import threading
import time

import uvicorn
from nemo_gym.base_resources_server import AggregateMetricsRequest, SimpleResourcesServer
from nemo_gym.config_types import BaseServerConfig
from nemo_gym.server_utils import GlobalAIOHTTPAsyncClientConfig, ServerClient, set_global_aiohttp_client
from omegaconf import OmegaConf
from responses_api_agents.gymnasium_agent.app import GymnasiumAgent, GymnasiumAgentConfig
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig

TASKS = ["chain_sum", "countdown", "word_ladder", "knights_knaves", "mini_sudoku", "spell_backward"]
COUNT = 8  # problems of a task
faults = []


def expect(what, got, want):
    if got != want:
        faults.append(f"{what}: {got!r}, want {want!r}")


class Quintain:
    """A server that runs until the block ends, and can be restarted on its port."""

    def __init__(self, program):
        self.program, self.port = program, 0

    def __enter__(self):
        self.process = subprocess.Popen([self.program, "serve", "--port", str(self.port)], stderr=subprocess.PIPE, text=True)
        said = self.process.stderr.readline()
        self.port = int(said.split("http://127.0.0.1:")[1].split(";")[0])
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate()

    def restart(self):
        self.__exit__()
        self.__enter__()


def post(port, path, body, cookie=None):
    """Return the status, the JSON and the cookie of a reply."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json"} | ({"Cookie": cookie} if cookie else {})
    with contextlib.closing(connection):
        connection.request("POST", path, json.dumps(body), headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read()), (reply.getheader("Set-Cookie") or "").split(";")[0]


class Model(http.server.BaseHTTPRequestHandler):
    """A model that gives the replies of a script, by the last message of the user: a text, or the calls of a rollout and the text after them."""

    script = {}
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = [item for item in asked["input"] if item.get("role") == "user"][-1]["content"]
        text = self.script[question]
        output = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
        if isinstance(text, list):
            text = text[sum(item.get("type") == "function_call_output" for item in asked["input"])]
        if isinstance(text, dict):
            output = {"type": "function_call", "id": "fc_1", "status": "completed"} | text
        else:
            output["content"] = [{"type": "output_text", "text": text, "annotations": []}]
        reply = json.dumps({
            "id": "resp_1", "created_at": 1.0, "model": "script", "object": "response", "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
            "output": [output],
            "usage": {"input_tokens": len(question), "input_tokens_details": {"cached_tokens": 0}, "output_tokens": len(text),
                      "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": len(question) + len(text)},
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def agents(quintain):
    """Run both agents and the model, and give the ports of the agents."""
    model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    ports = {"simple": free_port(), "gymnasium": free_port()}
    place = lambda port: {"host": "127.0.0.1", "port": port, "entrypoint": "app.py"}
    servers = OmegaConf.create({
        "quintain": {"resources_servers": {"quintain": place(quintain.port)}},
        "model": {"responses_api_models": {"model": place(model.server_port)}},
        "simple": {"responses_api_agents": {"simple_agent": place(ports["simple"])}},
        "gymnasium": {"responses_api_agents": {"gymnasium_agent": place(ports["gymnasium"])}},
    })
    client = ServerClient(head_server_config=BaseServerConfig(host="127.0.0.1", port=1), global_config_dict=servers)
    running = []
    for name, kind, config in (("simple", SimpleAgent, SimpleAgentConfig), ("gymnasium", GymnasiumAgent, GymnasiumAgentConfig)):
        agent = kind(server_client=client, config=config(
            name=name, **place(ports[name]), max_steps=10,
            resources_server={"type": "resources_servers", "name": "quintain"}, model_server={"type": "responses_api_models", "name": "model"}))
        running.append(uvicorn.Server(uvicorn.Config(agent.setup_webserver(), host="127.0.0.1", port=ports[name], log_level="error")))

    async def serve():
        set_global_aiohttp_client(GlobalAIOHTTPAsyncClientConfig())  # otherwise NeMo Gym reads the arguments of this script
        await asyncio.gather(*(server.serve() for server in running))

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    while not all(server.started for server in running):
        if not thread.is_alive():
            raise RuntimeError("the agents do not start")
        time.sleep(0.05)
    yield ports
    for server in running:
        server.should_exit = True
    thread.join()
    model.shutdown()


def rows(quintain, program):
    """Return rows with replies, and the rewards that quintain grade gives them."""
    all_rows, graded = [], []
    for task in TASKS:
        _, drawn, _ = post(quintain.port, "/v1/problems", {"task": task, "seed": 7, "count": COUNT, "scenario": "reasoning_gym"})
        export = subprocess.run([program, "tasks", "export", "--format", "reasoning-gym", "--task", task, "--seed", "7", "--level", "0", "--count", str(COUNT)],
                                check=True, capture_output=True, text=True)
        entries = [json.loads(line) for line in export.stdout.splitlines()]
        for i, (problem, messages, entry) in enumerate(zip(drawn["problems"], drawn["messages"], entries)):
            answer = entries[0]["answer"] if i % 2 else entry["answer"]  # half of them another problem's
            way = i // 2 % 4
            named = [{"problem": problem}, {"problem": f"reasoning_gym.v2/{task}.v{problem['version']}.s7.l0.{i}"},
                     {"task": task, "seed": 7, "index": i, "scenario": "reasoning_gym"}, entry | {"scenario": "reasoning_gym"}][way]
            all_rows.append(named | {"responses_create_params": {"input": messages}, "_ng_task_index": len(all_rows) // 2, "_ng_rollout_index": i % 2})
            Model.script[messages[-1]["content"]] = f"I think that it is this: <answer>{answer}</answer>"
            graded.append({"problem": problem, "answer": answer})
    lines = subprocess.run([program, "grade"], input="".join(json.dumps(g) + "\n" for g in graded), check=True, capture_output=True, text=True).stdout
    return all_rows, [json.loads(line)["score"] for line in lines.splitlines()]


def simple(quintain, program, port):
    """Collect a rollout of each row, and compare rewards and statistics."""
    all_rows, scores = rows(quintain, program)
    verified = []
    for row, score in zip(all_rows, scores):
        status, reply, _ = post(port, "/run", row)
        expect(f"a rollout of {row['_ng_task_index']}: status", status, 200)
        expect(f"a rollout of {row['_ng_task_index']}: reward", reply.get("reward"), score)
        expect("the row", {name: reply.get(name) for name in row if name != "responses_create_params"}, {name: value for name, value in row.items() if name != "responses_create_params"})
        verified.append(reply)
    status, ours, _ = post(port, "/aggregate_metrics", {"verify_responses": verified})
    theirs = asyncio.run(Reference.model_construct().aggregate_metrics(AggregateMetricsRequest(verify_responses=verified))).model_dump()
    count = same("agent_metrics", ours["agent_metrics"], theirs["agent_metrics"]) + same("key_metrics", ours["key_metrics"], theirs["key_metrics"])
    expect("groups", len(ours["group_level_metrics"]), len(theirs["group_level_metrics"]))
    for mine, other in zip(ours["group_level_metrics"], theirs["group_level_metrics"]):
        count += same(f"group {other['_ng_task_index']}", mine, {name: value for name, value in other.items() if "/" in name or name in ("_ng_task_index", "num_rollouts")})
    print(f"simple agent: {len(verified)} rollouts, {sum(scores):g} of reward; {count} statistics")


class Reference(SimpleResourcesServer):
    """NeMo Gym's own resources server, for its statistics."""

    async def verify(self, body):
        return body


def same(what, ours, theirs):
    """Compare statistics, and return their number."""
    expect(f"{what}: names", sorted(ours), sorted(theirs))
    for name, value in theirs.items():
        if name in ours and abs(ours[name] - value) > 1e-9 * max(1, abs(value)):
            faults.append(f"{what}: {name} is {ours[name]}, want {value}")
    return len(theirs)


def gymnasium(quintain, port):
    """Play a scenario of several turns: right at once, right after a mistake, never right."""
    _, drawn, _ = post(quintain.port, "/v1/problems", {"task": "chain_sum", "seed": 3, "count": 3, "scenario": "math_multi_turn"})
    wrong = "That is not correct. Look for the mistake in your reasoning and try again."
    for problem, messages, turns in zip(drawn["problems"], drawn["messages"], (1, 2, 5)):
        solution = str(eval(problem["instance"]["expression"], {}))  # digits and signs
        Model.script |= {messages[-1]["content"]: r"\boxed{" + (solution if turns == 1 else "no") + "}", wrong: r"\boxed{" + (solution if turns == 2 else "no") + "}"}
        Model.script[r"I could not find an answer in your reply. Work out the problem and write your answer inside \boxed{}."] = Model.script[wrong]
        status, reply, _ = post(port, "/run", {"problem": problem, "responses_create_params": {"input": messages}})
        expect(f"{turns} turns: status", status, 200)
        expect(f"{turns} turns: reward", reply.get("reward"), 1.0 if turns < 5 else 0.0)
        said = [item for item in reply["response"]["output"] if item.get("role") == "assistant"]
        expect(f"{turns} turns: replies", len(said), turns)
        expect(f"{turns} turns: terminated", reply.get("terminated"), True)
        status, again, _ = post(quintain.port, "/verify", {"problem": problem, "response": reply["response"]})
        expect(f"{turns} turns, verified: reward", (status, again.get("reward")), (200, reply["reward"]))
    print("gymnasium agent: 3 episodes of 1, 2 and 5 turns")


def tools(quintain, port):
    """Call the tools of a scenario with the simple agent, and end the episode by one of them."""
    _, drawn, _ = post(quintain.port, "/v1/problems", {"task": "calculator", "seed": 1, "count": 1})
    problem, messages = drawn["problems"][0], drawn["messages"][0]
    call = lambda n, name, args: {"call_id": f"call_{n}", "name": name, "arguments": json.dumps(args)}
    Model.script[messages[-1]["content"]] = [call(0, "calc", {"expression": "17*17"}), call(1, "clac", {}), call(2, "finish", {"answer": 1}), "Done."]
    status, reply, _ = post(port, "/run", {"problem": problem, "responses_create_params": {"input": messages}})
    expect("tools: status", status, 200)
    told = [item["output"] for item in reply["response"]["output"] if item.get("type") == "function_call_output"]
    expect("tools: results", (told[:1], len(told), "there is no tool" in told[1]), (["289"], 3, True))
    expect("tools: reward and answer", (reply.get("reward"), reply.get("extracted_answer")), (0.0, "1"))
    print("simple agent: an episode of three calls")


def game(quintain, port):
    """Win a game of two turns with the gymnasium agent."""
    _, drawn, _ = post(quintain.port, "/v1/problems", {"task": "nim_family", "seed": 1, "index": 3, "count": 1})
    problem, messages = drawn["problems"][0], drawn["messages"][0]
    seen = "You play take 2 from b. Your opponent plays take 1 from a.\n\n```\na: 0\nb: 1\n```\n\n2 replies are left."
    Model.script |= {messages[-1]["content"]: "<move>take 2 from b</move>", seen: "<move>take 1 from b</move>"}
    status, reply, _ = post(port, "/run", {"problem": problem, "responses_create_params": {"input": messages}})
    expect("game: status, reward, end", (status, reply.get("reward"), reply.get("terminated")), (200, 1.0, True))
    print("gymnasium agent: a game of two turns")


def data_set(quintain):
    """Verify the answers in the data set of NeMo Gym's reasoning_gym server."""
    text = importlib.resources.files("resources_servers").joinpath("reasoning_gym/data/example.jsonl").read_text()
    count = 0
    for line in text.splitlines():
        row = json.loads(line)
        for answer, reward in ((row["answer"], 1.0), ("no answer", 0.0)):
            response = {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"So: {answer}" if reward == 0 else answer}]}]}
            status, reply, _ = post(quintain.port, "/verify", row | {"response": response})
            expect(f"{row['metadata']['source_dataset']}: {answer!r}", (status, reply.get("reward")), (200, reward))
            count += 1
    print(f"data set of reasoning_gym: {count} answers")


def restarts(quintain):
    """Restart the server between seeding and verifying, and between two steps."""
    row = {"task": "chain_sum", "seed": 1, "scenario": "math_multi_turn"}
    _, _, seeded = post(quintain.port, "/seed_session", row)
    status, _, session = post(quintain.port, "/reset", row)
    expect("reset", status, 200)
    quintain.restart()
    response = {"response": {"output": [{"role": "assistant", "content": r"\boxed{-3}"}]}}
    status, reply, _ = post(quintain.port, "/verify", response, seeded)
    expect("verify after a restart", (status, reply.get("reward")), (200, 1.0))
    status, reply, _ = post(quintain.port, "/step", row | response, session)
    expect("step after a restart", (status, "reward" in reply), (404, False))
    print("restart: the seed is known, the episode is over:", reply["detail"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quintain", required=True, help="the program")
    program = parser.parse_args().quintain
    with Quintain(program) as quintain, agents(quintain) as ports:
        simple(quintain, program, ports["simple"])
        gymnasium(quintain, ports["gymnasium"])
        game(quintain, ports["gymnasium"])
        tools(quintain, ports["simple"])
        data_set(quintain)
        restarts(quintain)
    for fault in faults:
        print("DIFFERENT", fault)
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
