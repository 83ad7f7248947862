#!/usr/bin/env python3
"""Each type of pyarrow, polars and DuckDB as the gold answers of a Parquet file, alone and in a list: its text, or a
refusal that names the column and the type; never another value.

    REQUIREMENTS=parquet.txt conformance/python conformance/parquet.py --quintain bin/quintain
"""

import argparse
import concurrent.futures
import datetime
import decimal
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import uuid

import duckdb
import polars
import pyarrow
import pyarrow.parquet

REFUSED = None
DAY, TIME = datetime.date(2024, 2, 29), datetime.time(1, 2, 3, 4)
MOMENT, SPAN = datetime.datetime(2024, 2, 29, 1, 2, 3), datetime.timedelta(hours=2)
NAME = uuid.UUID("30313233-3435-3637-3839-616263646566")
DECIMAL = decimal.Decimal("-1234567890123456.05")


def by_pyarrow():
    """Pairs of a type and a value of it, with the text that is wanted."""
    for bits in (8, 16, 32, 64):
        yield getattr(pyarrow, f"uint{bits}")(), 2**bits - 1, str(2**bits - 1)
        yield getattr(pyarrow, f"int{bits}")(), -(2 ** (bits - 1)), str(-(2 ** (bits - 1)))
    yield pyarrow.float16(), 0.5244140625, "0.5244140625"
    yield pyarrow.float32(), 0.5, "0.5"
    for x in (float("inf"), float("nan")):
        for of in (pyarrow.float16(), pyarrow.float32(), pyarrow.float64()):
            yield of, x, REFUSED
    for of in (pyarrow.date32(), pyarrow.date64()):
        yield of, DAY, "2024-02-29"
    for of in (pyarrow.time32("s"), pyarrow.time32("ms"), pyarrow.time64("us"), pyarrow.time64("ns")):
        yield of, TIME.replace(microsecond=0), REFUSED
    for unit in ("s", "ms", "us", "ns"):
        yield pyarrow.timestamp(unit), MOMENT, REFUSED
        yield pyarrow.timestamp(unit, "UTC"), MOMENT, REFUSED
        yield pyarrow.duration(unit), SPAN, REFUSED
    for of in (pyarrow.decimal32(4, 1), pyarrow.decimal64(18, 1), pyarrow.decimal128(38, 1), pyarrow.decimal256(76, 1)):
        yield of, decimal.Decimal("-1.5"), "-1.5"
    for of in (pyarrow.decimal128(18, 2), pyarrow.decimal256(70, 2)):
        yield of, DECIMAL, str(DECIMAL)
    yield pyarrow.bool_(), True, "true"
    for of in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(), pyarrow.binary(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string())):
        yield of, b"x y" if of == pyarrow.binary() else "x y", "x y"
    yield pyarrow.binary(), b"\xe9", REFUSED
    yield pyarrow.binary(2), b"28", REFUSED
    yield pyarrow.uuid(), NAME, str(NAME)


def write_pyarrow(of, value, path, **options):
    if of == pyarrow.float16():
        two = pyarrow.array([value, value], pyarrow.float32()).cast(of)
    else:
        two = pyarrow.array([value.bytes] * 2 if of == pyarrow.uuid() else [value] * 2, of)
    for name, column in (("alone", two.slice(0, 1)), ("list", pyarrow.ListArray.from_arrays([0, 2], two))):
        pyarrow.parquet.write_table(pyarrow.table({"question": ["q"], "answer": column}), path / f"{name}.parquet", **options)


def by_polars():
    for bits in (8, 16, 32, 64):
        yield getattr(polars, f"UInt{bits}")(), 2**bits - 1, str(2**bits - 1)
        yield getattr(polars, f"Int{bits}")(), -(2 ** (bits - 1)), str(-(2 ** (bits - 1)))
    yield polars.Int128(), 2**100, REFUSED
    yield polars.Float16(), 0.5244140625, "0.5244140625"
    yield polars.Float32(), 0.5, "0.5"
    yield polars.Float64(), float("inf"), REFUSED
    yield polars.Date(), DAY, "2024-02-29"
    yield polars.Time(), TIME, REFUSED
    for unit in ("ms", "us", "ns"):
        yield polars.Datetime(unit), MOMENT, REFUSED
        yield polars.Datetime(unit, "UTC"), MOMENT.replace(tzinfo=datetime.timezone.utc), REFUSED
        yield polars.Duration(unit), SPAN, REFUSED
    yield polars.Decimal(9, 1), decimal.Decimal("-1.5"), "-1.5"
    yield polars.Decimal(38, 2), DECIMAL, str(DECIMAL)
    yield polars.Boolean(), False, "false"
    yield polars.Binary(), b"x y", "x y"
    yield polars.Categorical(), "x y", "x y"
    yield polars.Enum(["x y"]), "x y", "x y"


