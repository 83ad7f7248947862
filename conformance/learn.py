#!/usr/bin/env python3
"""Compare the losses of package learn with an implementation in NumPy.

Both compute the loss of random batches of groups, its parts, and its derivatives by
every log-probability and entropy. This side has no formulas for derivatives: it finds
them by complex steps (Squire and Trapp, "Using complex variables to estimate
derivatives of real functions", 1998), which are exact to the last digits. The Go side
is a test of learn that reads the batches with the expected results.

    conformance/python conformance/learn.py [--batches N] [--seed S]
    conformance/python conformance/learn.py --write tiny/testdata/objective.json

The first command tests the checkout with new random batches; the second writes the
batches that go test always reads. Both need NumPy, and the first needs Go.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

UNTRAINED = -100
MAX_LOG_WEIGHT = 20
STEP = 1e-30  # step of complex differentiation
VOCABULARY = 32
OBJECTIVES = ("decoupled", "naive")
CAP_RULES = ("truncate", "filter")
NORMALISATIONS = ("token_mean", "sequence_mean", "constant")


# ---- the losses


def smaller(a, b):
    """The element-wise minimum of the real parts."""
    return np.where(a.real <= b.real, a, b)


def clip(x, low, high):
    """x if its real part is within the bounds, else the bound."""
    return np.where(x.real < low, low, np.where(x.real > high, high, x))


def k3(d):
    """Estimate the divergence from a sample; d is its log-probability minus the sampler's."""
    return np.exp(d) - d - 1


def advantages(group):
    """The advantages of each sequence as an array."""
    rows = []
    masked = [bool((override or {}).get("set_advantage_to_zero")) for override in group["overrides"] or [None] * len(group["tokens"])]
    compared = [score for score, out in zip(group["scores"], masked) if not out]
    for i, tokens in enumerate(group["tokens"]):
        if masked[i]:
            row = np.zeros(len(tokens))
        elif group["advantages"] is None:
            row = np.full(len(tokens), group["scores"][i] - np.mean(compared))
        else:
            row = np.broadcast_to(np.array(group["advantages"][i], float), len(tokens))
        rows.append(row)
    return rows


def flatten(case):
    """All tokens of a case, one after another, with the number of their sequence."""
    flat = {key: [] for key in ("sequence", "trained", "advantage", "behaviour", "reference", "version")}
    number = itertools.count()
    for group in case["groups"]:
        for i, (tokens, advantage) in enumerate(zip(group["tokens"], advantages(group))):
            mask = np.array(group["masks"][i])
            trained = mask != UNTRAINED
            trained[0] = False  # nothing predicts the first token
            flat["sequence"].append(np.full(len(tokens), next(number)))
            flat["trained"].append(trained)
            flat["advantage"].append(advantage)
            flat["behaviour"].append(np.array(group["inference_logprobs"][i], float))
            flat["reference"].append(np.array(group["ref_logprobs"][i] if group["ref_logprobs"] else [0] * len(tokens), float))
            flat["version"].append(np.array(group["versions"][i]))
    flat = {key: np.concatenate(rows) for key, rows in flat.items()}
    for key in ("policy", "proximal", "entropies"):
        flat[key] = np.concatenate([np.array(row, float) for row in case[key]]) if case[key] else None
    return flat


def normalised(losses, flat, settings):
    """The losses of all tokens combined into one number."""
    kept = flat["trained"]
    if settings["normalisation"] == "token_mean":
        return losses[kept].mean()
    sums = []
    for s in np.unique(flat["sequence"][kept]):
        mine = losses[kept & (flat["sequence"] == s)]
        sums.append(mine.sum() / (len(mine) if settings["normalisation"] == "sequence_mean" else settings["length"]))
    return np.mean(sums)


