#!/bin/bash
set -e
perl -ne 'if (/:(\d\d):\d\d:\d\d /) { $n{$1}++ } END { $b = "00"; for (0 .. 23) { $h = sprintf "%02d", $_; print "$h ", "#" x ($n{$h} || 0), "\n"; $b = $h if ($n{$h} || 0) > ($n{$b} || 0) } print "busiest: $b\n" }' access.log > hours.txt
