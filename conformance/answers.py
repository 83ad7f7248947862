#!/usr/bin/env python3
"""Check `quintain grade math` against labelled pairs: {"gold", "answer", "equal", "topic"} per line, in a folder of
data.

Of every file with pairs at least 99 % are right, and no wrong answer counts as right; of HardVerify-Math at least 85 % of
the right answers, which rules refuse. Of the problem sets, each
reference in five renderings equals itself, and no other reference with another value. AREaL's sample texts get the
rewards in their labels.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

RENDERINGS = ["{}", "\\boxed{{{}}}", "${}$", "The final answer is ${}$. I hope it is correct.", "<think>Maybe 77?</think>\nSo we get\n\\[\\boxed{{{}}}\\]"]

# Labels that contradict the conventions of the data: (gold, answer) with the reason.
WRONG = {("\\text{C}", "réponse est C non A"): "the answer is C, and so is the reference",
         ("0.3333", "1/3"): "a reference of three digits or more stands for an exact value that it is rounded from"}


def rows(path):
    return [json.loads(line) for line in path.open(encoding="utf-8")]


def verify(quintain, pairs):
    """The verdicts on (gold, answer), in order."""
    text = "".join(json.dumps({"gold": gold, "answer": answer}) + "\n" for gold, answer in pairs)
    run = subprocess.run([quintain, "grade", "math"], input=text.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line)["equal"] for line in run.stdout.splitlines()]


def labelled(quintain, path):
    """Compare verdicts with labels."""
    data = rows(path)
    verdicts = verify(quintain, [(r["gold"], r["answer"]) for r in data])
    faults = collections.Counter()
    for r, equal in zip(data, verdicts):
        if equal != r["equal"] and (r["gold"], r["answer"]) not in WRONG:
            faults["accepted" if equal else "refused"] += 1
            print(f"  {path.name}: {r['topic']}: {'accepts' if equal else 'refuses'} {r['answer'][-100:]!r} for {r['gold'][:100]!r}")
    right = len(data) - sum(faults.values())
    print(f"{path.name}: {right} of {len(data)} right, {faults['accepted']} wrong answers accepted, {faults['refused']} right ones refused")
    return right >= 0.99 * len(data) and not faults["accepted"]


def hard(quintain, path):
    """Compare verdicts with the labels of HardVerify-Math; that of row 52 is wrong."""
    data = rows(path)
    verdicts = verify(quintain, [(r["gold"], r["answer"]) for r in data])
    refused = [r["id"] for r, equal in zip(data, verdicts) if r["equal"] and not equal]
    accepted = [r["id"] for r, equal in zip(data, verdicts) if equal and not r["equal"]]
    recall = 1 - len(refused) / sum(r["equal"] for r in data)
    print(f"{path.name}: recall {recall:.3f}, refuses {' '.join(refused)}; accepts {' '.join(accepted)}")
    return recall >= 0.85 and set(accepted) <= {"hv-52-n"}


def problem_set(quintain, path):
    """Compare the references of a set with themselves and with each other."""
    golds = sorted({str(r["answer"]) for r in rows(path)})
    own = [(gold, form.format(gold)) for gold in golds for form in RENDERINGS]
    refused = [pair for pair, equal in zip(own, verify(quintain, own)) if not equal]
    others = [(a, "\\boxed{%s}" % b) for a in golds for b in golds if a != b]
    accepted = [pair for pair, equal in zip(others, verify(quintain, others)) if equal]
    for pair in refused:
        print(f"  {path.name}: refuses {pair[1]!r} for {pair[0]!r}")
    for pair in accepted:
        print(f"  {path.name}: {pair[1]} is {pair[0]}")
    print(f"{path.name}: {len(own) - len(refused)} of {len(own)} renderings equal; {len(accepted)} of {len(others)} crossed pairs equal")
    return not refused


def areal(quintain, path):
    """Compare with the rewards of AREaL's own parser."""
    pairs, labels = [], []
    for r in rows(path):
        for text, reward in zip(r["generateds"], r["rewards"]):
            pairs.append((r["solutions"][0], text))
            labels.append(reward > 0)
    wrong = [(pair, label) for pair, label, equal in zip(pairs, labels, verify(quintain, pairs)) if equal != label]
    for (gold, text), label in wrong:
        print(f"  {path.name}: label {label}: {gold!r}, text ends {text[-200:]!r}")
    print(f"{path.name}: {len(pairs) - len(wrong)} of {len(pairs)} as labelled")
    return not wrong


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quintain", required=True)
    p.add_argument("--data", type=pathlib.Path, required=True, help="folder of the files")
    args = p.parse_args()
    checks = {"equivalence_dev": labelled, "peer_cases": labelled, "hardverify": hard, "math_500": problem_set, "aime24": problem_set, "amc23": problem_set, "areal_sample_cases": areal}
    results = [check(args.quintain, args.data / f"{name}.jsonl") for name, check in checks.items()]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
