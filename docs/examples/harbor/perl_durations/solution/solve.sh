#!/bin/bash
set -e
mkdir -p $(dirname /app/duration.pl)
cp /solution/duration.pl /app/duration.pl
chmod +x /app/duration.pl
