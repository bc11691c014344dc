"""RTF: its text by striprtf, cells as rows, what the file says of itself from its info group."""

import importlib
import re
from collections.abc import Iterator
from typing import Any, cast

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import clean_line, clean_text, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile
from ascertain.sources.formats.text import read_prose

_FACT = re.compile(r"\{\\(title|author)\s([^{}]{1,1000})\}")
_DATE = re.compile(r"\{\\(?:revtim|creatim)\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")
_PICTURE = re.compile(r"(?:[0-9a-fA-F]{64}[\s]*){4,}")
"""Pictures in hexadecimal digits, which would only take time."""


def read_rtf(file: SourceFile) -> Iterator[Extracted]:
    """The text of an RTF file."""
    data = file.data()
    if not data.lstrip().startswith(b"{\\rtf"):
        raise file.error("not an RTF file; give it the suffix of what it is")
    source = _PICTURE.sub("", data.decode("latin-1"))
    text = _plain_text(source)
    lines = (
        join_cells([clean_line(cell) for cell in line.rstrip("|").split("|")]) if "|" in line else line
        for line in text.split("\n")
    )
    facts = dict(_FACT.findall(source))
    date = _DATE.search(source)
    prose = read_prose(clean_text("\n".join(lines)))
    yield Extracted(
        prose.text,
        title=short_line(_plain_text(facts.get("title", ""))),
        author=short_line(_plain_text(facts.get("author", ""))),
        published_at=parse_date("-".join((date[1], date[2].zfill(2), date[3].zfill(2)))) if date else None,
        blocks=prose.blocks,
    )


def _plain_text(source: str) -> str:
    if not source:
        return ""
    library = cast("Any", importlib.import_module("striprtf.striprtf"))
    return str(library.rtf_to_text(source, errors="ignore"))
