#!/usr/bin/env python3
"""The size of the binary, and what each module has of it.

    bench/size.py                                            print the table
    bench/size.py --write docs/decisions/003-dependencies.md  put it there, between its marks

It builds the program for linux/amd64 twice, stripped and with its symbols. A module has the bytes of its symbols; what the
linker keeps for all of them (line tables, types, strings) is shared out in proportion.
"""
import argparse, collections, pathlib, re, subprocess, tempfile

OURS = "github.com/quintain-rl/quintain"
# Modules that come with another.
WITH = {
    "github.com/nats-io/nats.go": ["github.com/nats-io/nkeys", "github.com/nats-io/nuid"],
    "github.com/parquet-go/parquet-go": ["github.com/parquet-go/bitpack", "github.com/parquet-go/jsonlite", "github.com/andybalholm/brotli", "github.com/pierrec/lz4/v4", "github.com/twpayne/go-geom"],
    "github.com/prometheus/client_golang": ["github.com/prometheus/client_model", "github.com/prometheus/common", "github.com/prometheus/procfs", "github.com/beorn7/perks", "github.com/cespare/xxhash/v2", "github.com/munnerz/goautoneg", "google.golang.org/protobuf"],
    "github.com/spf13/cobra": ["github.com/spf13/pflag"],
    "modernc.org/sqlite": ["modernc.org/libc", "modernc.org/memory", "modernc.org/mathutil", "github.com/remyoudompheng/bigfft", "github.com/dustin/go-humanize"],
}


def build(path, flags):
    subprocess.run(["go", "build", "-trimpath", "-ldflags", flags, "-o", path, "./cmd/quintain"], check=True, env=ENV)


def modules(path):
    said = subprocess.run(["go", "version", "-m", path], check=True, capture_output=True, text=True).stdout
    return re.findall(r"^\tdep\t(\S+)\t", said, re.MULTILINE)


def owner(symbol, names):
    """The module of a symbol: ours, one of names, or the standard library."""
    place = re.sub(r"^(?:type:|go:itab\.)", "", symbol).lstrip("*[].").replace("%2e", ".")
    if place.startswith(OURS) or place.startswith("main."):
        return OURS
    return next((n for n in names if place.startswith((n + "/", n + "."))), None if place.startswith("go:") else "std")


def sizes(folder):
    stripped, whole = f"{folder}/stripped", f"{folder}/whole"
    build(stripped, "-s -w")
    build(whole, "")
    names = sorted(modules(whole), key=len, reverse=True)
    share = collections.Counter()
    for line in subprocess.run(["go", "tool", "nm", "-size", whole], check=True, capture_output=True, text=True).stdout.splitlines():
        _, size, kind, symbol = line.split(None, 3)
        if kind in "TtRrDd" and int(size) < 10 << 20 and (of := owner(symbol, names)):
            share[of] += int(size)
    return pathlib.Path(stripped).stat().st_size, share


def table(total, share):
    rest = dict(share)
    rows = []
    for name in [n for n in share if n not in {w for some in WITH.values() for w in some}]:
        some = [w for w in WITH.get(name, []) if w in rest]
        rows.append((rest[name] + sum(rest[w] for w in some), {OURS: "Quintain itself, with its data", "std": "Go's runtime and standard library"}.get(name, f"`{name}`"), len(some)))
    scale = total / sum(share.values()) / 1e6
    lines = ["| | MB |", "|---|---|"]
    rows.sort(reverse=True)
    lines += [f"| {name}{f' ({n})' if n else ''} | {size * scale:.1f} |" for size, name, n in rows if size * scale >= 0.05]
    return "\n".join([*lines, f"| in all | {total / 1e6:.1f} |"])


if __name__ == "__main__":
    import os

    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("--write", type=pathlib.Path)
    o = o.parse_args()
    ENV = {**os.environ, "CGO_ENABLED": "0", "GOOS": "linux", "GOARCH": "amd64"}
    with tempfile.TemporaryDirectory() as folder:
        text = table(*sizes(folder))
    if o.write:
        page = o.write.read_text()
        o.write.write_text(re.sub(r"(?s)(<!-- sizes -->\n).*(<!-- /sizes -->)", lambda m: m[1] + text + "\n" + m[2], page))
    else:
        print(text)
