#!/usr/bin/env python3
"""Play against a real inference server, with a small model of random weights, and check every recorded sequence.

A relay keeps the server's output. The run must have recorded the tokens of each reply, and these, decoded by the
model's own tokenizer, must be the text. The prompt must be that of the model's own chat template, the
log-probabilities those of the model's own forward pass, and every turn must continue the tokens of the last one.
"""
import argparse
import collections
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is read: two threads wait for each other in loops

import transformers

import tiny_llama
import trace  # of this folder
from serving import free_port

NEAR = 1e-3  # tolerance of log-probabilities
PATIENCE = 900  # seconds for a server to start
GROUP, BATCH = 4, 16  # sequences
TOP = 3  # tokens that a teacher scores at each place
RUNS = {  # turns: flags
    1: ["--scenario", "reasoning_gym", "--tasks", "chain_sum:0,spell_backward:0,word_sorting:0", "--max-tokens", "24"],
    3: ["--scenario", "math_multi_turn:mode=legacy,num_turns=3", "--tasks", "chain_sum:0", "--max-tokens", "100"],
}
LLAMA_CPP = """
import sys, time, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.port, p.model_alias = sys.argv[1], int(sys.argv[2]), {"tiny"}
p.n_ctx, p.n_parallel = 16384, 4
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1  # others wait for all, in a loop
p.cache_type_k = p.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
p.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
server = xllamacpp.Server(p)
time.sleep(1e6)
"""


def llama_cpp(folder, model, port):
    """The command that serves the model with llama.cpp."""
    if not (folder / "model.gguf").exists():  # another server may have it open
        model.save_gguf(folder / "model.gguf")
    return [sys.executable, "-c", LLAMA_CPP, str(folder / "model.gguf"), str(port)]


def vllm(folder, _, port):
    """The command that serves the model with vLLM."""
    return [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(folder / "model"), "--host", "127.0.0.1", "--port", str(port),
            "--served-model-name", "tiny", "--dtype", "float32", "--max-model-len", "4096", "--max-num-seqs", "64", "--enforce-eager", "--enable-scale-out"]


def transformers_serve(folder, _, port):
    """The command that serves the model with Transformers."""
    return [os.path.join(os.path.dirname(sys.executable), "transformers"), "serve", str(folder / "model"), "--host", "127.0.0.1", "--port", str(port),
            "--device", "cpu", "--dtype", "float32"]


def by_tokens(folder):
    """The flags of a run that sends tokens."""
    return ["--model", "tiny", "--tokenizer", str(folder / "model")]


def by_messages(folder):
    """The flags of a run that sends messages to Transformers, which samples greedily unless the model's files, or
    this, say otherwise."""
    sampling = {"do_sample": True, "top_k": 0, "eos_token_id": tiny_llama.END, "pad_token_id": 0}
    return ["--model", str(folder / "model"), "--with", "policy.extra_body=" + json.dumps({"generation_config": json.dumps(sampling)})]


def by_texts(folder):
    """The flags of a run that sends texts for the server to continue."""
    return ["--model", "tiny", "--with", "policy.completions=text", "--with", "policy.tokenizer_config=" + str(folder / "model" / "tokenizer_config.json")]


Server = collections.namedtuple("Server", "kind command flags teaches policy", defaults=["server"])
SERVERS = {
    "llamacpp": Server("llamacpp", llama_cpp, by_tokens, False),
    "llamacpp-text": Server("llamacpp", llama_cpp, by_texts, False),
    "vllm": Server("vllm", vllm, by_tokens, True),
    "vllm-native": Server("vllm", vllm, by_tokens, False, "vllm-native"),
    "vllm-text": Server("vllm", vllm, by_texts, False),
    "transformers": Server("openai", transformers_serve, by_messages, False),
}
UNTOLD = None  # instead of a text that the server does not send
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "VLLM_SERVER_DEV_MODE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1", "OMP_NUM_THREADS": "1", "TORCHDYNAMO_DISABLE": "1"}


@contextlib.contextmanager
def serving(name, folder, model):
    """Run a server with the model of a folder until the block ends, and give its port."""
    port = free_port()
    command, log = SERVERS[name].command(folder, model, port), folder / f"log-{port}"
    with open(log, "w", encoding="utf-8") as out, subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, **ENVIRONMENT}) as process:
        try:
            until = time.monotonic() + PATIENCE
            while True:
                with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                    break
                if process.poll() is not None or time.monotonic() > until:
                    raise SystemExit("the server does not answer:\n" + log.read_text(encoding="utf-8", errors="replace")[-4000:])
                time.sleep(0.2)
            yield port
        finally:
            process.terminate()


