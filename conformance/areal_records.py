#!/usr/bin/env python3
"""Episodes in the forms of AReaL, read by NumPy, safetensors and a reader of SequenceSample written from its
description, with every rule of lengths, masks, log-probabilities, versions and rewards checked against the trace
of the run. With --package, AReaL's own functions read the tensors as well, join them, and check their form; no
installable package has its SequenceSample.

    conformance/python conformance/areal_records.py --quintain bin/quintain
    REQUIREMENTS=areal.txt PIP_NO_DEPS=1 conformance/python conformance/areal_records.py --quintain bin/quintain --package
"""

import argparse
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import safetensors
import safetensors.numpy

DISCOUNT = 0.5
TYPES = {"torch.int64": numpy.int64, "torch.int32": numpy.int32, "torch.float32": numpy.float32, "torch.bool": numpy.bool_}
DTYPES = {"packed_input_ids": "int64", "prompt_mask": "bool", "packed_logprobs": "float32", "seq_no_eos_mask": "bool", "rewards": "float32",
          "version_start": "int32", "version_end": "int32", "packed_prompts": "int64", "birth_time": "int64", "task_ids": "int64"}


def unpack(sample, data):
    """The items of a SequenceSample: {key: [values of each sequence]} for each."""
    assert set(sample["keys"]) == set(sample["seqlens"]) == set(data) == set(DTYPES), "the keys differ"
    assert len(set(sample["ids"])) == len(sample["ids"]), "an ID is there twice"
    items = [{"id": i} for i in sample["ids"]]
    for key in sample["keys"]:
        lengths, values, at = sample["seqlens"][key], data[key], 0
        assert len(lengths) == len(items) and values.dtype == DTYPES[key] and sample["dtypes"][key] == f"torch.{DTYPES[key]}", key
        assert values.shape == (sum(map(sum, lengths)), *sample["trailing_shapes"][key]), key
        for item, inner in zip(items, lengths):
            item[key] = []
            for n in inner:
                item[key].append(values[at:at + n])
                at += n
    return items


def check_item(item, episodes):
    """Compares a record with its episodes."""
    turns = []
    for episode in episodes:
        context, after = [], 0.0
        returns = []
        for turn in reversed(episode["turns"]):
            after = turn["reward"] + DISCOUNT * after
            returns.insert(0, after)
        for turn, value in zip(episode["turns"], returns):
            context = ([] if turn.get("fork") else context) + turn["read"]
            turns.append((turn, list(context), value))
            context += turn["wrote"]
    n = len(turns)
    assert all(len(item[key]) == n for key in ("packed_input_ids", "prompt_mask", "packed_logprobs", "seq_no_eos_mask", "rewards", "version_start", "version_end"))
    assert all(len(item[key]) == 1 for key in ("packed_prompts", "birth_time", "task_ids"))
    for k, (turn, context, value) in enumerate(turns):
        tokens, mask, probs = (item[key][k] for key in ("packed_input_ids", "prompt_mask", "packed_logprobs"))
        assert tokens.tolist() == context + turn["wrote"], "tokens"
        assert len(mask) == len(tokens) and mask.tolist() == [True] * len(context) + [False] * len(turn["wrote"]), "prompt_mask"
        assert len(probs) == len(tokens) - 1 and not probs[:len(context) - 1].any(), "packed_logprobs of the prompt"
        assert numpy.array_equal(probs[len(context) - 1:], numpy.array(turn["logprobs"], numpy.float32)), "packed_logprobs"
        assert item["seq_no_eos_mask"][k].tolist() == [turn["finish"] == "length"], "seq_no_eos_mask"
        assert item["version_start"][k].tolist() == turn["versions"][:1] and item["version_end"][k].tolist() == turn["versions"][-1:], "versions"
        assert numpy.array_equal(item["rewards"][k], numpy.array([value], numpy.float32)), "rewards"
    assert item["packed_prompts"][0].tolist() == episodes[0]["turns"][0]["read"] and item["task_ids"][0].tolist() == [0], "prompt or task"


def check_rows(batch, groups):
    """Compares tensors with groups cut into whole episodes; returns the number of rows."""
    sequences = [(g, i) for g in groups for i in range(len(g["tokens"]))]
    rows, width = batch["input_ids"].shape
    want = {"input_ids": "int32", "attention_mask": "bool", "loss_mask": "int32", "logprobs": "float32", "versions": "int32", "rewards": "float32"}
    assert {k: str(v.dtype) for k, v in batch.items()} == want and rows == len(sequences) == len(batch["rewards"])
    assert all(batch[key].shape == (rows, width) for key in want if key != "rewards")
    for k, (g, i) in enumerate(sequences):
        n = len(g["tokens"][i])
        row = {key: batch[key][k][:n] for key in want if key != "rewards"}
        trained = numpy.array([m != -100 for m in g["masks"][i]])
        assert batch["attention_mask"][k].tolist() == [True] * n + [False] * (width - n), "attention_mask"
        assert not any(batch[key][k][n:].any() for key in row), "the padding is not 0"
        assert row["input_ids"].tolist() == g["tokens"][i] and row["loss_mask"].astype(bool).tolist() == trained.tolist() and trained[-1]
        assert numpy.array_equal(row["logprobs"], numpy.where(trained, g["inference_logprobs"][i], 0).astype(numpy.float32)), "logprobs"
        assert row["versions"].tolist() == g["versions"][i] and (row["versions"][~trained] == -1).all(), "versions"
        assert batch["rewards"][k] == numpy.float32(g["scores"][i]), "rewards"
    return rows


