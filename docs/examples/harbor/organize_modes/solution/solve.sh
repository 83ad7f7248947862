#!/bin/bash
set -e
find site -type d -exec chmod 755 {} +
find site -type f | while read -r f; do
  case $f in
    *.conf) chmod 640 "$f" ;;
    *) if [ "$(head -c 2 "$f")" = '#!' ]; then chmod 755 "$f"; else chmod 644 "$f"; fi ;;
  esac
done
