#!/usr/bin/env python3
"""Print every record of a trace as a line of JSON: trace_reader.py FOLDER. The form is docs/formats/trace.md."""
import json
import pathlib
import struct
import sys
import zlib


def frames(data):
    """Kind and payload of the frames of a segment; damaged ones are left out."""
    at = 8
    while data[:8] == b"QNtrace\x01" and at + 9 <= len(data):
        size, checksum, kind = struct.unpack_from("<IIc", data, at)
        payload, at = data[at + 9 : at + 9 + size], at + 9 + size
        if len(payload) == size and zlib.crc32(kind + payload) == checksum:
            yield kind, zlib.decompress(payload, -15)


def column(data, at, n):
    """The n numbers of the column at an offset, and the offset after it."""
    base, width = struct.unpack_from("<qB", data, at)
    at, numbers = at + 9, bytearray(8 * n)
    for plane in range(width):
        numbers[plane::8] = data[at + plane * n : at + (plane + 1) * n]
    return [base + v for v in struct.unpack(f"<{n}Q", numbers)], at + width * n


def take(numbers, n):
    return None if n is None else [next(numbers) for _ in range(n)]


def expand(runs):
    return runs and [v for n, v in zip(runs[::2], runs[1::2]) for _ in range(n)]


def records(block):
    (n,) = struct.unpack_from("<I", block)
    sizes, begin = list(struct.iter_unpack("<III", block[4 : 4 + 12 * n])), 4 + 12 * n
    tokens, at = column(block, begin + sum(s[0] for s in sizes), sum(s[1] for s in sizes))
    bits, _ = column(block, at, sum(s[2] for s in sizes))
    tokens, logprobs = iter(tokens), iter(struct.unpack(f"<{len(bits)}f", struct.pack(f"<{len(bits)}I", *bits)))
    for size, _, _ in sizes:
        record, begin = json.loads(block[begin : begin + size]), begin + size
        record["advantages"] = record["advantages"] and [expand(row) for row in record["advantages"]]
        turns = [turn for episode in record["episodes"] or [] for turn in episode["turns"] or []]
        for turn in turns:
            shared = turn.pop("opening", False)
            turn["observed"] = turns[0]["observed"] if shared else turn["observed"]
            turn["read"] = turns[0]["read"] if shared else take(tokens, turn["read"])
            turn["wrote"], turn["logprobs"] = take(tokens, turn["wrote"]), take(logprobs, turn["logprobs"])
            turn["versions"] = expand(turn["versions"])
        yield record


if __name__ == "__main__":
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.trace"), key=lambda path: int(path.stem)):
        for kind, payload in frames(path.read_bytes()):
            for record in records(payload) if kind == b"b" else []:
                print(json.dumps(record))
