#!/bin/bash
set -e
cat > Makefile <<'EOF'
CC = gcc
CFLAGS = -DNAME='"maker"'

hello: hello.o
	$(CC) -o $@ hello.o

hello.o: hello.c
	$(CC) $(CFLAGS) -c hello.c -o $@

.PHONY: test clean
test: hello
	./hello | grep -q 'hello, maker'

clean:
	rm -f hello hello.o
EOF
