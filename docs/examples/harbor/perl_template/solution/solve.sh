#!/bin/bash
set -e
mkdir -p $(dirname /app/fill.pl)
cp /solution/fill.pl /app/fill.pl
chmod +x /app/fill.pl
