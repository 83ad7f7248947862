#!/usr/bin/env python3
"""A run's episodes, exported in every form and read by the programs of those forms: Parquet by pyarrow, groups by the
page maker of Atropos, training sets by the columns that TRL and Hugging Face expect.

    conformance/python conformance/exports.py --quintain bin/quintain
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pyarrow.parquet
from atroposlib.frontend.jsonl2html import generate_html


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quintain", required=True)
    quintain = os.path.abspath(parser.parse_args().quintain)
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def export(form, *flags):
            path = folder / form
            subprocess.run([quintain, "export", form, "--data", folder / "data", "--out", path, *flags], check=True, stderr=subprocess.PIPE)
            return path

        subprocess.run([quintain, "run", "--policy", "script", "--with", "policy.delay=0s", "--with", "run.step_time=0s", "--steps", "20", "--port", "0",
                        "--tasks", "gcd,word_sorting:1", "--data", folder / "data"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        groups = [json.loads(line) for line in export("groups").open()]
        rows = pyarrow.parquet.read_table(export("parquet")).to_pylist()
        sequences = [(g, i) for g in groups for i in range(len(g["tokens"]))]
        if len(rows) != len(sequences) or not rows:
            faults.append(f"{len(rows)} rows, and {len(sequences)} sequences of groups")
        for row, (group, i) in zip(rows, sequences):
            same = (row["tokens"] == group["tokens"][i] and row["score"] == group["scores"][i] and row["group"] == group["id"]
                    and row["trained"] == [m != -100 for m in group["masks"][i]]
                    and [m["content"] for m in row["messages"]] == [m["content"] for m in group["messages"][i]])
            if not same:
                faults.append(f"a row of {row['group']} is not its sequence {i}")

        page = folder / "groups.html"
        generate_html(str(folder / "groups"), str(page))
        shown = page.read_text().count("<answer>") + page.read_text().count("&lt;answer&gt;")
        if shown < len(sequences):
            faults.append(f"Atropos' page shows {shown} answers of {len(sequences)}")

        sft = [json.loads(line) for line in export("sft", "--min-score", "0.9").open()]
        if not sft or any(line["score"] < 0.9 or [m["role"] for m in line["messages"]][-1] != "assistant" for line in sft):
            faults.append("sft: a line without a good reply at its end")
        pairs = [json.loads(line) for line in export("dpo", "--gap", "0.5").open()]
        if not pairs or any(p["score_chosen"] - p["score_rejected"] < 0.5 or p["prompt"][-1]["role"] != "user" or p["chosen"][-1]["role"] != "assistant" for p in pairs):
            faults.append("dpo: a pair that is none")
    for fault in faults[:10]:
        print(fault)
    print(f"exports: {len(groups)} groups, {len(rows)} rows, {len(sft)} conversations, {len(pairs)} pairs: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
