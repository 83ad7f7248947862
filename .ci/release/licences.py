"""The modules that a release holds, with the licences that came with them.

A licence is a file of the module, in the folder of a package that is compiled in or above it. Its text says which licence
it is, and only those of ALLOWED go into a release.
"""

import json
import pathlib
import re
import sys

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "python"))
import wheels  # noqa: E402

ALLOWED = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "LicenseRef-SCOWL", "LicenseRef-public-domain"}

# What licences say, in lower case and with one space between words.
PHRASES = {
    "Apache-2.0": r"apache license,? version 2\.0",
    "BSD-3-Clause": r"redistribution and use in source and binary forms.{0,1500}(neither the name|names? of (its|the|any) )",
    "BSD-2-Clause": r"redistribution and use in source and binary forms",
    "ISC": r"permission to use, copy, modify, and(/or)? distribute this software for any purpose",
    "MIT": r"permission is hereby granted, free of charge, to any person obtaining a copy",
    "LicenseRef-SCOWL": r"permission to use, copy, modify, distribute and sell these word lists",
    "LicenseRef-public-domain": r"dedicated to the public domain",
    "GPL": r"gnu (lesser |library |affero )?general public licen[cs]e",
    "MPL-2.0": r"mozilla public licen[cs]e",
    "EPL": r"eclipse public licen[cs]e",
    "SSPL": r"server side public licen[cs]e",
    "BUSL": r"business source licen[cs]e",
    "CC": r"creative commons|cc[ -]by",
}

# What is in the program as data: its name, the files that tell of it, and its licence.
DATA = [
    ("ARC-AGI-1", ["tasks/transformations/ARC.md", "LICENSE"], "Apache-2.0"),
    ("SCOWL", ["internal/lexicon/README.md", "internal/lexicon/LICENSE-SCOWL"], "LicenseRef-SCOWL"),
    ("uPlot", ["run/watch/static/LICENSE-uPlot"], "MIT"),
]


class Refused(Exception):
    """A module has no licence, or one that is not allowed."""


def names(text):
    """The licences that a text is, or speaks of."""
    text = re.sub(r"[\s#*>/]+", " ", text.lower())
    found = {name for name, phrase in PHRASES.items() if re.search(phrase, text)}
    return found - {"BSD-2-Clause"} if "BSD-3-Clause" in found else found


def collect(platforms):
    """The modules of the programs for these platforms, sorted: dicts of path, version, licences and texts by file."""
    folders = {}
    for platform in platforms:
        listed = wheels.go("list", "-deps", "-json=Dir,Module,Standard", "./cmd/quintain", platform=platform)
        for package in json.loads("[" + listed.replace("\n}\n{", "\n},\n{") + "]"):
            module = package.get("Module")
            if module and not module.get("Main"):
                folders.setdefault((module["Path"], module["Version"], module["Dir"]), set()).add(package["Dir"])
    root, version = wheels.go("env", "GOROOT", "GOVERSION", platform="/").split()
    folders["std", version, root] = {root}
    modules = [of(path, version, pathlib.Path(root), packages) for (path, version, root), packages in sorted(folders.items())]
    for name, files, licence in DATA:
        modules.append({"path": name, "version": "", "licences": [licence], "texts": {f: (wheels.ROOT / f).read_text(encoding="utf-8") for f in files}})
    return modules


def of(path, version, root, packages):
    """A module with the licences of its packages."""
    texts = {}
    for folder in map(pathlib.Path, packages):
        for above in [folder, *folder.parents]:
            if above.is_relative_to(root):
                texts |= {str(f.relative_to(root)): f for f in above.iterdir() if re.match(r"(?i)(un)?licen[cs]e|copying|notice|patents|authors", f.name) and f.is_file() and f.suffix != ".go"}
    texts = {name: file.read_text(encoding="utf-8", errors="replace") for name, file in sorted(texts.items())}
    licences = set()
    for name, text in texts.items():
        if re.search(r"(?i)licen[cs]e|copying", name):
            found = names(text)
            if not found or found - ALLOWED:
                raise Refused(f"licence: {path} {version} has the file {name}, which speaks of {', '.join(sorted(found)) or 'no licence that is known'}; allowed: {', '.join(sorted(ALLOWED))}")
            licences |= found
    if not licences:
        raise Refused(f"licence: {path} {version} has no file with a licence")
    return {"path": path, "version": version, "licences": sorted(licences), "texts": texts}


def document(modules):
    """One text with all licences; equal ones stand once."""
    lines = ["What the program quintain holds of others, and under which licences.", ""]
    texts = {}
    for m in modules:
        name = f"{m['path']} {m['version']}".strip().replace("std ", "The standard library of ")
        lines.append(f"{name}: {', '.join(m['licences'])}")
        for file, text in m["texts"].items():
            texts.setdefault(text.strip(), []).append(f"{name}, {file}")
    for text, owners in texts.items():
        lines += ["", "=" * 100, *owners, "-" * 100, text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":  # PLATFORM…: print the licences of these programs
    sys.stdout.write(document(collect(sys.argv[1:])))
