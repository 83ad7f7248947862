"""An agent that answers, checks its answer, and answers again. It needs Python alone."""

import json
import os
import urllib.request


def ask(messages):
    """Return the model's next message."""
    body = json.dumps({"model": "policy", "messages": messages}).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, headers)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["choices"][0]["message"]


with open(os.environ["QUINTAIN_PROBLEM"]) as file:
    talk = json.load(file)["messages"]
talk.append(ask(talk))
talk.append({"role": "user", "content": "Check this, then write your final answer between <answer> and </answer>."})
print("the final reply:", ask(talk)["content"])
