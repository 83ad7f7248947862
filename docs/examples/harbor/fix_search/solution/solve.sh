#!/bin/bash
set -e
cp /solution/search.py /app/search.py
