#!/bin/bash
set -e
for f in parts/*; do echo "$(head -1 "$f" | cut -d' ' -f2) $(tail -n +2 "$f")"; done | sort -n -u -k1,1 | cut -d' ' -f2 | tr -d '\n' | base64 -d > letter.txt
