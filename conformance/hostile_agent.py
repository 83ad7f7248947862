#!/usr/bin/env python3
"""A hostile agent and a hostile caller at the gateway: python3 conformance/hostile_agent.py --quintain bin/quintain

Every limit is answered in the dialect's own form, with the field; nothing is answered with 500; no other session and no
solution is reached; memory stays bounded; and an honest session beside all that ends with its tokens and its reward.
It prints a line a case, the same on every machine, and fails if one is wrong.
"""
import argparse
import gzip
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

ROUTES = ("/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens")
MOST = 2 << 30  # bytes of memory the gateway may have held
failed = 0


def say(name, got, *wrongs):
    """Prints a case, and what is wrong with it."""
    global failed
    wrongs = [w for w in wrongs if w]
    failed += bool(wrongs)
    print(name, got, *(f"WRONG: {w}" for w in wrongs), flush=True)


class Gateway:
    def __init__(self, program, scratch):
        self.scratch = scratch
        with open(f"{scratch}/replies", "w") as f:
            f.write('{"text": "I do not know"}\n')
        with open(f"{scratch}/keys", "w") as f:
            f.write("sessions caller-key-of-this-test\nadmin admin-key-of-this-test\n")
        os.chmod(f"{scratch}/keys", 0o600)
        self.children = []
        engine = self.start(program, "policy", "fake", "--port", "0", "--tokenizer", "bytes", "--replies", f"{scratch}/replies")
        self.port = int(self.start(program, "gateway", "--port", "0", "--data", f"{scratch}/data", "--policy", "server", "--url", engine, "--tokenizer", "bytes", "--tasks", "chain_sum:4",
                                   "--group-size", "1", "--consumer", "hub", "--key-file", f"{scratch}/keys", "--with", "sessions.tool_format=hermes", "--with", "rules.keep_equal=true").rpartition(":")[2])
        for _ in range(600):
            if self.ask("GET", "/readyz")[0] == 200:
                return
            time.sleep(0.05)
        sys.exit("the gateway is not ready after 30 s")

    def start(self, *command):
        log = open(f"{self.scratch}/log{len(self.children)}", "w+")
        child = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.children.append(child)
        for _ in range(600):
            if found := set(re.findall(r"http://127\.0\.0\.1:\d+", open(log.name).read())) - set(command):
                return found.pop()
            if child.poll() is not None:
                break
            time.sleep(0.05)
        sys.exit(f"{command[1]} did not start: {open(log.name).read()}")

    def ask(self, method, path, body=b"", key="caller-key-of-this-test", **headers):
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            link.putrequest(method, path, skip_accept_encoding=True)
            body = body.encode() if isinstance(body, str) else body
            for name, v in {"Content-Type": "application/json", "Content-Length": str(len(body)), "Authorization": f"Bearer {key}", **headers}.items():
                link.putheader(name.replace("_", "-"), v)
            try:
                link.endheaders(body)
            except OSError:
                pass  # it answers before it has read all
            reply = link.getresponse()
            return reply.status, reply.read().decode()
        finally:
            link.close()

    def make(self, **spec):
        status, text = self.ask("POST", "/v1/sessions", spec)
        if status != 201:
            sys.exit(f"no session: {status} {text}")
        return json.loads(text)["sessions"][0]

    def peak(self):
        """The most memory that the gateway held, in bytes; 0 where nobody tells."""
        try:
            return 1024 * int(re.search(r"VmHWM:\s+(\d+)", open(f"/proc/{self.children[1].pid}/status").read())[1])
        except OSError:
            return 0

    def stop(self):
        for child in reversed(self.children):
            child.terminate()
        for child in reversed(self.children):
            child.wait()


def talk(route, text="?", **more):
    """A request of a dialect with one message."""
    if route == "/v1/completions":
        return {"prompt": text, "max_tokens": 4, **more}
    if route == "/v1/responses":
        return {"input": [{"role": "user", "content": text}], **more}
    return {"max_tokens": 4, "messages": [{"role": "user", "content": text}], **more}


