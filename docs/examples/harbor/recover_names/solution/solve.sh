#!/bin/bash
set -e
mkdir -p restored
: > missing.txt
while read -r sum name; do
  f=$(sha256sum found/* | awk -v s="$sum" '$1 == s { print $2; exit }')
  if [ -n "$f" ]; then cp "$f" "restored/$name"; else echo "$name" >> missing.txt; fi
done < SHA256SUMS
LC_ALL=C sort -o missing.txt missing.txt
