#!/bin/bash
set -e
export LC_ALL=C
cd photos
sha256sum * | sort -k1,1 -k2,2 | awk '$1 != s { s = $1; first = $2; next } { print $2, first }' | sort > ../removed.txt
cut -d' ' -f1 ../removed.txt | xargs -r rm --
