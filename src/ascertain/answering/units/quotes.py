"""The place of a quote's words in a text: a model copies them from a source, more or less verbatim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from ascertain.core.documents.blocks import Span
from ascertain.language.folding import FoldedText, fold_text, folded_text
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import WORD, content_terms

FEWEST_WORDS = 4
"""A shorter quote is too uninformative by itself; the sentence around it is cited instead."""
ENOUGH_SHARED = 0.6
"""Share of a claim's content words that a sentence must contain to replace a quote that was not found."""
FEWEST_SHARED = 2

_ELISION = re.compile(r"(?:(?<!\s)\s+)?[\[(]?(?:\.\.\.+|…)[\])]?\s*")
_LINE_MARK = re.compile(r"(?:^|(?<=\n))\|[ \t]?")
"""What ``models.untrusted`` puts before each line; models copy it into quotes although instructed not to."""
_AROUND = " \t\r\n\"'“”‘’«»`*_"


def locate_quote(quote: str, text: str) -> tuple[Span, ...]:
    """Where ``quote`` is in ``text``, one span for each part between elisions; empty when it is not there.

    Character for character first; then whatever the case, white space, quotation marks, dashes, accents and invisible
    characters. Never inside a word. Where a part is not there, the longest of the others counts, if it is long enough.
    Parts of fewer than ``FEWEST_WORDS`` words are widened to their sentence.
    """
    parts = _split_quote(quote)
    folded: FoldedText | None = None
    located: list[tuple[str, Span]] = []
    for part in parts:
        after = located[-1][1].end if located else 0
        span = _first_whole(part, text, after) or _first_whole(part, text)
        if span is None:
            folded = folded or _on_one_line(fold_text(text))
            needle = _on_one_line(fold_text(part)).text.strip()
            inside = _first_whole(needle, folded.text) if needle else None
            span = folded.original(inside) if inside else None
        if span is not None:
            located.append((part, span))
    if len(located) < len(parts):
        located = sorted(located, key=lambda each: -_count_words(each[0]))[:1]
        located = [each for each in located if _count_words(each[0]) >= FEWEST_WORDS]
    return tuple(_join_spans(text, (_trim_span(text, span) for _, span in located)))


_CELL_EDGE = re.compile(r"(?<!\\)\|")
FEWEST_CELLS = 2


def locate_row(quote: str, text: str) -> tuple[Span, ...]:
    """The one line of ``text`` that has the cells of ``quote`` in this order, each in a cell of its own; empty where none or several have.

    Cells are compared without white space, a cell with the name of its column (``Day: 44 €``) without that name. One may be a part of
    the cell of the text, in whole words: ``Germany`` of ``Germany, Belgium``.
    """
    wanted = _split_cells(" ".join(quote.split()).strip("| "))
    if len(wanted) < FEWEST_CELLS:
        return ()
    start, found = 0, list[Span]()
    for line in text.splitlines(keepends=True):
        cells = _split_cells(line.strip().strip("|"))
        if len(cells) >= len(wanted) and _has_cells(cells, wanted):
            body = line.strip()
            found.append(Span(start + line.index(body), start + line.index(body) + len(body)))
        start += len(line)
    return tuple(found) if len(found) == 1 else ()


def _split_cells(line: str) -> list[str]:
    return [cell for cell in map(str.strip, _CELL_EDGE.split(line)) if cell]


def _has_cells(cells: Sequence[str], wanted: Sequence[str]) -> bool:
    left = iter(cells)
    return all(any(_holds_cell(cell, one) for cell in left) for one in wanted)


def _holds_cell(cell: str, wanted: str) -> bool:
    """Whether a cell is, or contains in whole words, the requested text."""
    held = folded_text(cell)
    for one in dict.fromkeys((wanted, wanted.partition(": ")[2] or wanted)):
        folded = folded_text(one)
        if "".join(folded.split()) == "".join(held.split()):
            return True
        if not any(map(str.isdigit, folded)) and _first_whole(folded, held) is not None:
            return True
    return False


LEAST_REWORDED = 2 * FEWEST_WORDS
"""Fewest words of a quote that may differ from the text at all: in a shorter one, a single different word is too much."""
ONE_IN = 8
"""One word in this many may be different, missing or added: what models change in copying is an article or an ending."""
FEWEST_IN_A_ROW = 3
"""Words that must be adjacent in both, from which the rest is aligned."""


