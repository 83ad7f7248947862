#!/usr/bin/env python3
"""Play the commands of the documents as a reader types them: those of a page in order, in one folder.

    conformance/docs.py --quintain bin/quintain                        # all pages
    conformance/docs.py --quintain bin/quintain --page docs/hub.md --page 'quintain hub --help'
    conformance/docs.py --quintain bin/quintain --changed COMMIT       # play what differs from that commit, check all
    conformance/docs.py --quintain bin/quintain --check                # play none, check all

A command stands on an indented line, or in a block of three backticks. A server goes on until the page begins another one;
a fake inference server, and the files that the documents take to be there, are there already. The help of a verb is a page
as well: its examples, in a folder in which the embedded model has trained for five steps. LEFT lists what is not played, and why. Of that, and of commands in the middle of a text, the verb and its flags must exist, the packages and tests
of go test, the targets of make, and the scripts with their flags.
"""

import argparse
import collections
import functools
import http.server
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import fake_chat

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 180  # seconds that a command may take

# What is not played, by an expression that its command or its page contains, and who plays it, or why nobody can.
LEFT = [
    (r"^docs/benchmarks", "a measurement, which takes minutes to hours"),
    ("…", "a part of a command"),
    (r"^go (build|test|install)\b", "the gate; benchmarks take minutes"),
    (r"\b(conformance|bench)/[\w/]+(\.py|\.sh)?\b|^\.ci/|^internal/doctor", "conformance/run plays it"),
    (r"^make\b|^skopeo\b", "the nightly makes the release; nothing is published"),
    (r"^(pip|python3? -m venv|python3? -m sglang|uv)\b", "conformance/python installs the same versions"),
    (r"^python3? docs/examples/", "conformance/examples.py, adapters.py and notebooks.py, with the packages it needs"),
    (r"^(PYTHONPATH|QUINTAIN_DATA)=\S+ |^(inspect|lm_eval|vf-eval|lighteval)\b", "conformance/adapters.py, with the packages it needs"),
    (r"\bvllm serve\b|^docker\b|^brew\b|^helm\b|^sudo\b|^tar -xzf|^podman\b", "it needs a GPU, a container engine, a cluster or another system"),
    (r"^(sbatch|RUN_ENGINE|cp docs/deploy/slurm)", "conformance/slurm, in a cluster of its own"),
    (r"^python reasoning_gym_environment", "Atropos' own environment"),
    (r"/ID/", "it needs an ID of the reply before"),
    (r"--play$", "a person replies; tests of cmd/quintain do"),
    (r"^quintain .*nats://", "a server of NATS; tests of queue/nats and hub/host"),
    (r"^quintain environments (?:install|remove|show|try|list \w)|--environment (?:textarena|gymnasium|verifiers|openenv)", "it installs packages; conformance/guests_hosts.py and guests_loops.py play them"),
    (r"^claude\b", "it needs Claude Code; conformance/agent_clients.py asks the same server"),
    (r"judge check", "a fake server is no judge; tests of policy/judge"),
    (r"\.parquet", "a file of Parquet; tests of tasks/dataset"),
    (r"\.gguf|--data smollm|^quintain export model", "the file of a language model; tests of cmd/quintain and tiny/pretrained"),
    (r"^rclone\b", "it needs rclone and a place for the copies"),
    (r"^quintain prove (?:textarena|my_env)", "it finds faults, and ends with 1; tests of prove"),
    ("scenarios check --scenario .talk:", "no script is a user; tests of scenarios"),
    ("dataset check datasets", "two public sets, which are not here"),
    (r"^sky\b", "conformance/skypilot.py, with its package"),
]

