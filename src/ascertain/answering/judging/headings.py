"""The text under a heading or a title that a question names: its opening says what the thing is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.judging.features import Matrix
from ascertain.answering.matching.kinds import mentions_identifier, offers_kind
from ascertain.answering.units.candidates import Candidate
from ascertain.core.documents.blocks import BlockKind
from ascertain.language.tokens import WORD, content_terms
from ascertain.questions.reading.kinds import FACTS
from ascertain.questions.reading.names import AskedNames, find_named, fold_key, has_option, name_entry
from ascertain.questions.reading.question import Question

FARTHEST_OPENING = 400
"""Characters behind a heading up to which a sentence opens its section: lines with a default or a type may precede it."""
LONGEST_NAME = 4
"""Words before the colon of a list up to which they name it: "New features:"."""
LEAST_NAMED = 0.35
"""Share of a question from which an entry of that name is asked for: "list the archives of a repository" asks for no entry ``archive``."""
_PAGE_SECTION = re.compile(r"\(\d\w{0,3}\)$")
"""Of the title of a manual page: ``jq(1)``."""
FEWEST_TERMS = 4
"""Content terms of a sentence that can say what something is: "See also: captures" does not."""
FARTHEST_BEHIND_TITLE = 1_000
"""The same after a title: a table of contents or a synopsis may precede the opening of a document."""


def find_openings(subject: str, candidates: Sequence[Candidate], language: str) -> set[int]:
    """The sentences that open a section headed ``subject``, or a document of that title."""
    wanted, head = fold_key(subject, language), _compile_head(subject)
    first: dict[tuple[str, tuple[str, ...]], int] = {}
    for i, each in enumerate(candidates):
        if each.is_fragment or len(set(each.terms)) < FEWEST_TERMS:
            continue
        for key in (*_list_named(each, wanted, language), *_list_headed(each, head)):
            if key not in first or each.span.start < candidates[first[key]].span.start:
                first[key] = i
    return set(first.values())


def score_named(question: Question, candidates: Sequence[Candidate]) -> Matrix:
    """For each candidate that stands under a name which the question says, how much of the question that name is, 0..1.

    A name is the term of a definition or what an item begins with; only those with the largest share of the question count: of "the
    default of max connections" not ``connections`` where there is an entry ``max connections``.
    """
    asked = question.names
    names = [tuple(_list_names(each)) for each in candidates]
    shares = np.array([_measure_names(question, asked, *each) for each in zip(candidates, names, strict=True)])
    most = float(shares.max(initial=0.0))
    return np.where(shares >= most, shares, 0.0)


def _measure_names(question: Question, asked: AskedNames, candidate: Candidate, names: Sequence[str]) -> float:
    """What the title, and the number or version of a heading, already say counts neither for a name nor against it; a number or an option
    is nothing else than what has it.
    """
    headed = content_terms(" ".join(candidate.document.place_of(candidate.span).section), question.language)
    said = {*content_terms(candidate.document.title, question.language), *filter(str.isdigit, headed)}
    weights = {stem: weight for stem, weight in question.weights.items() if stem not in said}
    named = [find_named(name, asked) for name in names]
    if any(term.isdigit() for terms in named for term in terms) or any(has_option(name, asked) for name in names):
        return 1.0
    most = max((sum(weights.get(term, 0.0) for term in terms) for terms in named), default=0.0)
    share = most / sum(weights.values()) if weights else 0.0
    return share if share >= LEAST_NAMED else 0.0


def _list_names(candidate: Candidate) -> Iterator[str]:
    document = candidate.document
    for block in document.tree.around(candidate.span.start):
        if block.kind is BlockKind.DEFINITION and block.label:
            yield block.label
        elif block.kind is BlockKind.ITEM and (name := name_entry(block.span.of(document.text).partition("\n")[0])):
            yield name
    if candidate.is_block and len((name := name_entry(candidate.text)).split()) in range(1, LONGEST_NAME + 1):
        yield name


def _list_named(candidate: Candidate, wanted: tuple[str, ...], language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The section, and the document, whose name is ``wanted`` and which ``candidate`` may open."""
    document, start = candidate.document, candidate.span.start
    section = document.place_of(candidate.span).section
    if (
        section
        and fold_key(section[-1], language) == wanted
        and start - _find_heading_end(candidate) <= FARTHEST_OPENING
    ):
        yield document.id, section
    if (
        not candidate.is_block
        and start <= FARTHEST_BEHIND_TITLE
        and fold_key(_PAGE_SECTION.sub("", document.title), language) == wanted
    ):
        yield document.id, ()


