#!/bin/bash
set -e
for f in inbox/*; do
  n=${f##*/}
  e=none
  case $n in *.*) e=$(echo "${n##*.}" | tr A-Z a-z) ;; esac
  mkdir -p "sorted/$e"
  mv "$f" "sorted/$e/"
done
