#!/bin/bash
for f in $(find $1 -name *.txt); do
  n=$(basename $f .txt | tr a-z A-Z)
  cp $f $2/$n.txt
done