# What a reader did before, by page.
REGISTERED = (
    "curl -X POST 'http://127.0.0.1:8000/v1/runs/default/register?trainer=a' -H 'Content-Type: application/json' -d '{\"wandb_group\": \"\", "
    '"wandb_project\": "", "batch_size": 8, "max_token_len": 4096, "checkpoint_dir": "", "save_checkpoint_interval": 0, "starting_step": 0, "num_steps": 10}\''
)
EVALUATED = [f"quintain eval --policy script --tasks chain_sum:1 --count 4 --out {out}" for out in ("before", "after")]
GRADE = """printf 'import json, sys\\nprint(json.dumps({"reward": len(json.load(sys.stdin)["answer"]) / 9}))\\n' > grade.py"""
COUNTDOWN = ["rm -r quintain-data", "quintain run --policy script --steps 8 --tasks countdown:0"]
COORDINATES = "quintain run --workers --policy server --url http://127.0.0.1:8001 --tokenizer my-model --consumer hub --data fleet --announce coordinator.url"
BEFORE = {
    "docs/hub.md": [
        "quintain run --policy script --consumer hub",
        REGISTERED,
    ],
    "docs/atropos.md": ["quintain hub --data hub"],
    "docs/math.md": ["quintain hub"],
    "docs/backup.md": ["quintain run --policy script --steps 1", "quintain run --policy script --steps 1 --data restored"],
    "docs/scoring.md": [
        "quintain run --policy script --steps 1 --tasks chain_sum",
        "quintain eval --policy script --tasks chain_sum:1 --count 4 --out before",
        GRADE,
    ],
    "docs/scenarios.md": [
        """printf '%s\\n' '{"question": "My booking is wrong.", "goal": "You paid for 12 and then 7 seats.", "answer": 19}' > bookings.jsonl""",
        "printf '%s' 'policy: {seats: {customer: {kind: script}}}' > seats.yaml",
    ],
    "docs/stability.md": ["quintain run --policy script --steps 1"],
    "docs/watch.md": ["quintain run --policy script --steps 1", "quintain run --policy script --steps 1 --data successor", *EVALUATED],
    "scenario/external/python/AGENTS.md": ["quintain scenarios init made && cp -r made/. ."],
    "scenario/external/python/README.md": ["quintain scenarios init made && cp -r made/. ."],
    "quintain eval compare --help": EVALUATED,
    "quintain hub queue dump --help": ["quintain hub --data other"],
    "quintain hub stats --help": ["quintain hub --data other", "curl -X PUT http://127.0.0.1:8000/v1/runs/exp2"],
    "quintain hub workers --help": [COORDINATES],
    "quintain regrade --help": ["rm -r quintain-data", "quintain run --policy script --steps 1 --tasks chain_sum", EVALUATED[0], GRADE],
    "quintain scenarios check --help": ["python -c 'import quintain, my_env; quintain.serve_scenario(my_env.higher_lower, port=8080)'"],
    "quintain sandbox probe --help": ["quintain sandbox serve --port 8000"],
    "quintain sandbox run --help": ["quintain sandbox serve --port 8000"],
    "quintain trace --help": COUNTDOWN,
    "quintain trace show --help": COUNTDOWN,
    "quintain view --help": ["quintain run --policy script --steps 1 --data successor", *EVALUATED],
    "quintain worker --help": [COORDINATES],
}

PROGRAMS = (
    r"quintain(?! [a-z-]+,)|go|make|curl|jq|claude|python3?|pip|printf|echo|for|cp|sbatch|helm|sky|vllm|inspect|lm_eval|vf-eval|lighteval|docker|podman|brew|sudo|tar|"
    r"skopeo|rclone|bench/\S+|bin/\S+|conformance/\S+|\.ci/\S+|internal/doctor/\S+"
)
COMMAND = re.compile(rf"(?:[A-Z_][A-Z_0-9]*=(?:'[^']*'|\"[^\"]*\"|\S*) )*(?:{PROGRAMS})(?= |$)")
ENDLESS = re.compile(r"(?:[A-Z_]+=\S+ )*(?:python -c .*port=|quintain (?:(?:serve|hub|gateway|policy fake|worker|sandbox serve|env serve)(?! ?(?:stats|pack|workers|queue)\b)(?: |$)|view(?!.*--export)|run(?!.*--(?:steps|minutes))))")
PLACEHOLDERS = {"ROOM": "puzzles", "NAME": "countdown", "TASK": "countdown", "VERB": "run", "DIR": "quintain-data"}


