#!/bin/bash
set -e
mkdir -p $(dirname /app/roman.pl)
cp /solution/roman.pl /app/roman.pl
chmod +x /app/roman.pl
