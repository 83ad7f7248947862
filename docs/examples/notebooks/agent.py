"""An agent by the gateway: it calls its model as ever, and every token that the model wrote is kept, with the score."""

# %% [markdown]
# The gateway speaks the interfaces that agents speak (here: chat completions), each session under an address of its own. What answers is
# your inference server; here a script, which is right six times in ten, so that this runs without a GPU.

# %%
import itertools
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import urllib.request

import quintain

folder = pathlib.Path(tempfile.mkdtemp()) / "agents"
program = quintain.program.path()
log = open(folder.with_suffix(".log"), "w+")
gateway = subprocess.Popen([program, "gateway", "--data", folder, "--policy", "script", "--with", "policy.delay=0s", "--tasks", "chain_sum", "--group-size", "4", "--port", "0"], stderr=log, stdout=log)
while not (found := re.search(r"POST (http\S+)/v1/sessions", pathlib.Path(log.name).read_text())):
    assert gateway.poll() is None, pathlib.Path(log.name).read_text()
    time.sleep(0.05)


# %% [markdown]
# The agent: it answers, checks its answer, and answers again. Any framework does: it needs the address and the key of the session,
# and nothing else changes. The run draws the problems; the function returns nothing, so the problem's task judges its last reply.

# %%
@quintain.agent
def twice(problem, session):
    talk = [{"role": "user", "content": session.prompt}]
    for follow in ("Check this, then write your final answer between <answer> and </answer>.", None):
        request = urllib.request.Request(f"{session.openai_url}/chat/completions", json.dumps({"model": "policy", "messages": talk}).encode(), {"Content-Type": "application/json", "Authorization": f"Bearer {session.key}"})
        with urllib.request.urlopen(request) as reply:
            talk.append(json.load(reply)["choices"][0]["message"])
        if follow:
            talk.append({"role": "user", "content": follow})
    if next(played) == 12:
        enough.set()


played, enough = itertools.count(1), threading.Event()
print(twice.run(url=found[1], stop=enough), "sessions ended well")

# %% [markdown]
# Each group of four sessions is now in the queue for a trainer, with exact tokens, and in the trace for you.

# %%
gateway.send_signal(2)
gateway.wait()
print(subprocess.run([program, "trace", "list", "--data", folder], check=True, capture_output=True, text=True).stdout)
