"""Gathers real files of known type, for ``fit_document_types.py`` and ``document_types.py``: those of ``document_type_files.toml``.

    python -m bench.reading.gather_document_types FOLDER [--packages FOLDER]

They lie on this machine (a Debian 12 with what builds the project) and in the evaluation data; what is not there is counted and left out.
``--packages`` names a folder with the unpacked packages debian-handbook, git-doc, gnu-standards, miscfiles, r-cran-lme4, r-cran-tm,
r-cran-vcd, r-cran-zoo (``dpkg -x NAME.deb FOLDER/NAME``) and gensim (the wheel). Writes FOLDER/train/TYPE/COLLECTION/N/FILE and
FOLDER/test/PART/TYPES/COLLECTION/N/FILE, TYPES joined by ``+``.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import html
import json
import os
import random
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from typing import Any

from bench.setting import data_folder, show_remark

FILES = Path(__file__).with_name("document_type_files.toml")
FEWEST_BYTES, MOST_BYTES = 300, 3_000_000
WINDOW, APART = 12_000, 40_000
"""Characters that are taken of the long texts of ``chunking_eval``, and from one beginning to the next."""

Texts = Mapping[str, Callable[[], bytes]]
"""What a file is called, and how its content is read."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packages", type=Path, default=Path(), metavar="FOLDER")
    chosen = parser.parse_args()
    told = tomllib.loads(FILES.read_text("utf-8"))
    gatherer = Gatherer(chosen.packages, re.compile("|".join(told["not_drawn"])))
    for part, files in told["test"].items():
        found = 0
        for place, *types in files:
            kept = gatherer.read([place])
            found += len(kept)
            write_files(chosen.folder / "test" / part / "+".join(types) / name_collection(place), kept)
        show_remark(f"{part}: {found} of {len(files)}")
    for kind, collections in told["train"].items():
        for name, (most, *patterns) in collections.items():
            drawn = gatherer.draw(patterns, most, random.Random(name))
            write_files(chosen.folder / "train" / kind / name, drawn)
            if len(drawn) < most:
                show_remark(f"{kind} {name}: {len(drawn)} of {most}")


class Gatherer:
    """Reads each content once; ``packages`` is the folder of the unpacked ones, a name that matches ``apart`` is not drawn."""

    def __init__(self, packages: Path, apart: re.Pattern[str]) -> None:
        self._packages, self._apart = packages, apart
        self._seen: set[bytes] = set()

    def read(self, patterns: Sequence[str]) -> list[tuple[str, bytes]]:
        """Name and content of every file that one of ``patterns`` names."""
        return [
            (name, data)
            for pattern in patterns
            for file, read in sorted(expand(pattern, self._packages).items())
            for name, data in [unpack(pattern, file, read())]
            if self._is_new(data)
        ]

    def draw(self, patterns: Sequence[str], most: int, chance: random.Random) -> list[tuple[str, bytes]]:
        """The same of at most ``most`` files of ordinary size, drawn by ``chance``."""
        files = [
            (pattern, file, read)
            for pattern in patterns
            for file, read in sorted(expand(pattern, self._packages).items())
            if not self._apart.search(file)
        ]
        chance.shuffle(files)
        drawn: list[tuple[str, bytes]] = []
        for pattern, file, read in files:
            if len(drawn) == most:
                break
            name, data = unpack(pattern, file, read())
            if FEWEST_BYTES <= len(data) <= MOST_BYTES and self._is_new(data):
                drawn.append((name, data))
        return drawn

    def _is_new(self, data: bytes) -> bool:
        digest = hashlib.sha256(data).digest()
        is_new = digest not in self._seen
        self._seen.add(digest)
        return is_new


def unpack(pattern: str, file: str, data: bytes) -> tuple[str, bytes]:
    """What a file is written as: uncompressed, a text of a set with an ending."""
    name = Path(file).name
    if name.endswith(".gz"):
        return name.removesuffix(".gz"), gzip.decompress(data)
    return (f"{name}.txt" if is_set(pattern) and not name.endswith(".eml") else name), data


def is_set(pattern: str) -> bool:
    """Whether ``pattern`` names texts of a set and no files."""
    return ":" in pattern and not pattern.startswith("shared:")


def expand(pattern: str, packages: Path) -> Texts:
    """The files that ``pattern`` matches: of a set (``summedits:doc2?``), or of a folder."""
    group, divider, rest = pattern.partition(":")
    if is_set(pattern):
        return {name: read for name, read in read_set(group, rest, packages).items() if fnmatchcase(name, rest)}
    place = data_folder() / rest if divider else packages / Path(pattern).expanduser()
    place = place.absolute()
    paths = list(Path(place.anchor).glob(str(place.relative_to(place.anchor))))
    return {str(path): path.read_bytes for path in paths if path.is_file()}


