#!/bin/bash
set -e
cat > Makefile <<'EOF'
UPS := $(sort $(patsubst %.txt,%.up,$(wildcard *.txt)))

all.up: $(UPS)
	cat $(UPS) > $@

%.up: %.txt
	tr a-z A-Z < $< > $@
EOF
