"""What the elements of a page are, as browsers show them (HTML Living Standard, section 15: rendering)."""

import re
from typing import Any

from ascertain.documents.formats.drafts.numerals import letter_numeral, roman_numeral

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
BLOCKS = HEADINGS | frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form "
    "frameset header hgroup hr html legend li listing main menu nav noframes ol optgroup option p plaintext pre search section "
    "summary table tbody td tfoot th thead tr ul xmp".split()
)
SILENT = frozenset(
    "area base basefont bgsound col colgroup datalist frame head link map meta param rp script style title".split()
)
"""What shows nothing by itself. ``source``, ``track`` and ``wbr`` are none of them: to libxml2 they hold what stands behind them."""
REPLACED = {
    "audio": "recordings",
    "video": "recordings",
    "canvas": "drawings made by scripts",
    "iframe": "embedded pages",
    "frame": "embedded pages",
    "object": "embedded objects",
    "applet": "embedded objects",
    "noscript": "texts for browsers without scripts",
    "template": "templates",
}
"""What stands for something else, which is not read, by how that is called in the report."""
VERBATIM = frozenset("code kbd samp tt var math".split())
"""Elements inside of which neighbours touch as they are written."""

_STYLE = re.compile(
    r"(?:^|;)\s*(display|visibility|white-space|list-style-type|text-decoration(?:-line)?)\s*:\s*([\w-]+)",
    re.IGNORECASE,
)
_BLOCK_DISPLAY = frozenset("block flex grid table list-item flow-root table-row table-cell".split())
_NUMBERINGS = {
    **{"a": "a", "A": "A", "i": "i", "I": "I", "1": "1"},
    **{"loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"},
    **{"lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A"},
    **{"lower-roman": "i", "upper-roman": "I", "decimal": "1", "arabic": "1"},
}
"""How a list counts, by its type, its style, and the classes that docutils gives."""


def local_tag(element: Any) -> str:
    """The name of an element without a prefix; empty for comments and what else is none."""
    tag = element.tag
    return tag.rpartition(":")[2] if isinstance(tag, str) else ""


def has_class(element: Any, *names: str) -> bool:
    """Whether an element is of one of these classes."""
    found = element.get("class")
    return bool(found) and not set(found.split()).isdisjoint(names)


def role_of(element: Any) -> str:
    """The role that an element has in the page, or in the book (``epub:type``)."""
    return str(element.get("role") or element.get("epub:type") or "").strip().lower()


def style_of(element: Any) -> dict[str, str]:
    """The properties of the inline style that decide how text is read."""
    style = element.get("style")
    return {name.lower(): value.lower() for name, value in _STYLE.findall(style)} if style else {}


def is_hidden(element: Any, style: dict[str, str]) -> bool:
    """Whether a browser shows nothing of an element; ``aria-hidden`` hides it from screen readers only."""
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return True
    return style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse")


def is_block(tag: str, style: dict[str, str]) -> bool:
    """Whether an element begins a line of its own."""
    display = style.get("display")
    return tag in BLOCKS if display is None else display in _BLOCK_DISPLAY or (tag in BLOCKS and display != "inline")


def words_in(element: Any) -> str:
    """All the text in an element on one line, whether it is shown or not."""
    return " ".join("".join(element.itertext()).split())


def whole_number(value: object, otherwise: int) -> int:
    """An attribute that counts; ``otherwise`` where it is none or absurd."""
    text = str(value or "").strip()
    return int(text) if re.fullmatch(r"-?\d{1,6}", text) else otherwise


class ListCounter:
    """Gives the items of one list the markers that a browser shows."""

    def __init__(self, element: Any, tag: str) -> None:
        self._numbering = _numbering_of(element) if tag == "ol" else ""
        self._step = -1 if tag == "ol" and element.get("reversed") is not None else 1
        first = sum(1 for child in element if child.tag == "li") if self._step < 0 else 1
        self._next = whole_number(element.get("start"), first)

    def next_marker(self, item: Any) -> str:
        """The marker of the next item: ``-``, ``3.``, ``c.``, ``iv.``"""
        if not self._numbering:
            return "-"
        number = whole_number(item.get("value"), self._next)
        self._next = number + self._step
        return f"{_write_number(number, _NUMBERINGS.get(str(item.get('type')), self._numbering))}."


def _numbering_of(element: Any) -> str:
    names = (str(element.get("type") or ""), style_of(element).get("list-style-type", ""))
    classes = str(element.get("class") or "").split()
    return next((_NUMBERINGS[name] for name in (*names, *classes) if name in _NUMBERINGS), "1")


def _write_number(number: int, numbering: str) -> str:
    if numbering == "1":
        return str(number)
    shown = letter_numeral(number) if numbering in "aA" else roman_numeral(number)
    return shown if numbering.islower() else shown.upper()


_LANGUAGE = re.compile(
    r"(?:^|\s)(?:highlight|language|lang|brush:?\s?|source|src)[-_]?(?=[a-z])([\w+#.-]+)", re.IGNORECASE
)
_NO_LANGUAGE = frozenset("default none text plain plaintext txt code nohighlight notranslate highlight".split())
_LANGUAGE_LEVELS = 3


def code_language(element: Any) -> str | None:
    """The language of a listing, as its class, that of what is in it or of what it lies in says."""
    places = [element, *(child for child in element if child.tag == "code")]
    above = element.getparent()
    while above is not None and len(places) < _LANGUAGE_LEVELS + 2:
        places.append(above)
        above = above.getparent()
    for place in places:
        classes = str(place.get("class") or "")
        # pandoc: <pre class="sourceCode python">
        name = re.search(r"(?:^|\s)sourceCode\s+([a-z][\w+#.-]*)", classes) or _LANGUAGE.search(classes)
        if name and name[1].lower() not in _NO_LANGUAGE and name[1] != "Code":
            return name[1].lower()
    return None
