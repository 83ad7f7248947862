#!/bin/bash
set -e
cat > collect.sh <<'EOF'
#!/bin/bash
set -e
mkdir -p -- "$2"
find "$1" -type f -name '*.txt' -print0 | while IFS= read -r -d '' f; do
  n=${f##*/}
  n=${n%.txt}
  cp -- "$f" "$2/${n^^}.txt"
done
EOF