def decode(tensors):
    """The tensors of a line of JSON."""
    return {name: numpy.frombuffer(base64.b64decode(t["data"]), TYPES[t["dtype"]]).reshape(t["shape"]) for name, t in tensors.items()}


def read_file(path):
    """The tensors of a file, and its text."""
    if path.suffix == ".npz":
        loaded = numpy.load(path)
        return {name: loaded[name] for name in loaded.files if name != "meta.json"}, json.loads(loaded["meta.json"])
    with safetensors.safe_open(path, "numpy") as f:
        return safetensors.numpy.load_file(path), json.loads(f.metadata()["meta"])


def check_logs(folder, episodes):
    """Compares the log files with episodes; returns the number of turns."""
    turns = 0
    for path in sorted(folder.rglob("*.jsonl")):
        lines = [json.loads(line) for line in path.open()]
        text = path.with_suffix(".txt").read_text().splitlines()
        episode = episodes[path.stem.replace("%2F", "/").replace("%23", "#")]
        assert len(lines) == len(episode["turns"]) and len(text) == 3 * len(lines), "a turn has no entry"
        for k, (line, turn) in enumerate(zip(lines, episode["turns"])):
            assert line["success"] == turn.get("right", False) and line["answer_len"] == len(turn["wrote"]), "success or answer_len"
            assert text[3 * k] == (f"idx: {k + 1} / {len(lines)}, seqlen: {line['prompt_len'] + line['answer_len']}, "
                                   f"head version: {line['version_start']}, tail version: {line['version_end']}."), "text"
            turns += 1
        assert path.parent.name == str(lines[0]["version_start"])
    return turns


def check_package(lines, tensors):
    """Lets AReaL's functions read groups, and compares the joined tensors with the file of all."""
    from areal.infra.rpc.serialization import deserialize_value
    from areal.infra.workflow_executor import check_trajectory_format
    from areal.utils.data import concat_padded_tensors
    batches = [deserialize_value(line) for line in lines]
    assert all(check_trajectory_format(batch) for batch in batches), "AReaL's check of trajectories"
    joined = concat_padded_tensors(batches)
    assert joined.keys() == tensors.keys() and all(numpy.array_equal(joined[k].numpy(), tensors[k]) for k in tensors), "AReaL joins other tensors"


def check_all(quintain, folder, package):
    """Plays, exports in all forms, and compares; returns a summary."""
    data = folder / "data"
    done = subprocess.run([quintain, "run", "--policy", "script", "--with", "policy.accuracy=0.4", "--with", "policy.delay=0s", "--with", "run.step_time=0s", "--steps", "5", "--port", "0",
                           "--scenario", "math_multi_turn:mode=legacy,num_turns=3", "--tasks", "chain_sum:2", "--with", "rules.turn_discount=" + str(DISCOUNT), "--with", "run.records=areal-legacy",
                           "--data", data], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr

    def export(form, *flags, name="out"):
        path = folder / name
        subprocess.run([quintain, "export", form, "--drop", "kept", "--data", data, "--out", path, *flags], check=True, stderr=subprocess.PIPE)
        return path

    records = [json.loads(line) for line in export("records").open()]
    groups = [json.loads(line) for line in export("groups").open()]
    episodes = {e["id"]: e for r in records for e in r["episodes"]}
    by_group = {r["episodes"][0]["id"].rpartition("#")[0]: r["episodes"] for r in records}
    told = []
    for mode in ("legacy", "single", "modern"):
        flags = ("--mode", mode, "--turn-discount", str(DISCOUNT))
        lines = [json.loads(line) for line in export("areal", *flags).open()]
        files = [read_file(export("areal", *flags, "--form", form, name=f"out.{form}")) for form in ("npz", "safetensors")]
        if mode == "modern":
            n = sum(check_rows(decode(line), [g]) for line, g in zip(lines, groups, strict=True))
            for tensors, meta in files:
                assert check_rows(tensors, groups) == len(meta["ids"]) == n
            told.append(f"{n} rows")
            if package:
                check_package(lines, files[0][0])
                told.append("read by AReaL's package")
            continue
        if mode == "legacy":  # the run wrote the same
            assert lines == sorted((json.loads(line) for line in (data / "records" / "areal-legacy.jsonl").open()), key=lines.index)
        samples = [(line, {k: numpy.array(v, TYPES[line["dtypes"][k]]) for k, v in line["data"].items()}) for line in lines]
        n = 0
        for sample, values in samples + [(meta, tensors) for tensors, meta in files]:
            for item in unpack(sample, values):
                check_item(item, [episodes[item["id"]]] if mode == "legacy" else by_group[item["id"]])
                n += 1
        assert n == 3 * len(lines)
        told.append(f"{len(lines)} records ({mode})")
    subprocess.run([quintain, "export", "records", "--data", data, "--out", folder / "all"], check=True, stderr=subprocess.PIPE)
    everything = {e["id"]: e for line in (folder / "all").open() for e in json.loads(line)["episodes"]}
    told.append(f"{check_logs(data / 'records' / 'generated', everything)} turns in logs")
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--package", action="store_true", help="also use AReaL's own package")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        told = check_all(os.path.abspath(options.quintain), pathlib.Path(name), options.package)
    print(f"areal: {', '.join(told)}, in all forms: no faults")


if __name__ == "__main__":
    sys.exit(main())
