#!/bin/bash
set -e
perl -pe 's/[a-z]+\.[a-z]+\@[a-z]+\.example/<mail>/g; $n = qr/25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d/; s/(?<![0-9.])(?:$n)(?:\.(?:$n)){3}(?!\.?[0-9])/<ip>/g' app.log > clean.log
