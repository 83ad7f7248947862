#!/bin/bash
set -e
mkdir -p $(dirname /app/bin/life)
cp /solution/life /app/bin/life
chmod +x /app/bin/life