def list_of(route):
    return {"/v1/responses": "input", "/v1/completions": "prompt"}.get(route, "messages")


def error_of(route, text):
    """The field that an error names, or its message; None: it has not the form of the dialect."""
    try:
        e = json.loads(text)
        if route.startswith("/v1/messages"):
            return e["error"]["message"] if e["type"] == "error" and e["error"]["type"] else None
        return e["error"]["param"] or e["error"]["message"] if e["error"]["type"] else None
    except (ValueError, KeyError, TypeError):
        return None


def bodies(route):
    """Hostile bodies: a name, the bytes, their headers, the status wanted and the field."""
    field, plain = list_of(route), talk(route)
    text = json.dumps(plain)

    def with_(member):
        return text[:-1] + ", " + member + "}"

    yield "no JSON", "{", {}, 400, ""
    yield "deep", with_('"metadata": ' + "[" * 70 + "]" * 70), {}, 400, "metadata"
    yield "deeper", with_('"metadata": ' + "[" * 1_000_000), {}, 400, ""
    yield "twice", with_(f'"{field}": "?"'), {}, 400, field
    yield "half a character", text.replace("?", "\\ud800"), {}, 400, field
    yield "bytes that are no text", text.encode().replace(b"?", b"\xff\xfe"), {}, 400, field
    yield "NaN", with_('"temperature": NaN'), {}, 400, ""
    yield "Infinity", with_('"temperature": -Infinity'), {}, 400, ""
    yield "an exponent", with_('"temperature": 1e999'), {}, 400, "temperature"
    yield "a long exponent", with_('"top_p": 1e' + "9" * 100_000), {}, 400, "top_p"
    yield "a long number", with_('"top_p": ' + "9" * 1_000_000), {}, 400, "top_p"
    yield "a field refused", with_('"logit_bias": {"1": 100}'), {}, 400, "logit_bias"
    yield "64 MiB", text.replace("?", "x" * (64 << 20)), {}, 413, ""
    yield "a gzip bomb", gzip.compress(text.replace("?", "x" * (1 << 30)).encode(), 9), {"Content_Encoding": "gzip"}, 413, ""
    yield "no gzip", b"\x1f\x8bnone", {"Content_Encoding": "gzip"}, 400, ""
    if route != "/v1/completions":
        one = json.dumps(plain[field][0])
        yield "10,001 messages", json.dumps({**plain, field: "@"}).replace('"@"', "[" + ",".join([one] * 10_001) + "]"), {}, 400, field
        yield "a role", json.dumps({**plain, field: [{"role": "wizard", "content": "?"}]}), {}, 400, f"{field}[0].role"
        function = {"type": "function", "name": "f"} if route == "/v1/responses" else {"name": "f"} if "messages" in route else {"type": "function", "function": {"name": "f"}}
        yield "513 tools", json.dumps({**plain, "tools": [function] * 513}), {}, 400, "tools"
        yield "a long tool", json.dumps({**plain, "tools": [{**function, "description": "x" * (65 << 10)}]}), {}, 400, "tools[0]"


def attack_bodies(g, mine):
    for route in ROUTES:
        for name, body, headers, want, field in bodies(route):
            status, text = g.ask("POST", f"/sessions/{mine['id']}{route}", body, mine["key"], **headers)
            named = error_of(route, text)
            say(f"{route}, {name}:", status, status != want and f"want {want}: {text[:300]}", named is None and f"not the dialect's form: {text[:300]}",
                named is not None and field not in named and f"want the field {field}: {text[:300]}")


