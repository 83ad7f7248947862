#!/usr/bin/env python3
"""What idle environments cost a hub: processor time of the hub and of `quintain env serve` that may not play.

    bench/idle.py --quintain bin/quintain --envs 64 --seconds 30

Needs Linux and the binary only. Prints milliseconds of processor time a second, for each environment.
"""
import argparse, contextlib, json, os, pathlib, re, socket, subprocess, tempfile, time, urllib.request


def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def spent(processes):
    total = 0
    for p in processes:
        total += sum(map(int, pathlib.Path(f"/proc/{p.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
    return total / os.sysconf("SC_CLK_TCK")


def ask(url, body=None):
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.read().decode()


def until(what):
    for _ in range(600):
        with contextlib.suppress(OSError):
            if what():
                return
        time.sleep(0.1)
    raise SystemExit("it does not come up")


def measure(o, folder, processes):
    def start(*args):
        processes.append(subprocess.Popen([o.quintain, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return processes[-1]

    at, model = port(), port()
    url = f"http://127.0.0.1:{at}"
    hub = start("hub", "--port", str(at), "--data", f"{folder}/hub")
    start("policy", "fake", "--port", str(model), "--first-token", "0s", "--rate", "0")
    until(lambda: ask(url + "/info"))
    ask(url + "/register", {"wandb_group": "g", "wandb_project": "p", "batch_size": 64, "max_token_len": 16384, "checkpoint_dir": "c",
                            "save_checkpoint_interval": 0, "starting_step": 0, "num_steps": 10**9})
    ask(url + "/batch")
    envs = [start("env", "serve", "--hub", url, "--data", f"{folder}/env{i}", "--env.total_steps", "1000000000", "--env.min_batch_allocation", "None",
                  "--env.steps_per_eval", "0", "--env.ensure_scores_are_not_same", "False", "--openai.base_url", f"http://127.0.0.1:{model}/v1",
                  "--openai.model_name", "fake", "--openai.server_type", "vllm", "--tokenizer", "bytes", "--tasks", "gcd", "--trace=false", "--metrics=false")
            for i in range(o.envs)]
    until(lambda: sum(map(float, re.findall(r'^quintain_hub_envs\S*connected="yes"\S* (\S+)', ask(url + "/metrics"), re.M))) >= o.envs)
    time.sleep(o.warm)  # they fill what they may, and then only wait
    before = spent([hub]), spent(envs), time.monotonic()
    time.sleep(o.seconds)
    after = spent([hub]), spent(envs), time.monotonic()
    per = 1000 / (after[2] - before[2]) / o.envs
    print(json.dumps({"envs": o.envs, "hub_ms": round((after[0] - before[0]) * per, 3), "env_ms": round((after[1] - before[1]) * per, 3)}))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--quintain", required=True)
    ap.add_argument("--envs", type=int, default=64)
    ap.add_argument("--seconds", type=float, default=30)
    ap.add_argument("--warm", type=float, default=10)
    processes = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            measure(ap.parse_args(), folder, processes)
        finally:
            for p in processes:
                p.kill()
            for p in processes:
                p.wait()


main()
