"""Replies of models, in the forms in which they write tool calls.

Each is drawn with a fixed seed: plain text, thinking, calls with text around them, several calls, calls in thinking,
nested and odd values, closing tags inside strings, and texts that are cut or damaged at random places.
"""
import copy
import json
import random

STRINGS = ["Paris", "", "São Paulo 日本 😀", "two\nlines\n", " spaces ", "it's \"quoted\" \\ back", "<b>1 & 2</b>", "12", "true", "null", "{\"a\": 1}", "[1, 2]", "a: b, c; d", "x = f(1)", "1.50", "```json\n{}\n```"]
TEXTS = ["I will look.", "Let me see:\n", "Here\n\nare two paragraphs.", "Ünïcödé 日本語 😀", "a < b && c > d", "f(x) = [1, 2]", "{\"answer\": 4}", "Done.", "1. one\n2. two", "  indented"]
TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "description": "The weather.", "parameters": {"type": "object", "properties": {
        "city": {"type": "string"}, "days": {"type": "integer"}, "wind": {"type": "boolean"}, "share": {"type": "number"}}}}},
    {"type": "function", "function": {"name": "search_web", "description": "Searches.", "parameters": {"type": "object", "properties": {
        "query": {"type": "string"}, "options": {"type": "object"}, "sites": {"type": "array", "items": {"type": "string"}}, "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}}},
    {"type": "function", "function": {"name": "now", "description": "The time.", "parameters": {"type": "object", "properties": {}}}},
]
CLOSING = {"hermes": "</tool_call>", "qwen3_coder": "</parameter>", "glm": "</arg_value>", "mistral": "[TOOL_CALLS]", "kimi": "<|tool_call_end|>", "deepseek": "<｜tool▁call▁end｜>", "gpt_oss": "<|end|>",
           "llama3_json": "; {", "pythonic": "), f("}
SPECIAL = ["<think>", "</think>", "<tool_call>", "</tool_call>", "[THINK]", "[/THINK]", "[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "<|python_tag|>", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
           "<|tool_call_end|>", "<|tool_call_argument_begin|>", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>", "<|start|>", "<|channel|>", "<|message|>",
           "<|end|>", "<|call|>", "<|return|>", "<|constrain|>", "<|python_start|>", "<|python_end|>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"]
THINK = {"mistral": ("[THINK]", "[/THINK]")}


class Draw(random.Random):
    """Draws replies in one form."""

    def __init__(self, name, seed):
        super().__init__(f"{name} {seed}")
        self.name = name

    def string(self):
        s = self.choice(STRINGS)
        if self.random() < 0.02:
            s += f"x{CLOSING[self.name]}y"
        return s

    def value(self, depth=0):
        if depth < 3 and self.random() < 0.4:
            return self.choice([[self.value(depth + 1) for _ in range(self.randint(0, 3))], {self.choice(["a", "b c", "é"]): self.value(depth + 1) for _ in range(self.randint(0, 2))}])
        return self.choice([None, True, False, 0, -7, 2**40, 1.5, self.string()])

    def arguments(self, name):
        if name == "get_weather":
            full = {"city": self.string(), "days": self.randint(-3, 99), "wind": self.random() < 0.5, "share": self.choice([0.5, 2, -1e-7])}
        elif name == "search_web":
            full = {"query": self.string(), "options": {"k": self.value(1), "s": self.string()}, "sites": [self.string() for _ in range(self.randint(0, 3))], "limit": self.choice([None, 5])}
        elif name == "now":
            full = {}
        else:
            full = {"a": self.string(), "b": self.value()}
        return {key: full[key] for key in full if self.random() < 0.8}

    def call(self):
        name = self.choice(["get_weather"] * 3 + ["search_web"] * 3 + ["now", "unknown_tool"])
        return name, self.arguments(name)

    def case(self):
        """The text, whether the prompt opened the thinking, and labels."""
        labels = set()
        calls = [self.call() for _ in range(self.choice([0, 1, 1, 1, 2, 3]))]
        before = self.choice(["", "", self.choice(TEXTS)]) if calls else self.choice(TEXTS)
        after = ""
        if calls and self.random() < 0.1:
            after = self.choice(TEXTS)
            labels.add("text after calls")
        thinking, thoughts = False, None
        if self.random() < 0.4:
            thoughts = self.choice(["Hm.", "Hm,\nwell.", "日本", "\nOn lines.\n", ""])
            thinking = self.random() < 0.5
            if self.random() < 0.1:
                thoughts += self.written([self.call()], "", "") if self.name != "gpt_oss" else "x"
                labels.add("a call in thinking")
        text = self.written(calls, before, after)
        if self.name == "gpt_oss":
            thinking = False
            text = self.harmony(thoughts, text)
        elif thoughts is not None:
            opened, closed = THINK.get(self.name, ("<think>", "</think>"))
            text = ("" if thinking else opened) + thoughts + closed + self.choice(["", "\n\n"]) + text
            if self.random() < 0.05:
                text = text.split(closed)[0]
                labels.add("thinking without end")
        if self.random() < 0.3:
            text = self.damaged(text)
            labels.add("damaged")
        return text, thinking, labels

    def damaged(self, text):
        at = self.randrange(len(text) + 1)
        kind = self.randrange(6)
        if kind == 0:
            return text[:at]
        if kind == 1:
            return text[:at] + text[at + self.randint(1, 4):]
        if kind == 2:
            return text[:at] + self.choice(["}", "{", "\"", ",", "\n", "\\", "x", "[", ")"]) + text[at:]
        if kind == 3:
            return text[:at] + self.choice(SPECIAL) + text[at:]
        if kind == 4:
            return text[:at] + text[max(0, at - self.randint(1, 12)):]
        marks = [m for m in SPECIAL if m in text] or [" "]
        return text.replace(self.choice(marks), "", 1)

    def json(self, value):
        return json.dumps(value, ensure_ascii=self.random() < 0.1, separators=self.choice([(", ", ": "), (", ", ": "), (",", ":")]))

    def plain(self, value):
        """A value between tags: strings are bare. Qwen3-Coder's template writes other plain values as Python does."""
        if isinstance(value, str):
            return value
        if self.name == "qwen3_coder" and not isinstance(value, (list, dict)) and self.random() < 0.3:
            return str(value)
        return json.dumps(value, ensure_ascii=False)

    def written(self, calls, before, after):
        return getattr(self, "as_" + self.name)(calls, before, after)

    def as_hermes(self, calls, before, after):
        blocks = [f"<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {self.json(args)}}}\n</tool_call>" for name, args in calls]
        return "\n".join(part for part in [before, *blocks, after] if part)

    def as_qwen3_coder(self, calls, before, after):
        blocks = []
        for name, args in calls:
            lines = "".join(f"<parameter={key}>\n{self.plain(value)}\n</parameter>\n" for key, value in args.items())
            blocks.append(f"<tool_call>\n<function={name}>\n{lines}</function>\n</tool_call>")
        return "\n".join(part for part in [before, *blocks, after] if part)

    def as_glm(self, calls, before, after):
        newline = self.choice(["\n", ""])  # 4.5, 4.7
        blocks = []
        for name, args in calls:
            pairs = "".join(f"<arg_key>{key}</arg_key>{newline}<arg_value>{self.plain(value)}</arg_value>{newline}" for key, value in args.items())
            blocks.append(f"<tool_call>{name}{newline}{pairs}</tool_call>")
        return newline.join(part for part in [before, *blocks, after] if part)

    def as_llama3_json(self, calls, before, after):
        text = "; ".join(f"{{\"name\": \"{name}\", \"parameters\": {self.json(args)}}}" for name, args in calls)
        if not calls:
            return before
        return (before + "<|python_tag|>" if before else self.choice(["", "", "<|python_tag|>"])) + text + after

    def as_mistral(self, calls, before, after):
        if not calls:
            return before
        if self.random() < 0.5:
            return before + "[TOOL_CALLS]" + json.dumps([{"name": name, "arguments": args, "id": f"{self.randrange(10**9):09}"} for name, args in calls], ensure_ascii=False) + after
        return before + "".join(f"[TOOL_CALLS]{name}[ARGS]{self.json(args)}" for name, args in calls) + after

    def as_kimi(self, calls, before, after):
        if not calls:
            return before
        blocks = [f"<|tool_call_begin|>functions.{name}:{i}<|tool_call_argument_begin|>{self.json(args)}<|tool_call_end|>" for i, (name, args) in enumerate(calls)]
        return before + "<|tool_calls_section_begin|>" + "".join(blocks) + "<|tool_calls_section_end|>" + after

    def as_deepseek(self, calls, before, after):
        if not calls:
            return before
        if self.random() < 0.5:
            blocks = [f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{self.json(args)}\n```<｜tool▁call▁end｜>" for name, args in calls]
        else:
            blocks = [f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{self.json(args)}<｜tool▁call▁end｜>" for name, args in calls]
        return before + "<｜tool▁calls▁begin｜>" + ("\n" if "function" in blocks[0] else "").join(blocks) + "<｜tool▁calls▁end｜>" + after

    def as_pythonic(self, calls, before, after):
        if not calls:
            return before
        text = "[" + ", ".join(f"{name}({', '.join(f'{key}={value!r}' for key, value in args.items() if key.isidentifier())})" for name, args in calls) + "]"
        return f"{before}<|python_start|>{text}<|python_end|>{after}" if before else text + after

    def as_gpt_oss(self, calls, before, after):
        messages = []
        if before:
            messages.append(f"<|channel|>{'commentary' if calls else 'final'}<|message|>{before}")
        for name, args in calls:
            messages.append(self.choice([f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>", f" to=functions.{name}<|channel|>commentary json<|message|>"]) + self.json(args))
        if after:
            messages.append(f"<|channel|>final<|message|>{after}")
        text = ""
        for i, message in enumerate(messages):
            if i:
                text += ("<|call|>" if "to=functions" in messages[i - 1] else "<|end|>") + "<|start|>assistant"
            text += message
        return text

    def harmony(self, thoughts, text):
        if thoughts is None:
            return text
        return f"<|channel|>analysis<|message|>{thoughts}<|end|><|start|>assistant" + text


def cases(name, count, seed=1):
    r = Draw(name, seed)
    for _ in range(count):
        text, thinking, labels = r.case()
        yield {"format": name, "text": text, "thinking": thinking, "tools": copy.deepcopy(TOOLS), "labels": sorted(labels)}
