"""What a composer is given and what it returns; the warnings, origins and rejections that composers share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ascertain.answering.citations import shown_text
from ascertain.answering.units.candidates import collapse_spaces, count_noun, find_unmentioned_codes, is_of_unknown_name
from ascertain.core.asking.answers import (
    AnswerSentence,
    AnswerType,
    Citation,
    Computation,
    Decision,
    Verdict,
    VerdictLabel,
)
from ascertain.core.asking.forms import join_sentences
from ascertain.core.asking.judgements import CheckedClaim, Groundedness
from ascertain.core.asking.passages import Confidence, Passage
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk
from ascertain.core.reports.overviews import EntityReport
from ascertain.language.equivalents import find_absent
from ascertain.language.instructions import instruction_spans, instruction_warning
from ascertain.language.languages import KNOWN, say_sentence
from ascertain.language.sentences import cut_at_sentence, split_sentences
from ascertain.language.tokens import WORD, content_terms
from ascertain.questions.reading.question import Question


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """A draft with what the check of its claims found."""

    composition: Composition
    groundedness: Groundedness


@dataclass(frozen=True, slots=True)
class WritingRequest:
    """``passages`` best first. ``quality`` is the retrieval's, 0..100, and sets how free the writer is.

    ``unsupported`` are claims of an earlier draft that had no support: they must not be quoted again. A chat model sees that
    ``draft`` with the reason of each, keeps what is right and repairs the rest. ``searched`` says
    what was searched, for the text of a rejection: ``24 documents published in March 2026``. With a ``report``,
    ``passages`` are its places. ``speaker`` is whose words are asked about: what others say is not quoted while there
    is anything of theirs. ``gathered``: the passages as the rules chose them, where a chat model chose among them.
    ``wording``: the question as ``Plan.wording`` has it; empty where that is ``question``. ``language``: the ISO 639-1 code of the
    language requested, empty for that of the question or the settings.
    """

    question: Question
    passages: tuple[Passage, ...]
    quality: int
    unsupported: tuple[str, ...] = ()
    searched: str = ""
    report: EntityReport | None = None
    speaker: str = ""
    gathered: tuple[Passage, ...] = ()
    wording: str = ""
    language: str = ""
    draft: CheckedDraft | None = None


@dataclass(frozen=True, slots=True)
class Composition:
    """What a composer made: the text to show, its sentences with the numbers of their citations, and why.

    ``evidence`` holds what the passages say for and against an answer, by name; see ``answering.confidence``.
    ``quoted`` are the quotations behind an answer that a chat model wrote: the answer where it cannot be
    relied on; None for an answer that is itself quoted. ``is_doubted``: a chat model read the same passages and found
    no answer in them. ``checked`` are verdicts already reached; without them the claims are still unchecked.
    ``caveats`` are reservations shown with the answer, in the language of the question. ``computation`` is what was computed
    over a table, None for looked-up answers.
    """

    text: str
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    confidence: Confidence
    decisions: tuple[Decision, ...]
    type: AnswerType
    evidence: Mapping[str, float] = field(default_factory=dict[str, float])
    quoted: Composition | None = None
    is_doubted: bool = False
    checked: Groundedness | None = None
    caveats: tuple[str, ...] = ()
    computation: Computation | None = None


def drop_unsupported(composition: Composition, groundedness: Groundedness) -> Composition | None:
    """``composition`` without the sentences that have a claim without support; None where no cited one is left."""
    poor = {claim.sentence for claim in groundedness.flagged}
    kept = [i for i, sentence in enumerate(composition.sentences) if i not in poor and sentence.citations]
    if not kept:
        return None
    places = {old: new for new, old in enumerate(kept)}
    cited = dict.fromkeys(number for i in kept for number in composition.sentences[i].citations)
    citations = [citation for citation in composition.citations if citation.number in cited]
    numbers = {citation.number: number for number, citation in enumerate(citations, 1)}
    sentences = tuple(
        replace(sentence, citations=tuple(numbers[number] for number in sentence.citations if number in numbers))
        for sentence in (composition.sentences[i] for i in kept)
    )
    left = [claim for claim in groundedness.claims if claim.sentence in places]
    dropped = count_noun(len(composition.sentences) - len(kept), "sentence")
    return replace(
        composition,
        text=join_sentences(sentences),
        sentences=sentences,
        citations=tuple(replace(citation, number=numbers[citation.number]) for citation in citations),
        decisions=(Decision("compose", f"{dropped} left out", "nothing supports them"),),
        checked=Groundedness(tuple(replace(claim, sentence=places[claim.sentence]) for claim in left)),
    )


def quote_citations(composition: Composition, passages: Sequence[Passage]) -> Composition | None:
    """What ``composition`` quotes from ``passages``, without its own text, each quotation widened to its sentences; None where it
    quotes nothing from them.
    """
    quoted = [widened for each in composition.citations if (widened := _widen_quote(each, passages)) is not None]
    distinct = {(each.document_id, each.span): each for each in quoted}.values()
    citations = tuple(replace(each, number=number) for number, each in enumerate(distinct, 1))
    if not citations:
        return None
    verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
    sentences = tuple(
        AnswerSentence(shown_text(each.quote, [each.quote]), verdict, (each.number,)) for each in citations
    )
    claims = tuple(CheckedClaim(each.text, i, verdict, "its words are quoted") for i, each in enumerate(sentences))
    return replace(
        composition,
        text=" ".join(sentence.text for sentence in sentences),
        sentences=sentences,
        citations=citations,
        decisions=(),
        type=AnswerType.SUMMARY,
        evidence={},
        quoted=None,
        is_doubted=False,
        checked=Groundedness(claims),
    )


def _widen_quote(citation: Citation, passages: Sequence[Passage]) -> Citation | None:
    """``citation`` with the whole sentences it overlaps; None where it is from none of ``passages``."""
    for passage in passages:
        chunk = passage.chunk
        if chunk.document_id != citation.document_id or not chunk.span.contains(citation.span):
            continue
        inside = citation.span.shift(-chunk.span.start)
        touched = [span for span in split_sentences(chunk.text) if span.overlap(inside)]
        if not touched:
            return citation
        whole = Span(min(touched[0].start, inside.start), max(touched[-1].end, inside.end))
        if instruction_spans(whole.of(chunk.text)):
            return citation
        return replace(citation, span=whole.shift(chunk.span.start), quote=whole.of(chunk.text))
    return None


def join_compositions(first: Composition, second: Composition) -> Composition:
    """``first`` followed by ``second``, whose citations continue the numbering."""
    most = max((citation.number for citation in first.citations), default=0)
    sentences = (
        replace(sentence, citations=tuple(number + most for number in sentence.citations))
        for sentence in second.sentences
    )
    return replace(
        first,
        text=f"{first.text}\n\n{second.text}",
        sentences=(*first.sentences, *sentences),
        citations=(*first.citations, *(replace(each, number=each.number + most) for each in second.citations)),
    )


def with_warnings(composition: Composition, passages: Sequence[Passage]) -> Composition:
    """``composition`` with ``Citation.warning`` set where the quote, or the passage it is in, contains such text."""
    return replace(composition, citations=tuple(_add_warning(c, passages) for c in composition.citations))


def _add_warning(citation: Citation, passages: Sequence[Passage]) -> Citation:
    around = [
        passage.chunk.text
        for passage in passages
        if passage.chunk.document_id == citation.document_id and passage.chunk.span.overlap(citation.span)
    ]
    warnings = (instruction_warning(text) for text in (citation.quote, citation.title, *around))
    warning = next((line for line in warnings if line is not None), None)
    return citation if warning is None else replace(citation, warning=warning)


def with_origins(composition: Composition, passages: Sequence[Passage]) -> Composition:
    """``composition`` with ``Citation.origin``, ``explanation`` and ``way`` of the first of ``passages`` that the quote
    is in.
    """
    return replace(composition, citations=tuple(_with_origin(each, passages) for each in composition.citations))


def _with_origin(citation: Citation, passages: Sequence[Passage]) -> Citation:
    for passage in passages:
        chunk = passage.chunk
        if chunk.document_id == citation.document_id and chunk.span.overlap(citation.span):
            if passage.origin != "graph":
                return replace(citation, origin=passage.origin)
            return replace(citation, origin=passage.origin, explanation=passage.explanation, way=passage.way)
    return citation


_TITLES = 3
_LONGEST_TITLE = 80


def rejection_text(question: Question, passages: Sequence[Passage], searched: str = "") -> str:
    """A few sentences for people; never an answer. ``searched`` describes the collection and its filter, if known."""
    if question.language in KNOWN:
        return _reject_in_language(question, passages)
    where = f" in {collapse_spaces(searched)}" if searched.strip() else ""
    if not passages:
        return (
            f"I could not find anything about this{where or ' in the knowledge base'}. It would help to use other words, or to "
            "add documents about it."
        )
    titles = list(dict.fromkeys(_quote_title(p) for p in passages if _quote_title(p)))[:_TITLES]
    documents = len({p.chunk.document_id for p in passages})
    parts = [
        f"I could not find an answer to this{where}.",
        f"I looked at the {count_noun(len(passages), 'nearest passage')} from {count_noun(documents, 'document')}"
        + (f", nearest {_list_items(titles)}." if titles else "."),
    ]
    missing = _find_missing_words(question, passages)
    if missing:
        parts.append(f"None of them mentions {_list_items(missing, 'or')}.")
    parts.append("It would help to ask in other words, or to add documents about it.")
    return " ".join((*parts, *_offer_nearest(question, passages)))


NEAREST = "Nearest is {place}: “{opening}”"
ON_SUBJECT = 0.3
"""Share of the weight of a question in the nearest passage from which its document is offered in place of an answer."""
CLEAR_LEAD = 1.5
"""How many times as much of the question the passage contains as the nearest one of another document."""
LONGEST_OPENING = 160


def _offer_nearest(question: Question, passages: Sequence[Passage]) -> Iterator[str]:
    """Where the nearest passage is and how it begins, where it is on the subject and no other document has one as near."""
    chunk = passages[0].chunk
    others = (each.chunk for each in passages[:3] if each.chunk.document_id != chunk.document_id)
    own, next_best = (
        _measure_coverage(question, chunk),
        max((_measure_coverage(question, each) for each in others), default=0.0),
    )
    if own < ON_SUBJECT or own < CLEAR_LEAD * next_best or is_of_unknown_name(question, passages):
        return
    sentences = [span.of(chunk.text) for span in split_sentences(chunk.text)]
    closest = max(sentences, key=lambda each: question.coverage(content_terms(each, question.language)), default="")
    opening = shown_text(cut_at_sentence(closest, LONGEST_OPENING), [chunk.text])
    if opening and not instruction_spans(chunk.text):
        where = " › ".join(chunk.place.section)
        yield say_sentence(
            NEAREST,
            question.language,
            place=", ".join(filter(None, (_quote_title(passages[0]), where))),
            opening=opening,
        )


def _measure_coverage(question: Question, chunk: Chunk) -> float:
    return question.coverage(content_terms(chunk.indexed_text, question.language))


def find_offer(text: str) -> str:
    """The title of the document that a rejection offers; empty where it offers none."""
    match = _OFFER.search(text)
    return match[1] if match else ""


_OFFER = re.compile(r"“([^“”]+)”(?:, [^“”:]{1,300})?: “[^“”]*”")


def _reject_in_language(question: Question, passages: Sequence[Passage]) -> str:
    """The same in another language, without what was searched, which is in English."""
    if not passages:
        return say_sentence(
            "I could not find anything about this. It would help to use other words, or to add documents about it.",
            question.language,
        )
    titles = list(dict.fromkeys(_quote_title(p) for p in passages if _quote_title(p)))[:_TITLES]
    looked = "I could not find an answer to this. I looked at the nearest passages ({passages})"
    listed = _list_items(titles, say_sentence("and", question.language)) if titles else ""
    parts = [
        say_sentence(
            f"{looked}, from {{titles}}." if titles else f"{looked}.",
            question.language,
            passages=len(passages),
            titles=listed,
        )
    ]
    if missing := _find_missing_words(question, passages):
        parts.append(
            say_sentence(
                "None of them mentions {words}.",
                question.language,
                words=_list_items(missing, say_sentence("or", question.language)),
            )
        )
    parts.append(say_sentence("It would help to ask in other words, or to add documents about it.", question.language))
    return " ".join((*parts, *_offer_nearest(question, passages)))


def _quote_title(passage: Passage) -> str:
    title = "".join(c for c in collapse_spaces(passage.chunk.title) if c.isprintable())
    return f"“{title[: _LONGEST_TITLE - 1]}…”" if len(title) > _LONGEST_TITLE else f"“{title}”" if title else ""


def _list_items(items: Sequence[str], last: str = "and") -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


def _find_missing_words(question: Question, passages: Sequence[Passage]) -> list[str]:
    """Codes of the question that no passage contains, or else its words, as written; the three most informative."""
    absent = find_unmentioned_codes(question.codes, passages)
    if absent:
        return [f"“{code}”" for code in absent]
    words = find_absent(WORD.findall(question.text), (p.chunk.indexed_text for p in passages), question.language)
    rarest = sorted(
        words, key=lambda word: -max(question.weights.get(term, 0.0) for term in content_terms(word, question.language))
    )
    return [f"“{word}”" for word in words if word in rarest[:_TITLES]]
