#!/bin/bash
set -e
awk '{ n[$(NF - 1)]++ } END { for (s in n) print s, n[s] }' access.log | sort -n > statuses.txt
