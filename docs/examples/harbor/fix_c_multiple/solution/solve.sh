#!/bin/bash
set -e
cp /solution/lcm.c /app/lcm.c
