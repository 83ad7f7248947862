#!/usr/bin/env python3
"""Check what training gets of agents' sessions against what their clients saw: each sampled token that the agent used is
trained on exactly once, and no other token is.

Reads a session a line from standard input; gateway/property_test.go writes them. Nothing here knows the gateway: the tree
of calls is built from the requests and replies on the wire, and the tokens are those that the engine noted.
"""
import collections
import json
import re
import sys

# What makes no difference in the instructions: a line with the date.
VOLATILE = re.compile(r"^\s*date\s*:.*$", re.I | re.M)
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


class Wrong(Exception):
    pass


def frozen(v):
    """A JSON value that can be compared: numbers by their value."""
    if isinstance(v, dict):
        return ("object", tuple(sorted((k, frozen(x)) for k, x in v.items())))
    if isinstance(v, list):
        return ("list", tuple(map(frozen, v)))
    if isinstance(v, (int, float)) and not isinstance(v, bool):
        return ("number", float(v))
    return (type(v).__name__, v)


def arguments(text):
    try:
        return frozen(json.loads(text))
    except ValueError:
        return ("text", text.strip(SPACE))


def joined(content, *kinds):
    """The text of a content: a string, parts, or nothing."""
    if isinstance(content, list):
        if any(p["type"] not in kinds for p in content):
            raise Wrong(f"parts other than {kinds}: {content}")
        return "".join(p["text"] for p in content)
    return content or ""


def canonical(role, text, calls=()):
    """A message without what clients change in passing; calls are names and arguments."""
    if role == "system":
        text = VOLATILE.sub("", text)
    return (role, text.strip(SPACE), tuple(calls))


def of_chat(m):
    called = [(c["function"]["name"], arguments(c["function"]["arguments"])) for c in m.get("tool_calls") or []]
    return canonical(m["role"], joined(m.get("content"), "text"), called)


def of_input(block):
    """The call in a block of Messages, which holds what is no object as a text."""
    v = block["input"]
    return block["name"], arguments(v["_raw_arguments"]) if list(v) == ["_raw_arguments"] else frozen(v)


def of_blocks(content):
    if isinstance(content, str):
        return canonical("assistant", content)
    text = "".join(b["text"] for b in content if b["type"] == "text")
    return canonical("assistant", text, [of_input(b) for b in content if b["type"] == "tool_use"])


def of_messages(request):
    """The conversation of a request of Messages."""
    if "system" in request:
        yield canonical("system", joined(request["system"], "text"))
    for m in request["messages"]:
        content = m["content"]
        if m["role"] == "assistant":
            yield of_blocks(content)
        elif isinstance(content, list) and content[0]["type"] == "tool_result":
            for b in content:
                yield canonical("tool", joined(b["content"], "text"))
        else:
            yield canonical("user", joined(content, "text"))


def of_items(items, replies):
    """The conversation in items of Responses: neighbours of the assistant's are one reply."""
    text, called, open_ = "", [], False
    for item in [*items, {"role": None}]:
        kind = item.get("type", "message")
        ours = kind in ("reasoning", "function_call") or kind == "message" and item["role"] == "assistant"
        if open_ and not ours:
            yield canonical("assistant", text, called)
            text, called = "", []
        open_ = ours
        if kind == "function_call":
            called.append((item["name"], arguments(item["arguments"])))
        elif kind == "function_call_output":
            yield canonical("tool", joined(item["output"], "input_text"))
        elif kind == "item_reference":
            yield replies[item["id"].partition("_")[2]][1]
        elif ours and kind == "message":
            text += joined(item["content"], "output_text")
        elif kind == "message" and item["role"]:
            yield canonical(item["role"], joined(item["content"], "input_text"))


def of_responses(request, replies):
    """The conversation of a request of Responses; that before it is the server's, without its instructions."""
    talk = list(of_items(request["input"], replies))
    if "previous_response_id" in request:
        before, reply = replies[request["previous_response_id"].partition("_")[2]]
        talk = [*before, reply, *talk]
    return talk


def tools_of(route, tools):
    if route == "messages":
        tools = [{"name": t["name"], "description": t["description"], "parameters": t["input_schema"]} for t in tools]
    elif route == "responses":
        tools = [{k: v for k, v in t.items() if k not in ("type", "strict")} for t in tools]
    else:
        return frozen(tools)
    return frozen([{"type": "function", "function": t} for t in tools])


