#!/bin/bash
# Pays 1 if check.py finds nothing wrong. Whatever it ran is ended before the reward is written.
/usr/bin/python3 -I -S /tests/check.py
status=$?
above=" 1 " p=$$
while [ "${p:-0}" -gt 1 ]; do
  above+="$p "
  while read -r name value; do [ "$name" = PPid: ] && break; done < "/proc/$p/status"
  p=$value
done
more=1
while [ "$more" = 1 ]; do
  more=0
  for p in /proc/[0-9]*; do
    p=${p#/proc/}
    case $above in *" $p "*) continue ;; esac
    { read -r stat < "/proc/$p/stat"; } 2>/dev/null || continue
    case ${stat##*) } in Z*) continue ;; esac
    kill -KILL "$p" 2>/dev/null && more=1
  done
done
if [ "$status" = 0 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