def helps(quintain):
    """The examples of each verb's help, as pages by the command that prints them."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([quintain, "help", "--man", folder], env=clean(), check=True)
        for name in sorted(["quintain-help", *(f.stem for f in pathlib.Path(folder).iterdir())]):
            words = [*name.split("-"), "--help"]
            text = subprocess.run([quintain, *words[1:]], env=clean(), capture_output=True, text=True, check=True).stdout
            if examples := re.search(r"^Examples:\n(.*?)\n\n", text, re.M | re.S):
                lines = [re.sub(r" {3,}.*", "", line.strip()) for line in examples[1].split("\n")]
                found[" ".join(words)] = "".join("\n    " + line for line in lines)
    return found


def pages():
    """The pages whose commands readers type: all but those on decisions and changes, and those within the program."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [p for p in listed if not p.startswith(("docs/decisions/", "internal/", ".github/")) and p not in ("CHANGELOG.md", "docs/moved.md")]


def changed(commit, page, text):
    """Whether a page differs from that commit; of a help, whether the change has a line of its examples."""
    lines = difference(commit)
    return f"+++ b/{page}" in lines or page.endswith(" --help") and any(line.strip() in new for line in text.split("\n")[1:] for new in lines if new.startswith("+"))


@functools.cache
def difference(commit):
    """The lines in which pages and verbs differ from that commit."""
    return subprocess.run(["git", "diff", "-U0", commit, "--", "*.md", "*.go", ":!*_test.go"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")


def blocks(text):
    """The blocks of a page that may be shell, as lists of numbered lines: indented ones and those between backticks."""
    fence, block, before = None, [], ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if (mark := re.match(r" *```(\w*)", line)) and (fence is None or not mark[1]):
            if fence in ("", "sh", "bash"):
                yield block
            fence, block = (mark[1] if fence is None else None), []
        elif fence is not None:
            block.append((number, line))
        elif line.startswith("    ") and (block or not before.strip()):
            block.append((number, line[4:]))
        elif block:
            yield block
            block = []
        before = line


def typed(text):
    """The commands of a page that stand on lines of their own, as pairs of number and text."""
    for block in blocks(text):
        if not block or not COMMAND.match(block[0][1]):
            continue
        begin, command = 0, ""
        for number, line in block:
            begin, command = (begin, command + "\n" + line) if command else (number, line)
            if command.endswith(("\\", "|")) or command.count("'") % 2:
                continue
            if COMMAND.match(command):
                yield begin, command
            elif not command.startswith(("{", "#")): # the output of the command
                raise SystemExit(f"line {begin}: is neither a command nor its output: {command}")
            command = ""


def named(text):
    """The commands in the middle of a text."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("    "):
            for code in re.findall(r"`([^`]+)`", line):
                if re.match(r"(?:quintain|go (?:test|run|build)|make|conformance/\w+|bench/\S+|\.ci/\w+|python3? (?:bench|conformance|docs/examples)/\S+)(?= |$)", code) and "${" not in code:
                    yield number, code


def deployed():
    """The commands of what deploys the program, as files and words: those of scripts, and the arguments of containers, a flag each."""
    for path in sorted(ROOT.glob("docs/deploy/*/**/*")):
        if path.suffix not in (".yaml", ".sbatch") or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        for verb, flags in re.findall(r'quintain\}?"? (run|worker)((?:.*\\\n)*.*)', re.sub(r"^#.*", "", text, flags=re.M)):
            yield path, [verb, *(flag + "=" + known(value) if value else flag for flag, value in re.findall(r" (--[a-z-]+)((?: |=)[^\s-]\S*|)", flags))]
        for flag, value in re.findall(r"^ *- (--[a-z-]+)(.*)", text, re.M):
            yield path, ["worker" if flag in ("--coordinator", "--coordinator-key-file", "--slots") else "run", flag + ("=" + known(value) if value.startswith("=") else value)]


def known(value):
    """A value for a flag: of --with its key, and for the rest a number."""
    key = re.match(r"[= ]([a-z_]+(?:\.[a-z_]+)+)=(true)?", value)
    return f"{key[1]}={key[2] or 1}" if key else "1"


class Fault(Exception):
    """A command is wrong."""


class Checker:
    """Looks for what commands name."""

    def __init__(self, quintain):
        self.quintain = quintain

    def check(self, command):
        """Raise a Fault unless all exists that the command names."""
        for part in re.split(r" (?:&&|\|) |; ", command.replace("\\\n", " ").replace("\n", " ")):
            words = [re.sub(r"\b(?:ROOM|NAME|TASK|VERB|DIR)\b", lambda m: PLACEHOLDERS[m[0]], w) for w in self.words(part)]
            while words and re.match(r"[A-Z_][A-Z_0-9]*=", words[0]):
                words = words[1:]
            if words[:3] == ["go", "run", "./cmd/quintain"]:
                words = ["quintain", *words[3:]]
            if not words:
                continue
            if words[0] == "quintain":
                self.verb(tuple(w for w in words[1:] if "…" not in w))
            elif words[0] == "go":
                self.packages(words)
            elif words[0] == "make":
                if not re.search(rf"^{re.escape(words[1])}:", (ROOT / "Makefile").read_text(), re.M):
                    raise Fault(f"make has no target {words[1]}")
            else:
                self.scripts(words)

    @staticmethod
    def words(part):
        """A command's words, without a comment and redirections."""
        try:
            words = shlex.split(part, comments=True)
        except ValueError as err:
            raise Fault(str(err)) from None
        words = [w for w in words if w != "&"]
        for mark in ("<", ">"):
            if mark in words:
                words = words[: words.index(mark)]
        return words

    @functools.cache  # noqa: B019
    def verb(self, words):
        """Parse the flags of a verb: its help is asked for at the end."""
        if "help" in words[:1] or "--help" in words:
            words = [w for w in words if w != "--help" and w != "all"]
        end = words.index("--") if "--" in words else len(words)
        alone = ["x"] if end and words[end - 1].startswith("--") else [] # a flag alone, whose value is left out
        with tempfile.TemporaryDirectory() as folder:
            for value in (alone, []): # or it has none
                tried = subprocess.run([self.quintain, *words[:end], *value, "--help"], cwd=folder, capture_output=True, text=True, env=clean(), check=False)
                if not re.search(r'unknown (argument|command) "x"|wants no |wants one \w+, has 2', tried.stderr):
                    break
        if tried.returncode:
            raise Fault(tried.stderr.strip())

    @staticmethod
    def packages(words):
        """Look for the packages of a command of go, and the tests that it runs."""
        folders = [ROOT / re.sub(r"/?\.\.\.$", "", w) for w in words if re.match(r"\.(/|$)", w)] or [ROOT]
        for folder in folders:
            if not folder.exists():
                raise Fault(f"there is no {folder.relative_to(ROOT)}")
        if words[1] == "run":
            source = "".join(f.read_text() for f in folders[0].glob("*.go"))
            for word in words:
                if (flag := re.match(r"--?([a-z][\w-]*)", word)) and f'"{flag[1]}"' not in source:
                    raise Fault(f"{flag[0]} is not in {words[2]}")
        for flag, kind in (("-run", "Test|Example"), ("-bench", "Benchmark"), ("-fuzz", "Fuzz")):
            if flag not in words or (asked := words[words.index(flag) + 1]) in ("^$", "xxx", "-", "."):
                continue
            have = [m for folder in folders for f in (*folder.glob("*_test.go"), *folder.glob("*/*_test.go")) for m in re.findall(rf"^func ((?:{kind})\w*)", f.read_text(), re.M)]
            for one in asked.split("/")[0].split("|"):
                if one not in PLACEHOLDERS.values() and not any(re.search(one, name) for name in have):
                    raise Fault(f"there is no test {one} in {' '.join(str(f.relative_to(ROOT)) for f in folders)}")

    def scripts(self, words):
        """Look for the files of a command, and for its flags in them."""
        files, text = [], ""
        if words[0] == "bench/curriculum.py" and "--" in words: # what follows is for quintain run
            self.verb(("run", *words[words.index("--") + 1:]))
            words = words[: words.index("--")]
        for word in words:
            path = ROOT / word
            if re.match(r"(?:\.ci|conformance|bench|examples|deploy|python|docs|internal)/[\w./-]+$", word):
                if not path.exists():
                    raise Fault(f"there is no {word}")
                if path.is_file():
                    files.append(word)
                    text += path.read_text(encoding="utf-8")
            flag = re.match(r"--[a-z][\w-]*", word)
            if flag and files and files != ["conformance/python"] and not re.search(rf"""["']{flag[0]}["']|{flag[0]}\b""", text):
                raise Fault(f"{flag[0]} is not in {' '.join(files)}")


def clean():
    """The environment without settings of the program."""
    return {k: v for k, v in os.environ.items() if not k.startswith("QUINTAIN_")}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def byte_model(folder):
    """Write a tokenizer of bytes with a chat template."""
    folder.mkdir(parents=True)
    vocabulary = {("\x04" if b == 4 else f"<0x{b:02X}>"): b for b in range(256)}
    (folder / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "added_tokens": [{"id": 4, "content": "\x04", "special": True}],
        "model": {"type": "BPE", "byte_fallback": True, "vocab": vocabulary, "merges": []},
        "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
    }))
    template = "{% for m in messages %}{{ m.role }}: {% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}{{ part.text }}{% endfor %}{% endif %}\\x04{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template.replace("\\x04", "\x04")}))


