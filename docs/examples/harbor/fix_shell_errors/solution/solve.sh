#!/bin/bash
set -e
cat > deploy.sh <<'EOF'
#!/bin/bash
while IFS= read -r line || [ -n "$line" ]; do
  [ -n "$line" ] || continue
  printf '+ %s\n' "$line"
  bash -o pipefail -c "$line" < /dev/null || exit $?
done < "$1"
echo done
EOF
