#!/bin/bash
set -e
python3 -c 'import csv, json; json.dump([{**r, "age": int(r["age"])} for r in csv.DictReader(open("people.csv", encoding="utf-8"))], open("people.json", "w", encoding="utf-8"), ensure_ascii=False)'