def read_set(group: str, rest: str, packages: Path) -> Texts:
    """Every text of a set, called as it is in a pattern after the colon."""
    name = rest.partition("/")[0]
    texts: Mapping[str, str]
    match group:
        case "man":
            return {page: partial(format_page, page) for page in list_pages()}
        case "evidence":
            found = sorted({row.get("passage") or row.get("evidence") or "" for row in read_rows(f"evidence/{name}")})
            texts = {f"{name}/{number}": text for number, text in enumerate(found)}
        case "policyqa":
            texts = join_texts((row["group"], row["passage"]) for row in read_rows("evidence/policyqa"))
        case "summedits":
            texts = {row["_id"]: row["text"] for row in read_rows("summedits/docs")}
        case "long":
            text = {row["_id"]: row["text"] for row in read_rows("chunking_eval/corpus")}[name]
            texts = {f"{name}/{at}": text[at : at + WINDOW] for at in range(0, len(text), APART)}
        case "titles":
            rows = [(name_article(name, row["title"]), row) for row in read_rows(f"{name}/corpus")]
            texts = join_texts((key, row[part]) for key, row in rows for part in ("title", "text"))
        case "news":
            rows = read_rows("asked/dev/corpora/news/articles")
            texts = {
                str(number): f"{row['title']}\n\n{row['summary']}\n{row['content']}" for number, row in enumerate(rows)
            }
        case "reuters":
            texts = read_reuters(packages / "r-cran-tm/usr/lib/R/site-library/tm/texts")
        case "lee":
            path = packages / "gensim/gensim/test/test_data/lee_background.cor"
            lines = path.read_text("utf-8", "replace").split("\n") if path.is_file() else []
            texts = {str(number): line for number, line in enumerate(lines)}
        case "mail":
            folder = Path("~/.pyenv/versions/3.11.7/lib/python3.11/test/test_email/data").expanduser()
            return {path.stem.removeprefix("msg_") + ".eml": path.read_bytes for path in folder.glob("msg_*.txt")}
        case _:
            raise SystemExit(f"{group}: no such set")
    return {key: text.encode for key, text in texts.items()}


@cache
def read_rows(name: str) -> list[dict[str, Any]]:
    """The records of a file of the evaluation data."""
    path = data_folder() / f"{name}.jsonl"
    packed = path.with_name(f"{path.name}.gz")
    text = path.read_text("utf-8") if path.is_file() else gzip.decompress(packed.read_bytes()).decode()
    return [json.loads(line) for line in text.split("\n") if line]


def join_texts(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The different texts of each name, one below the other."""
    texts: dict[str, dict[str, None]] = {}
    for name, text in pairs:
        texts.setdefault(name, {})[text] = None
    return {name: "\n\n".join(parts) for name, parts in texts.items()}


def name_article(corpus: str, title: str) -> str:
    """What an article is called, of letters and digits only."""
    return f"{corpus}/{re.sub(r'[^a-zA-Z0-9]+', '_', title)}"


def read_reuters(folder: Path) -> dict[str, str]:
    """Title and body of each telegram."""
    texts: dict[str, str] = {}
    for path in folder.glob("*/*.xml"):
        told = path.read_text("utf-8", "replace")
        parts = [re.search(f"<{tag}>(.*?)</{tag}>", told, re.DOTALL) for tag in ("TITLE", "BODY")]
        texts[str(path.relative_to(folder))] = html.unescape("\n\n".join(part[1] for part in parts if part))
    return texts


def list_pages() -> list[str]:
    """The manual pages that are no bare references to others, without those of git and the cloud, of which there are hundreds."""
    paths = Path("/usr/share/man").glob("man[1-8]/*.gz")
    return [path.stem for path in paths if path.stat().st_size > 900 and not re.match(r"gcloud|git", path.name)]


def format_page(page: str) -> bytes:
    """A manual page as ``man`` shows it."""
    name, _, section = page.rpartition(".")
    shown = subprocess.run(
        ["man", section, name], capture_output=True, check=False, env={**os.environ, "MANWIDTH": "80"}
    )
    return subprocess.run(["col", "-b"], input=shown.stdout, capture_output=True, check=False).stdout


def name_collection(place: str) -> str:
    """What the files of one origin are counted under: the folder, or the set."""
    group, divider, rest = place.partition(":")
    return Path(rest).parent.name if group == "shared" else group if divider else Path(place).parent.name


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Each in a folder of its own, since they may be called alike."""
    start = len(list(folder.glob("*"))) if folder.is_dir() else 0
    for number, (name, data) in enumerate(files, start):
        own = folder / str(number)
        own.mkdir(parents=True, exist_ok=True)
        (own / name).write_bytes(data)


if __name__ == "__main__":
    main()