class Relay(http.server.ThreadingHTTPServer):
    """Passes requests on to a server, and keeps the texts of its replies."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, port, texts):
        super().__init__(("127.0.0.1", 0), Relayed)
        self.port, self.texts, self.asked = port, texts, collections.Counter()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def keep(self, path, asked, reply):
        """Note the texts of a reply by prompt and tokens."""
        if path == "/completion":
            self.texts[tuple(asked["prompt"]), tuple(reply["tokens"])] = reply["content"]
            self.asked[1] += 1
        elif path == "/inference/v1/generate":
            for choice in reply["choices"]:
                self.texts[tuple(asked["token_ids"]), tuple(choice["token_ids"])] = UNTOLD
            self.asked[asked["sampling_params"]["n"]] += 1
        elif path == "/v1/completions" and isinstance(asked["prompt"], str):
            for choice in reply["choices"]:
                self.texts[asked["prompt"], choice["text"]] = choice["finish_reason"], choice["logprobs"]
            self.asked[asked["n"]] += 1
        elif path == "/v1/completions":
            events = [json.loads(line[6:]) for line in reply.split("\n") if line.startswith("data: {")]
            choices = [choice for event in events for choice in event["choices"]]
            for k in range(asked["n"]):
                mine = [choice for choice in choices if choice["index"] == k]
                tokens = tuple(token for choice in mine for token in choice["token_ids"] or [])
                self.texts[tuple(asked["prompt"]), tokens] = "".join(choice["text"] for choice in mine)
            self.asked[asked["n"]] += 1
        elif path == "/v1/chat/completions":
            for choice in reply["choices"]:
                self.texts[json.dumps(asked["messages"]), choice["message"]["content"]] = choice["finish_reason"]
            self.asked[asked["n"]] += 1


class Relayed(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.relay(None)

    def do_POST(self):
        self.relay(self.rfile.read(int(self.headers["Content-Length"])))

    def relay(self, body):
        server = http.client.HTTPConnection("127.0.0.1", self.server.port)
        server.request(self.command, self.path, body, {"Content-Type": "application/json", "Connection": "close"})
        reply = server.getresponse()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.headers["Content-Type"])
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection, parts = True, []
        while part := reply.read1(65536):
            parts.append(part)
            self.wfile.write(part)
        text = b"".join(parts).decode()
        if body and reply.status == 200:
            self.server.keep(self.path, json.loads(body), text if text.startswith("data:") else json.loads(text))


def whole(text):
    """A text without a part of a character at its end, which vLLM leaves out."""
    return text and text.rstrip("\ufffd")


class Check:
    """Checks the episodes of a run."""

    def __init__(self, model, folder, texts):
        self.model, self.texts = model, texts
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.counts, self.worst, self.faults = collections.Counter(), 0.0, collections.Counter()

    def hold(self, fact, what):
        if not fact:
            self.faults[what] += 1

    def tokens(self, turns, most):
        """Check an episode played by tokens."""
        talk, tokens, told = [], [], []
        for turn in turns:
            read, wrote = turn["read"], turn["wrote"]
            self.prompt(talk, turn["observed"], tokens, read)
            talk += turn["observed"]
            tokens += read
            text = self.tokenizer.decode(wrote, skip_special_tokens=True)
            said = self.texts.get((tuple(tokens), tuple(wrote)), "none")
            self.hold(said != "none", "the server sent no such reply to these tokens")
            self.hold(turn["reply"] == text and (said is UNTOLD or whole(said) == whole(text)), f"the tokens are {text!r}, the reply {turn['reply']!r}, and the server sent {said!r}")
            self.hold(turn["finish"] == ("stop" if wrote[-1] == tiny_llama.END else "length"), "another reason to stop")
            self.hold(turn["finish"] == "stop" or len(wrote) == most, "another length")
            self.counts[turn["finish"]] += 1
            told += [(len(tokens), turn)]
            talk.append({"role": "assistant", "content": turn["reply"]})
            tokens += wrote
        self.counts["sequences"] += 1
        self.logprobs(tokens, told)

    def messages(self, turns):
        """Check an episode played by messages: its tokens are the bytes of the texts."""
        talk = []
        for turn in turns:
            talk += turn["observed"]
            said = self.texts.get((json.dumps(talk), turn["reply"]))
            self.hold(said is not None, "the server sent no such reply to these messages")
            self.hold(said == turn["finish"], "another reason to stop")
            self.hold(bytes(turn["wrote"]).decode() == turn["reply"], "the tokens are not the bytes of the text")
            self.hold(turn["logprobs"] is None, "log-probabilities, though the server has none")
            self.counts[turn["finish"]] += 1
            self.counts["without"] += 1
            talk.append({"role": "assistant", "content": turn["reply"]})
        self.counts["sequences"] += 1

    def continued(self, turns):
        """Check an episode played by texts: its tokens are the bytes of the texts, with the log-probabilities of the
        server's tokens."""
        talk = []
        for turn in turns:
            talk += turn["observed"]
            prompt = self.tokenizer.apply_chat_template(talk, add_generation_prompt=True, tokenize=False)
            finish, probs = self.texts.get((prompt, turn["reply"]), ("none", None))
            self.hold(finish == turn["finish"], f"the server sent no such reply to this text, or ended it otherwise ({finish})")
            self.hold(bytes(turn["wrote"]).decode() == turn["reply"], "the tokens are not the bytes of the text")
            self.counts[turn["finish"]] += 1
            talk.append({"role": "assistant", "content": turn["reply"]})
            if turn["logprobs"] is None:
                self.counts["without"] += 1
            elif probs:
                self.summed(prompt, turn, probs)
        self.counts["sequences"] += 1

    def summed(self, prompt, turn, probs):
        """Check the sum of a reply's log-probabilities against the server's and, if that names its tokens, against
        the model's."""
        content = probs.get("content", [])
        sent = [entry["logprob"] for entry in content] or probs["token_logprobs"]
        texts = [bytes(entry["bytes"]) for entry in content] or [text.encode() for text in probs["tokens"]]
        spelled = 0  # tokens; then comes the end of the turn, or a part of a character
        while spelled < len(texts) and b"".join(texts[:spelled]) != turn["reply"].encode():
            spelled += 1
        self.hold(abs(sum(sent[:spelled]) - sum(turn["logprobs"])) < NEAR, "another sum of log-probabilities")
        self.counts["logprobs"] += len(sent)
        if ids := [entry["id"] for entry in content]:
            read = self.tokenizer.encode(prompt, add_special_tokens=False)
            true = self.model.logprobs(read + ids)[len(read) - 1 :]
            self.worst = max(self.worst, *(abs(a - b) for a, b in zip(sent, true)))
            self.hold(self.worst < NEAR, "another log-probability")

    def prompt(self, talk, fresh, tokens, read):
        """The tokens read must be those that the template adds to the conversation."""
        text = self.tokenizer.apply_chat_template(talk + fresh, add_generation_prompt=True, tokenize=False)
        before = self.tokenizer.decode(tokens, skip_special_tokens=False)
        self.hold(text.startswith(before), "the conversation so far is not that of the template")
        self.hold(self.tokenizer.encode(text[len(before) :], add_special_tokens=False) == read, "the prompt is not that of the template")

    def logprobs(self, tokens, told):
        true = self.model.logprobs(tokens)
        for begin, turn in told:
            if turn["logprobs"] is None:
                self.counts["without"] += 1
                whole = all(tiny_llama.is_text(self.model.tokenizer, token) for token in turn["wrote"] if token != tiny_llama.END)
                self.hold(not whole, "no log-probabilities, though all tokens end with a character")
                continue
            self.hold(len(turn["logprobs"]) == len(turn["wrote"]), "another number of log-probabilities")
            self.counts["logprobs"] += len(turn["wrote"])
            self.worst = max(self.worst, *(abs(a - b) for a, b in zip(turn["logprobs"], true[begin - 1 :])))
        self.hold(self.worst < NEAR, "another log-probability")


