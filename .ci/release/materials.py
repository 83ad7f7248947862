"""The bill of materials of a release, in the form of CycloneDX 1.6: what the linker put into the programs."""

import json
import re
import uuid

import wheels

MAIN = "github.com/quintain-rl/quintain"


def write(path, release, modules, programs):
    """Write the bill. The modules are those whose licences are known; it is a fault if the programs hold others."""
    sums = linked(programs)
    known = {(m["path"], m["version"]) for m in modules if m["version"] and m["path"] != "std"}
    if known != sums.keys():
        raise SystemExit(f"bill of materials: the programs hold {sorted(sums.keys() ^ known)}, or the list of licences does, but not both")
    components = [component(m, sums) for m in modules]
    main = {"type": "application", "bom-ref": MAIN, "name": "quintain", "version": release, "purl": f"pkg:golang/{MAIN}@{release}", "licenses": [{"license": {"id": "Apache-2.0"}}]}
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, main['purl'])}", "version": 1,
        "metadata": {"component": main}, "components": components,
        "dependencies": [{"ref": MAIN, "dependsOn": [c["bom-ref"] for c in components]}],
    }  # fmt: skip
    path.write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")


def linked(programs):
    """The checksums of the modules that the programs name themselves, by path and version."""
    sums = {}
    for program in programs:
        said = wheels.go("version", "-m", str(program), platform="/")
        sums |= {(path, version): total for path, version, total in re.findall(r"(?m)^\tdep\t(\S+)\t(\S+)\t(\S+)$", said)}
    return sums


def component(module, sums):
    path, version = module["path"], module["version"]
    licences = [{"license": {"name": name} if name.startswith("LicenseRef-") else {"id": name}} for name in module["licences"]]
    if not version:
        return {"type": "data", "bom-ref": path, "name": path, "licenses": licences}
    if path == "std":
        version = version.removeprefix("go")
    purl = f"pkg:golang/{path}@{version}"
    made = {"type": "library", "bom-ref": purl, "name": path, "version": version, "purl": purl, "licenses": licences}
    if (path, version) in sums:
        made["properties"] = [{"name": "go.sum", "value": sums[path, version]}]
    return made
