#!/usr/bin/env python3
"""How fast package tokenizer encodes, beside the library `tokenizers`: both on one thread, on the same text, half of
it Go's own source and half prose in many scripts, cut into pieces of about 2 kB.

Processor time counts, so that other work on the machine disturbs little. Ours is for the whole pipe, with its JSON:
the time of a text of twice the length minus that of the text, so that the added half is new to both sides. Theirs is
for encode_batch of the second half, after the first.

    conformance/python bench/tokenizer.py --quintain bin/quintain
"""

import argparse
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "conformance"))

from tokenizer import MODELS, WORDS, fetched  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402


def pieces(size):
    """Pieces of text, together of size bytes, code and prose in turns."""
    root = subprocess.run(["go", "env", "GOROOT"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    drawn = random.Random(1)
    made, total = [], 0
    for path in sorted(pathlib.Path(root, "src").rglob("*.go")):
        text = path.read_text(encoding="utf-8", errors="replace")[:2000]
        prose = " ".join(drawn.choice(WORDS) + drawn.choice(["", "", "", ",", ".", "\n"]) for _ in range(len(text) // 8))
        made += [text, prose]
        total += len(text.encode()) + len(prose.encode())
        if total >= size:
            return made
    raise SystemExit(f"Go's source has less than {size} bytes")


def seconds(command, lines):
    """Processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=lines, stdout=subprocess.DEVNULL, check=True, env={**os.environ, "GOMAXPROCS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    parser.add_argument("--megabytes", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    texts = pieces(int(args.megabytes * 1e6))
    half = len(texts) // 2
    size = sum(len(t.encode()) for t in texts[half:]) / 1e6
    lines = [json.dumps({"text": t}).encode() + b"\n" for t in texts]
    print(f"{size:.1f} MB in {len(texts) - half} pieces, after as much of other text; medians of {args.rounds} rounds.\n")
    print("| vocabulary | ours, MB/s | theirs, MB/s | ratio, median | each round | start, s | start from the cache, s |")
    print("|---|--:|--:|--:|---|--:|--:|")
    with tempfile.TemporaryDirectory() as cache:
        for model in MODELS:
            path = fetched(model)
            command = [args.quintain, "policy", "tokenizer", "encode", "--tokenizer", path, "--cache"]
            cold = seconds([*command, ""], b"")
            warm = [seconds([*command, cache], b"") for _ in range(2)][1]
            rounds = []
            for _ in range(args.rounds):
                theirs = Tokenizer.from_file(path)
                theirs.encode_batch(texts[:half], add_special_tokens=False)
                began = time.process_time()
                theirs.encode_batch(texts[half:], add_special_tokens=False)
                slow = time.process_time() - began
                fast = seconds([*command, cache], b"".join(lines)) - seconds([*command, cache], b"".join(lines[:half]))
                rounds.append((size / fast, size / slow))
            ours, theirs = (statistics.median(column) for column in zip(*rounds))
            ratios = [a / b for a, b in rounds]
            print(f"| {model} | {ours:.1f} | {theirs:.1f} | **{statistics.median(ratios):.1f}** | {', '.join('%.1f' % r for r in ratios)} | {cold:.2f} | {warm:.2f} |", flush=True)


if __name__ == "__main__":
    main()
