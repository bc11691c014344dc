"""Writes what ships as a bill of materials (CycloneDX) and as NOTICE.

    python .ci/bill_of_materials.py LOCK PYTHON SBOM [--notice NOTICE]

LOCK is a file of locked requirements, PYTHON an interpreter for which they are installed, whose metadata say the licences. What others made and
the package itself holds is in requirements/shipped.toml. Run by `make bill` and the container image with requirements/supply.txt installed.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from cyclonedx.output import SchemaVersion
from cyclonedx.validation.json import JsonValidator
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "ascertain"
READ_LICENCES = "import importlib.metadata as m, json; print(json.dumps({d.name: d.metadata['License'] or '' for d in m.distributions()}))"
HEAD = """\
Ascertain
Copyright the Ascertain authors, Apache License 2.0 (LICENSE)

Written by `make bill` from requirements/shipped.toml, requirements/plain.txt and the metadata of the installed packages.

What others made and the package holds, with the text of each licence beside it:

"""
BESIDE = """
What is installed beside it, by pip, each with its own licence files:

"""


def main() -> None:
    """Write the bill, and NOTICE where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lock", type=Path)
    parser.add_argument("python", type=Path)
    parser.add_argument("sbom", type=Path)
    parser.add_argument("--notice", type=Path)
    given = parser.parse_args()
    locked = read_lock(given.lock)
    bill = list_installed(given.python, {name for name, (_, applies) in locked.items() if applies})
    shipped = tomllib.loads((ROOT / "requirements" / "shipped.toml").read_text(encoding="utf-8"))["component"]
    licences = {canonicalize_name(each["name"]): name_licence(each) for each in bill["components"]}
    bill["components"] += [describe_component(each) for each in shipped]
    text = json.dumps(bill, indent=1)
    problem = JsonValidator(SchemaVersion.V1_6).validate_str(text)
    if problem is not None:
        sys.exit(f"{given.sbom}: this is no valid CycloneDX: {problem}")
    given.sbom.parent.mkdir(parents=True, exist_ok=True)
    given.sbom.write_text(text + "\n", encoding="utf-8")
    if given.notice is not None:
        given.notice.write_text(write_notice(shipped, locked, licences), encoding="utf-8")
    print(f"{given.sbom}: {len(bill['components'])} components")


def read_lock(lock: Path) -> dict[str, tuple[str, bool]]:
    """Name to versions, and whether the requirement applies to this system; a package may be locked once for each Python."""
    locked: dict[str, tuple[str, bool]] = {}
    for line in lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        requirement = Requirement(line.partition("--hash")[0].strip())
        applies = requirement.marker is None or requirement.marker.evaluate(dict(default_environment()))
        name, version = canonicalize_name(requirement.name), str(requirement.specifier).removeprefix("==")
        versions, applied = locked.get(name, ("", False))
        locked[name] = f"{versions}, {version}".removeprefix(", "), applied or applies
    return locked


def list_installed(python: Path, wanted: set[str]) -> dict[str, Any]:
    """The bill of an environment, without what is not wanted of it."""
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--short-PURLs"]
    command += ["--no-validate", "--pyproject", str(ROOT / "pyproject.toml"), str(python)]
    bill = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    texts = json.loads(subprocess.run([python, "-c", READ_LICENCES], check=True, stdout=subprocess.PIPE).stdout)
    bill["components"] = [each for each in bill["components"] if canonicalize_name(each["name"]) in wanted]
    missing = wanted - {canonicalize_name(each["name"]) for each in bill["components"]}
    if missing:
        sys.exit(f"{python} lacks {', '.join(sorted(missing))}, which the lock names: install it first")
    for each in bill["components"]:
        if not each.get("licenses"):
            each["licenses"] = [{"license": {"name": texts.get(each["name"]) or "see its licence files"}}]
    known = {each["bom-ref"] for each in bill["components"]} | {bill["metadata"]["component"]["bom-ref"]}
    bill["dependencies"] = [
        {**each, "dependsOn": [ref for ref in each.get("dependsOn", []) if ref in known]}
        for each in bill["dependencies"]
        if each["ref"] in known
    ]
    return bill


def name_licence(component: dict[str, Any]) -> str:
    """The licence of a component in one line: its SPDX expression or identifier where it has one."""
    given = component["licenses"]
    names = [each.get("expression") or each["license"].get("id") for each in given]
    plain = [each["license"]["name"].rpartition(":: ")[2] for each in given if "name" in each.get("license", {})]
    return " AND ".join(name for name in names if name) or "; ".join(plain)


def describe_component(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of shipped.toml, with the digest of each of its files."""
    is_model = "card" in entry
    described: dict[str, Any] = {
        "type": "machine-learning-model" if is_model else "library",
        "bom-ref": f"shipped:{entry['name']}@{entry['version']}",
        "name": entry["name"],
        "version": entry["version"],
        "copyright": entry["copyright"],
        "licenses": [{"license": {"id": entry["licence"]}}],
        "components": [
            {
                "type": "file",
                "bom-ref": f"file:{name}",
                "name": f"ascertain/{name}",
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256((PACKAGE / name).read_bytes()).hexdigest()}],
            }
            for name in entry["files"]
        ],
    }
    if is_model:
        described["externalReferences"] = [{"type": "model-card", "url": entry["card"]}]
    else:
        described["purl"] = entry["purl"]
    return described


def write_notice(shipped: list[dict[str, Any]], locked: dict[str, tuple[str, bool]], licences: dict[str, str]) -> str:
    """The text of NOTICE."""
    inside = [
        f"{each['name']} {each['version']}: {each['licence']}. {each['copyright']}\n"
        f"  {', '.join('ascertain/' + name for name in each['files'])}\n"
        f"  {'ascertain/' + each['text'] if 'text' in each else 'LICENSE; ' + each['card']}\n"
        for each in shipped
    ]
    beside = [
        f"{name} {versions}: {licences.get(name, 'on other systems or other versions of Python')}\n"
        for name, (versions, _) in sorted(locked.items())
    ]
    return HEAD + "".join(inside) + BESIDE + "".join(beside)


if __name__ == "__main__":
    main()
