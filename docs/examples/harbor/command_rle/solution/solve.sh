#!/bin/bash
set -e
mkdir -p $(dirname /app/bin/rle)
cp /solution/rle /app/bin/rle
chmod +x /app/bin/rle
