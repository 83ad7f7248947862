#!/bin/bash
set -e
awk '$(NF - 1) == 404 { n[$1]++ } END { for (c in n) if (n[c] >= 3) print c, n[c] }' access.log | LC_ALL=C sort -k2,2nr -k1,1 > seekers.txt