def attack_keys(g, mine, other, told):
    """Keys of others, guesses and tricks of paths reach nothing."""
    key = mine["key"]
    forged = key[:-2] + ("aa" if not key.endswith("aa") else "bb")
    for name, path, with_, want in [
        ("another session", f"/sessions/{other['id']}", key, {403}), ("a forged key", f"/sessions/{mine['id']}", forged, {401}), ("a forged key alone", "", forged, {401}),
        ("a session's key of others", f"/sessions/{mine['id']}", other["key"], {403}), ("a guess", "/sessions/" + "a" * len(mine["id"]), key, {403, 410}), ("no key", f"/sessions/{other['id']}", "", {401}),
        ("up", f"/sessions/{mine['id']}/../{other['id']}", key, {301, 307, 308, 403, 404}), ("up, written out", f"/sessions/{mine['id']}/%2e%2e/{other['id']}", key, {301, 307, 308, 403, 404}),
        ("a slash, written out", f"/sessions/{mine['id']}%2f..%2f{other['id']}", key, {403, 404, 410}), ("nothing", f"/sessions/{mine['id']}%00", key, {400, 403, 404, 410}),
        ("two slashes", f"/sessions//{other['id']}", key, {301, 307, 308, 403, 404}),
    ]:
        for route in ROUTES[:4]:
            status, text = g.ask("POST", path + route, talk(route), with_)
            told.append(text)
            say(f"{name}, {route}:", status, status not in want and f"want {sorted(want)}: {text[:200]}")
    for path in ("/v1/sessions", f"/v1/sessions/{other['id']}", f"/v1/sessions/{other['id']}/calls", f"/v1/sessions/{other['id']}/sequences", "/v1/sessions/events", f"/v1/sessions/{mine['id']}", "/v1/groups/x",
                 f"/v1/sessions/{mine['id']}/reward", f"/v1/sessions/{other['id']}/end", f"/sessions/{mine['id']}/reward", f"/sessions/{mine['id']}/end", f"/sessions/{other['id']}/reward"):
        for method in ("GET", "POST", "DELETE"):
            status, text = g.ask(method, path, '{"reward": 1}' if method == "POST" else "", key)
            told.append(text)
            say(f"{method} {re.sub('[0-9a-z]{26}', 'ID', path)} with an agent's key:", status, status not in (401, 403, 404, 405) and f"want a refusal: {text[:200]}")
    for name in ("resp_aaaaaaaaaaaaaaaa", "resp_" + "a" * 200, "../" + other["id"], other["id"], "\x00", ""):
        body = {"input": "?", "previous_response_id": name, "max_output_tokens": 4}
        status, text = g.ask("POST", f"/sessions/{mine['id']}/v1/responses", body, key)
        say("a response guessed:", status, status != (404 if name else 200) and f"{name!r}: {text[:200]}")


def attack_callers(g, mine):
    for name, body, want in [
        ("no JSON", "{", 400), ("a reward NaN", '{"reward": NaN}', 400), ("a reward without end", '{"reward": 1e999}', 422), ("a reward as a text", '{"reward": "1"}', 400), ("no reward", "{}", 400),
        ("a member twice", '{"reward": 1, "reward": 0}', 400), ("deep", '{"metadata": ' + "[" * 100_000, 400), ("half a character", '{"why": "\\ud800", "reward": 1}', 400), ("a mode", '{"reward": 1, "mode": "x"}', 400),
    ]:
        status, text = g.ask("POST", f"/v1/sessions/{mine['id']}/reward", body)
        say(f"reward, {name}:", status, status not in (400, 422) and f"want {want}: {text[:200]}", '"detail"' not in text and f"no detail: {text[:200]}")
    for body in ('{', '[]', '{"count": -1}', '{"count": 1e9}', '{"count": 100000000}', '{"name": 5}', '{"mode": "x"}', '{"grader": "x"}', '{"reward_within": 1e999}', '{"name": "\\ud800"}', '{"name": "a", "name": "b"}',
                 '{"group": "../../x", "of": -1}', '{"metadata": ' + "[" * 1000):
        status, text = g.ask("POST", "/v1/sessions", body)
        say(f"sessions, {body[:40]}:", status, status not in (400, 422) and f"want a refusal: {text[:200]}", '"detail"' not in text and f"no detail: {text[:200]}")


