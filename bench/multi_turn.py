#!/usr/bin/env python3
"""Episodes of several turns, many at once, against an inference server with a known reply time: the time of a run,
beside that of the replies alone, and the number of sampled tokens encoded again.

    python3 bench/multi_turn.py --quintain bin/quintain
"""

import argparse
import json
import pathlib
import subprocess
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--episodes", type=int, default=2000, help="at once")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--latency", type=float, default=2, help="seconds per reply")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of that many episodes")
    parser.add_argument("--max-lag", type=int, default=1, help="0: the next round begins when all of this one have ended")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        problems = folder / "sums.jsonl"
        problems.write_text("".join(json.dumps({"question": f"{i} + {i}?", "answer": 2 * i}) + "\n" for i in range(1, 501)))
        replies = folder / "replies.jsonl"
        replies.write_text("".join(json.dumps({"text": f"I add them up and get \\boxed{{{n}}}."}) + "\n" for n in range(100)))
        server = subprocess.Popen([o.quintain, "policy", "fake", "--port", "0", "--shape", "vllm", "--first-token", f"{o.latency}s", "--rate", "0",
                                   "--interval", "64", "--replies", replies], stderr=subprocess.PIPE, text=True)
        try:
            url = server.stderr.readline().partition("listening on ")[2].partition(",")[0]
            subprocess.run([
                o.quintain, "run", "--policy", "server", "--url", url, "--tokenizer", "bytes", "--scenario", f"math_multi_turn:mode=legacy,num_turns={o.turns}",
                "--problems", problems, "--group-size", "4", "--batch-size", str(o.episodes), "--max-lag", str(o.max_lag), "--parallel", str(o.episodes),
                "--with", "policy.max_in_flight=" + str(o.episodes), "--with", "policy.control=false", "--with", "rules.keep_equal=true", "--with", "rules.min_trainable=1", "--max-tokens", "256", "--steps", str(o.rounds), "--with", "run.grace=0s", "--port", "0",
                "--data", folder / "data", "--report", folder / "report.json"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        finally:
            server.terminate()
            server.wait()
        report = json.loads((folder / "report.json").read_text())
    ideal = o.rounds * o.turns * o.latency
    print(json.dumps({
        "episodes_at_once": o.episodes, "turns": o.turns, "latency": o.latency, "rounds": o.rounds, "max_lag": o.max_lag, "episodes": sum(report["episodes"].values()),
        "outcomes": report["episodes"], "ideal_seconds": ideal, "seconds": round(report["play_seconds"], 2), "over": round(report["play_seconds"] / ideal - 1, 4),
        "further_turns": report["turns"],
    }))


if __name__ == "__main__":
    main()
