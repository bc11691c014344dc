"""Things of the sources that the claim connects the wrong way round, and bounds that it reverses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from ascertain.answering.checking.figures import (
    CLOCK,
    DECADE,
    ORDINAL,
    TIMES,
    Figure,
    counted_word,
    find_figures,
    is_same_unit,
    is_same_value,
)
from ascertain.answering.checking.objections.objection import Case, Objection
from ascertain.core.asking.answers import VerdictLabel
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, stem_word
from ascertain.language.word_lists import compile_pattern, load_pattern, load_word_set

_SEGMENTS = re.compile(
    r"(?<![,;:|.!?()–—])[,;:|.!?()–—]++\s+|(?<!\s)\s+(?:and|but|while|whereas|or)\s+|(?<!\s)\s+\|\s+", re.I
)
"""Where the text about one thing ends and the text about another begins."""
_LEAST = compile_pattern("claims", "at_least")
_MOST = compile_pattern("claims", "at_most")
_BOUNDED = re.compile(rf"\b{load_pattern('claims', 'bounded')}\b", re.I)
_LIGHT = load_word_set("claims", "light_words")
_MOST_SEGMENTS = 24
"""Segments of a quotation that share a word with the claim; with more it is not a quotation about two things."""
_SHORTEST = 2
"""Fewest content words of a segment that makes a statement."""


def find_swap(case: Case) -> Objection | None:
    """Two things of a sentence, each said to be what the sources say of the other.

    Of two segments of the claim each has words found only in the one and words found only in the other of two segments
    of the sources; correctly stated, each would have those of one.
    """
    told = [segment for segment in _split_segments(case.text, case.language) if len(segment) >= _SHORTEST]
    if len(told) < 2:
        return None
    wanted = frozenset[str]().union(*told)
    for segments in _list_contexts(case):
        there = [segment for segment in segments if segment & wanted]
        if len(there) > _MOST_SEGMENTS:
            continue
        for one, other in combinations(told, 2):
            if not (one - other and other - one):
                continue
            found = _find_crossing(one - other, other - one, there)
            if found:
                first, second = (_show_word(case.text, anchor, case.language) for anchor in found)
                return Objection(VerdictLabel.CONTRADICTED, f"the quotation does not say “{first}” of “{second}”")
    return None


def _list_contexts(case: Case) -> Iterator[list[frozenset[str]]]:
    """The segments of each quotation, those of all together, and their sentences."""
    yield from (_split_segments(quote, case.language) for quote in case.quotes)
    if len(case.quotes) > 1:
        yield [segment for quote in case.quotes for segment in _split_segments(quote, case.language)]
    yield [_read_anchors(span.of(quote), case.language) for quote in case.quotes for span in split_sentences(quote)]


def find_stray_figure(case: Case) -> Objection | None:
    """A figure that the sources give for something else, where they give another one for the subject of the claim."""
    claim = _read_anchors(case.text, case.language)
    sentences = [(_read_anchors(text, case.language), find_figures(text)) for text in case.sentences]
    for figure in case.figures:
        if figure.is_denied or not figure.unit or figure.unit in _NO_MEASURES:
            continue
        rest = claim - {f"{figure.number:g}"}
        holders = [anchors for anchors, figures in sentences if any(_is_same(figure, other) for other in figures)]
        least = max(_SHORTEST, 2 * max((len(rest & anchors) for anchors in holders), default=0), _NEAR * len(rest))
        if not holders:
            continue
        for anchors, figures in sentences:
            rivals = [
                other
                for other in figures
                if other.unit == figure.unit and not _is_same(figure, other) and other.text.strip() not in case.text
            ]
            is_strange = not any(rest & held for held in holders)
            if rivals and len(rest & anchors) >= (_SHORTEST if is_strange else least):
                return Objection(
                    VerdictLabel.CONTRADICTED,
                    f"{figure.text.strip()} is of something else; the quotation says {rivals[-1].text.strip()}",
                )
    return None


def find_crossed_figure(case: Case) -> Objection | None:
    """A figure that a sentence gives for one thing and the claim for another thing of that sentence, which has its own figure there."""
    claim = _read_anchors(case.text, case.language)
    for figure in case.figures:
        if figure.is_denied or figure.unit in _NO_MEASURES:
            continue
        holders = [text for text in case.sentences if any(_is_same(figure, other) for other in find_figures(text))]
        crossed = [
            _find_crossed(figure, counted_word(figure, case.text, case.language), claim, text, language=case.language)
            for text in holders
        ]
        if crossed and all(crossed) and not any(each in case.text for each in crossed):
            shown = figure.text.strip()
            return Objection(
                VerdictLabel.CONTRADICTED, f"the quotation says {crossed[0]} there; {shown} is of something else"
            )
    return None


def _find_crossed(figure: Figure, counted: str, claim: frozenset[str], sentence: str, *, language: str) -> str:
    """The figure that ``sentence`` has for the subject of the claim; empty where it may be this one."""
    parts = [
        (
            _read_anchors(part, language),
            [each for each in find_figures(part) if each.unit or counted_word(each, part, language) == counted],
        )
        for part in _SEGMENTS.split(sentence)
    ]
    holders = [anchors for anchors, figures in parts if any(_is_same(figure, other) for other in figures)]
    if len(holders) != 1:
        return ""
    for anchors, figures in parts:
        rivals = [other for other in figures if _is_rival(figure, other)]
        if anchors == holders[0] or len(rivals) != 1:
            continue
        numbers = {f"{other.number:g}" for other in (figure, *rivals)}
        own, other = (one - two - numbers for one, two in ((holders[0], anchors), (anchors, holders[0])))
        if own and other and not own & claim and len(other & claim) > len(other) / 2:
            return rivals[0].text.strip()
    return ""


def _is_rival(figure: Figure, other: Figure) -> bool:
    return other.unit == figure.unit and not _is_same(figure, other) and other.unit not in _NO_MEASURES


_NEAR = 0.7
"""Share of a claim's words from which a sentence is about the same thing."""
_NO_MEASURES = frozenset({CLOCK, ORDINAL, TIMES, DECADE})


