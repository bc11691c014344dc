"""HTML pages: the article without navigation and advertisements, headings as sections.

trafilatura finds the main content and the metadata; its tree is walked here instead of taking its flat text, so
that sections keep exact spans.
"""

import logging
from collections.abc import Iterator
from typing import Any, cast

from ascertain.core.documents import DocumentKind
from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, clean_text, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile, text_of

_BLOCKS = frozenset({"p", "quote", "code", "list", "table", "head", "div"})


def read_html(file: SourceFile) -> Iterator[Extracted]:
    """The main content of the page. Raises SourceError when there is none."""
    page = _extract_main(text_of(file))
    if page is None:
        raise file.error("no main text found in the page; save the article itself as text or Markdown")
    draft = Draft()
    _walk_blocks(page.body, draft)
    text, blocks = draft.finish()
    published_at = parse_date(page.date)
    is_article = published_at is not None and file.options.profile == "news"
    yield Extracted(
        text,
        title=short_line(page.title),
        kind=DocumentKind.ARTICLE if is_article else DocumentKind.PROSE,
        author=short_line(page.author),
        published_at=published_at,
        url=_web_address(page.url),
        tags=tuple(tag for name in (page.tags or ())[:20] if (tag := short_line(name, 60))),
        blocks=blocks,
    )


def _extract_main(markup: str) -> Any:
    """The document of trafilatura with ``body`` (its own small XML) and metadata, or None."""
    # Takes a third of a second to import, so it waits for the first page.
    import trafilatura  # noqa: PLC0415

    # It logs an error for each page it cannot use; the caller raises one, which is enough.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)

    for favour_recall in (False, True):
        page = cast("Any", trafilatura.bare_extraction)(
            markup,
            favor_recall=favour_recall,
            include_comments=False,
            include_tables=True,
            with_metadata=True,
            # Dates guessed from any number in the text are worse than none.
            date_extraction_params={"original_date": True, "extensive_search": False},
        )
        if page is not None and page.body is not None and clean_text("".join(page.body.itertext())):
            return page
    return None


def _read_items(element: Any) -> list[str]:
    """A line for each item of a list, and for each term of a definition list with what is said of it."""
    lines: list[str] = []
    is_term = False
    for item in element.iter("item"):
        line = clean_line("".join(item.itertext()))
        if not line:
            continue
        kind = str(item.get("rend") or "")
        if kind.startswith("dd") and lines:
            lines[-1] += f": {line}" if is_term else f" {line}"
        else:
            lines.append(line if kind.startswith("dt") else f"- {line}")
        is_term = kind.startswith("dt")
    return lines


def _walk_blocks(parent: Any, draft: Draft) -> None:
    """Add the blocks under ``parent`` in order; text straight inside it forms paragraphs of its own."""
    loose: list[str] = [parent.text or ""]
    for element in parent:
        tag = element.tag if isinstance(element.tag, str) else ""
        if tag in _BLOCKS and not _is_inline(element, parent):
            draft.add(clean_line("".join(loose)))
            loose = []
            _add_block(element, tag, draft)
        elif tag == "lb":
            loose.append(" ")
        else:
            loose.append("".join(element.itertext()) if tag else "")
        loose.append(element.tail or "")
    draft.add(clean_line("".join(loose)))


def _add_block(element: Any, tag: str, draft: Draft) -> None:
    if tag == "head":
        rank = str(element.get("rend") or "h2")[-1]
        # Many generators put a link to the heading itself behind it.
        name = "".join(element.itertext()).rstrip(" \n#¶§")
        draft.heading(name, int(rank) if rank.isdigit() else 2)
    elif tag == "code":
        draft.add("".join(element.itertext()))
    elif tag == "list":
        for number, line in enumerate(_read_items(element)):
            draft.add(line, "\n" if number else "\n\n")
    elif tag == "table":
        for number, row in enumerate(element.iter("row")):
            cells = [clean_line("".join(cell.itertext())) for cell in row.iter("cell")]
            draft.add(join_cells(cells), "\n" if number else "\n\n")
    elif any(child.tag in _BLOCKS and not _is_inline(child, element) for child in element):
        _walk_blocks(element, draft)
    else:
        draft.add(clean_line("".join(element.itertext())))


def _is_inline(element: Any, parent: Any) -> bool:
    """A word of code inside a sentence bears the same tag as a listing."""
    return element.tag == "code" and parent.tag == "p" and "\n" not in "".join(element.itertext()).strip()


def _web_address(value: object) -> str | None:
    address = short_line(value, 2000)
    return address if address and address.startswith(("http://", "https://")) else None
