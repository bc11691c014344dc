"""HTML pages: every word that is shown, in its order, headings as sections, what stands around the text as furniture.

Of news from the web the article is taken where trafilatura finds all of it.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from ascertain.core.documents.blocks import Block, BlockKind
from ascertain.core.documents.documents import DocumentKind, LeftOut
from ascertain.documents.formats.dom.facts import PageFacts, read_facts
from ascertain.documents.formats.dom.furniture import find_furniture
from ascertain.documents.formats.dom.markup import FLATTENED, add_blocks, parse_markup
from ascertain.documents.formats.dom.phrases import decode_data_address
from ascertain.documents.formats.drafts.draft import Draft
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.drafts.pictures import choose_pictures
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of

_LARGEST_LOSS = 0.15
"""The share of the words in a page's paragraphs that an extracted article may lack; teasers of other articles are fewer (by judgement:
a set of news pages with their articles marked would settle it)."""
_SHORTEST_PARAGRAPH = 12
"""Words from which a paragraph is counted for that: captions, names and dates are shorter."""


def read_html(file: SourceFile) -> Iterator[Extracted]:
    """What the page shows. Raises SourceError when it shows no text."""
    markup = text_of(file)
    tree, is_flattened = parse_markup(markup)
    draft = Draft()
    text, blocks, left_out = _read_page(tree, draft, partial(_load_picture, file.path.parent))
    if not text:
        raise file.error("no text found in the page; save the article itself as text or Markdown")
    facts = read_facts(tree)
    is_news = file.options.profile == "news"
    if is_news and (article := _read_article(markup, text, blocks)) is not None:
        text, blocks, facts = article[0], article[1], facts.or_else(article[2])
        draft.pictures.clear()  # they have their places in the page, not in the article
    yield Extracted(
        text,
        title=facts.title,
        kind=DocumentKind.ARTICLE if is_news and facts.published_at is not None else DocumentKind.PROSE,
        author=facts.author,
        published_at=facts.published_at,
        url=facts.url,
        tags=facts.tags,
        blocks=blocks,
        left_out=left_out,
        notes=(FLATTENED,) if is_flattened else (),
        pictures=choose_pictures(file, draft.pictures),
    )


def _read_page(
    tree: Any, draft: Draft, load_picture: Callable[[str], bytes]
) -> tuple[str, tuple[Block, ...], tuple[LeftOut, ...]]:
    """All that a page shows; what would be furniture alone is its text."""
    if tree is None:
        return "", (), ()
    left_out = add_blocks(tree, draft, furniture=find_furniture(tree), load_picture=load_picture)
    return *draft.finish(), left_out


def _load_picture(folder: Path, address: str) -> bytes:
    """A picture in the page itself, or in a file beside it or below: a page has no business with others. Raises ValueError and OSError."""
    if address.lower().startswith("data:"):
        return decode_data_address(address)
    place = (folder / unquote(urlsplit(address).path)).resolve()
    if urlsplit(address).scheme or not place.is_relative_to(folder.resolve()) or not place.is_file():
        raise ValueError("not beside the page")
    return place.read_bytes()


def _read_article(markup: str, page: str, blocks: tuple[Block, ...]) -> tuple[str, tuple[Block, ...], PageFacts] | None:
    """The article that trafilatura finds in a page; None where it lacks more of the page's paragraphs than it should."""
    found = _extract_article(markup)
    if found is None:
        return None
    draft = Draft()
    add_blocks(_as_html(found.body), draft)
    text, article_blocks = draft.finish()
    shown = Counter(word for block in blocks for word in _paragraph_words(block, page))
    missing = sum((shown - Counter(text.split())).values())
    if not text or missing > _LARGEST_LOSS * sum(shown.values()):
        return None
    return text, article_blocks, PageFacts(author=found.author, published_at=parse_date(found.date))


def _paragraph_words(block: Block, text: str) -> list[str]:
    if block.kind is not BlockKind.PARAGRAPH:
        return []
    words = block.span.of(text).split()
    return words if len(words) >= _SHORTEST_PARAGRAPH else []


def _extract_article(markup: str) -> Any:
    """The document of trafilatura with ``body`` (its own small XML) and metadata, or None."""
    # Takes a third of a second to import, so it waits for the first page.
    import trafilatura  # noqa: PLC0415

    # It logs an error for each page it cannot use.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    page = cast("Any", trafilatura.bare_extraction)(
        markup,
        favor_recall=True,
        include_comments=False,
        include_tables=True,
        with_metadata=True,
        # Dates guessed from any number in the text are worse than none.
        date_extraction_params={"original_date": True, "extensive_search": False},
    )
    return None if page is None or page.body is None else page


_TAGS = {
    "quote": "blockquote",
    "list": "ul",
    "item": "li",
    "row": "tr",
    "cell": "td",
    "lb": "br",
    "del": "del",
    "hi": "b",
}


def _as_html(body: Any) -> Any:
    """The tree of trafilatura under the names of HTML."""
    for element in body.iter():
        if not isinstance(element.tag, str):
            continue
        kind = str(element.get("rend") or element.get("role") or "")
        if element.tag == "head":
            # of a table or of a text
            element.tag = "th" if kind not in ("h1", "h2", "h3", "h4", "h5", "h6") else kind
        elif element.tag == "item" and kind[:2] in ("dt", "dd"):
            element.tag = kind[:2]
            element.getparent().tag = "dl"
        elif element.tag == "cell" and kind == "head":
            element.tag = "th"
        elif element.tag == "code" and "\n" in "".join(element.itertext()).strip():
            element.tag = "pre"
        else:
            element.tag = _TAGS.get(element.tag, element.tag)
    return body
