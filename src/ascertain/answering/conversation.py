"""The last answer again: shorter, with more of its sources, as a list, with its place in the sources, or with its confidence (QU-11); and what
all answers of the conversation said.

Nothing is said that is not in the answer or its sources: it shows its own sentences, the words that answer, or more of the
passages it quotes, each with its citation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ascertain.answering.citations import cite_span, shown_text
from ascertain.answering.units.candidates import collapse_spaces
from ascertain.core.asking.answers import (
    Answer,
    AnswerSentence,
    AnswerType,
    Citation,
    Form,
    Verdict,
    VerdictLabel,
    find_answering_words,
)
from ascertain.core.asking.forms import join_sentences
from ascertain.core.asking.passages import Passage
from ascertain.core.asking.requests import AnsweredQuestion
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Document
from ascertain.language.dates import format_day
from ascertain.language.languages import NAMES, say_sentence
from ascertain.language.sentences import split_sentences
from ascertain.questions.conversation.acts import Act, RequestedAct

CANNOT_TRANSLATE = "Without a chat model nothing can be put into {language}: these are the words of the sources."
RESTS_ON = "Confidence {score} of 100. Each sentence is quoted from the sources:"
RESTS_ON_WRITTEN = "Confidence {score} of 100. It rests on these words of the sources:"
STANDS_IN = "The answer stands here:"
NO_ANSWER = "There is no answer yet to go back to."
SO_FAR = "What was asked so far, and what was found:"
NOT_ON_RECORD = "These answers are not on record here, so no sources are shown: they are repeated as they were given."
UNANSWERED = "No answer was found to: {questions}."
CHANGED = "The documents no longer say what was quoted for: {questions}."
MOST_WIDENED = 3
"""Passages shown where more of an answer is requested."""
MOST_KEPT = 3
"""Entries left of a list when it is shortened."""
LONG_SENTENCE = 12
"""Words from which a sentence is cut to those that answer."""
FEWEST_PIECES, FEWEST_WORDS = 3, 2
"""Parts of a sentence, and words of each, from which it is laid out as a list."""

_MARKER = re.compile(r"(?:\(?\d{1,2}[.)]|[-*•–])\s")
FindPassages = Callable[[Sequence[Citation]], Sequence[Passage]]
FindDocument = Callable[[str], Document | None]


def present_again(
    wanted: RequestedAct, answer: Answer, language: str, passages: FindPassages, document: FindDocument
) -> Answer:
    """``answer`` as ``wanted``, with what is said of it in ``language``; ``passages`` finds those that contain the quotations. A rejection stays as it is."""
    if not answer.sentences:
        return answer
    match wanted.act:
        case Act.SHORTEN:
            return _show(answer, _shorten(answer))
        case Act.EXPAND:
            return _expand(answer, passages(answer.citations), document)
        case Act.LIST:
            return _show(answer, list(_list_items(answer)))
        case Act.CITE:
            return _quote_sources(answer, say_sentence(STANDS_IN, language))
        case Act.DOUBT:
            is_quoted = all(_is_quoted(sentence, answer.citations) for sentence in answer.sentences)
            lead = say_sentence(RESTS_ON if is_quoted else RESTS_ON_WRITTEN, language, score=answer.confidence.score)
            return _quote_sources(answer, lead)
        case Act.TRANSLATE:
            caveat = say_sentence(CANNOT_TRANSLATE, language, language=NAMES.get(wanted.language, wanted.language))
            told = " ".join(filter(None, (caveat, answer.confidence.caveat)))
            return replace(
                answer, text=f"{caveat}\n\n{answer.text}", confidence=replace(answer.confidence, caveat=told)
            )
        case _:
            return answer


def _show(answer: Answer, sentences: Sequence[AnswerSentence], lead: str = "") -> Answer:
    """``answer`` with these sentences, and their citations."""
    used = dict.fromkeys(number for sentence in sentences for number in sentence.citations)
    citations = [citation for citation in answer.citations if citation.number in used]
    numbers = {citation.number: number for number, citation in enumerate(citations, 1)}
    shown = tuple(
        replace(sentence, citations=tuple(numbers[each] for each in sentence.citations if each in numbers))
        for sentence in sentences
    )
    text = "\n\n".join(filter(None, (lead, join_sentences(shown))))
    renumbered = tuple(replace(citation, number=numbers[citation.number]) for citation in citations)
    return replace(answer, text=text, sentences=shown, citations=renumbered, computation=None)


def recap_answers(asked: Sequence[AnsweredQuestion], reply: Answer, language: str) -> Answer:
    """``reply`` as the questions so far, each with the sentence that answered and its citations; what had no answer, or one
    whose sources have changed, is named. What is not stored in full is repeated as given.
    """
    answered = [each for each in asked if each.stands and (each.answer is None or each.answer.sentences)]
    recorded = [each.answer for each in answered if each.answer is not None]
    short = [_show(answer, _choose_sentences(answer)) for answer in recorded]
    lines, citations = merge_citations(short)
    rest = iter(lines)
    parts: list[str] = [say_sentence(SO_FAR, language)] if answered else []
    for number, each in enumerate(answered, 1):
        said = join_sentences(next(rest)) if each.answer is not None else _first_sentence(each.text)
        parts.append(f"{number}. {collapse_spaces(each.question)}\n\n{said}")
    refused = [each.question for each in asked if each.answer is not None and not each.answer.sentences]
    changed = [each.question for each in asked if not each.stands]
    for sentence, questions in ((UNANSWERED, refused), (CHANGED, changed)):
        if questions:
            named = ", ".join(f"“{collapse_spaces(each)}”" for each in dict.fromkeys(questions))
            parts.append(say_sentence(sentence, language, questions=named))
    if len(recorded) < len(answered):
        parts.append(say_sentence(NOT_ON_RECORD, language))
    least = min(recorded, key=lambda each: each.confidence.score, default=reply)
    return replace(
        reply,
        text="\n\n".join(parts),
        type=AnswerType.FOLLOWUP_ANSWER if citations else reply.type,
        sentences=tuple(sentence for line in lines for sentence in line),
        citations=citations,
        confidence=least.confidence,
        strategy=least.strategy,
        groundedness=min((each.groundedness for each in recorded if each.groundedness is not None), default=None),
    )


def merge_citations(answers: Sequence[Answer]) -> tuple[list[tuple[AnswerSentence, ...]], tuple[Citation, ...]]:
    """The sentences of each of ``answers``, and the citations of all: numbered consecutively, repeated quotations once."""
    citations: list[Citation] = []
    lines: list[tuple[AnswerSentence, ...]] = []
    for answer in answers:
        numbers: dict[int, int] = {}
        for citation in answer.citations:
            known = next((each.number for each in citations if _is_same(each, citation)), 0)
            numbers[citation.number] = known or len(citations) + 1
            if not known:
                citations.append(replace(citation, number=len(citations) + 1))
        lines.append(
            tuple(
                replace(sentence, citations=tuple(numbers[number] for number in sentence.citations))
                for sentence in answer.sentences
            )
        )
    return lines, tuple(citations)


def _is_same(one: Citation, other: Citation) -> bool:
    return (one.document_id, one.span) == (other.document_id, other.span)


def _first_sentence(text: str) -> str:
    spans = split_sentences(text)
    return collapse_spaces(spans[0].of(text)) if spans else collapse_spaces(text)


def _shorten(answer: Answer) -> list[AnswerSentence]:
    """The sentence that answers, or, where a long one is all there is, the words that do; of a list its first entries."""
    chosen = _choose_sentences(answer)
    sentence = chosen[0]
    if len(answer.sentences) == 1 and len(sentence.text.split()) > LONG_SENTENCE and sentence.form is Form.TEXT:
        found = _find_words(answer, 0)
        return [replace(sentence, text=found)] if found else chosen
    return chosen


def _choose_sentences(answer: Answer) -> list[AnswerSentence]:
    """The sentence that answers; of a list its first entries."""
    entries = [
        sentence for sentence in answer.sentences if sentence.form is not Form.TEXT or _MARKER.match(sentence.text)
    ]
    if len(entries) == len(answer.sentences) > 1:
        return entries[:MOST_KEPT]
    words = (index for index in range(len(answer.sentences)) if _find_words(answer, index))
    return [answer.sentences[next(words, 0)]]


def _find_words(answer: Answer, index: int) -> str:
    sentence = answer.sentences[index]
    cited = [citation for citation in answer.citations if citation.number in sentence.citations]
    span = find_answering_words(sentence.text, cited)
    return span.of(sentence.text) if span else ""


def _list_items(answer: Answer) -> Iterator[AnswerSentence]:
    for sentence in answer.sentences:
        pieces = _split_sentence(sentence.text) if sentence.form is Form.TEXT else [sentence.text]
        for piece in pieces:
            form = Form.ITEM if sentence.form in {Form.TEXT, Form.STEP} else sentence.form
            yield replace(sentence, text=piece, form=form)


def _split_sentence(text: str) -> list[str]:
    """The parts that a sentence lists; the whole sentence where it lists none."""
    for mark in (";", ","):
        pieces = [piece.strip(" ,;") for piece in re.split(rf"{mark}\s(?:and\s|or\s)?", text)]
        if len(pieces) >= FEWEST_PIECES and all(len(piece.split()) >= FEWEST_WORDS for piece in pieces):
            return pieces
    return [text]


def _expand(answer: Answer, passages: Sequence[Passage], document: FindDocument) -> Answer:
    """All of the passages that ``answer`` quotes, sentence by sentence; the answer itself where they contain no more."""
    citations: list[Citation] = []
    sentences: list[AnswerSentence] = []
    for passage in passages[:MOST_WIDENED]:
        whole = document(passage.chunk.document_id)
        for span in split_sentences(passage.chunk.text) if whole is not None else ():
            assert whole is not None
            placed = span.shift(passage.chunk.span.start)
            text = shown_text(placed.of(whole.text), [whole.text])
            if text:
                citations.append(
                    cite_span(len(citations) + 1, whole, placed, answer=_find_answer(answer, whole, placed))
                )
                sentences.append(AnswerSentence(text, Verdict(VerdictLabel.SUPPORTED, 1.0), (len(citations),)))
    if len(sentences) <= len(answer.sentences):
        return answer
    return replace(
        answer, text=join_sentences(sentences), sentences=tuple(sentences), citations=tuple(citations), computation=None
    )


def _find_answer(answer: Answer, document: Document, span: Span) -> Span | None:
    """The words that answer, where they are known and inside ``span``."""
    known = (each.answer for each in answer.citations if each.document_id == document.id)
    return next((found for found in known if found is not None and span.contains(found)), None)


def _is_quoted(sentence: AnswerSentence, citations: Sequence[Citation]) -> bool:
    cited = (citation for citation in citations if citation.number in sentence.citations)
    return any(" ".join(sentence.said.split()) in " ".join(citation.quote.split()) for citation in cited)


def _quote_sources(answer: Answer, lead: str) -> Answer:
    """What ``answer`` cites, quotation by quotation, each with its place."""
    verdicts = {number: sentence.verdict for sentence in answer.sentences for number in sentence.citations}
    sentences = [
        AnswerSentence(
            f"“{shown_text(citation.quote, [citation.quote])}” ({_name_place(citation)})",
            verdicts.get(citation.number, Verdict(VerdictLabel.SUPPORTED, 1.0)),
            (citation.number,),
            form=Form.ITEM,
        )
        for citation in answer.citations
    ]
    return _show(answer, sentences, lead)


def _name_place(citation: Citation) -> str:
    dated = format_day(citation.published_at) if citation.published_at else ""
    return ", ".join(filter(None, (citation.title or citation.source, citation.place.label, dated)))
