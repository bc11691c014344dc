"""Articles in rows of fields: one document a row, with its text, date and author, whatever the fields are called.

A bad row (no text, over the limit) is reported to ``on_bad_row`` and skipped; a file without any good row is an error.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import cast

from ascertain.core.documents.blocks import Block, BlockKind, Span
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import SourceError
from ascertain.documents.formats.drafts.draft import Draft, clean_line, clean_text, list_paragraphs, short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.reader import Extracted, SourceFile
from ascertain.documents.formats.speech.segments import find_segments, read_segments
from ascertain.language.tables import join_cells

_HEADLINE = ("title", "headline")
_TITLE = (*_HEADLINE, "name", "subject")
_SUMMARY = ("summary", "description", "abstract", "excerpt", "subtitle", "snippet")
_CONTENT = ("content", "body", "text", "article", "full_text", "content_text", "passage")
_URL = ("url", "link", "canonical_url", "href", "permalink")
_AUTHOR = ("author", "authors", "byline", "creator")
_PUBLISHER = ("source", "publisher", "source_name", "site", "outlet")
_DATE = ("published_at", "publishedat", "published", "date", "pub_date", "pubdate", "published_date", "created_at")
_TAGS = ("tags", "keywords", "categories", "category", "topics", "topic")

NO_BLOCKS: Mapping[str, Sequence[Block]] = MappingProxyType({})


def read_article(
    fields: Mapping[str, object], row: str, blocks: Mapping[str, Sequence[Block]] = NO_BLOCKS
) -> Extracted:
    """The article in ``fields``. Raises ValueError, with the reason, when they hold no text.

    Its text is title, summary and content, what is repeated left out. ``blocks`` are those of clean texts among them, by the texts;
    others are paragraphs.
    """
    values = {_field_key(name): value for name, value in fields.items()}
    title = short_line(_first_value(values, _TITLE))
    summary = _clean_value(_first_value(values, _SUMMARY))
    content = _clean_value(_first_value(values, _CONTENT))
    if not (title or summary or content):
        raise ValueError("no title, summary or content in it")
    # News feeds give the first words of the content as the summary.
    if content.startswith(summary.rstrip(". …")):
        summary = ""
    texts = [text for text in (summary, content) if text]
    draft = Draft()
    if not (texts and texts[0].startswith(title or "")):
        draft.add(title or "", kind=BlockKind.HEADING)
    for text in texts:
        draft.include(text, blocks.get(text) or list_paragraphs(text))
    text, text_blocks = draft.finish()
    author = _join_names(_first_value(values, _AUTHOR)) or _join_names(_first_value(values, _PUBLISHER))
    url = short_line(_first_value(values, _URL), 2000)
    return Extracted(
        text,
        title=title,
        kind=DocumentKind.ARTICLE,
        author=author,
        published_at=parse_date(_first_value(values, _DATE)),
        url=url if url and url.startswith(("http://", "https://")) else None,
        tags=_read_tags(_first_value(values, _TAGS)),
        blocks=text_blocks,
        row=row,
    )


def _field_key(name: object) -> str:
    return str(name).strip().lower().replace(" ", "_").replace("-", "_")


def _first_value(values: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((values[name] for name in names if values.get(name) not in (None, "", [])), None)


def _clean_value(value: object) -> str:
    if isinstance(value, list):
        items = (_clean_value(each) or write_field(each) for each in cast("list[object]", value))
        return "\n\n".join(filter(None, items))
    return clean_text(value) if isinstance(value, str) else ""


def _join_names(value: object) -> str | None:
    if isinstance(value, dict):
        value = cast("dict[object, object]", value).get("name")
    if isinstance(value, list):
        names = [name for item in cast("list[object]", value)[:20] if (name := _join_names(item))]
        return ", ".join(names) or None
    return short_line(value)


def _read_tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.replace(";", ",").split(",")
    if not isinstance(value, list):
        return ()
    lines = (short_line(item, 60) for item in cast("list[object]", value)[:50])
    return tuple(dict.fromkeys(clean_line(line) for line in lines if line))


_WORD = re.compile(r"\w+")
EXPECTED = "expected fields title, summary, content, url, source, published_at"


def has_articles(header: Iterable[str]) -> bool:
    """Whether the rows are articles: texts, or titles with what an article has besides; stock lists have names too."""
    names = {_field_key(name) for name in header}
    if not names.isdisjoint(_CONTENT):
        return True
    return not names.isdisjoint(_HEADLINE) and (len(names) == 1 or not names.isdisjoint((*_SUMMARY, *_URL, *_DATE)))


_SHORTEST_TEXT = 60
"""Characters of a text without a title beside several other fields; what is shorter is a cell of a table (by judgement)."""


def is_article(fields: Mapping[str, object]) -> bool:
    """Whether a row is an article: it has the fields of one, and a title, few other fields, or a text that is more than a name."""
    named: dict[str, object] = {
        _field_key(name): value for name, value in fields.items() if value is None or isinstance(value, str | list)
    }
    if not has_articles(named):
        return False
    content = _first_value(named, _CONTENT)
    is_long = isinstance(content, list) or len(str(content or "")) >= _SHORTEST_TEXT
    return is_long or not named.keys().isdisjoint(_HEADLINE) or len(fields) <= 3


def _add_other_fields(article: Extracted, fields: Mapping[str, object]) -> Extracted:
    """``article``, read from ``fields``, with those of them that it does not hold yet as a last paragraph."""
    values = {_field_key(name): value for name, value in fields.items()}
    groups = (_TITLE, _URL, (*_AUTHOR, *_PUBLISHER), _TAGS)
    facts = " ".join(filter(None, (article.title, article.url, article.author, *article.tags)))
    held = {"name", *_WORD.findall(facts)}
    # what is no name or is longer than one may be stands with the other fields
    read = {next((name for name in group if values.get(name)), "") for group in groups}
    read = {name for name in read if held.issuperset(_WORD.findall(write_field(values.get(name))))}
    texts = (next((name for name in group if values.get(name)), "") for group in (_SUMMARY, _CONTENT))
    read |= {name for name in texts if isinstance(values.get(name), str | list)}
    if article.published_at:
        read.add(next(name for name in _DATE if values.get(name)))
    others = [
        f"{name}: {cell}"
        for name, value in fields.items()
        if _field_key(name) not in read and (cell := write_field(value))
    ]
    if not others:
        return article
    line = join_cells(others)
    text = f"{article.text}\n\n{line}"
    last = Block(BlockKind.PARAGRAPH, Span(len(text) - len(line), len(text)))
    return replace(article, text=text, blocks=(*article.blocks, last))


def write_field(value: object) -> str:
    """A value in one line, objects by their fields: ``name: Ada, city: Graz``."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        fields = cast("dict[object, object]", value).items()
        return ", ".join(f"{clean_line(str(name))}: {cell}" for name, each in fields if (cell := write_field(each)))
    if isinstance(value, list):
        items = cast("list[object]", value)
        between = "; " if any(isinstance(each, dict | list) for each in items) else ", "
        return between.join(cell for each in items if (cell := write_field(each)))
    if isinstance(value, float):
        return json.dumps(value)
    text = str(value)
    return (
        " / ".join(line for each in text.split("\n") if (line := clean_line(each)))
        if "\n" in text
        else clean_line(text)
    )


