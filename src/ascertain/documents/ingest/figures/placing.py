"""Descriptions of figures put into a document, each as a separate block after the block that contains the picture.

The document's own words stay as they are; every block behind a description moves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ascertain.core.documents.blocks import LAYOUT, Block, BlockKind, Figure, Place, Span
from ascertain.core.documents.documents import Document

_GAP = "\n\n"


class Description(NamedTuple):
    """What a model wrote of a picture that stands behind ``position`` characters of a text, at ``place``."""

    position: int
    place: Place
    figure: Figure
    text: str


def insert_descriptions(document: Document, descriptions: Iterable[Description]) -> Document:
    """``document`` with the descriptions in it, each behind the outermost block that its position lies in."""
    text, blocks = document.text, document.blocks
    ordered = sorted(descriptions, key=lambda each: each.position)
    # from the end, so that the positions of the others stay right
    for each in reversed(ordered):
        text, blocks = _insert(text, blocks, each)
    return replace(document, text=text, blocks=blocks)


def _insert(text: str, blocks: Sequence[Block], description: Description) -> tuple[str, tuple[Block, ...]]:
    position = _end_of_block(text, blocks, description.position)
    words = description.figure.mark + description.text
    before, after = text[:position].rstrip(), text[position:].lstrip("\n")
    start = len(before) + len(_GAP) * bool(before)
    span = Span(start, start + len(words))
    moved = span.end + len(_GAP) * bool(after) - (len(text) - len(after))
    layout = [_shift(each, position, moved) for each in blocks if each.kind in LAYOUT]
    content = [_shift(each, position, moved) for each in blocks if each.kind not in LAYOUT]
    number = sum(each.span.start < start for each in content)
    content.insert(number, Block(BlockKind.FIGURE, span, figure=description.figure))
    whole = _GAP.join(filter(None, (before, words, after)))
    return whole, (*_place_in_layout(layout, span, description.place), *content)


def _end_of_block(text: str, blocks: Sequence[Block], position: int) -> int:
    """The end of the outermost block, or of the turn, around ``position``; itself where it lies between two."""
    whole = (
        each.span for each in blocks if each.kind is BlockKind.TURN or (each.kind not in LAYOUT and not each.depth)
    )
    return next((span.end for span in whole if span.start < position < span.end), min(position, len(text)))


def _shift(block: Block, position: int, moved: int) -> Block:
    """Behind ``position`` a block moves; one around it grows."""
    start, end = block.span
    return replace(
        block, span=Span(start + moved if start >= position else start, end + moved if end > position else end)
    )


def _place_in_layout(layout: Sequence[Block], span: Span, place: Place) -> tuple[Block, ...]:
    """The blocks of layout, those that say where the description stands grown or added to."""
    found: list[Block] = []
    for kind in LAYOUT:
        own = sorted((each for each in layout if each.kind is kind), key=lambda each: each.span)
        found += _hold_span(own, span, _layout_place(kind, place), kind)
    return tuple(found)


def _layout_place(kind: BlockKind, place: Place) -> Place | None:
    """The place of a layout block that overlaps ``place``; None where none does."""
    if kind is BlockKind.PAGE and place.page is not None:
        return Place(page=place.page)
    if kind is BlockKind.PART and place.part is not None:
        return Place(part=place.part)
    if kind is BlockKind.SECTION and place.section:
        return Place(section=place.section)
    return None


def _hold_span(own: list[Block], span: Span, wanted: Place | None, kind: BlockKind) -> list[Block]:
    if wanted is None or any(each.span.start < span.start and each.span.end > span.start for each in own):
        return own
    number = sum(each.span.start < span.start for each in own)
    if number and own[number - 1].place == wanted:
        own[number - 1] = replace(own[number - 1], span=Span(own[number - 1].span.start, span.end))
    elif number < len(own) and own[number].place == wanted:
        own[number] = replace(own[number], span=Span(span.start, own[number].span.end))
    else:
        own.insert(number, Block(kind, span, wanted))
    return own
