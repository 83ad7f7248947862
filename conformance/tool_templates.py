#!/usr/bin/env python3
"""Render messages with tool calls by the chat templates of real models, and read the text back by package text/toolcall.

The templates are those of templates.py; each says its format. For each message the calls and the content are the same
again. docs/tool-calls.json has a row for each template, peer "templates", that writes something else.
"""
import argparse
import collections
import copy
import itertools
import json
import re
import sys

import calls
import jinja_chat
import templates
import tool_texts

CLOSING = re.compile(r"(<\|im_end\|>|<\|eot_id\|>|<\|eom_id\|>|<\|eot\|>|<｜end▁of▁sentence｜>|</s>|<\|call\|>|<\|return\|>|<\|end\|>|<\|observation\|>|<\|user\|>|<\|endoftext\|>|\[e~\[|<end_of_turn>|<\|end_of_text\|>|<\|im_middle\|>|\[\|endofturn\|\])\s*$")


def message(r):
    """An assistant's message with calls of offered tools."""
    made = []
    while len(made) < r.choice([1, 1, 2, 3]):
        name, arguments = r.call()
        if name != "unknown_tool":
            made.append({"id": f"{r.randrange(10**9):09}", "type": "function", "function": {"name": name, "arguments": arguments}})
    return {"role": "assistant", "content": r.choice([None, None, "I will look.", "Let me see: 日本", "1. one\n2. two"]), "tool_calls": made}


def texts(config, count):
    """Messages and their texts as a model would have written them; None: the template refuses."""
    r = tool_texts.Draw("kimi", "templates")
    variables = {**templates.special_tokens(config), "tools": tool_texts.TOOLS, "documents": None}
    template = jinja_chat.compiled(templates.source(config, variables))
    for _ in range(count):
        asked, said = [{"role": "user", "content": "Hello"}], message(r)
        prompt, _ = jinja_chat.render(template, {**variables, "messages": asked, "add_generation_prompt": True})
        for kept, empty, dump in itertools.product((3, 1), (None, ""), (False, True)):  # templates want one call only, no content as null, arguments as a text
            said["tool_calls"] = said["tool_calls"][:kept]
            said["content"] = said["content"] or empty
            given = copy.deepcopy(said)
            for call in given["tool_calls"] if dump else []:
                call["function"]["arguments"] = json.dumps(call["function"]["arguments"])
            whole, _ = jinja_chat.render(template, {**variables, "messages": [*asked, given], "add_generation_prompt": False})
            if whole and ">None" not in whole and "\nNone" not in whole and said["tool_calls"][-1]["function"]["name"] in whole[len(prompt) - 20:]:
                break
        else:
            yield said, None, False  # it refuses, or writes no calls beside content
            continue
        shared = next((i for i, (a, b) in enumerate(zip(prompt, whole)) if a != b), min(len(prompt), len(whole)))
        if "<" in whole[:shared] and ">" not in whole[whole.rindex("<", 0, shared):shared]:
            shared = whole.rindex("<", 0, shared)  # a token is shared whole, or not at all
        text = whole[shared:]
        opened = re.search(r"(<think>|\[THINK\])\s*$", prompt[:shared]) is not None
        for _ in range(2):
            text = CLOSING.sub("", text)
        yield said, text, opened


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="messages of each template")
    parser.add_argument("--only", default="", help="part of the names of the templates")
    args = parser.parse_args()
    rows = {row["kind"]: row["reason"] for row in json.loads(calls.ROWS.read_text(encoding="utf-8")) if row["peer"] == "templates"}
    formats, others, faults, unneeded = collections.Counter(), [], 0, set(rows) if not args.only else set()
    for name, config in [*templates.from_npm(), *templates.from_wheels()]:
        if args.only not in name:
            continue
        made = [(said, text, opened) for said, text, opened in texts(config, args.count) if text is not None]
        source = templates.source(config, {"tools": []})
        read = calls.ours([{"template": source, "text": text, "thinking": opened, "tools": tool_texts.TOOLS} for _, text, opened in made]) if made else []
        differ = []
        for (said, text, _), got in zip(made, read):
            want = [(c["function"]["name"], calls.canonical(json.dumps(c["function"]["arguments"]))) for c in said["tool_calls"]]
            have = [(c["name"], calls.canonical(c["arguments"])) for c in got["calls"]]
            content = said["content"] if said["content"] and said["content"] in text else ""  # some templates write none beside calls
            analysed = got["format"] == "gpt_oss" and content == got["reasoning"]  # so its template has it
            if want != have or content != got["content"] and not analysed or got["malformed"]:
                differ.append((said, text, got))
        form = read[0]["format"] if read else "-"
        unneeded.discard(name) if differ else None
        formats[form] += 1
        if form in ("none", "-"):
            others.append(name)
            continue
        print(f"{name:55} {form:12} {len(made):5} texts {len(differ):5} differ {rows.get(name, '') if differ else ''}")
        if differ and name not in rows:
            faults += 1
            for said, text, got in differ[:2]:
                print("    said", json.dumps(said, ensure_ascii=False), "\n    text", json.dumps(text, ensure_ascii=False), "\n    read", json.dumps(got, ensure_ascii=False))
    for name in unneeded:
        faults += 1
        print(f"{name} has a row in {calls.ROWS.name}, and needs none")
    print("No tools, or in no form that package calls reads:", ", ".join(others))
    print(", ".join(f"{form} {n}" for form, n in formats.most_common()))
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
