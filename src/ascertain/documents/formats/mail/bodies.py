"""The text of a message: flowed lines joined, its quotations separated by depth, its signature put at the end."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from typing import Any, NamedTuple

from ascertain.core.documents.blocks import LAYOUT, Block, BlockIndex, BlockKind, Place, Span
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.dom.markup import FLATTENED, add_blocks, parse_markup
from ascertain.documents.formats.drafts.draft import Draft, clean_text
from ascertain.documents.formats.plain.reader import PlainReader
from ascertain.language.word_lists import load_pattern

QUOTED = "Quoted from an earlier message"
_SAID_BY = load_pattern("mail", "attributions", "mul")
_FORWARD = load_pattern("mail", "originals", "mul")
_ATTRIBUTION = re.compile(rf"^[ \t]*(?:{_SAID_BY})\s*$", re.IGNORECASE)
_ORIGINAL = re.compile(rf"^[ \t]*+(?:-{{2,}}+|_{{5,}}+)?[ \t]*+(?:{_FORWARD})[ \t]*+-*+[ \t]*+$", re.IGNORECASE)
_SIGNATURE = re.compile(r"^-- ?$")
_PREFIX = re.compile(r"^[ \t]*(?:>[ \t]?)+")
_MAX_DEPTH = 10
"""Quotations in each other; deeper ones count as this deep."""


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
        self.left_out: list[LeftOut] = []
        self.notes: list[str] = []
        self.attached_pictures = 0
        """How often its HTML shows a picture that is a part of the message."""

    def add_plain(self, text: str) -> None:
        """Add plain text."""
        stretches, signature = split_quotes(text)
        for depth, stretch in stretches:
            part = Draft()
            PlainReader(part).read(stretch)
            self._include(part, depth)
        self._close_quotations(0)
        self._note_signature(signature)

    def add_html(self, markup: str) -> None:
        """Add HTML; what it quotes stands where it stood."""
        tree, is_flattened = parse_markup(markup)
        if tree is None:
            return
        if is_flattened:
            self.notes.append(f"{FLATTENED}; its quotations are not separated")
        signatures = _cut_signatures(tree)
        _mark_quotations(tree)
        self.attached_pictures += sum(str(each.get("src") or "").startswith("cid:") for each in tree.iter("img"))
        part = Draft()
        self.left_out += add_blocks(tree, part)
        self._include(part, 0)
        for element in signatures:
            signature = Draft()
            self.left_out += add_blocks(element, signature)
            self._note_signature(signature.finish()[0])

    def finish(self) -> None:
        """Put the signatures behind all else."""
        self._draft.leave_sections()
        for signature in dict.fromkeys(self._signatures):
            self._draft.add(signature, kind=BlockKind.FURNITURE)

    def _note_signature(self, signature: str) -> None:
        if signature:
            self._signatures.append(signature)

    def _close_quotations(self, depth: int) -> None:
        """Close those that are deeper."""
        while len(self._open) > depth:
            self._open.pop().close()

    def _include(self, part: Draft, depth: int) -> None:
        """Add a finished part, quoted ``depth`` deep: the quotations that it lies in, and those in it, are in a section of their own."""
        text, blocks = part.finish()
        if not text:
            return
        self._close_quotations(depth)
        while len(self._open) < depth:
            quotation = ExitStack()
            quotation.enter_context(self._draft.inside(BlockKind.QUOTATION))
            self._open.append(quotation)
        self._draft.leave_sections()
        if depth:
            self._draft.enter_section(QUOTED, 1)
        self._draft.include(text, blocks if depth else tuple(_set_apart(text, blocks)))
        self.has_words = True


def _set_apart(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks with what is quoted in a section of its own, inside of no other; sections that begin within one end with it."""
    tree = BlockIndex(blocks)
    quoted: list[Span] = []
    for block in tree.of_kind(BlockKind.QUOTATION):
        if not quoted or block.span.start >= quoted[-1].end:
            quoted.append(block.span)
    sections = tree.of_kind(BlockKind.SECTION)
    edges = sorted({edge for span in (*quoted, *(each.span for each in sections)) for edge in span})
    yield from (block for block in blocks if block.kind in LAYOUT and block.kind is not BlockKind.SECTION)
    own_path: tuple[str, ...] = ()
    for start, end in pairwise(edges):
        section = tree.at(BlockKind.SECTION, start)
        quotation = _span_at(quoted, start)
        path = section.place.section if section else ()
        is_other = section is not None and _span_at(quoted, section.span.start) != quotation
        if quotation:
            path = (QUOTED, *(() if is_other else path))
        else:
            own_path = path = own_path if is_other else path
        span = _trim_span(text, start, end)
        if path and span.length:
            yield Block(BlockKind.SECTION, span, Place(section=path))
    yield from tree.content()


def _span_at(spans: Sequence[Span], position: int) -> Span | None:
    """The one of several spans, in order and apart, that holds a position."""
    number = bisect_right(spans, position, key=lambda span: span.start) - 1
    return spans[number] if number >= 0 and position < spans[number].end else None


def _trim_span(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip("\n"))
    return Span(start, max(start, start + len(piece.strip("\n").rstrip())))


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


def _cut_signatures(tree: Any) -> list[Any]:
    """Take the outermost signatures out of a tree."""
    found: list[Any] = []
    waiting = [*reversed(tree)]
    while waiting:
        element = waiting.pop()
        if _is_signature(element):
            found.append(element)
        else:
            waiting += reversed(element)
    for element in found:
        _cut_element(element)
    return found


def _cut_element(element: Any) -> None:
    """Take an element out of its tree; the text behind it stays."""
    above, before = element.getparent(), element.getprevious()
    if element.tail:
        if before is None:
            above.text = (above.text or "") + element.tail
        else:
            before.tail = (before.tail or "") + element.tail
        element.tail = None
    above.remove(element)


def _mark_quotations(tree: Any) -> None:
    """Make quotations of what mail programs mark as such; one straight inside of another of theirs is the same quotation.

    What follows the first head of an older message that Outlook writes is that message.
    """
    marked: set[Any] = set()
    has_head = False
    for element in [*tree.iter()]:
        name = _name_of(element)
        is_head = "divRplyFwdMsg" in name
        if element is tree or not (is_head or "gmail_quote" in name or "yahoo_quoted" in name):
            continue
        is_same = element.tag == "blockquote" and element.getparent() in marked
        element.tag = "div" if is_same else "blockquote"
        if is_head and not has_head:
            has_head = True
            for following in [*element.itersiblings()]:
                element.append(following)
        marked.add(element)


def _is_signature(element: Any) -> bool:
    return bool({"gmail_signature", "moz-signature", "Signature"}.intersection(_name_of(element).split()))


def _name_of(element: Any) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}" if isinstance(element.tag, str) else ""