class Judge(fake_chat.Handler):
    """Says yes to everything, in the form that ends the prompt."""

    def do_POST(self):
        asked = self.asked()["messages"][-1]["content"]
        form = (asked if isinstance(asked, str) else asked[-1]["text"]).rsplit("\n", 1)[1]
        self.answer({"choices": [{"index": 0, "message": {"role": "assistant", "content": form.replace("…", "yes")}, "finish_reason": "stop"}]})


class Reader:
    """Types the commands of a page in a folder, beside the data folder of an earlier run, if one is given."""

    def __init__(self, quintain, folder, data=None):
        self.folder, self.home = folder / "here", folder
        self.folder.mkdir()
        if data:
            shutil.copytree(data, self.folder / "quintain-data")
        (folder / "bin").mkdir()
        (folder / "bin" / "quintain").symlink_to(quintain)
        (folder / "bin" / "python").symlink_to(sys.executable)
        self.hub, self.model, self.fake, self.judge, self.view, self.scenario = (free_port() for _ in range(6))
        self.env = {
            **clean(), "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder), "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1",
            "QUINTAIN_SERVER_PORT": str(self.hub), "QUINTAIN_RULES_KEEP_EQUAL": "true", # the fake server is nearly always wrong
            "QUINTAIN_FAKE_REPLIES": str(self.folder / "said.jsonl"),
            "QUINTAIN_FAKE_RATE": "0", "QUINTAIN_FAKE_FIRST_TOKEN": "0s", "QUINTAIN_EXAM_PROBLEMS": "8",
        }
        self.running = []
        self.files()
        self.engines = []
        command = f"QUINTAIN_FAKE_NAME=my-model quintain policy fake --port {self.model} --tokenizer my-model"
        self.engines.append(self.begin(command))
        self.answers(self.engines[-1], self.model, command)
        threading.Thread(target=http.server.ThreadingHTTPServer(("127.0.0.1", self.judge), Judge).serve_forever, daemon=True).start()

    def files(self):
        """Write the files that the documents take to be there."""
        byte_model(self.folder / "my-model")
        (self.folder / "model").symlink_to("my-model")
        row = {"question": "What is 1 + 1?", "answer": "2", "messages": [{"role": "user", "content": "What is 1 + 1?"}]}
        code = {"statement": "Read a number, and print its double.", "tests": {"language": "python", "kind": "stdin", "cases": [{"input": "1", "output": "2"}]}}
        for name, text in {
            "composite.yaml": "datasets: [{name: gcd, weight: 2, config: {}}, lcm:1]\n",
            "rollouts.jsonl": '{"tokens":[[1,2]],"masks":[[-100,2]],"scores":[1]}\n',
            "chats.jsonl": '{"messages":[{"role":"user","content":"Hello!"}]}\n',
            "train.jsonl": (json.dumps(row) + "\n") * 3,
            "said.jsonl": json.dumps({"text": "<answer>4</answer>"}) + "\n",
            "solution.py": "print(int(input()) * 7)\n",
            "my.yaml": "env: {rollout_server_url: 'http://127.0.0.1:8000', tokenizer_name: my-model}\nopenai: {base_url: 'http://127.0.0.1:8001/v1', model_name: my-model, server_type: vllm}\n",
            "seats.yaml": "policy: {seats: {strong: {kind: script}}}\n",
            "reasoning_gym.yaml": "env: {rollout_server_url: 'http://127.0.0.1:8000', tokenizer_name: my-model, group_size: 4, ensure_scores_are_not_same: false}\nopenai: {base_url: 'http://127.0.0.1:8001/v1', model_name: my-model, server_type: vllm}\n",
            "keys": "SECRET\n", "key": "SECRET\n", "worker.key": "SECRET\n",
            "servers.txt": "http://127.0.0.1:8001\n",
            "rubric.yaml": "criteria: [{name: correct, text: Is it right?}, {name: concise, text: Is it short?}]\n",
            "judge.yaml": "rubric: rubric.yaml\nurl: [http://127.0.0.1:8002/v1]\nmodel: my-judge\ncheck: {every: 0}\n",
            "other-server.yaml": "rubric: rubric.yaml\nurl: [http://127.0.0.1:8002/v1]\nmodel: my-judge\ncheck: {every: 0}\n",
            "replies.jsonl": '{"id": "7", "question": "What is 2 + 2?", "reply": "4"}\n',
            "essays.jsonl": (json.dumps({"question": "Praise the sea.", "answer": "It is wide."}) + "\n") * 3,
            "good.jsonl": json.dumps(code) + "\n", "test.jsonl": json.dumps(code) + "\n",
        }.items():
            (self.folder / name).write_text(self.addresses(text))
        entry = subprocess.run(["quintain", "tasks", "export", "--format", "reasoning-gym", "--task", "chain_sum", "--count", "1"], env=self.env, capture_output=True, text=True, check=True).stdout
        (self.folder / "answers.jsonl").write_text(json.dumps({"entry": json.loads(entry), "answer": "4"}) + "\n")
        shutil.copy(ROOT / "docs" / "examples" / "agent" / "agent.py", self.folder / "my_agent.py")
        for name in ("docs", ".local/share/bash-completion/completions", ".local/share/man/man1", ".config/fish/completions"):
            for above in (self.home, self.folder):
                (above / name).mkdir(parents=True)
        shutil.copy(ROOT / "docs" / "examples" / "scenario" / "higher_lower.py", self.folder / "my_env.py")
        for name in ("agent", "scenario"):
            for path in (ROOT / "docs" / "examples" / name).iterdir():
                if path.suffix in (".py", ".sh"):
                    shutil.copy(path, self.folder)

    def write(self, text):
        """Write the programs in Python that a page shows and its commands name."""
        for name in re.findall(r"\bpython3? (\w+)\.py\b", text):
            for code in re.findall(rf"^```python\n(.*?def {name}\(.*?)^```", text, re.M | re.S):
                (self.folder / f"{name}.py").write_text(code)

    def addresses(self, text):
        """Put the addresses of this reader in place of those of the documents."""
        text = text.replace("teacher.url=http://127.0.0.1:8002", f"teacher.url=http://127.0.0.1:{self.model}")
        text = re.sub(r"127\.0\.0\.1:800[23]\b", f"127.0.0.1:{self.judge}", text)
        text = re.sub(r"(127\.0\.0\.1|engine-\d|gpu\d):8001\b", f"127.0.0.1:{self.model}", text)
        text = re.sub(r"(127\.0\.0\.1|localhost|coordinator|hub|10\.0\.0\.7):8000\b", f"127.0.0.1:{self.hub}", text)
        text = text.replace("@/shared/", "@").replace("127.0.0.1:8080", f"127.0.0.1:{self.scenario}").replace("port=8080", f"port={self.scenario}")
        text = text.replace("batches/17", "batches/1") # the number in the reply before
        text = re.sub(r"(hub (?:stats|workers))$", rf"\1 --url http://127.0.0.1:{self.hub}", text)
        for port, free in ((8000, self.hub), (8001, self.fake), (8010, self.view)):
            text = text.replace(f"--port {port}", f"--port {free}")
        return text.replace("--minutes 5", "--minutes 0.1")

    def begin(self, command):
        """Begin a command in a process group of its own."""
        said = open(self.home / f"said-{time.monotonic_ns()}", "w+", encoding="utf-8")  # noqa: SIM115
        process = subprocess.Popen(["bash", "-c", "set -eo pipefail\ncurl() { command curl --no-progress-meter --fail-with-body \"$@\"; }\n" + command], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        process.said = said
        return process

    def type(self, command):
        """Type a command. Raise a Fault if it fails."""
        command = re.sub(r"\bDIR\b", PLACEHOLDERS["DIR"], command)
        command = re.sub(r"\bgo run \./cmd/quintain\b", "quintain", self.addresses(command))
        for path in ("docs/examples/", "python/"):
            command = re.sub(rf"(?<=[ :]){path}", f"{ROOT}/{path}", command)
        if not ENDLESS.match(command):
            self.wait(self.begin(command), command)
            return
        joins = re.match(r"quintain (worker|env serve)\b", command)
        if not joins:
            self.stop()
        process = self.begin(re.sub(r" &$", "", command))
        self.running.append((process, command))
        port = next((p for p in (self.view, self.fake, self.scenario) if re.search(rf"port[ =]{p}", command)), self.hub)
        self.answers(process, 0 if joins else port, command)

    def answers(self, process, port, command):
        """Wait until a server answers, or a worker has begun."""
        for _ in range(40 if not port else LIMIT * 10):
            if process.poll() is not None:
                raise Fault(f"it ended with status {process.returncode}\n{self.heard(process)}")
            try:
                if port:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
                    return
            except urllib.error.HTTPError:
                return
            except OSError:
                pass
            time.sleep(0.1)
        if port:
            raise Fault(f"nothing answers: {command}\n{self.heard(process)}")

    def wait(self, process, command):
        """Wait for the end of a command."""
        try:
            if process.wait(LIMIT):
                raise Fault(f"it ended with status {process.returncode}\n{self.heard(process)}")
        except subprocess.TimeoutExpired:
            raise Fault(f"it takes longer than {LIMIT} s: {command}\n{self.heard(process)}") from None
        finally:
            self.kill(process)

    @staticmethod
    def heard(process):
        process.said.seek(0)
        return "".join(process.said.readlines()[-12:])

    @staticmethod
    def kill(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        process.said.close()

    def stop(self):
        """Interrupt the running servers. Raise a Fault if one does not end well."""
        faults = []
        for process, command in reversed(self.running):
            for _ in range(2):
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGINT)
                    time.sleep(0.3)
            try:
                if process.wait(60) not in (0, 1, 130, -signal.SIGINT):
                    faults.append(f"{command}: after Ctrl-C, it ended with status {process.returncode}\n{self.heard(process)}")
            except subprocess.TimeoutExpired:
                faults.append(f"{command}: Ctrl-C does not end it\n{self.heard(process)}")
            self.kill(process)
        self.running = []
        if faults:
            raise Fault("\n".join(faults))

    def close(self):
        for process, _ in self.running:
            self.kill(process)
        for engine in self.engines:
            self.kill(engine)


def reason(page, command):
    """Why a command is not played, and the number of its row; empty: it is."""
    command = re.sub(r"\s+# .*", "", command)
    for i, (pattern, why) in enumerate(LEFT):
        if re.search(pattern, command) or re.search(pattern, page):
            return why, i
    return "", -1


class Play:
    """What was played and found."""

    def __init__(self, args):
        self.args, self.checker, self.data = args, Checker(args.quintain), None
        self.left, self.faults, self.played, self.checked = collections.Counter(), [], 0, 0

    def trained(self):
        """The data folder of a run of the embedded model."""
        if not self.data:
            self.data = tempfile.TemporaryDirectory(prefix="quintain-docs-")
            subprocess.run([self.args.quintain, "run", "--steps", "5", "--port", "0"], cwd=self.data.name, env=clean(), stdout=subprocess.DEVNULL, check=True)
        return pathlib.Path(self.data.name, "quintain-data")

    def page(self, page, text, play):
        """Check a page. Play it if play is true."""
        began = time.monotonic()
        commands = list(typed(text))
        for number, command in [*commands, *named(text)]:
            self.attempt(page, number, command, self.checker.check)
            self.checked += 1
        playable = []
        for number, command in commands:
            why, row = reason(page, command)
            self.left[row] += bool(why)
            if not why:
                playable.append((number, command))
        if not play or not playable:
            return
        with tempfile.TemporaryDirectory(prefix="quintain-docs-") as folder:
            reader = Reader(self.args.quintain, pathlib.Path(folder), self.trained() if page.endswith(" --help") else None)
            reader.write(text)
            try:
                for number, command in [*((0, c) for c in BEFORE.get(page, [])), *playable]:
                    self.attempt(page, number, command, reader.type)
                    self.played += 1
                self.attempt(page, 0, "(the end)", lambda _: reader.stop())
            finally:
                reader.close()
        print(f"{page}: {len(playable)} commands, {time.monotonic() - began:.0f} s", flush=True)

    def attempt(self, page, number, command, how):
        try:
            how(command)
        except Fault as fault:
            self.faults.append(page)
            print(f"{page}:{number}: {command}\n\t" + str(fault).replace("\n", "\n\t"), flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quintain", required=True, type=lambda p: str(pathlib.Path(p).resolve()))
    options.add_argument("--page", action="append", help="only this page")
    options.add_argument("--changed", metavar="COMMIT", help="play only the pages that differ from this commit")
    options.add_argument("--check", action="store_true", help="play none")
    options.add_argument("--seconds", type=float, default=1e9, help="play no further page after so many")
    args = options.parse_args()
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in pages()} | helps(args.quintain)
    chosen = args.page or list(texts)
    plays = [] if args.check else chosen
    if args.changed:
        plays = [p for p in chosen if changed(args.changed, p, texts[p])]
    play, began, late = Play(args), time.monotonic(), []
    for page in chosen:
        late += [page] * (page in plays and time.monotonic() - began > args.seconds)
        play.page(page, texts[page], page in plays and page not in late)
    if late:
        print(f"not played after {args.seconds:.0f} s, but by night: {' '.join(late)}")
    for path, words in deployed():
        play.attempt(path.relative_to(ROOT), 0, " ".join(words), lambda _, words=words: play.checker.verb(tuple(words)))
        play.checked += 1
    for row, (_, why) in enumerate(LEFT):
        print(f"{play.left[row]:4} commands are not played: {why}")
    if not args.page and (idle := [pattern for row, (pattern, _) in enumerate(LEFT) if not play.left[row]]):
        sys.exit(f"FAILED: these rows of LEFT are for no command: {idle}")
    print(f"{len(chosen)} pages, {play.checked} commands checked, {play.played} played, {len(play.faults)} faults")
    sys.exit(bool(play.faults))


if __name__ == "__main__":
    main()
