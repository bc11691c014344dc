"""HTML into a tree by lxml, in time that grows with its length whatever is in it; Python's own parser takes its square for some damage."""

from __future__ import annotations

import importlib
from typing import Any, cast


def markup_tree(markup: str) -> Any:
    """The root element of lxml, or None where there is nothing; comments are left out. Nothing is fetched, and nothing fails."""
    # It comes with trafilatura and has no types; a twentieth of a second to import, so it waits for the first page.
    library = cast("Any", importlib.import_module("lxml.etree"))
    parser = library.HTMLParser(
        recover=True, remove_comments=True, remove_pis=True, no_network=True, encoding="utf-8"
    )
    try:
        return library.fromstring(markup.encode("utf-8", "replace"), parser)
    except library.ParserError:
        return None
