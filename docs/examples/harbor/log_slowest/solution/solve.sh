#!/bin/bash
set -e
python3 /solution/slow.py
