#!/bin/bash
set -e
cp /solution/nextday.py /app/nextday.py