def _is_same(figure: Figure, other: Figure) -> bool:
    return is_same_unit(figure, other) and is_same_value(figure, other)


_TURNED = (("above", "below"), ("over", "under"), ("inside", "outside"), ("before", "after"))


def find_turned_preposition(case: Case) -> Objection | None:
    """A thing that the claim puts below what the sources put it above."""
    for one, other in (pair for words in _TURNED for pair in (words, words[::-1])):
        for place, noun in _find_objects(case.text, one, case.language):
            if noun in {noun for _, noun in _find_objects(case.sources, one, case.language)}:
                continue
            if any(noun == found for text in case.sentences for _, found in _find_objects(text, other, case.language)):
                return Objection(VerdictLabel.CONTRADICTED, f"the quotation says “{other}”, not “{place}”")
    return None


def _find_objects(text: str, preposition: str, language: str) -> Iterator[tuple[str, str]]:
    """Where the preposition is, and the stems of the content words after it."""
    for match in re.finditer(rf"\b{preposition}\s+((?:[\w'’-]+\s*){{1,4}})", text, re.I):
        words = (fold_words(word) for word in WORD.findall(match[1]))
        for word in words:
            if word not in STOP_WORDS and not any(map(str.isdigit, word)):
                yield preposition, stem_word(word, language)


def _show_word(text: str, anchor: str, language: str) -> str:
    """The word of ``text`` with this stem; a figure as it is."""
    return next((word for word in WORD.findall(text) if stem_word(fold_words(word), language) == anchor), anchor)


def _find_crossing(
    one: frozenset[str], other: frozenset[str], there: Sequence[frozenset[str]]
) -> tuple[str, str] | None:
    """Two anchors of ``one`` that the sources connect with different things, as ``other`` does in reverse."""
    for first, second in permutations(there, 2):
        first_own, second_own = first - second, second - first
        parts = (one & first_own, one & second_own, other & first_own, other & second_own)
        if not all(parts):
            continue
        elsewhere = frozenset[str]().union(*(segment for segment in there if segment not in (first, second)))
        if any(part <= elsewhere for part in parts):
            continue
        return min(parts[0]), min(parts[1])
    return None


def _split_segments(text: str, language: str) -> list[frozenset[str]]:
    """The stems and figures of each segment."""
    segments: list[frozenset[str]] = []
    start = 0
    for match in (*_SEGMENTS.finditer(text), None):
        end = match.start() if match else len(text)
        segments.append(_read_anchors(text[start:end], language))
        start = match.end() if match else end
    return segments


def _read_anchors(segment: str, language: str) -> frozenset[str]:
    figures = find_figures(segment)
    words = (
        match
        for match in WORD.finditer(segment)
        if not any(figure.span.start <= match.start() < figure.span.end for figure in figures)
    )
    folded = [fold_words(word.group()).replace("’", "'") for word in words]
    stems = {stem_word(word, language) for word in folded if word not in STOP_WORDS and word not in _LIGHT}
    return frozenset(stems | {f"{figure.number:g}" for figure in figures})


def find_turned_bound(case: Case) -> Objection | None:
    """A figure with "at least" where the sources have "no more than", and the reverse."""
    claim = _read_anchors(case.text, case.language)
    shares = [(len(claim & _read_anchors(text, case.language)), text) for text in case.sentences if find_figures(text)]
    most = max((share for share, _ in shares), default=0)
    near = [text for share, text in shares if share == most]
    others = [(figure, _read_bound(text, figure)) for text in near for figure in find_figures(text)]
    for figure in case.figures:
        bound = _read_bound(case.text, figure)
        if not bound:
            continue
        same = [
            other_bound
            for other, other_bound in others
            if is_same_unit(figure, other) and is_same_value(figure, other) and figure.number == other.number
        ]
        if same and all(other_bound not in {"", bound} for other_bound in same):
            words = "at most" if bound == "least" else "at least"
            return Objection(VerdictLabel.CONTRADICTED, f"the quotation says {words} {figure.text.strip()}")
        holders = [
            text for text in case.sentences for other in find_figures(text) if _is_same(figure, other) and figure.unit
        ]
        if holders and not any(_BOUNDED.search(text) for text in holders):
            words = f"at {bound} {figure.text.strip()}"
            return Objection(
                VerdictLabel.NOT_IN_SOURCES, f"no source says {words}: the quotation has the figure itself"
            )
    return None


_BEFORE = 24
"""Characters before a figure that may contain its bound."""


def _read_bound(text: str, figure: Figure) -> str:
    before = text[max(0, figure.span.start - _BEFORE) : figure.span.start]
    found = [
        (match.end(), name)
        for name, pattern in (("least", _LEAST), ("most", _MOST))
        for match in pattern.finditer(before)
    ]
    # the text right before the figure gives its bound
    close = [
        (end, name) for end, name in found if not before[end:].strip() or before[end:].strip() in {"the", "a", "an"}
    ]
    return max(close)[1] if close else ""
