#!/bin/bash
set -e
awk -F, 'NR > 1 { t[$1] += $3 * $4 } END { for (r in t) printf "%s %.2f\n", r, t[r] / 100 }' sales.csv | sort -k2,2nr > report.txt
