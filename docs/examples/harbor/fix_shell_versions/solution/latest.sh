#!/bin/bash
latest=$(sort -V | tail -1)
echo "${latest:-none}"
