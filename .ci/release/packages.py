"""The packages of systems: deb, rpm, the Helm chart and the Homebrew formula."""

import gzip
import hashlib
import os
import pathlib
import re
import subprocess

import wheels

HERE = pathlib.Path(__file__).resolve().parent
NFPM = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"


def output(command):
    """What a command prints."""
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE).stdout


def system(out, scratch, release, processor, files):
    """Write deb and rpm for a processor, by nfpm.yaml."""
    tree = scratch / f"tree_{processor}"
    for name, (mode, content) in files.items():
        if name.startswith("man/"):
            name, content = f"{name}.gz", gzip.compress(content, mtime=0)
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)
        os.utime(path, (wheels.EPOCH, wheels.EPOCH))
    environment = {**os.environ, "VERSION": release, "PROCESSOR": processor, "SOURCE_DATE_EPOCH": str(wheels.EPOCH), "CGO_ENABLED": "0"}
    for kind in ("deb", "rpm"):
        command = ["go", "run", NFPM, "package", "--config", HERE / "nfpm.yaml", "--packager", kind, "--target", f"{out.resolve()}/"]
        subprocess.run(command, check=True, cwd=tree, env=environment)


def chart(out, release):
    """Write the Helm chart with the version of the release, which is the tag of its image."""
    folder = wheels.ROOT / "docs/deploy/helm/quintain"
    files = {f"quintain/{p.relative_to(folder)}": (0o644, p.read_bytes()) for p in sorted(folder.rglob("*")) if p.is_file()}
    text = files["quintain/Chart.yaml"][1].decode()
    for key, value in ("version", release[1:]), ("appVersion", f'"{release[1:]}"'):
        text = re.sub(f"(?m)^{key}: .*", f"{key}: {value}", text)
    files["quintain/Chart.yaml"] = (0o644, text.encode())
    wheels.write_tar(out / f"quintain-chart-{release[1:]}.tgz", files)


def formula(out, release):
    """Write the Homebrew formula, unless an archive that it names was not made."""
    text = (HERE / "quintain.rb").read_text(encoding="utf-8").replace("VERSION", release[1:])
    for name in re.findall(r"/(quintain_\S+\.tar\.gz)", text):
        if not (out / name).exists():
            print(f"no formula: {name} was not made")
            return
        text = text.replace(f"SHA256 of {name}", hashlib.sha256((out / name).read_bytes()).hexdigest())
    (out / "quintain.rb").write_text(text, encoding="utf-8")
