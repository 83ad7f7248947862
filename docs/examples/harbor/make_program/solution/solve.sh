#!/bin/bash
set -e
printf 'calc: main.o sum.o\n\tgcc -o $@ $^\n\n%%.o: %%.c sum.h\n\tgcc -c -o $@ $<\n\n.PHONY: clean\nclean:\n\trm -f calc main.o sum.o\n' > Makefile