def run(options, urls, turns, *flags):
    """The command of a run."""
    return [options.quintain, "run", "--policy", SERVERS[options.server].policy, "--url", ",".join(urls), *RUNS[turns], "--group-size", str(GROUP), "--batch-size", str(BATCH), "--parallel", "16",
            "--exam-problems", "0", "--with", "rules.keep_equal=true", "--with", "rules.min_trainable=1", *flags]


def play(options, folder, urls, turns, flags):
    """The episodes of a run."""
    data = folder / f"data-{turns}"
    command = run(options, urls, turns, "--steps", str(options.steps), "--with", "run.grace=10m", "--port", "0", "--data", str(data), *flags)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return [episode for record in trace.read(data / "trace") for episode in record["episodes"]]


def probe(quintain, url, model):
    """The kind of the server at an address, and whether it has log-probabilities."""
    done = subprocess.run([quintain, "policy", "probe", "--url", url, "--model", model, "--json"], stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    print(f"{found['server']} {found.get('version', '')}: {', '.join(what for what, can in found['can'].items() if can) or 'nothing beyond texts'}")
    return found["server"], found["can"]["logprobs"]


def forward(model, folder):
    """Whether the model's log-probabilities are those of the forward pass of Transformers, if that has one here."""
    if not transformers.utils.is_torch_available():
        return True
    import torch

    tokens = list(range(tiny_llama.SHAPE["vocab_size"]))
    with torch.no_grad():
        logits = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)(torch.tensor([tokens])).logits[0]
    true = logits.log_softmax(-1)[range(len(tokens) - 1), tokens[1:]].numpy()
    worst = abs(model.logprobs(tokens) - true).max()
    print(f"the forward pass of Transformers differs by at most {worst:.1g} in {len(true)} log-probabilities")
    return worst < NEAR / 10