def evaluate(flat, settings, policy, entropies):
    """The loss as a complex number, the policy loss, and the figures of each token."""
    proximal = policy.real if flat["proximal"] is None else flat["proximal"]
    decoupled = settings["objective"] == "decoupled"
    log_weight = np.clip((proximal if decoupled else policy.real) - flat["behaviour"], -MAX_LOG_WEIGHT, MAX_LOG_WEIGHT)
    weight = np.exp(log_weight)
    factor = weight if decoupled else np.ones_like(weight)
    capped = (factor > settings["weight_cap"]) if settings["weight_cap"] > 0 else np.zeros(len(factor), bool)
    factor = np.where(capped, settings["weight_cap"] if settings["cap_rule"] == "truncate" else 0, factor)

    ratio = np.exp(policy - (proximal if decoupled else flat["behaviour"]))
    free = ratio * flat["advantage"]
    held = clip(ratio, 1 - settings["clip"], 1 + settings["clip"]) * flat["advantage"]
    losses = -factor * smaller(free, held)
    kl = k3(flat["reference"] - policy) if settings["kl"] > 0 else np.zeros_like(policy)
    total = losses + settings["kl"] * kl - settings["entropy"] * entropies
    figures = {
        "kl": kl.real, "drift": k3(log_weight), "entropy": entropies.real, "weight_mean": weight,
        "clip_fraction": held.real < free.real, "cap_fraction": capped,
    }  # fmt: skip
    return normalised(total, flat, settings), normalised(losses, flat, settings).real, figures


def differentiate(f, at):
    """The derivative of the real part of f by each element of at."""
    out = []
    for i in range(len(at)):
        bent = at.astype(complex)
        bent[i] += STEP * 1j
        out.append(f(bent).imag / STEP)
    return out


def expect(case):
    """The expected results for a case."""
    flat, settings = flatten(case), case["settings"]
    kept = flat["trained"]
    policy, entropies = flat["policy"].astype(complex), flat["entropies"].astype(complex)
    loss, policy_loss, figures = evaluate(flat, settings, policy, entropies)
    want = {"loss": loss.real, "policy_loss": policy_loss, "tokens": int(kept.sum()), "reward": mean_score(case)}
    want |= {name: float(np.mean(row[kept])) for name, row in figures.items()}
    want["weight_max"] = figures["weight_mean"][kept].max()
    lags, counts = np.unique(case["version"] - flat["version"][kept & (flat["version"] >= 0)], return_counts=True)
    want["staleness"] = {str(lag): int(n) for lag, n in zip(lags, counts)}
    slopes = differentiate(lambda x: evaluate(flat, settings, x, entropies)[0], flat["policy"])
    bonus = differentiate(lambda x: evaluate(flat, settings, policy, x)[0], flat["entropies"])
    where = flat["sequence"]
    want["by_logprob"] = [[v for v, s in zip(slopes, where) if s == n] for n in np.unique(where)]
    want["by_entropy"] = [[v for v, s in zip(bonus, where) if s == n] for n in np.unique(where)]
    return want


def mean_score(case):
    return float(np.mean([score for group in case["groups"] for score in group["scores"]]))


# ---- the batches


def exact(x):
    """x rounded to sixty-fourths: few digits, and exact in float32."""
    return (np.round(np.asarray(x) * 64) / 64).tolist()


def near(rng, row, spread):
    """Log-probabilities near those of row, with some far from them."""
    row = np.array(row)
    wild = rng.random(len(row)) < 0.1
    return exact(np.minimum(row + rng.normal(0, spread, len(row)) + wild * rng.normal(0, 2, len(row)), 0))