def locate_reworded(quote: str, text: str) -> tuple[Span, ...]:
    """Where ``text`` reads nearly as ``quote`` does: one word in ``ONE_IN`` may differ, no figure and no name. Empty where
    it does not, and for a quote of fewer than ``LEAST_REWORDED`` words. What is cited is the text's own wording.
    """
    spans = [span for part in _split_quote(quote) if (span := _locate_nearly(part, text))]
    return tuple(_join_spans(text, (_trim_span(text, span) for span in spans)))


def _locate_nearly(quote: str, text: str) -> Span | None:
    wanted = [word.group() for word in WORD.finditer(quote)]
    places = [Span(*word.span()) for word in WORD.finditer(text)]
    if len(wanted) < LEAST_REWORDED or not places:
        return None
    own, said = [folded_text(place.of(text)) for place in places], [folded_text(word) for word in wanted]
    anchor = SequenceMatcher(None, own, said, autojunk=False).find_longest_match()
    if anchor.size < FEWEST_IN_A_ROW:
        return None
    slack = len(said) // ONE_IN
    first = max(0, anchor.a - anchor.b - slack)
    window = own[first : anchor.a - anchor.b + len(said) + slack]
    blocks = [
        block for block in SequenceMatcher(None, window, said, autojunk=False).get_matching_blocks() if block.size
    ]
    start, end = first + blocks[0].a, first + blocks[-1].a + blocks[-1].size
    matched = {place for block in blocks for place in range(block.b, block.b + block.size)}
    held = {first + place for block in blocks for place in range(block.a, block.a + block.size)}
    changed = [word for place, word in enumerate(wanted) if place not in matched]
    other = [places[place].of(text) for place in range(start, end) if place not in held]
    if 0 not in matched:
        changed[0] = changed[0].casefold()  # it is capitalised because it comes first
    if max(len(changed), len(other)) > slack or any(map(_tells, (*changed, *other))):
        return None
    return Span(places[start].start, places[end - 1].end)


def _tells(word: str) -> bool:
    """Whether another word in its place would change the meaning: a figure or a name."""
    return any(map(str.isdigit, word)) or word[:1].isupper()


def _split_quote(quote: str) -> list[str]:
    """The parts between elisions, without what models put around and before them."""
    return [part for piece in _ELISION.split(_LINE_MARK.sub("", quote)) if (part := piece.strip(_AROUND))]


def nearest_sentence(claim: str, text: str, language: str) -> Span | None:
    """The sentence of ``text`` that shares most of the content words of ``claim``; None when none shares enough."""
    asked = set(content_terms(claim, language))
    best: tuple[float, Span] | None = None
    for span in split_sentences(text):
        shared = asked & set(content_terms(span.of(text), language))
        share = len(shared) / len(asked) if asked else 0.0
        if len(shared) >= FEWEST_SHARED and share >= ENOUGH_SHARED and (best is None or share > best[0]):
            best = (share, span)
    return best[1] if best else None


def _count_words(text: str) -> int:
    return len(WORD.findall(text))


def _first_whole(needle: str, text: str, after: int = 0) -> Span | None:
    """The first occurrence from ``after`` on that does not begin or end inside a word."""
    start = text.find(needle, after)
    while start >= 0:
        end = start + len(needle)
        before, behind = text[start - 1 : start] + needle[:1], needle[-1:] + text[end : end + 1]
        if not any(len(edge) == 2 and edge.isalnum() for edge in (before, behind)):
            return Span(start, end)
        start = text.find(needle, start + 1)
    return None


def _on_one_line(folded: FoldedText) -> FoldedText:
    return FoldedText(folded.text.replace("\n", " "), folded.origins)


def _trim_span(text: str, span: Span) -> Span:
    if _count_words(span.of(text)) >= FEWEST_WORDS:
        return span
    around = [sentence for sentence in split_sentences(text) if sentence.overlap(span)]
    return Span(min(span.start, around[0].start), max(span.end, around[-1].end)) if around else span


def _join_spans(text: str, spans: Iterator[Span]) -> Iterator[Span]:
    """In text order, those that touch or overlap made one."""
    ordered = sorted(set(spans))
    if not ordered:
        return
    start, end = ordered[0]
    for next_start, next_end in ordered[1:]:
        if next_start <= end:
            end = max(end, next_end)
        else:
            yield Span(start, end)
            start, end = next_start, next_end
    yield Span(start, end)