def examine(options, folder, server, relays):
    """Play all runs against the servers, and print the findings: whether they are right."""
    right = True
    for turns in RUNS:
        check, began = Check(options.model, folder / "model", relays[0].texts), time.monotonic()
        for episode in play(options, folder, [relay.url for relay in relays], turns, server.flags(folder)):
            check.hold(episode["outcome"] in ("scored", "model_failed"), f"outcome {episode['outcome']}: {episode.get('error')}")
            if server.flags is by_tokens:
                check.tokens(episode["turns"], int(RUNS[turns][-1]))
            elif server.flags is by_texts:
                check.continued(episode["turns"])
            else:
                check.messages(episode["turns"])
        n = check.counts
        print(f"up to {turns} turns: {n['sequences']} sequences, {n['stop'] + n['length']} replies ({n['length']} cut by length, {n['without']} without log-probabilities), "
              f"{n['logprobs']} log-probabilities that differ by at most {check.worst:.1g}; requests by samples {', '.join(str(dict(relay.asked)) for relay in relays)}; {time.monotonic() - began:.1f} s")
        for fault, times in check.faults.items():
            print(f"  {times} times: {fault}")
        right &= not check.faults and n["sequences"] >= options.steps * BATCH and all(relay.asked for relay in relays)
        for relay in relays:
            relay.asked.clear()
    return right


def ask(url, body=None):
    """A hub's answer."""
    with urllib.request.urlopen(urllib.request.Request(url, body and json.dumps(body).encode(), {"Content-Type": "application/json"}), timeout=5) as reply:
        return json.load(reply)


def taught(options, folder, url):
    """The groups of a batch that the server's model has scored as a teacher, as a trainer gets them."""
    port = free_port()
    command = run(options, [url], 1, "--consumer", "hub", "--with", "teacher.url=" + url, "--with", "teacher.top_k=" + str(TOP), "--with", "run.grace=0s", "--port", str(port), "--data", str(folder / "taught"), *by_tokens(folder))
    trainer = {"wandb_group": "g", "wandb_project": "p", "batch_size": BATCH, "max_token_len": 4096, "checkpoint_dir": "c", "save_checkpoint_interval": 1, "starting_step": 0, "num_steps": 1}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until, batch = time.monotonic() + PATIENCE, None
            while not batch and process.poll() is None and time.monotonic() < until:
                time.sleep(0.5)
                with contextlib.suppress(OSError):
                    ask(f"http://127.0.0.1:{port}/register", trainer)
                    batch = ask(f"http://127.0.0.1:{port}/batch")["batch"]
            return batch or []
        finally:
            process.terminate()


def teach(options, folder, url):
    """Whether a teacher's scores are the model's."""
    worst, places, right = 0.0, 0, True
    for group in taught(options, folder, url):
        for tokens, likely, told in zip(group["tokens"], group["distill_token_ids"], group["distill_logprobs"]):
            true = options.model.distributions(tokens)
            right &= len(likely) == len(told) == len(tokens) and likely[0] == told[0] == []
            for place in range(1, len(tokens)):
                best = sorted(true[place - 1], reverse=True)[:TOP]
                right &= len(set(likely[place])) == TOP
                worst = max(worst, *(abs(a - b) for a, b in zip(told[place], best)), *(abs(told[place][k] - true[place - 1][likely[place][k]]) for k in range(TOP)))
                places += 1
    print(f"as a teacher: {places} places with {TOP} tokens each, with log-probabilities that differ by at most {worst:.1g}")
    return right and places > 0 and worst < NEAR


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--server", required=True, choices=SERVERS)
    parser.add_argument("--pool", type=int, default=1, help="servers")
    parser.add_argument("--steps", type=int, default=4, help="batches of each run")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    server, options.model = SERVERS[options.server], tiny_llama.Llama(options.seed)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as servers:
        folder, relays, texts = pathlib.Path(folder), [], {}
        options.model.save(folder / "model")
        for _ in range(options.pool):
            relays.append(Relay(servers.enter_context(serving(options.server, folder, options.model)), texts))
        right = forward(options.model, folder / "model")
        right &= probe(options.quintain, relays[0].url, server.flags(folder)[1]) == (server.kind, server.kind != "openai")
        right &= examine(options, folder, server, relays)
        right &= not server.teaches or teach(options, folder, f"http://127.0.0.1:{relays[0].port}")
    print(f"{options.server}: {'passed' if right else 'FAILED'}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
