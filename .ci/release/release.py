#!/usr/bin/env python3
"""Make a release, into an empty folder:

    python3 .ci/release/release.py DIR v0.1.0                 for all platforms
    python3 .ci/release/release.py DIR v0.1.0 linux/amd64     for that one

It holds an archive of the program for each platform, deb and rpm, wheels and an sdist, the Helm chart, a Homebrew
formula, the licences of others, a bill of materials and checksums; images.sh makes the container images of it. The program of this machine has to be
among them: it writes its own manual pages and completions. It needs Go with its proxy, and Python's standard library. The
same sources, Go and Python make the same bytes, in any folder.
"""

import hashlib
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))
import licences  # noqa: E402
import materials  # noqa: E402
import packages  # noqa: E402
import wheels  # noqa: E402

PLATFORMS = [f"{system}/{processor}" for system in ("linux", "darwin", "windows", "freebsd") for processor in ("amd64", "arm64")]
COMPLETIONS = {"bash": "quintain.bash", "zsh": "_quintain", "fish": "quintain.fish", "powershell": "quintain.ps1"}


def main(out, release, *platforms):
    out, platforms = pathlib.Path(out), platforms or PLATFORMS
    wheels.python_version(release)  # refuses what is no version
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()):
        raise SystemExit(f"{out}: is not empty, want an empty folder")
    modules = licences.collect(platforms)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        programs = {platform: compiled(scratch, platform, release) for platform in platforms}
        files = papers(scratch, programs, modules)
        for platform, program in programs.items():
            say(archive(out, release, platform, {program.name: (0o755, program.read_bytes()), **files}))
            if platform.startswith("linux/"):
                packages.system(out, scratch, release, platform.split("/")[1], {"quintain": (0o755, program.read_bytes()), **files})
        third = scratch / "THIRD_PARTY_LICENSES.txt"
        third.write_bytes(files[third.name][1])
        for platform in wheels.PLATFORMS.keys() & programs.keys():
            wheels.write_wheel(out, platform, release, programs[platform], [third])
        wheels.write_sdist(out, release)
        packages.chart(out, release)
        packages.formula(out, release)
        materials.write(out / f"quintain_{release[1:]}.cdx.json", release, modules, programs.values())
    third_party = out / f"quintain_{release[1:]}_THIRD_PARTY_LICENSES.txt"
    third_party.write_bytes(files["THIRD_PARTY_LICENSES.txt"][1])
    sums = "".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in sorted(out.iterdir()))
    (out / "checksums.txt").write_text(sums, encoding="utf-8")
    for path in sorted(out.iterdir()):
        say(f"{path.stat().st_size / 1e6:7.1f} MB  {path}")


def say(line):
    print(line, flush=True)


def compiled(scratch, platform, release):
    """The program for a platform, as a file."""
    path = scratch / platform.replace("/", "_") / ("quintain.exe" if platform.startswith("windows/") else "quintain")
    path.parent.mkdir()
    wheels.compile_program(platform, path, release)
    say(f"{path.stat().st_size / 1e6:7.1f} MB  {platform}")
    return path


def papers(scratch, programs, modules):
    """What lies beside the program everywhere: modes and contents by name."""
    here = "/".join(wheels.go("env", "GOHOSTOS", "GOHOSTARCH", platform="/").split())
    if here not in programs:
        raise SystemExit(f"platforms: are {' '.join(programs)}, want {here} too, the one of this machine: it writes the manual pages")
    files = {name: (ROOT / name).read_bytes() for name in ("LICENSE", "README.md")}
    files["THIRD_PARTY_LICENSES.txt"] = licences.document(modules).encode()
    for shell, name in COMPLETIONS.items():
        files[f"completions/{name}"] = packages.output([programs[here], "completion", shell])
    packages.output([programs[here], "help", "--man", scratch / "man"])
    files |= {f"man/{p.name}": p.read_bytes() for p in sorted((scratch / "man").iterdir())}
    return {name: (0o644, content) for name, content in files.items()}


def archive(out, release, platform, files):
    """Write the archive for a platform, and return its path."""
    stem = f"quintain_{release[1:]}_{platform.replace('/', '_')}"
    files = {f"{stem}/{name}": file for name, file in files.items()}
    if platform.startswith("windows/"):
        wheels.write_zip(out / f"{stem}.zip", files)
        return out / f"{stem}.zip"
    wheels.write_tar(out / f"{stem}.tar.gz", files)
    return out / f"{stem}.tar.gz"


if __name__ == "__main__":
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= set(PLATFORMS):
        sys.exit(f"usage: release.py DIR VERSION [{' | '.join(PLATFORMS)}]...")
    try:
        main(*sys.argv[1:])
    except licences.Refused as refused:
        sys.exit(str(refused))