def make_group(rng, case, with_reference):
    """A group of random sequences; the case gets the numbers for their tokens."""
    count = int(rng.integers(1, 4))
    scores = exact(rng.random(count))
    group = {"tokens": [], "masks": [], "scores": scores, "advantages": None, "ref_logprobs": None,
             "inference_logprobs": [], "overrides": None, "versions": []}  # fmt: skip
    reference = []
    for _ in range(count):
        length = int(rng.integers(2, 9))
        tokens = rng.integers(0, VOCABULARY, length)
        sampled = rng.random(length) < 0.6
        policy = exact(np.minimum(-rng.exponential(1.2, length), 0))
        proximal = near(rng, policy, 0.15)
        group["tokens"].append(tokens.tolist())
        group["masks"].append(np.where(sampled, tokens, UNTRAINED).tolist())
        group["inference_logprobs"].append(np.where(sampled, near(rng, proximal, 0.3), 1).tolist())
        group["versions"].append(np.where(sampled, case["version"] - rng.integers(0, 4, length), -1).tolist())
        reference.append(near(rng, policy, 0.4))
        case["policy"].append(policy)
        case["proximal"].append(proximal)
        case["entropies"].append(exact(rng.random(length) * 3))
    kind = rng.integers(0, 3)
    if kind == 1:
        group["advantages"] = [exact(rng.normal(0, 1, len(tokens))) for tokens in group["tokens"]]
    elif kind == 2:
        group["advantages"] = [exact(rng.normal(0, 1, 1)) for _ in group["tokens"]]
    if rng.random() < 0.5:
        choices = (None, {}, {"set_advantage_to_zero": False}, {"set_advantage_to_zero": True, "temperature": 0.5})
        group["overrides"] = [choices[rng.integers(0, len(choices))] for _ in range(count)]
    if with_reference:
        group["ref_logprobs"] = reference
    return group


def make_case(rng, objective, normalisation, plain):
    """A random batch with settings; a plain one has no KL term and no entropy bonus."""
    settings = {
        "objective": objective, "clip": float(rng.choice([0.1, 0.2, 0.3])), "weight_cap": float(rng.choice([0, 1.5, 5])),
        "cap_rule": str(rng.choice(CAP_RULES)), "kl": 0.0 if plain else float(rng.choice([0.01, 0.1, 1])),
        "entropy": 0.0 if plain else float(rng.choice([0, 0.05])), "normalisation": normalisation, "length": int(rng.integers(4, 20)),
    }  # fmt: skip
    while True:
        case = {"settings": settings, "version": int(rng.integers(3, 9)), "policy": [], "proximal": [], "entropies": []}
        case["groups"] = [make_group(rng, case, settings["kl"] > 0) for _ in range(int(rng.integers(1, 4)))]
        if rng.random() < 0.25:
            case["proximal"] = None  # a single update: they equal those of the policy
        if flatten(case)["trained"].any():
            case["want"] = expect(case)
            return case


def make_cases(seed, rounds):
    """Random cases of every kind."""
    kinds = itertools.product(range(rounds), OBJECTIVES, NORMALISATIONS, (True, False))
    rng = np.random.default_rng(seed)
    return [make_case(rng, objective, normalisation, plain) for _, objective, normalisation, plain in kinds]


# ---- the command


def write(cases, path):
    """Write cases to a JSON file, one per line."""
    lines = [json.dumps(case, separators=(",", ":")) for case in cases]
    with open(path, "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(lines) + "\n]\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--write", metavar="FILE", help="write cases with their expected results, and compare nothing")
    parser.add_argument("--batches", type=int, default=240, help="number of random batches, rounded up to a multiple of 12")
    parser.add_argument("--seed", type=int, help="seed of the batches; default: a new one each time")
    args = parser.parse_args()
    if args.write:
        write(make_cases(1 if args.seed is None else args.seed, 1), args.write)
        return 0
    seed = int.from_bytes(os.urandom(4)) if args.seed is None else args.seed
    cases = make_cases(seed, (args.batches + 11) // 12)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases.json")
        write(cases, path)
        command = ["go", "test", "-count=1", "-run", "^TestObjectiveIsTheReference$", "./tiny", "-args", "-cases", path]
        done = subprocess.run(command, cwd=root, check=False)
    print(f"learn: {len(cases)} batches of seed {seed}: {'passed' if done.returncode == 0 else 'FAILED'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
