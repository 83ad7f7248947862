#!/bin/bash
set -e
mkdir -p $(dirname /app/bin/rpn)
cp /solution/rpn /app/bin/rpn
chmod +x /app/bin/rpn
