"""Units of a document's tree that are answers as wholes: a definition with its term, a list of definitions under what introduces it."""

from __future__ import annotations

import re
from dataclasses import replace

from ascertain.answering.citations import label_entry
from ascertain.answering.units.candidates import LONGEST_UNIT, Candidate, collapse_spaces
from ascertain.core.documents.blocks import Block, BlockKind, Span
from ascertain.language.blocks import list_announced_definitions
from ascertain.language.instructions import instruction_spans
from ascertain.language.sentences import is_fragment, split_sentences
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, stem_word
from ascertain.questions.reading.names import LONGEST_KEY
from ascertain.questions.reading.question import Question
from ascertain.questions.reading.signs import Sign

LONGEST_SHOWN = 360
"""Characters of an item or a definition that is quoted whole: a paragraph that is read at a glance."""
LONGEST_ENTRY = 160
"""Characters of the first sentence of a definition that is shown in a list of them; for a longer one, the term alone."""
MOST_ENTRIES = 12
_BULLET = re.compile(r"\s*[-*+•◦▪‣·–—]\s+(?=\S)")
_NUMBERED = re.compile(r"\s*\(?1[.):]\s")
"""How a list begins whose items follow each other."""
_TERM_END = re.compile(r"(?<!\s)\s*[,/|]\s*|(?<!\s)\s+(?=-)|(?<![=\s])[=\s]+(?=[A-Z<\[]{2})")
"""What separates the forms of one term: ``-v, --verbose``, ``--name TEXT``."""


def complete_unit(question: Question, candidate: Candidate) -> Candidate:
    """A sentence of an item or a definition with all of it, where it is read at a glance; of a longer definition with the term, and where
    ``question`` asks what that is, with the sentences behind it. One that opens what stands under a question with those behind it too.
    Any other as it is.
    """
    if candidate.header is not None or candidate.is_block or candidate.document.place_of(candidate.span).speaker:
        return candidate
    unit = _find_block(candidate, BlockKind.ITEM, BlockKind.DEFINITION)
    if unit is None:
        return _complete_paragraph(candidate) if _opens_answer(candidate, candidate.span.start) else candidate
    text = candidate.document.text
    if unit.span.length <= LONGEST_SHOWN:
        whole = Span(unit.span.start, unit.span.start + len(unit.span.of(text).rstrip()))
        return _widen(candidate, Span(_skip_bullet(unit, text), whole.end))
    if unit.kind is BlockKind.ITEM:
        return _label_item(unit, candidate)
    if unit.span.start == candidate.span.start:
        is_explained = bool(question.subject) and _names_term(unit, question.subject, question.language)
        return _complete_paragraph(candidate) if is_explained else candidate
    term = Span(unit.span.start, unit.span.start + len(unit.label or ""))
    if not unit.label or term.of(text) != unit.label or term.overlap(candidate.span):
        return candidate
    return replace(candidate, header=term, text=label_entry(term.of(text), candidate.span.of(text)))


def _label_item(unit: Block, candidate: Candidate) -> Candidate:
    """A sentence of a long item with the name that the item opens with: "usePolling (default: false)."."""
    text = candidate.document.text
    start = _skip_bullet(unit, text)
    first = next(iter(split_sentences(text[start : unit.span.end])), Span(0, 0)).shift(start)
    name = Span(first.start, first.start + len(first.of(text).rstrip(".:")))
    is_name = 0 < name.length <= LONGEST_KEY and name.end <= candidate.span.start and is_fragment(name.of(text))
    if not is_name:
        return candidate
    return replace(candidate, header=name, text=label_entry(name.of(text), candidate.span.of(text)))


def complete_steps(question: Question, said: Candidate) -> Candidate:
    """What is said with the whole list that it opens, where that is the whole answer to a question in a heading, and short enough to read at
    a glance; a step with all of them, where ``question`` asks for several things.
    """
    steps = _find_block(said, BlockKind.LIST) if said.header is None else None
    if steps is None or steps.span.length > LONGEST_UNIT:
        return said
    text = steps.span.of(said.document.text).rstrip()
    are_steps = Sign.PARTS in question.signs and _NUMBERED.match(text) is not None
    if not are_steps and not _opens_answer(said, steps.span.start):
        return said
    if said.span.end > steps.span.start + len(text) or instruction_spans(text):
        return said
    return replace(said, span=Span(steps.span.start, steps.span.start + len(text)), text=text)


def _opens_answer(candidate: Candidate, start: int) -> bool:
    """Whether the text at ``start`` is the first under a heading that is a question: after "No, it cannot." comes the reason."""
    section = candidate.document.place_of(candidate.span).section
    heading = section[-1].rstrip() if section else ""
    return heading.endswith("?") and candidate.document.text[:start].rstrip().endswith(heading)


def _skip_bullet(unit: Block, text: str) -> int:
    """Where the words of an item begin: a bullet says nothing by itself, a number may."""
    opening = _BULLET.match(text, unit.span.start) if unit.kind is BlockKind.ITEM else None
    return opening.end() if opening else unit.span.start


def _complete_paragraph(candidate: Candidate) -> Candidate:
    text = candidate.document.text
    end = text.find("\n\n", candidate.span.end)
    paragraph = Span(candidate.span.start, end if end >= 0 else len(text))
    whole = candidate.span
    for sentence in split_sentences(paragraph.of(text)):
        if sentence.end > LONGEST_SHOWN:
            break
        whole = Span(paragraph.start, max(whole.end, paragraph.start + sentence.end))
    return _widen(candidate, whole)


def _widen(candidate: Candidate, whole: Span) -> Candidate:
    text = candidate.document.text
    if whole == candidate.span or whole.end < candidate.span.end or instruction_spans(whole.of(text)):
        return candidate
    return replace(candidate, span=whole, text=collapse_spaces(whole.of(text)))


def list_entries(candidate: Candidate) -> list[Candidate]:
    """The definitions that ``candidate`` introduces and that are too long to follow it: of each its first sentence, or its term."""
    if candidate.header is not None or candidate.is_block:
        return []
    blocks = list_announced_definitions(candidate.document, candidate.span)[:MOST_ENTRIES]
    found = [_shorten_entry(candidate, block) for block in blocks]
    return [entry for entry in found if entry is not None] if len(blocks) > 1 and all(found) else []


def _shorten_entry(candidate: Candidate, block: Block) -> Candidate | None:
    text = candidate.document.text
    term = Span(block.span.start, block.span.start + len(block.label or ""))
    if not block.label or term.of(text) != block.label:
        return None
    first = split_sentences(block.span.of(text))[0].shift(block.span.start)
    span = first if first.length <= LONGEST_ENTRY and "\n" not in first.of(text) else term
    return replace(candidate, span=span, text=collapse_spaces(span.of(text)), is_fragment=True, is_entry=True)


def _find_block(candidate: Candidate, *kinds: BlockKind) -> Block | None:
    around = candidate.document.tree.around(candidate.span.start)
    return next((block for block in reversed(around) if block.kind in kinds), None)


def _names_term(entry: Block, subject: str, language: str) -> bool:
    """Whether the term of ``entry``, or one of its forms, is ``subject``."""
    wanted = _fold_term(subject, language)
    forms = (entry.label or "", *_TERM_END.split(entry.label or ""))
    return bool(wanted) and any(_fold_term(form, language) == wanted for form in forms)


def _fold_term(term: str, language: str) -> tuple[str, ...]:
    return tuple(stem_word(word, language) for word in WORD.findall(fold_words(term)) if word not in STOP_WORDS)
