#!/bin/bash
set -e
perl -ne '($n, @d) = split /[:\s]+/; $of{$n} = [@d]; END { while (%of) { ($n) = grep { !grep { $of{$_} } @{$of{$_}} } sort keys %of; print "$n\n"; delete $of{$n} } }' packages.txt > order.txt
