#!/bin/bash
set -e
tr 'A-Z' 'a-z' < story.txt | tr -cs 'a-z' '\n' | grep . | sort | uniq -c | sort -k1,1nr -k2,2 | head -10 | awk '{ print $1, $2 }' > top.txt
