#!/bin/bash
set -e
python3 /solution/maze.py
