#!/bin/bash
set -e
python3 -c '
x = bytes.fromhex(open("secret.hex").read().replace("\n", ""))
hint = open("hint.txt").read().strip().encode()
key = bytes(a ^ b for a, b in zip(x, hint))[:6]
open("key.txt", "wb").write(key)
open("plain.txt", "wb").write(bytes(c ^ key[i % 6] for i, c in enumerate(x)))
'
