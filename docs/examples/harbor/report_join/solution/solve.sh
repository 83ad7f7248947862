#!/bin/bash
set -e
awk 'NR == FNR { n[$2]++; a[$2] += $3; next } { printf "%s|%d|%d\n", $2, n[$1], a[$1] }' orders.txt customers.txt | LC_ALL=C sort > summary.txt
