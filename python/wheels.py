#!/usr/bin/env python3
"""Build the wheels of the package: the program, compiled for each platform by Go, and the Python around it.

    python3 python/wheels.py DIR                one wheel for each platform, into DIR
    python3 python/wheels.py DIR linux/arm64    only that one

It is also the build backend (PEP 517) that builds the wheel of this machine for `pip install ./python` and from the
sdist, which holds the sources of the program too. It needs Go and the standard library. The same sources give the same
bytes.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE / "program" if (HERE / "program").is_dir() else HERE.parent  # an sdist holds the sources of the program
EPOCH = 315532800  # 1980, the date of all files, with which zip begins

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


def python_version(release):
    """A release as Python writes it: 0.1.0rc1 for v0.1.0-rc.1."""
    parts = re.fullmatch(r"v(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?", release)
    if not parts:
        raise SystemExit(f"version: is {release!r}, want one such as v0.1.0 or v0.1.0-rc.1")
    return parts[1] + {"alpha": "a", "beta": "b", "rc": "rc", None: ""}[parts[2]] + (parts[3] or "")


def version(release):
    """The version of the package: of a release, else of the checkout."""
    return python_version(release) if release else setting("version")


def metadata(release, licences, *more):
    fields = [
        ("Metadata-Version", "2.4"), ("Name", "quintain"), ("Version", version(release)), ("Summary", setting("description")),
        ("Requires-Python", setting("requires-python")), ("License-Expression", setting("license")),
        *(("License-File", name) for name in licences), *more,
        ("Requires-Dist", setting("dependencies")), ("Description-Content-Type", "text/markdown"),
    ]  # fmt: skip
    return "".join(f"{name}: {value}\n" for name, value in fields) + "\n" + (HERE / "README.md").read_text(encoding="utf-8")


def go(*arguments, platform, **options):
    """Run the go command for a platform, and return what it prints."""
    if not shutil.which("go"):
        raise SystemExit("quintain: its program is compiled by Go, and the command go is not installed: https://go.dev/dl")
    system, processor = platform.split("/")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": processor}
    return subprocess.run(["go", *arguments], cwd=ROOT, check=True, env=environment, stdout=subprocess.PIPE, text=True, **options).stdout


def compile_program(platform, path, release=""):
    """Compile the program for a platform into a file. A release has its version in place of the commit."""
    stamp = ["-buildvcs=false", "-ldflags", f"-s -w -X main.release={release}"] if release else ["-ldflags", "-s -w"]
    go("build", "-trimpath", *stamp, "-o", str(path), "./cmd/quintain", platform=platform)


def write_wheel(folder, platform, release="", program=None, licences=()):
    """Write the wheel for a platform, and return its name. The program is compiled unless a file is given; licences
    are those of others, as files."""
    release = release or setting("release")
    stem, tags = f"quintain-{version(release)}", PLATFORMS[platform]
    info = f"{stem}.dist-info"
    command = "quintain.exe" if platform.startswith("windows/") else "quintain"
    licences = [ROOT / "LICENSE", *licences]
    files = {p.relative_to(HERE).as_posix(): p.read_bytes() for p in modules()}
    with tempfile.TemporaryDirectory() as scratch:
        if not program:
            program = pathlib.Path(scratch) / command
            compile_program(platform, program, release)
        files[f"{stem}.data/scripts/{command}"] = program.read_bytes()
    files |= {f"{info}/licenses/{p.name}": p.read_bytes() for p in licences}
    files[f"{info}/METADATA"] = metadata(release, [p.name for p in licences]).encode()
    each = "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: quintain\nRoot-Is-Purelib: false\n{each}".encode()
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD")
    name = f"{stem}-py3-none-{tags}.whl"
    write_zip(pathlib.Path(folder) / name, {path: (0o755 if "/scripts/" in path else 0o644, content) for path, content in files.items()})
    return name


def modules():
    """The files of the Python package."""
    return [p for p in sorted((HERE / "quintain").rglob("*")) if p.suffix == ".py" or p.name == "py.typed"]


def write_zip(path, files):
    """Write a zip file of modes and contents by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as z:
        for name, (mode, content) in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            z.writestr(entry, content)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed.getvalue())


def write_tar(path, files):
    """Write a tar.gz file of modes and contents by name."""
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 6, packed, EPOCH) as zipped, tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, (mode, content) in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(content), mode, EPOCH
            tar.addfile(entry, io.BytesIO(content))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed.getvalue())


def program_files():
    """The files that the program is compiled from on any platform, by their path from the root."""
    found = {"go.mod", "go.sum", "LICENSE"}
    kinds = ["GoFiles", "IgnoredGoFiles", "SFiles", "IgnoredOtherFiles", "HFiles", "EmbedFiles"]
    for platform in PLATFORMS:
        listed = go("list", "-deps", f"-json=Dir,Module,{','.join(kinds)}", "./cmd/quintain", platform=platform)
        for package in json.loads("[" + listed.replace("\n}\n{", "\n},\n{") + "]"):
            if package.get("Module", {}).get("Main"):
                folder = pathlib.Path(package["Dir"]).relative_to(ROOT)
                found |= {str(folder / name) for kind in kinds for name in package.get(kind, []) if not name.endswith("_test.go")}
                found |= {str(folder / name) for name in ("LICENSE-SCOWL", "README.md") if (ROOT / folder / name).is_file() and folder.name}  # of its data
    return sorted(found)


def write_sdist(folder, release=""):
    """Write the sdist, and return its name: the Python package and the sources of the program."""
    release = release or setting("release")
    settings = re.sub(r'(?m)^version = ".*"', f'version = "{version(release)}"', (HERE / "pyproject.toml").read_text(encoding="utf-8"))
    settings = re.sub(r'(?m)^release = ".*"', f'release = "{release}"', settings)
    oldest = re.search(r"(?m)^go (\S+)", (ROOT / "go.mod").read_text(encoding="utf-8"))[1]
    needs = f"Go {oldest} or newer, and a proxy of Go modules, compile the program"
    files = {
        "PKG-INFO": metadata(release, ["program/LICENSE"], ("Requires-External", f"go (>={oldest})")).replace("\n\n", f"\n\nThis source distribution has to be built: {needs}.\n\n", 1).encode(),
        "pyproject.toml": settings.encode(),
        **{name: (HERE / name).read_bytes() for name in ("README.md", "wheels.py")},
        **{p.relative_to(HERE).as_posix(): p.read_bytes() for p in modules()},
        **{f"program/{name}": (ROOT / name).read_bytes() for name in program_files()},
    }
    stem = f"quintain-{version(release)}"
    write_tar(pathlib.Path(folder) / f"{stem}.tar.gz", {f"{stem}/{name}": (0o644, content) for name, content in files.items()})
    return f"{stem}.tar.gz"


def record(files, itself):
    """The list of all files with their hashes."""
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    return "".join(lines + [f"{itself},,\n"]).encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the wheel of this machine for PEP 517."""
    return write_wheel(wheel_directory, "/".join(go("env", "GOHOSTOS", "GOHOSTARCH", platform="/").split()))


def build_sdist(sdist_directory, config_settings=None):
    """Build the sdist for PEP 517."""
    return write_sdist(sdist_directory)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(PLATFORMS):
        sys.exit(f"usage: wheels.py DIR [{' | '.join(PLATFORMS)}]...")
    for wanted in sys.argv[2:] or PLATFORMS:
        print(os.path.join(sys.argv[1], write_wheel(sys.argv[1], wanted)), flush=True)
