#!/bin/bash
set -e
mkdir -p $(dirname /app/changes.pl)
cp /solution/changes.pl /app/changes.pl
chmod +x /app/changes.pl
