#!/bin/bash
while read line; do
  echo + $line
  bash -c "$line"
done < $1
echo done
