"""The text of a message: flowed lines joined, what it quotes told apart by how deep, its signature put at the end."""

import importlib
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple, cast

from ascertain.core.blocks import Block, BlockKind, Span
from ascertain.language.word_lists import load_pattern
from ascertain.sources.formats.draft import Draft, clean_text
from ascertain.sources.formats.markup import add_blocks, markup_tree

QUOTED = "Quoted from an earlier message"
_SAID_BY = load_pattern("mail", "attributions", "mul")
_FORWARD = load_pattern("mail", "originals", "mul")
_ATTRIBUTION = re.compile(rf"^[ \t]*(?:{_SAID_BY})\s*$", re.IGNORECASE)
_ORIGINAL = re.compile(rf"^[ \t]*(?:-{{2,}}|_{{5,}})?[ \t]*(?:{_FORWARD})[ \t]*-*[ \t]*$", re.IGNORECASE)
_SIGNATURE = re.compile(r"^-- ?$")
_PREFIX = re.compile(r"^[ \t]*(?:>[ \t]?)+")
_MAX_DEPTH = 10
"""Quotations in each other; deeper ones are told as deep as this."""


class Stretch(NamedTuple):
    """Lines of a body that are quoted equally deep, 0 for the sender's own words."""

    depth: int
    text: str


class Body:
    """Writes the parts of a message's text into a draft; signatures wait for its end."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._open: list[ExitStack] = []
        self._signatures: list[str] = []
        self.has_words = False

    def add_plain(self, text: str) -> None:
        """Add plain text, a paragraph at each empty line."""
        stretches, signature = split_quotes(text)
        for depth, stretch in stretches:
            self._enter_depth(depth)
            for paragraph in stretch.split("\n\n"):
                self._draft.add(paragraph)
        self._note(bool(stretches), signature)
        self._enter_depth(0)

    def add_html(self, markup: str) -> None:
        """Add HTML; what it quotes stands where it stood."""
        tree = markup_tree(markup.replace(_OPENING, "").replace(_CLOSING, ""))
        if tree is not None:
            body = tree.find("body")
            _unwrap_layout(tree)
            self._add_tree(tree if body is None else body, 0)
            self._enter_depth(0)

    def finish(self) -> None:
        """Put the signatures behind all else."""
        self._draft.leave_sections()
        for signature in dict.fromkeys(self._signatures):
            self._draft.add(signature, kind=BlockKind.FURNITURE)

    def _note(self, has_words: bool, signature: str) -> None:
        self.has_words = self.has_words or has_words
        if signature:
            self._signatures.append(signature)

    def _enter_depth(self, depth: int) -> None:
        """Close the quotations that are deeper, open those that are not open yet."""
        while len(self._open) > depth:
            self._open.pop().close()
        while len(self._open) < depth:
            quotation = ExitStack()
            quotation.enter_context(self._draft.inside(BlockKind.QUOTATION))
            self._open.append(quotation)
        self._draft.leave_sections()
        if depth:
            self._draft.enter_section(QUOTED, 1)

    def _add_tree(self, tree: Any, depth: int) -> None:
        """Add a tree of HTML whose words are quoted ``depth`` deep."""
        apart = dict(enumerate(_cut_out(tree))) if depth < _MAX_DEPTH else {}
        part = Draft()
        add_blocks(tree, part)
        text, blocks = part.finish()
        place = 0
        for found in _PLACE.finditer(text):
            self._include(text, blocks, Span(place, found.start()), depth)
            place = found.end()
            # the text may hold such characters itself
            element = apart.pop(int(found[1]), None)
            if element is None:
                continue
            if _is_signature(element):
                signature = Draft()
                add_blocks(element, signature)
                self._note(False, signature.finish()[0])
            else:
                self._add_tree(element, depth + 1)
        self._include(text, blocks, Span(place, len(text)), depth)

    def _include(self, text: str, blocks: Sequence[Block], span: Span, depth: int) -> None:
        piece = span.of(text)
        start = span.start + len(piece) - len(piece.lstrip())
        within = Span(start, max(start, span.start + len(piece.rstrip())))
        if within.length:
            self._enter_depth(depth)
            self.has_words = True
            self._draft.include(within.of(text), tuple(_clip_blocks(text, blocks, within)))


def _clip_blocks(text: str, blocks: Sequence[Block], within: Span) -> Iterator[Block]:
    """The parts of blocks that lie in a stretch of their text, counted from its start."""
    for block in blocks:
        start, end = max(block.span.start, within.start), min(block.span.end, within.end)
        piece = text[start:end]
        start, end = start + len(piece) - len(piece.lstrip("\n")), start + len(piece.rstrip())
        if start < end:
            yield replace(block, span=Span(start, end).shift(-within.start))


def join_flowed(text: str, *, deletes_space: bool) -> str:
    """The lines of ``format=flowed`` (RFC 3676) with those that a mail program broke put together again."""
    joined: list[tuple[int, list[str]]] = []
    is_open = False
    for line in clean_breaks(text).split("\n"):
        words = line.lstrip(">")
        depth = len(line) - len(words)
        words = words.removeprefix(" ")
        is_signature = bool(_SIGNATURE.match(words))
        if not (is_open and joined[-1][0] == depth and not is_signature):
            joined.append((depth, []))
        is_open = words.endswith(" ") and not is_signature
        joined[-1][1].append(words[:-1] if is_open and deletes_space else words)
    return "\n".join(f"{'>' * depth}{' ' * bool(depth)}{''.join(words)}" for depth, words in joined)


def clean_breaks(text: str) -> str:
    """``text`` with line ends of one kind; spaces before them stay."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_quotes(text: str) -> tuple[list[Stretch], str]:
    """The body in stretches, and the signature below it.

    A line that says who wrote what follows goes with the quotation; below a line such as ``-----Original Message-----`` all is quoted.
    """
    lines = clean_text(text).split("\n")
    depths = [_depth_of(line) for line in lines]
    for number, line in enumerate(lines):
        if _ORIGINAL.match(line):
            depths[number:] = [depth + 1 for depth in depths[number:]]
            break
    introductions = _mark_attributions(lines, depths)
    stretches: list[tuple[int, list[str]]] = []
    signature: list[str] = []
    is_signature = False
    for number, (line, depth) in enumerate(zip(lines, depths, strict=True)):
        begins = not depth and bool(_SIGNATURE.match(line))
        is_signature = (is_signature or begins) and not depth
        if is_signature:
            signature += [] if begins else [line]
            continue
        words = _PREFIX.sub("", line) if depth else line
        if not words.strip() and stretches:
            stretches[-1][1].append("")
            continue
        if not stretches or stretches[-1][0] != depth:
            stretches.append((depth, []))
        stretches[-1][1].extend([words, ""] if number in introductions else [words])
    texts = (Stretch(min(depth, _MAX_DEPTH), clean_text("\n".join(each))) for depth, each in stretches)
    return [each for each in texts if each.text], clean_text("\n".join(signature))