def _compile_head(subject: str) -> re.Pattern[str]:
    """A line that opens with ``subject`` as dictionaries do: ":adger: /aj'r/, vt.", "Adger, verb"."""
    words = r"\W+".join(map(re.escape, WORD.findall(subject)))
    return re.compile(rf"[^\w\n]*{words or '(?!)'}(?:\s*$|[:,;/(\[–—]|\s+[-–—/(\[])", re.I)


def _list_headed(candidate: Candidate, head: re.Pattern[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The place of the ``head`` that stands right above ``candidate``, alone on its line, or before it: plain text marks headings and terms by
    nothing else.
    """
    if candidate.is_block or candidate.header is not None or _ASIDE.fullmatch(candidate.text):
        return
    start = candidate.span.start
    above = candidate.document.text[max(0, start - FARTHEST_OPENING) : start]
    paragraphs = above.split("\n\n")
    if paragraphs[-1].strip():
        del paragraphs[:-1]
    for paragraph in reversed(list(filter(str.strip, paragraphs))):
        line = paragraph.strip()
        if "\n" in line or len(line.split()) > LONGEST_HEADING:
            return
        if head.match(line):
            yield candidate.document.id, ("", str(start - len(above) + above.rindex(paragraph)))
            return
        if not _ASIDE.fullmatch(line):
            return


def _is_head(question: Question, candidate: Candidate) -> bool:
    """Whether ``candidate`` is the line that only names what ``question`` wants explained."""
    if not question.subject or not candidate.is_fragment or len(candidate.text.split()) > LONGEST_HEADING:
        return False
    match = _compile_head(question.subject).match(candidate.text)
    is_alone = candidate.document.text.startswith("\n\n", candidate.span.end)
    return match is not None and (is_alone or _ABBREVIATED.fullmatch(candidate.text, match.end()) is not None)


_ABBREVIATED = re.compile(r"[\s,;:(]*(?:\w{1,5}\.[\s,;)]*)+")
"""What a dictionary says of a word before what it means: ``n.``"""


def _find_heading_end(candidate: Candidate) -> int:
    start = candidate.span.start
    ends = (block.span.end for block in candidate.document.blocks_of(BlockKind.HEADING) if block.span.end <= start)
    return max(ends, default=0)


def bar_headings(question: Question, candidates: Sequence[Candidate]) -> NDArray[np.bool_]:
    """Which ``candidates`` are headings that answer nothing; none where all are."""
    barred = np.array(
        [
            (is_heading(each) and not is_entry_heading(question, each)) or _is_head(question, each)
            for each in candidates
        ],
        dtype=bool,
    )
    return barred & ~barred.all()


def is_heading(candidate: Candidate) -> bool:
    """Whether a candidate is a heading, the title or the name of who speaks, and nothing else."""
    if candidate.header is not None or candidate.is_block:
        return False
    around = candidate.document.tree.around(candidate.span.start)
    if around and around[-1].kind is BlockKind.HEADING:
        return True
    if candidate.is_fragment and _stands_as_heading(candidate):
        return True
    place = candidate.document.place_of(candidate.span)
    own, names = _keep_letters(candidate.text), (candidate.document.title, place.speaker or "", *place.section)
    return candidate.is_fragment and (not own or any(own == _keep_letters(name) for name in names))


def is_entry_heading(question: Question, candidate: Candidate) -> bool:
    """Whether a heading names a code of ``question`` and gives the fact that is asked for: "Version 1.1.9 (2019-02-10)"."""
    return (
        question.kind in FACTS
        and any(mentions_identifier(candidate.text, code) for code in question.codes)
        and offers_kind(question.kind, candidate.text, question.weights.keys(), question.language)
    )


_ASIDE = re.compile(r"[\[(](?:[^\])]*|[^\])]*[\])]\W*)")
"""What may stand between a head and what it means: where the word comes from."""
LONGEST_HEADING = 8
"""Words of a line that stands alone, up to which it may be a heading."""
_NO_HEADING = re.compile(r"[\d:|=<>/_]|[.!?]$")


def _stands_as_heading(candidate: Candidate) -> bool:
    """Whether a scrap of plain text is the only line of its paragraph, as headings are, and says nothing that could be asked for: no
    figure, no value.
    """
    text, span = candidate.document.text, candidate.span
    is_alone = not text[: span.start].rstrip(" ").removesuffix("\n\n") or text[: span.start].endswith("\n\n")
    is_alone = is_alone and text[span.end :].startswith("\n\n")
    return is_alone and len(candidate.text.split()) <= LONGEST_HEADING and not _NO_HEADING.search(candidate.text)


def _keep_letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