def read_articles(file: SourceFile, rows: Iterable[tuple[str, object]]) -> Iterator[Extracted]:
    """The articles of the good rows; bad ones are reported.

    Raises SourceError when no row is good.
    """
    good = 0
    first_reason: str | None = None
    for number, row in rows:
        try:
            extracted = _read_row(file, row, number)
        except (ValueError, SourceError) as error:
            first_reason = first_reason or f"row {number}: {error}"
            file.options.on_bad_row(f"{file.source}#{number}", str(error))
            continue
        good += 1
        yield extracted
    if not good:
        raise file.error(f"no row could be read ({first_reason or 'there are none'}); {EXPECTED}")


def _read_row(file: SourceFile, row: object, number: str) -> Extracted:
    if isinstance(row, ValueError):
        raise row
    if not isinstance(row, dict):
        raise ValueError("not an object with named fields")  # noqa: TRY004 - a bad row, not a bad call
    fields = cast("dict[str, object]", row)
    segments = find_segments(fields)
    if segments is not None:
        extracted = replace(read_segments(file, fields, segments), row=number)
    else:
        extracted = _add_other_fields(read_article(fields, number), fields)
    if len(extracted.text) > file.options.max_characters:
        raise ValueError(f"longer than {file.options.max_characters:,} characters")
    return extracted
