#!/usr/bin/env python3
"""Compare the statistics of package internal/stats with SciPy, and with sums over all choices.

pass@k is the hypergeometric distribution of scipy.stats, McNemar's test its binomial test. The majority is voted by
each choice of k samples. The bootstrap is compared twice: exactly, by NumPy's percentiles of the same resamples,
which both sides draw with a generator of Knuth; and with the intervals of scipy.stats.bootstrap from its own
resamples, within the possible difference of so many resamples. The Go side is a test of stats that reads the cases
with the expected results.

    conformance/python conformance/stats.py [--cases N] [--seed S]
    conformance/python conformance/stats.py --write internal/stats/testdata/scipy.json

The first command tests the checkout with random cases of a seed; the second writes the cases that go test always
reads. The first needs Go.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import scipy.stats

RESAMPLES = 2000
LEVEL = 0.95
MOST_SAMPLES = 11  # of a vote, since all choices are made


def pass_at(rng):
    """The chance of at least one right sample among k of n, if c are right."""
    n = int(rng.integers(1, 200))
    k, c = int(rng.integers(1, n + 1)), int(rng.integers(0, n + 1))
    return {"K": k, "N": n, "C": c, "Want": 1 - float(scipy.stats.hypergeom.pmf(0, n, c, k))}


def vote(answers, right):
    """The share of the most frequent answers that is right."""
    ballots = [a for a in answers if a]
    if not ballots:
        return 0.0
    most = max(ballots.count(a) for a in ballots)
    winners = {a for a in ballots if ballots.count(a) == most}
    return sum(a in right for a in winners) / len(winners)


def majority(rng):
    """The mean vote of all choices of k samples."""
    n = int(rng.integers(1, MOST_SAMPLES + 1))
    k = int(rng.integers(1, n + 1))
    words = ["", *"abcdef"]
    answers = [words[i] for i in rng.integers(0, rng.integers(2, len(words) + 1), n)]
    right = set(rng.choice(words[1:], int(rng.integers(0, 4)), replace=False))
    votes = [vote(chosen, right) for chosen in itertools.combinations(answers, k)]
    return {"K": k, "Answers": answers, "Right": [a in right for a in answers], "Want": float(np.mean(votes))}


def mcnemar(rng):
    """The two-sided p-value of b against c differing pairs."""
    b, c = (int(x) for x in rng.integers(0, rng.choice([8, 60, 3000]), 2))
    return {"B": b, "C": c, "Want": scipy.stats.binomtest(b, b + c).pvalue if b + c else 1.0}


def resampled(strata):
    """The means of resamples drawn with Knuth's generator."""
    state, means = 1, []
    for _ in range(RESAMPLES):
        total = 0.0
        for values in strata:
            drawn = []
            for _ in values:
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                drawn.append(values[(state >> 33) % len(values)])
            total += np.mean(drawn)
        means.append(total / len(strata))
    return means


def bootstrap(rng):
    """The interval of the mean of the means of random strata, by percentiles."""
    kinds = (lambda n: rng.random(n), lambda n: rng.integers(0, 2, n).astype(float), lambda n: rng.normal(0, 0.3, n))
    draw = kinds[rng.integers(0, len(kinds))]
    strata = [np.sort(draw(int(rng.integers(5, 60)))).tolist() for _ in range(int(rng.integers(1, 4)))]
    low, high = np.quantile(resampled(strata), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    found = scipy.stats.bootstrap(
        strata, lambda *rows, axis: np.mean([np.mean(row, axis=axis) for row in rows], axis=0),
        n_resamples=10 * RESAMPLES, method="percentile", vectorized=True, rng=np.random.default_rng(int(rng.integers(2**32))),
    )  # fmt: skip
    return {
        "Strata": strata, "Mean": float(np.mean([np.mean(row) for row in strata])), "Low": float(low), "High": float(high),
        "Loose": [float(v) for v in found.confidence_interval], "Within": 0.35 * float(found.standard_error) + resolution(strata),
    }  # fmt: skip


def resolution(strata):
    """The least step of the mean of ones and zeros, by which two quantiles may differ."""
    whole = all(v in (0, 1) for row in strata for v in row)
    return max(1 / len(row) for row in strata) / len(strata) if whole else 0.0


def make_cases(seed, count):
    rng = np.random.default_rng(seed)
    kinds = {"pass_at": (pass_at, count), "majority": (majority, count), "mcnemar": (mcnemar, count), "bootstrap": (bootstrap, count // 5 + 1)}
    return {name: [make(rng) for _ in range(n)] for name, (make, n) in kinds.items()}


def write(cases, path):
    """Write cases to a JSON file, one per line."""
    kinds = [f'"{name}": [\n' + ",\n".join(json.dumps(c) for c in rows) + "\n]" for name, rows in cases.items()]
    with open(path, "w", encoding="utf-8") as out:
        out.write("{\n" + ",\n".join(kinds) + "\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--write", metavar="FILE", help="write cases with their expected results, and compare nothing")
    parser.add_argument("--cases", type=int, default=200, help="number of random cases of each kind; a fifth of it for the bootstrap")
    parser.add_argument("--seed", type=int, default=1, help="seed of the cases")
    args = parser.parse_args()
    if args.write:
        write(make_cases(args.seed, 20), args.write)
        return 0
    cases = make_cases(args.seed, args.cases)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases.json")
        write(cases, path)
        command = ["go", "test", "-count=1", "-run", "^TestStatisticsAreThoseOfSciPy$", "./internal/stats", "-args", "-cases", path]
        done = subprocess.run(command, cwd=root, check=False)
    total = sum(len(rows) for rows in cases.values())
    print(f"stats: {total} cases of seed {args.seed}: {'passed' if done.returncode == 0 else 'FAILED'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