def write_polars(of, value, path):
    for name, values, kind in (("alone", [value], of), ("list", [[value, value]], polars.List(of))):
        polars.DataFrame({"question": ["q"], "answer": polars.Series(values, dtype=kind)}).write_parquet(path / f"{name}.parquet")


def by_duckdb():
    for name, bits in (("tinyint", 8), ("smallint", 16), ("integer", 32), ("bigint", 64)):
        yield name, f"{-(2 ** (bits - 1))}", f"{-(2 ** (bits - 1))}"
        yield "u" + name, f"{2 ** bits - 1}", f"{2 ** bits - 1}"
    yield "double", "'inf'", REFUSED
    yield "date", "'2024-02-29'", "2024-02-29"
    for of in ("time", "timetz", "time_ns"):
        yield of, "'01:02:03'", REFUSED
    for of in ("timestamp", "timestamptz", "timestamp_s", "timestamp_ms", "timestamp_ns"):
        yield of, "'2024-02-29 01:02:03'", REFUSED
    yield "interval", "'2 hours'", REFUSED
    for digits in (4, 9, 18, 38):
        yield f"decimal({digits}, 2)", "-0.05", "-0.05"
    yield "decimal(38, 2)", str(DECIMAL), str(DECIMAL)
    yield "boolean", "true", "true"
    yield "uuid", f"'{NAME}'", str(NAME)
    yield "blob", "'x y'", "x y"
    yield "blob", r"'\xE9'", REFUSED
    yield "json", "'12'", "12"
    yield "enum('x y')", "'x y'", "x y"
    yield "bit", "'101'", "101"


def write_duckdb(of, value, path):
    with duckdb.connect() as base:
        for name, column in (("alone", f"({value})::{of}"), ("list", f"[({value})::{of}, ({value})::{of}]")):
            base.execute(f"COPY (SELECT 'q' AS question, {column} AS answer) TO '{path}/{name}.parquet'")


def read(quintain, path):
    """The gold answers of a file, or the reason why its row is refused."""
    out = path.with_suffix(".out")
    done = subprocess.run([quintain, "eval", "--policy", "script", "--problems", path, "--out", out], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()
    records = subprocess.run([quintain, "export", "records", "--data", out], check=True, capture_output=True, text=True).stdout
    return json.loads(records)["problem"]["instance"]["answers"]


def fault(got, want, count):
    """Why what was read is not what is wanted."""
    if want is not REFUSED:
        return None if got == [want] * count else f"{got}, want {want}"
    return None if isinstance(got, str) and "answer" in got else f"{got}, want a refusal"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quintain", required=True)
    quintain = os.path.abspath(parser.parse_args().quintain)
    cases = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for writer, values, write in (("pyarrow", by_pyarrow, write_pyarrow), ("polars", by_polars, write_polars), ("DuckDB", by_duckdb, write_duckdb)):
            for of, value, want in values():
                ways = [{}, {"store_decimal_as_integer": True}, {"store_schema": False}] if "decimal128" in str(of) else [{}]
                for options in ways:
                    path = pathlib.Path(folder) / str(len(cases))
                    path.mkdir()
                    write(of, value, path, **options)
                    names = ("alone", "list")
                    cases.append((f"{writer}: {of} {value!r:.40} {' '.join(options)}", want, [pool.submit(read, quintain, path / f"{name}.parquet") for name in names]))
        faults = 0
        for name, want, read_ in cases:
            for got, count in zip(read_, (1, 2)):
                why = fault(got.result(), want, count)
                faults += why is not None
                print(f"{'ok  ' if why is None else 'FAIL'} {name}{' in a list' * (count - 1)}: {why or want or 'refused'}")
    print(f"{len(cases)} values, alone and in lists: {faults} are neither read right nor refused")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
