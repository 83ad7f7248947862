#!/bin/bash
set -e
cp /solution/reverse.c /app/reverse.c
