#!/usr/bin/env python3
"""How many tokens a second llama.cpp samples of SmolLM2-135M's quantized weights, beside package transformer with float32
products of the same sizes, on the same two processors, in turns: 16 tokens after prompts of 113, eight sequences to a prompt.

    python3 -m venv /tmp/llama && /tmp/llama/bin/pip install -r conformance/llamacpp.txt && /tmp/llama/bin/python bench/llamacpp.py FILE.gguf
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request

import xllamacpp

ROOT, LENGTH = pathlib.Path(__file__).resolve().parent.parent, 113


class Llama:
    def __init__(self, path, threads):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        p = xllamacpp.CommonParams()
        p.model.path, p.port, p.n_ctx, p.n_parallel, p.verbosity = path, port, 64 * 160, 64, 0
        p.cpuparams.n_threads = p.cpuparams_batch.n_threads = threads
        self.url, self.server = f"http://127.0.0.1:{port}/completion", xllamacpp.Server(p)

    def ask(self, slot, tokens):
        prompt = [(slot // 8 * 31 + i * 7) % 40000 + 100 for i in range(LENGTH)]
        body = {"prompt": prompt, "id_slot": slot, "n_predict": tokens, "ignore_eos": True, "cache_prompt": True,
                "temperature": 1, "top_k": 0, "top_p": 1, "min_p": 0, "return_tokens": True}
        request = urllib.request.Request(self.url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return len(json.load(reply)["tokens"])

    def __call__(self, sequences):
        """Returns tokens a second, after the prompts are read."""
        with concurrent.futures.ThreadPoolExecutor(sequences) as pool:
            list(pool.map(lambda slot: self.ask(slot, 1), range(sequences)))
            began = time.perf_counter()
            made = sum(pool.map(lambda slot: self.ask(slot, 16), range(sequences)))
            return made / (time.perf_counter() - began)


def ours(binary, sequences):
    command = [binary, "-test.run", "^$", "-test.bench", f"^BenchmarkLanguageSample/float32/slots={sequences}$", "-test.benchtime", "16x"]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT / "tiny/transformer").stdout
    return float(re.search(r"([\d.]+) tokens/s", out)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    os.environ["GOMAXPROCS"] = str(args.threads)
    llama = Llama(args.file, args.threads)
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "transformer.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "./tiny/transformer"], check=True, cwd=ROOT)
        for n in (1, 8, 32, 64):
            theirs, mine = zip(*[(llama(n), ours(binary, n)) for _ in range(args.rounds)])
            ratio = statistics.median(m / t for t, m in zip(theirs, mine))
            print(f"{n} sequences, tokens a second: llama.cpp {statistics.median(theirs):,.0f}, ours {statistics.median(mine):,.0f}: {ratio:.2f} times as fast", flush=True)
    os._exit(0)  # the server has no end


if __name__ == "__main__":
    main()
