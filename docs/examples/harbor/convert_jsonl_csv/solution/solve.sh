#!/bin/bash
set -e
python3 -c '
import json
with open("events.csv", "w") as f:
    print("id,kind,at,who", file=f)
    for line in open("events.jsonl"):
        e = json.loads(line)
        print(*(e.get(k, "") for k in ("id", "kind", "at", "who")), sep=",", file=f)
'
