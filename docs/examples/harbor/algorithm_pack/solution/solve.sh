#!/bin/bash
set -e
python3 /solution/pack.py
