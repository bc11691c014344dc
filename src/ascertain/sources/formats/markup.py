"""HTML into a tree by lxml, in time that grows with its length whatever is in it; Python's own parser takes its square for some damage."""

import importlib
from typing import Any, cast

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, clean_text


def markup_tree(markup: str) -> Any:
    """The root element of lxml, or None where there is nothing; comments are left out. Nothing is fetched, and nothing fails."""
    # It comes with trafilatura and has no types; a twentieth of a second to import, so it waits for the first page.
    library = cast("Any", importlib.import_module("lxml.etree"))
    parser = library.HTMLParser(recover=True, remove_comments=True, remove_pis=True, no_network=True, encoding="utf-8")
    try:
        return library.fromstring(markup.encode("utf-8", "replace"), parser)
    except library.ParserError:
        return None


_BLOCKS = frozenset(
    "address article aside blockquote div dd dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main ol p pre "
    "section table tr ul".split()
)
_DROPPED = frozenset("script style noscript template iframe svg".split())
_APART = frozenset("br td th".split())


def markup_text(markup: str) -> str:
    """Paragraphs with an empty line between them, items of lists behind ``-``; markup that is none is text as it stands."""
    if "<" not in markup and "&" not in markup:
        return clean_text(markup)
    tree = markup_tree(f"<div>{markup}</div>")
    return "" if tree is None else _Text().of(tree)


class _Text:
    """Puts a tree's text together; each element is met once when it begins and once when it ends, however deep it is."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._line: list[str] = []
        self._prefix = ""

    def of(self, tree: Any) -> str:
        """The text of the whole tree."""
        waiting: list[tuple[Any, bool]] = [(tree, False)]
        while waiting:
            element, is_over = waiting.pop()
            if is_over:
                self._end_tag(str(element.tag))
                self._line.append(element.tail or "")
            elif element.tag in _DROPPED:
                self._line.append(element.tail or "")
            else:
                self._begin_tag(str(element.tag))
                self._line.append(element.text or "")
                waiting.append((element, True))
                waiting += [(child, False) for child in reversed(element)]
        self._end_block()
        return clean_text("\n\n".join(self._blocks))

    def _begin_tag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._end_block()
            if tag == "li":
                self._prefix = "- "
        elif tag in _APART:
            self._line.append(" ")

    def _end_tag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._end_block()
            if tag == "li":
                self._prefix = ""

    def _end_block(self) -> None:
        text = "".join(self._line)
        self._line.clear()
        if not text.strip():
            return
        line = clean_line(text)
        if line:
            self._blocks.append(self._prefix + line)
            self._prefix = ""


_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_INNER_BLOCKS = _BLOCKS | {"body", "td", "th"}


def add_blocks(parent: Any, draft: Draft, known_heading: str = "") -> None:
    """Add all blocks below ``parent``, headings as sections; a heading of the words ``known_heading`` begins none.

    Unlike a page of the web, a chapter of a book has nothing in it that is not to be read.
    """
    loose: list[str] = [parent.text or ""]
    for element in parent:
        tag = str(element.tag)
        if tag in _BLOCKS:
            draft.add(clean_line("".join(loose)))
            loose = []
            _add_block(element, tag, draft, known_heading)
        elif tag not in _DROPPED:
            loose.append(" " if tag == "br" else "".join(element.itertext()))
        loose.append(element.tail or "")
    draft.add(clean_line("".join(loose)))


def _add_block(element: Any, tag: str, draft: Draft, known_heading: str) -> None:
    if tag in _HEADINGS:
        line = clean_line("".join(element.itertext()))
        if line == known_heading:
            draft.add(line)
        else:
            draft.heading(line, int(tag[1]))
    elif tag == "pre":
        draft.add("".join(element.itertext()))
    elif tag == "table":
        for number, row in enumerate(element.iter("tr")):
            cells = [clean_line(" ".join(cell.itertext())) for cell in row if cell.tag in ("td", "th")]
            draft.add(join_cells(cells), "\n" if number else "\n\n")
    elif tag in ("li", "dt", "dd") and not any(child.tag in _INNER_BLOCKS for child in element):
        mark = "- " if tag == "li" else ""
        line = clean_line("".join(element.itertext()))
        draft.add(f"{mark}{line}" if line else "", "\n")
    else:
        add_blocks(element, draft, known_heading)
