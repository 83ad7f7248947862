#!/bin/bash
set -e
tail -n +2 sales.csv | sort -t, -k2,2 -k3,3n | awk -F, '
function out() { printf "%s\t%.1f\n", p, n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
$2 != p { if (n) out(); p = $2; n = 0 } { v[++n] = $3 } END { out() }' > medians.tsv
