#!/usr/bin/env python3
"""The size of the binary and the time of a cold build, and what each module has of both.

    bench/size.py                                            print the table
    bench/size.py --write docs/decisions/003-dependencies.md  put it there, between its marks

It builds the program for linux/amd64 from an empty cache, stripped, and once more with its symbols. A module has the bytes of
its symbols; what the linker keeps for all of them (line tables, types, strings) is shared out in proportion. It has the seconds
of processor in which its packages were compiled; linking counts as ours. On a machine that does other work too, all seconds
grow alike, and only their shares can be compared.
"""
import argparse, collections, json, pathlib, re, subprocess, tempfile

OURS = "github.com/quintain-rl/quintain"
# Modules that come with another.
WITH = {
    "github.com/nats-io/nats.go": ["github.com/nats-io/nkeys", "github.com/nats-io/nuid"],
    "github.com/parquet-go/parquet-go": ["github.com/parquet-go/bitpack", "github.com/parquet-go/jsonlite", "github.com/andybalholm/brotli", "github.com/pierrec/lz4/v4", "github.com/twpayne/go-geom"],
    "github.com/prometheus/client_golang": ["github.com/prometheus/client_model", "github.com/prometheus/common", "github.com/prometheus/procfs", "github.com/beorn7/perks", "github.com/cespare/xxhash/v2", "github.com/munnerz/goautoneg", "google.golang.org/protobuf"],
    "github.com/spf13/cobra": ["github.com/spf13/pflag"],
}


def build(path, flags, *more, **environ):
    subprocess.run(["go", "build", "-trimpath", "-ldflags", flags, *more, "-o", path, "./cmd/quintain"], check=True, env={**ENV, **environ})


def modules(path):
    said = subprocess.run(["go", "version", "-m", path], check=True, capture_output=True, text=True).stdout
    return re.findall(r"^\tdep\t(\S+)\t", said, re.MULTILINE)


def owner(symbol, names):
    """The module of a symbol: ours, one of names, or the standard library."""
    place = re.sub(r"^(?:type:|go:itab\.)", "", symbol).lstrip("*[].").replace("%2e", ".")
    if place.startswith(OURS) or place.startswith("main."):
        return OURS
    return next((n for n in names if place.startswith((n + "/", n + "."))), None if place.startswith("go:") else "std")


def measure(folder):
    """The size of the stripped program, and by module the bytes of symbols and the seconds of a cold build."""
    stripped, whole, graph, cache = (f"{folder}/{name}" for name in ("stripped", "whole", "graph", "cache"))
    build(stripped, "-s -w", f"-debug-actiongraph={graph}", GOCACHE=cache)
    build(whole, "", GOCACHE=cache)
    names = sorted(modules(whole), key=len, reverse=True)
    share, seconds = collections.Counter(), collections.Counter()
    for line in subprocess.run(["go", "tool", "nm", "-size", whole], check=True, capture_output=True, text=True).stdout.splitlines():
        _, size, kind, symbol = line.split(None, 3)
        if kind in "TtRrDd" and int(size) < 10 << 20 and (of := owner(symbol, names)):
            share[of] += int(size)
    for action in json.loads(pathlib.Path(graph).read_text()):
        if package := action.get("Package"):
            seconds[owner(package + "/", names)] += (action.get("CmdUser", 0) + action.get("CmdSys", 0)) / 1e9
    return pathlib.Path(stripped).stat().st_size, share, seconds


def table(total, share, seconds):
    rows = []
    scale = total / sum(share.values()) / 1e6
    for name in [n for n in {**share, **seconds} if n not in {w for some in WITH.values() for w in some}]:
        some = [w for w in WITH.get(name, []) if w in share or w in seconds]
        size, time = (sum(of[w] for w in [name, *some]) for of in (share, seconds))
        rows.append((size * scale, time, {OURS: "Quintain itself, with its data", "std": "Go's runtime and standard library"}.get(name, f"`{name}`"), len(some)))
    rows.sort(reverse=True)
    lines = ["| | MB | s | of the build |", "|---|--:|--:|--:|"]
    rows = [row for row in rows if row[0] >= 0.05] + [(total / 1e6, sum(seconds.values()), "in all", 0)]
    lines += [f"| {name}{f' ({n})' if n else ''} | {size:.1f} | {time:.1f} | {100 * time / rows[-1][1]:.1f} % |" for size, time, name, n in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    import os

    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("--write", type=pathlib.Path)
    o = o.parse_args()
    ENV = {**os.environ, "CGO_ENABLED": "0", "GOOS": "linux", "GOARCH": "amd64"}
    with tempfile.TemporaryDirectory() as folder:
        text = table(*measure(folder))
    if o.write:
        page = o.write.read_text()
        o.write.write_text(re.sub(r"(?s)(<!-- sizes -->\n).*(<!-- /sizes -->)", lambda m: m[1] + text + "\n" + m[2], page))
    else:
        print(text)