def _depth_of(line: str) -> int:
    prefix = _PREFIX.match(line)
    return prefix[0].count(">") if prefix else 0


def _mark_attributions(lines: Sequence[str], depths: list[int]) -> set[int]:
    """``On Monday, Ana wrote:`` on one line or two above a quotation belongs to it; the numbers of the last lines of such."""
    found: set[int] = set()
    for number, depth in enumerate(depths):
        if not depth or (number and depths[number - 1]):
            continue
        above = number - 1
        while above >= 0 and not lines[above].strip():
            above -= 1
        for first in (above, above - 1):
            if first >= 0 and _ATTRIBUTION.match(" ".join(lines[first : above + 1])):
                depths[first : above + 1] = [1] * (above + 1 - first)
                found.add(above)
                break
    return found


_OPENING, _CLOSING = "\ue000", "\ue001"
"""Characters for private use that stand around the number of what was cut out of a tree."""
_PLACE = re.compile(f"{_OPENING}(\\d{{1,9}}){_CLOSING}")


def _cut_out(tree: Any) -> list[Any]:
    """Take the outermost quotations and signatures out of a tree, a paragraph with the number of each in its place."""
    library = cast("Any", importlib.import_module("lxml.etree"))
    found: list[Any] = []
    walk = library.iterwalk(tree, events=("start",))
    for _, element in walk:
        if element is not tree and (_is_quote(element) or _is_signature(element)):
            found.append(element)
            walk.skip_subtree()
    for number, element in enumerate(found):
        place = library.Element("p")
        place.text = f"{_OPENING}{number}{_CLOSING}"
        place.tail, element.tail = element.tail, None
        element.getparent().replace(element, place)
    return found


def _is_quote(element: Any) -> bool:
    name = _name_of(element)
    return element.tag == "blockquote" or "gmail_quote" in name or "yahoo_quoted" in name or "divRplyFwdMsg" in name


def _is_signature(element: Any) -> bool:
    return bool({"gmail_signature", "moz-signature", "Signature"}.intersection(_name_of(element).split()))


def _name_of(element: Any) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}" if isinstance(element.tag, str) else ""


_BLOCKS = frozenset("p div table ul ol h1 h2 h3 h4 h5 h6 blockquote pre center".split())


def _unwrap_layout(tree: Any) -> None:
    """Turn tables that hold blocks, or a single column, into blocks: mail is laid out with them."""
    layout = [table for table in tree.iter("table") if _is_layout(table)]
    for table in layout:
        for row in _rows_of(table):
            for cell in row:
                cell.tag = "div" if cell.tag in ("td", "th") else cell.tag
            row.tag = "div"
        for group in table:
            group.tag = "div" if group.tag in ("tbody", "thead", "tfoot") else group.tag
        table.tag = "div"


def _rows_of(table: Any) -> Iterator[Any]:
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in ("tbody", "thead", "tfoot"):
            yield from (row for row in child if row.tag == "tr")


def _is_layout(table: Any) -> bool:
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in _rows_of(table)]
    if max(map(len, rows), default=0) < 2:
        return True
    return any(
        child.tag == "table" or (child.tag in _BLOCKS and len(cell) > 1)
        for row in rows
        for cell in row
        for child in cell
    )
