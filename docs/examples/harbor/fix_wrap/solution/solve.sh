#!/bin/bash
set -e
cp /solution/wrap.py /app/wrap.py
