#!/usr/bin/env python3
"""Build the wheels of the package: the program, compiled for each platform by Go, and the Python around it.

    python3 python/wheels.py DIR                one wheel for each platform, into DIR
    python3 python/wheels.py DIR linux/arm64    only that one

It is also the build backend (PEP 517) that builds the wheel of this machine for `pip install ./python`. It needs Go
and the standard library. The same sources give the same bytes.
"""

import base64
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent

# Platforms by Go's names, with the tags of their wheels. The program is linked statically, so one Linux wheel serves
# glibc and musl. The versions are the oldest that Go supports.
PLATFORMS = {
    "linux/amd64": "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
}


def setting(name):
    """A line of pyproject.toml, which Python 3.10 cannot parse by itself."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    return re.search(rf'^{name} = (?:\["|")([^"]*)', text, re.MULTILINE)[1]


def metadata():
    fields = {
        "Metadata-Version": "2.4", "Name": "quintain", "Version": setting("version"), "Summary": setting("description"),
        "Requires-Python": setting("requires-python"), "License-Expression": setting("license"), "License-File": "LICENSE",
        "Requires-Dist": setting("dependencies"), "Description-Content-Type": "text/markdown",
    }  # fmt: skip
    return "".join(f"{name}: {value}\n" for name, value in fields.items()) + "\n" + (HERE / "README.md").read_text(encoding="utf-8")


def compile_program(platform):
    """The program for a platform, as bytes."""
    system, processor = platform.split("/")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "quintain")
        subprocess.run(
            ["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./cmd/quintain"],
            cwd=ROOT, check=True, env={**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": processor},
        )  # fmt: skip
        return pathlib.Path(program).read_bytes()


def write_wheel(folder, platform):
    """Write the wheel for a platform, and return its name."""
    stem, tags = f"quintain-{setting('version')}", PLATFORMS[platform]
    info = f"{stem}.dist-info"
    command = "quintain.exe" if platform.startswith("windows/") else "quintain"
    files = {f"quintain/{p.name}": p.read_bytes() for p in sorted((HERE / "quintain").iterdir()) if p.suffix == ".py" or p.name == "py.typed"}
    files[f"{stem}.data/scripts/{command}"] = compile_program(platform)
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/METADATA"] = metadata().encode()
    each = "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: quintain\nRoot-Is-Purelib: false\n{each}".encode()
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD")
    name = f"{stem}-py3-none-{tags}.whl"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as z:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            z.writestr(entry, content)
    os.makedirs(folder, exist_ok=True)
    (pathlib.Path(folder) / name).write_bytes(packed.getvalue())
    return name


def record(files, itself):
    """The list of all files with their hashes."""
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    return "".join(lines + [f"{itself},,\n"]).encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the wheel of this machine for PEP 517."""
    go = subprocess.run(["go", "env", "GOHOSTOS", "GOHOSTARCH"], check=True, capture_output=True, text=True)
    return write_wheel(wheel_directory, "/".join(go.stdout.split()))


def build_sdist(sdist_directory, config_settings=None):
    """There is none: the program is built from the whole repository."""
    raise SystemExit("quintain has no sdist: build a wheel, from a checkout")


if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(PLATFORMS):
        sys.exit(f"usage: wheels.py DIR [{' | '.join(PLATFORMS)}]...")
    for wanted in sys.argv[2:] or PLATFORMS:
        print(os.path.join(sys.argv[1], write_wheel(sys.argv[1], wanted)), flush=True)
