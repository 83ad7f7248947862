#!/usr/bin/env python3
"""Decide the problems of the scenario service_desk by a second reading of their records, in Python.

The manual must decide every combination of values by exactly one rule, and the actions and messages must be ours.
"""
import argparse
import collections
import itertools
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUMBERS = {"price": range(5, 301), "days": range(1, 61)}
CHOICES = {"reason": 4, "wish": 3, "package": 2, "category": 4, "payment": 3, "shipping": 2, "tier": 3}


def true(test, facts):
    name, value = test["name"], test["value"]
    holds = facts[name] > value if name in NUMBERS else facts[name] == value
    return holds != test.get("not", False)


def decide(manual, facts):
    """The actions of all rules that apply."""
    for rule in manual:
        if all(true(test, facts) for test in rule["when"]):
            yield next((e["do"] for e in rule.get("except") or [] if true(e["if"], facts)), rule["do"])


def named(manual, features):
    """Give tests the names of their features."""
    names = {number: name for name, number in features.items()}
    for rule in manual:
        for test in [*rule["when"], *(e["if"] for e in rule.get("except") or [])]:
            test["name"] = names[test["feature"]]
            yield test


def unsound(manual, tests):
    """A combination of values that no rule decides, or several do."""
    used = sorted({t["name"] for t in tests})
    near = {name: sorted({v for t in tests if t["name"] == name for v in (t["value"], t["value"] + 1)}) for name in NUMBERS}
    for values in itertools.product(*(near[name] if name in NUMBERS else range(CHOICES[name]) for name in used)):
        facts = dict(zip(used, values))
        if len(list(decide(manual, facts))) != 1:
            return facts
    return None


def right(service):
    """The actions and the messages."""
    owner = service["customers"][0]
    if service["verify"] and service["code"] != owner["code"]:
        return None, ["unverified, 0 euros"]
    actions, told = [], []
    for request, order in zip(service["requests"], service["orders"]):
        acted = actions and actions[-1] != "refuse"
        facts = {
            "reason": request["reason"], "package": request["opened"], "wish": request["later"] if acted else request["wish"], "tier": owner["tier"],
            **{name: order[name] for name in ("category", "price", "days", "payment", "shipping")},
        }
        [action] = decide(service["manual"], facts)
        amount = {"refund": order["price"], "half_refund": order["price"] // 2, "voucher": service["worth"]}.get(action, 0)
        actions.append(action)
        told.append(f"{action} {order['id']}, {amount} euros")
    return actions, told


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=600, help="number of problems")
    count = parser.parse_args().count
    made = subprocess.run(["go", "run", "conformance/rows.go", "-of", "service_desk", "-count", str(count)], cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    cases = [json.loads(line) for line in made.stdout.splitlines()]
    faults, endings = [], collections.Counter()
    for number, case in enumerate(cases):
        service = case["service"]
        tests = list(named(service["manual"], case["features"]))
        if facts := unsound(service["manual"], tests):
            faults.append(f"problem {number}: {facts} are not decided by one rule")
        actions, told = right(service)
        if actions != case["actions"] or "; ".join(told) != case["told"]:
            faults.append(f"problem {number}: {actions}, {told} here; {case['actions']}, {case['told']} in ours")
        endings[",".join(sorted(set(actions or ["unverified"])))] += 1
    for fault in faults[:5]:
        print(fault, file=sys.stderr)
    most, times = endings.most_common(1)[0]
    print(f"{len(cases)} problems: {len(faults)} faults; the most frequent ending, {most}, ends {times}")
    if faults or len(cases) != count or times > 0.2 * count:
        sys.exit("service_desk: not the same, or an ending is too frequent")


if __name__ == "__main__":
    main()
