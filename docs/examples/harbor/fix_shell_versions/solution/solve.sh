#!/bin/bash
set -e
cp /solution/latest.sh /app/latest.sh
