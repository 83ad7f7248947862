#!/bin/bash
set -e
awk '{ a = substr($0, 1, 8); c = substr($0, 15, 10); sub(/ +$/, "", a); sub(/^\.+/, "", c); printf "%s\t%d\t%s\n", a, substr($0, 9, 6) + 0, c }' stock.txt > stock.tsv
