"""Do short files of many kinds get their type?

Those of ``document_types.toml``, written for this: a licence, a changelog, a survey among employees, minutes, recipes. Each is read as a file of
its name, as ``ascertain add`` reads it. Writes ``results/document_types.json``.

    python bench/document_types.py [--show]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

from ascertain.core.profiling import DocumentProfile
from ascertain.ingest.profiling.profile import profile_document
from ascertain.sources.files import read_path
from setting import circumstances, save

FILES = Path(__file__).with_suffix(".toml")


def profile_text(name: str, text: str, folder: Path) -> DocumentProfile:
    """The profile of a file of this name and text."""
    path = folder / name
    path.write_text(text, "utf-8")
    (document,) = read_path(path)
    return profile_document(document)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print the files that got another type")
    chosen = parser.parse_args()
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    wrong: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for file in tomllib.loads(FILES.read_text("utf-8"))["file"]:
            found = profile_text(file["name"], file["text"], Path(scratch))
            total[file["part"]] += 1
            right[file["part"]] += found.type == file["type"]
            if found.type != file["type"]:
                wrong.append({"file": file["name"], "type": file["type"], "found": found.type, "part": file["part"]})
    results: dict[str, object] = {
        "about": "short files of many kinds whose type is found; the rules were adjusted on a to c, d was only measured",
        **circumstances(),
        "files": total.total(),
        "right": right.total(),
        "right_percent": round(100 * right.total() / total.total(), 1),
        "halves": {part: {"files": total[part], "right": right[part]} for part in sorted(total)},
        "wrong": wrong,
    }
    shown = ("files", "right", "right_percent", "halves", *(["wrong"] if chosen.show else []))
    print(json.dumps({key: results[key] for key in shown}, indent=1))
    save("document_types", results)


if __name__ == "__main__":
    main()
