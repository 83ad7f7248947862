#!/usr/bin/env python3
"""Model calls of agents through a recording gateway, beside other gateways and beside the engine alone: time added to a call, calls a second, processor time and memory.

The engine is our fake one, with a known time to the first token. Agents make conversations of ten calls; Quintain's are sessions that end and are rewarded, and each call is on disk before its reply.

    python3 -m venv peers && peers/bin/pip install 'litellm[proxy]==1.83.0' rllm-model-gateway==0.1.0
    go build -o bin/agents bench/agents.go
    python3 bench/gateway.py --quintain bin/quintain --agents-binary bin/agents --peers peers/bin
"""

import argparse
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answers(url, patience=120):
    for _ in range(patience * 4):
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.25)
    raise SystemExit(f"{url} does not answer")


def cost(pid):
    """Return the processor seconds and the resident bytes of a process with its children."""
    seconds = memory = 0
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    family = {pid}
    for entry in sorted((int(p) for p in os.listdir("/proc") if p.isdigit())):
        try:
            text = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(text[1]) in family:
            family.add(entry)
        if entry in family:
            seconds += (int(text[11]) + int(text[12])) / tick
            memory += int(text[21]) * page
    return seconds, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--agents-binary", required=True, help="bench/agents.go, built")
    parser.add_argument("--peers", help="folder with litellm and rllm-model-gateway; without it, no peers")
    parser.add_argument("--first-token", type=float, default=0, help="seconds that the engine takes")
    parser.add_argument("--agents", default="1,32", help="numbers of agents at once")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--spread", default="0s", help="time over which the agents begin, so that the replies of a slow engine do not come at once")
    parser.add_argument("--data", help="folder for the data, such as one in memory; without it, a temporary one")
    parser.add_argument("--prompt", type=int, default=2000, help="characters, which are tokens, of the first message")
    parser.add_argument("--only", default="", help="names of the gateways to measure")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        engine, ours, lite, rllm = (free_port() for _ in range(4))
        url = f"http://127.0.0.1:{engine}"
        logs = open(folder / "log", "w", encoding="utf-8")
        start = lambda *command: subprocess.Popen([str(c) for c in command], stdout=logs, stderr=logs)
        running = {"engine": start(o.quintain, "policy", "fake", "--port", engine, "--first-token", f"{o.first_token}s", "--rate", "0", "--interval", "128", "--length", "fixed:100")}
        try:
            answers(url + "/health")
            rows = [("engine", url, [])]
            running["quintain"] = start(
                o.quintain, "gateway", "--policy", "server", "--url", url, "--tokenizer", "bytes", "--data", pathlib.Path(o.data or folder) / "data", "--port", ours, "--group-size", "1", "--batch-size", "1000000",
                "--max-lag", "1000", "--trace=false", "--with", "policy.max_in_flight=20000", "--with", "policy.control=false", "--with", "rules.keep_equal=true", "--max-tokens", "100")
            answers(f"http://127.0.0.1:{ours}/info")
            rows.append(("quintain", f"http://127.0.0.1:{ours}", ["-sessions"]))
            if o.peers:
                config = folder / "litellm.yaml"
                config.write_text(f"model_list:\n  - model_name: fake\n    litellm_params: {{model: openai/fake, api_base: '{url}/v1', api_key: none}}\n")
                running["litellm"] = start(pathlib.Path(o.peers) / "litellm", "--config", config, "--port", lite, "--num_workers", "1")
                answers(f"http://127.0.0.1:{lite}/health/liveliness")
                rows.append(("litellm", f"http://127.0.0.1:{lite}", []))
                running["rllm"] = start(pathlib.Path(o.peers) / "rllm-model-gateway", "--port", rllm, "--worker", url + "/v1", "--store", "memory", "--log-level", "WARNING")
                answers(f"http://127.0.0.1:{rllm}/health")
                rows.append(("rllm", f"http://127.0.0.1:{rllm}/sessions/one", []))
            for number in o.agents.split(","):
                for who, base, more in rows:
                    if o.only and who not in o.only.split(",") and who != "engine":
                        continue
                    before, _ = cost(running[who].pid)
                    out = subprocess.run([o.agents_binary, "-base", base, "-agents", number, "-seconds", str(o.seconds), "-prompt", str(o.prompt), "-spread", o.spread, *more],
                                         check=True, capture_output=True, text=True)
                    after, memory = cost(running[who].pid)
                    row = json.loads(out.stdout)
                    row = {"gateway": who, **row, "memory_mib": round(memory / 2**20)}
                    made = row.pop("made")
                    if made:
                        row["processor_ms_a_call"] = round(1000 * (after - before) / made, 3)
                        row["calls_a_second_and_core"] = round(made / (after - before)) if after > before else None
                    print(json.dumps(row), flush=True)
        finally:
            for p in running.values():
                p.terminate()
            for p in running.values():
                try:
                    p.wait(10)
                except subprocess.TimeoutExpired:
                    p.kill()


if __name__ == "__main__":
    main()