def asked_of(one, replies):
    """What a request asks: its tools, or that it is a text; and its conversation. Also that without instructions."""
    request, route = one["request"], one["route"]
    if route == "completions":
        return ("text", request["prompt"]), ()
    start = tools_of(route, request["tools"]) if "tools" in request else None
    talk = {
        "chat/completions": lambda: map(of_chat, request["messages"]),
        "messages": lambda: of_messages(request),
        "responses": lambda: of_responses(request, replies),
    }[route]()
    talk = bare = tuple(talk)
    if request.get("instructions"):
        talk = (canonical("system", request["instructions"]), *talk)
    return (("chat", start), talk), bare


def reply_of(route, reply):
    """A reply: in canonical form, and all its text."""
    if route == "completions":
        return reply["text"], reply["text"]
    if route == "chat/completions":
        parts = [reply.get("content") or "", reply.get("reasoning_content") or ""]
        return of_chat({"role": "assistant", **reply}), " ".join(parts + [c["function"]["arguments"] for c in reply.get("tool_calls") or []])
    if route == "messages":
        return of_blocks(reply["content"]), json.dumps(reply["content"])
    (made,) = of_items(reply["output"], {})
    return made, json.dumps([item.get("content") or item.get("arguments") for item in reply["output"]])


def replies_of_engine(notes):
    """The replies of the engine: the tokens before each, and its tokens, joined where it was interrupted."""
    pending, done = collections.defaultdict(list), []
    for note in notes:
        prompt = tuple(note["prompt"])
        for out in note["outputs"]:
            begun = pending[prompt].pop() if pending.get(prompt) else {"prompt": list(prompt), "tokens": [], "logprobs": [], "versions": []}
            for name in ("tokens", "logprobs", "versions"):
                begun[name] = begun[name] + out[name]
            if out["finish"] == "aborted":
                pending[prompt + tuple(out["tokens"])].append(begun)
            else:
                done.append(begun)
    for left in pending.values():
        if left:
            raise Wrong("an interrupted reply was not continued")
    return done


STAMP = re.compile(rb"[a-z0-9]{10}")


def stamps_of_tokens(tokens):
    return set(STAMP.findall(bytes(t if t < 256 else 0 for t in tokens)))


class Node:
    """A reply that a client saw."""

    def __init__(self, engine, asked, end, one, choice):
        self.engine, self.asked, self.end, self.choice = engine, asked, end, choice
        self.begun, self.ended, self.whole = one["begun"], one["ended"], one["whole"]
        self.unmarked = 0 if one["retry"] else 1
        self.parent, self.children = None, 0


def continued(node, others):
    """The replies that a request continues, the longest."""
    start, talk = node.asked
    if start == "text":
        fit = [n for n in others if talk.startswith(n.end) and len(n.end) < len(talk)]
        longest = max((len(n.end) for n in fit), default=0)
        return [n for n in fit if len(n.end) == longest]
    for at in range(len(talk) - 2, -1, -1):
        if talk[at][0] == "assistant":
            if fit := [n for n in others if n.end == talk[: at + 1]]:
                return fit
    return []


