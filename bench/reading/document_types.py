"""Do files of many kinds get their type?

The short ones of ``document_types.toml``, written for this (a licence, a changelog, a survey among employees, minutes, recipes), are read as
files of their names, as ``ascertain add`` reads them; the model is fitted on all parts but d. With ``--files`` also real ones, never fitted on:
the folder ``test`` that ``gather_document_types.py`` writes. Writes ``results/document_types.json``.

    python -m bench.reading.document_types [--files FOLDER] [--show]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascertain.documents.ingest.profiling.profile import profile_document
from ascertain.documents.sources.files import read_path
from bench.setting import circumstances, save

TEXTS = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True, slots=True)
class File:
    """One that is read; each of ``types`` would be right. What its ``part`` is for is in the file that lists it."""

    path: Path
    part: str
    types: Sequence[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=Path, metavar="FOLDER", help="real files, PART/TYPES/COLLECTION/N/FILE")
    parser.add_argument("--show", action="store_true", help="print the files that got another type")
    chosen = parser.parse_args()
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    wrong: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for file in [*write_texts(Path(scratch)), *(list_files(chosen.files) if chosen.files else [])]:
            found = find_type(file.path)
            total[file.part] += 1
            right[file.part] += found in file.types
            if found not in file.types:
                wrong.append({"file": file.path.name, "type": "+".join(file.types), "found": found, "part": file.part})
    results: dict[str, object] = {
        "about": "files whose type is found; the model is fitted on all parts but d, dev and kept_back",
        **circumstances(),
        "parts": {part: {"files": total[part], "right": right[part]} for part in sorted(total)},
        "wrong": wrong,
    }
    shown = ("parts", *(["wrong"] if chosen.show else []))
    print(json.dumps({key: results[key] for key in shown}, indent=1))
    save("document_types", results)


def write_texts(folder: Path) -> Iterator[File]:
    """The short texts as files."""
    for number, text in enumerate(tomllib.loads(TEXTS.read_text("utf-8"))["file"]):
        path = folder / str(number) / text["name"]
        path.parent.mkdir()
        path.write_text(text["text"], "utf-8")
        yield File(path, text["part"], (text["type"],))


def list_files(folder: Path) -> Iterator[File]:
    """The real ones."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        part, types = path.relative_to(folder).parts[:2]
        yield File(path, part, types.split("+"))


def find_type(path: Path) -> str:
    """The type of most documents in a file."""
    return Counter(profile_document(document).type.value for document in read_path(path)).most_common(1)[0][0]


if __name__ == "__main__":
    main()