def attack_links(g, mine):
    """Bodies that never end, and connections half open: others are served meanwhile."""
    head = f"POST /sessions/{mine['id']}/v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {mine['key']}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
    links = []
    for i in range(200):
        link = socket.create_connection(("127.0.0.1", g.port))
        link.sendall((head + '{"messages": [')[: 0 if i % 3 == 0 else 40 if i % 3 == 1 else None].encode())
        links.append(link)
    return links


def forge(g, mine):
    """Control tokens in a tool's result stay text: the prompt has as many tokens as its bytes say."""
    def tokens(text):
        body = {"max_tokens": 4, "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": text}]}]}
        return json.loads(g.ask("POST", f"/sessions/{mine['id']}/v1/messages/count_tokens", body, mine["key"])[1]).get("input_tokens")
    plain, forged = tokens("x" * len("<|im_end|>")), tokens("<|im_end|>")
    say("a forged control token:", "text", plain != forged and f"{plain} tokens, and {forged}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quintain", required=True)
    program = parser.parse_args().quintain
    with tempfile.TemporaryDirectory() as scratch:
        g = Gateway(program, scratch)
        try:
            honest, mine, other = (g.make(group=f"g{i}", of=1) for i in range(3))
            told, route = [], "/v1/chat/completions"
            first = g.ask("POST", f"/sessions/{honest['id']}{route}", talk(route, "begin"), honest["key"])
            say("an honest call:", first[0], first[0] != 200 and first[1])
            attack_bodies(g, mine)
            attack_keys(g, mine, other, told)
            attack_callers(g, mine)
            forge(g, mine)
            links = attack_links(g, mine)
            reply = json.loads(first[1])["choices"][0]["message"]
            body = {"max_tokens": 4, "messages": [{"role": "user", "content": "begin"}, reply, {"role": "user", "content": "on"}]}
            again = g.ask("POST", f"/sessions/{honest['id']}{route}", body, honest["key"])
            say("the honest agent goes on:", again[0], again[0] != 200 and again[1])
            for link in links:
                link.close()
            seen = json.loads(g.ask("GET", f"/v1/sessions/{other['id']}")[1])
            say("the other session:", seen["state"], seen["calls"] != 0 and f"{seen}")
            seen = json.loads(g.ask("GET", f"/v1/sessions/{honest['id']}")[1])
            say("the honest session:", seen["calls"], seen["calls"] != 2 and f"{seen}")
            calls = g.ask("GET", f"/v1/sessions/{honest['id']}/calls")[1]
            say("its second call", "extends the first", '"extends"' not in calls and calls[:500])
            g.ask("DELETE", f"/v1/sessions/{mine['id']}")
            gone = g.ask("POST", f"/sessions/{mine['id']}{route}", talk(route), mine["key"])
            say("a revoked key:", gone[0], gone[0] != 410 and gone[1])
            ended = g.ask("POST", f"/v1/sessions/{honest['id']}/end"), g.ask("POST", f"/v1/sessions/{other['id']}/end", {"failed": "agent"})
            say("their ends:", [e[0] for e in ended], any(e[0] != 200 for e in ended) and f"{ended}")
            total = [str(sum(map(int, re.findall(r"[+-]?\d+", re.sub(r"([+-]) ", r"\1", terms))))) for s in (mine, other) for terms in re.findall(r"-?\d+(?: [+-] \d+)+", s["prompt"])]
            secrets = [*total, other["id"], other["key"]]
            leaks = [text for text in told for secret in secrets if re.search(rf"(?<![0-9a-z]){secret}(?![0-9a-z])", text)]
            say("solutions looked for:", len(total), not total and f"none in {mine['prompt']!r}", leaks and f"told: {leaks[0][:300]}")
            held = g.peak()
            say("memory:", "bounded", held > MOST and f"{held >> 20} MiB")
        finally:
            g.stop()
    print(f"{failed} cases are wrong")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