def tree(session, engine):
    """The replies that a client saw, each once, with their parents."""
    by_stamp = {}
    for i, reply in enumerate(engine):
        for stamp in stamps_of_tokens(reply["tokens"]):
            by_stamp.setdefault(stamp, []).append(i)
    nodes, seen, replies = [], {}, {}
    for one in sorted(session["wire"], key=lambda one: one["begun"]):
        asked, bare = asked_of(one, replies)
        for choice, reply in enumerate(one["replies"] or []):
            made, text = reply_of(one["route"], reply)
            if one["route"] in ("responses", "messages"):
                replies[reply["id"].partition("_")[2]] = bare, made
            end = asked[1] + (made if one["route"] == "completions" else (made,))
            found = {i for stamp in STAMP.findall(text.encode()) for i in by_stamp.get(stamp, [])}
            if len(found) != 1:
                raise Wrong(f"{len(found)} replies of the engine fit {reply}")
            (i,) = found
            if i in seen:
                seen[i].unmarked += not one["retry"]
                if seen[i].unmarked > 1:
                    raise Wrong("a reply came twice, without a retry")
                if seen[i].end != end:
                    raise Wrong("a retry got another reply")
                seen[i].whole |= one["whole"]
                continue
            seen[i] = Node(engine[i], asked, end, one, choice)
            if one["retry"]:  # it may have been sampled for an equal request that got no reply
                seen[i].begun = min(o["begun"] for o in session["wire"] if (o["route"], o["request"]) == (one["route"], one["request"]))
            nodes.append(seen[i])
    for node in nodes:
        fit = continued(node, [n for n in nodes if n is not node and n.asked[0] == node.asked[0]])
        if len(fit) > 1:
            raise Wrong("two replies look the same")
        for n in fit:
            node.parent = n
            n.children += 1
            before = n.engine["prompt"] + n.engine["tokens"]
            if not session["forks"] and node.engine["prompt"][: len(before)] != before:
                raise Wrong("the engine read other tokens than it had written")
    return nodes


def judge(nodes):
    """The used replies, and lists of replies of which one is used: which one, the wire does not tell."""
    used, unsure, siblings = [], [], collections.defaultdict(list)
    for n in nodes:
        if n.whole or n.children:
            siblings[id(n.parent), n.asked].append(n)
    for all_of in siblings.values():
        if any(n.children for n in all_of):
            used += [n for n in all_of if n.children]
            continue
        last = [n for n in all_of if not any(o.begun > n.ended or o.begun == n.begun and o.choice > n.choice for o in all_of)]
        (unsure.append(last) if len(last) > 1 else used.extend(last))
    return used, unsure


def near(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(a))


def places(group, reply):
    """The sequences that train on a reply, after what the engine read."""
    before, wrote = reply["prompt"], reply["tokens"]
    found = 0
    for tokens, masks, logprobs, versions in zip(group["tokens"], group["masks"], group["inference_logprobs"], group["versions"]):
        at, end = len(before), len(before) + len(wrote)
        if tokens[:at] != before or tokens[at:end] != wrote or masks[at:end] != wrote:
            continue
        if versions[at:end] != reply["versions"] or not all(map(near, logprobs[at:end], reply["logprobs"])):
            raise Wrong("a trained reply has other log-probabilities or versions than the engine's")
        found += 1
    return found


def check(session):
    engine = replies_of_engine(session["engine"])
    nodes = tree(session, engine)
    used, unsure = judge(nodes)
    if not used and not unsure:
        if session["outcome"] in ("scored", "model_failed"):
            raise Wrong("nothing was used, but the session has a reward")
        return len(engine), 0, 0
    for unit, group in session["groups"].items():
        if group is None:
            raise Wrong(f"{unit}: dropped, but {len(used)} replies were used")
        want = list(used)
        for some in unsure:
            trained = [n for n in some if places(group, n.engine)]
            if len(trained) != 1:
                raise Wrong(f"{unit}: of {len(some)} equal calls, {len(trained)} are trained on")
            want += trained
        for n in want:
            if (k := places(group, n.engine)) != 1:
                raise Wrong(f"{unit}: {bytes(t if t < 256 else 0 for t in n.engine['tokens'])} is trained on {k} times")
        # Together they are all that is trained on: the multisets of tokens agree.
        got = collections.Counter(m for masks in group["masks"] for m in masks if m != -100)
        expected = collections.Counter(t for n in want for t in n.engine["tokens"])
        if got != expected:
            raise Wrong(f"{unit}: trained on {got - expected} in excess, not on {expected - got}")
    return len(engine), len(want), sum(len(n.engine["tokens"]) for n in want)


def main():
    sessions = failed = 0
    totals = [0, 0, 0]
    for line in sys.stdin:
        session = json.loads(line)
        sessions += 1
        try:
            totals = [a + b for a, b in zip(totals, check(session))]
        except Wrong as wrong:
            failed += 1
            if failed <= 5:
                print(f"session {session['session']}: {wrong}")
    print(f"{sessions} sessions, {totals[0]} sampled replies, {totals[1]} of them used, {totals[2]} trained tokens; {failed} sessions differ")
    sys.exit(1 if failed or not sessions else 0)


if __name__ == "__main__":
    main()
