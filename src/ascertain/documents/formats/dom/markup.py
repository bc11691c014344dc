"""HTML into a tree by lxml, in time that grows with its length whatever is in it, and its words out of it by one walk for all formats."""

import importlib
import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, cast

from ascertain.core.documents.blocks import Block
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.dom.phrases import decode_data_address
from ascertain.documents.formats.dom.walking import Walk
from ascertain.documents.formats.drafts.draft import Draft, clean_text, list_paragraphs

_TOO_DEEP = "Excessive depth"
"""How libxml2 says that it has stopped reading: below 2,048 elements in each other everything behind them would be lost."""
_FLAT_TAG = re.compile(r"</?(?!(?:script|style|title|textarea)\b)[A-Za-z][^<>]*>", re.IGNORECASE)


FLATTENED = "its HTML has too many elements in each other and was read as paragraphs"
"""The note on a page that ``parse_markup`` flattened."""


def markup_tree(markup: str) -> Any:
    """As ``parse_markup``, the tree alone."""
    return parse_markup(markup)[0]


def parse_markup(markup: str) -> tuple[Any, bool]:
    """The root element of lxml, or None where there is nothing, and whether it was flattened. Nothing is fetched, and nothing fails.

    Comments are left out. A page of more elements in each other than can be read becomes one of paragraphs.
    """
    tree, is_cut = _parse(markup)
    return (_parse(_FLAT_TAG.sub("<hr>", markup))[0] if is_cut else tree), is_cut


def _parse(markup: str) -> tuple[Any, bool]:
    """The tree, and whether it ends where elements lie too deep in each other."""
    # It comes with trafilatura and has no types; a twentieth of a second to import, so it waits for the first page.
    library = cast("Any", importlib.import_module("lxml.etree"))
    parser = library.HTMLParser(
        recover=True, remove_comments=True, remove_pis=True, no_network=True, encoding="utf-8", huge_tree=True
    )
    try:
        tree = library.fromstring(markup.encode("utf-8", "replace"), parser)
    except (library.ParserError, library.XMLSyntaxError):
        tree = None
    return tree, any(_TOO_DEEP in entry.message for entry in parser.error_log)


def markup_text(markup: str) -> str:
    """The text of a piece of HTML, as ``read_markup`` has it."""
    return read_markup(markup).text


class Passage(NamedTuple):
    """The text of a piece of HTML with its blocks, and what the piece holds besides."""

    text: str
    blocks: tuple[Block, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


NOTHING = Passage("")


def read_markup(markup: str) -> Passage:
    """A piece of HTML, as ``add_blocks`` writes it; markup that is none is text as it stands, in paragraphs."""
    if "<" not in markup and "&" not in markup:
        text = clean_text(markup)
        return Passage(text, list_paragraphs(text))
    tree = markup_tree(f"<div>{markup}</div>")
    if tree is None:
        return NOTHING
    draft = Draft()
    left_out = add_blocks(tree, draft)
    return Passage(*draft.finish(), left_out)


def add_blocks(
    root: Any,
    draft: Draft,
    *,
    furniture: Collection[Any] = (),
    known_heading: str = "",
    load_picture: Callable[[str], bytes] = decode_data_address,
) -> tuple[LeftOut, ...]:
    """Add all that ``root`` shows, in its order; what it holds beside that comes back.

    ``furniture`` are elements that stand around the text. A heading of the words ``known_heading`` begins no section. ``load_picture``
    gives the bytes behind the address of a picture, and raises where it has none.
    """
    walk = Walk(draft, furniture, known_heading, load_picture)
    walk.read(root)
    return walk.left_out()
