#!/bin/bash
set -e
mkdir -p $(dirname /app/bin/brackets)
cp /solution/brackets /app/bin/brackets
chmod +x /app/bin/brackets
