"""Jupyter notebooks: a cell at a time, code and what it printed apart; pictures and other data in outputs are left out.

nbformat 4 and 3 (https://nbformat.readthedocs.io/en/latest/format_description.html) are JSON of a few fields, which is read as it stands.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.dom.markup import markup_text
from ascertain.documents.formats.drafts.draft import Draft, clean_line, clean_text, list_paragraphs, short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.markdown.blocks import render_markdown
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of

OUTPUT = "Output:"
_HEADING = re.compile(r"^(#{1,6})[ \t]+(\S.*?)[ \t]{0,40}#{0,40}[ \t]{0,40}$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_TERMINAL_COLOUR = re.compile("\x1b\\[[0-9;]*[A-Za-z]")
_ENCODED = re.compile(r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/]{200,}={0,2}")
"""Data in letters: no text has so long a word of this alphabet."""
_LONGEST_OUTPUT = 20_000
"""Characters of one output; logs of a training say no more in more of them (by judgement)."""

JsonObject = Mapping[str, object]


def read_notebook(file: SourceFile) -> Iterator[Extracted]:
    """The cells of a notebook. Raises SourceError for JSON that is none."""
    try:
        value: object = json.loads(text_of(file))
    except json.JSONDecodeError as error:
        raise file.error("not valid JSON, so no notebook; it may be cut off, get it again", error.lineno) from error
    notebook = _as_object(value)
    cells = _list_cells(notebook)
    if cells is None:
        raise file.error("no cells in it, so no Jupyter notebook; save it again from Jupyter")
    draft = Draft()
    metadata = _as_object(notebook.get("metadata"))
    language = short_line(_as_object(metadata.get("language_info")).get("name")) or short_line(
        _as_object(metadata.get("kernelspec")).get("language")
    )
    title: str | None = None
    for number, cell in enumerate(cells, 1):
        draft.part = f"cell {number}"
        if cell.get("cell_type") == "code":
            _add_code(cell, draft, language)
        else:
            found = _add_prose(cell, draft)
            title = title or found
    text, blocks = draft.finish()
    authors = [short_line(_as_object(each).get("name")) for each in _as_list(metadata.get("authors"))[:20]]
    yield Extracted(
        text,
        title=short_line(metadata.get("title")) or title,
        author=", ".join(filter(None, authors)) or None,
        published_at=parse_date(metadata.get("date")),
        blocks=blocks,
    )


def _list_cells(notebook: JsonObject) -> list[JsonObject] | None:
    """The cells; those of version 3 lie in worksheets. None where there are none of either."""
    if isinstance(notebook.get("cells"), list):
        return [_as_object(each) for each in _as_list(notebook["cells"])]
    sheets = [_as_list(_as_object(each).get("cells")) for each in _as_list(notebook.get("worksheets"))]
    return [_as_object(each) for cells in sheets for each in cells] if sheets else None


def _as_object(value: object) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _as_list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _join_lines(value: object) -> str:
    """A text that may be written as a list of its lines."""
    if isinstance(value, list):
        return "".join(each for each in cast("list[object]", value) if isinstance(each, str))
    return value if isinstance(value, str) else ""


def _add_prose(cell: JsonObject, draft: Draft) -> str | None:
    """Add a cell of Markdown; its first heading of the first level, if it has one."""
    source = _ENCODED.sub("", _join_lines(cell.get("source")))
    if cell.get("cell_type") == "heading":
        level = cell.get("level")
        draft.heading(source, level if isinstance(level, int) and 0 < level < 7 else 1)
        return short_line(source) if level == 1 else None
    if cell.get("cell_type") == "raw":
        draft.add(source)
        return None
    code = [match.span() for match in _FENCE.finditer(source)]
    headings = [each for each in _HEADING.finditer(source) if not any(a <= each.start() < b for a, b in code)]
    ends = [*(each.start() for each in headings), len(source)]
    _include(source[: ends[0]], draft)
    title: str | None = None
    for heading, end in zip(headings, ends[1:], strict=True):
        name = clean_line(render_markdown(heading[2]).text)
        draft.heading(name, len(heading[1]))
        _include(source[heading.end() : end], draft)
        if len(heading[1]) == 1 and title is None:
            title = short_line(name)
    return title


def _include(source: str, draft: Draft) -> None:
    rendered = render_markdown(source.replace("\r\n", "\n"))
    draft.include(rendered.text, rendered.blocks or list_paragraphs(rendered.text))


def _add_code(cell: JsonObject, draft: Draft, language: str | None) -> None:
    # a cell of version 3 calls its source input
    draft.add(_join_lines(cell.get("source") or cell.get("input")), kind=BlockKind.CODE, label=language)
    printed = [text for each in _as_list(cell.get("outputs")) if (text := _output_text(_as_object(each)))]
    if printed:
        draft.add(OUTPUT)
    for text in printed:
        draft.add(text, "\n", kind=BlockKind.CODE)


def _output_text(output: JsonObject) -> str:
    """What an output shows in words: printed text, the text of a value, the last line of an error."""
    if output.get("output_type") in ("error", "pyerr"):
        return clean_line(f"{_join_lines(output.get('ename'))}: {_join_lines(output.get('evalue'))}")
    data = _as_object(output.get("data")) or output
    found = next((text for name in _TEXTS if (text := _join_lines(data.get(name)))), "")
    if not found and (markup := _join_lines(data.get("text/html"))):
        found = markup_text(markup)
    found = _ENCODED.sub("", _TERMINAL_COLOUR.sub("", found))
    return "" if _is_placeholder(found.strip()) else clean_text(found[:_LONGEST_OUTPUT])


_TEXTS: Sequence[str] = ("text", "text/markdown", "text/plain")


def _is_placeholder(text: str) -> bool:
    """Whether a text only names a picture or an object: ``<Figure size 640x480 with 1 Axes>``."""
    return text.startswith("<") and text.endswith(">") and "\n" not in text
