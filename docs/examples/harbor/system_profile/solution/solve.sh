#!/bin/bash
set -e
mkdir -p /etc/profile.d
cat > /etc/profile.d/app.sh <<'EOF'
export APP_HOME=/opt/app
case ":$PATH:" in
  *:/opt/app/bin:*) ;;
  *) PATH=$PATH:/opt/app/bin ;;
esac
EOF
