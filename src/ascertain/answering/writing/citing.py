"""The entries of a written answer with what they cite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from ascertain.answering.citations import MOST, CitationList, SourceText, quotes_code
from ascertain.answering.writing.entries import Entry
from ascertain.core.asking.answers import AnswerSentence, Citation, Form, Verdict, VerdictLabel
from ascertain.core.documents.blocks import BlockKind
from ascertain.language.tokens import WORD, content_terms


def cite_entries(
    entries: Sequence[Entry], sources: Sequence[SourceText], citations: CitationList, language: str
) -> list[AnswerSentence]:
    """The entries as sentences with the numbers of their citations, none where none is found, and a first verdict."""
    sentences: list[AnswerSentence] = []
    for entry in entries:
        numbers = citations.cite(entry.text, entry.quotes, language)
        if entry.form is Form.CODE and not numbers:
            numbers = citations.cite("", [("", entry.text)], language)  # code is copied as a whole, quoted or not
        cited = [citations.all[number - 1] for number in numbers]
        coded_in = entry.language or (_find_code_language(cited, sources) if entry.form is Form.CODE else "")
        sentence = AnswerSentence(
            entry.text,
            Verdict(VerdictLabel.NOT_IN_SOURCES, 0.0),
            numbers,
            form=entry.form,
            columns=entry.columns,
            language=coded_in,
        )
        sentences.append(sentence)
    sentences = _cite_introductions(sentences)
    return [
        replace(
            each, verdict=_before_verification(each, [citations.all[number - 1] for number in each.citations], language)
        )
        for each in sentences
    ]


def _cite_introductions(sentences: Sequence[AnswerSentence]) -> list[AnswerSentence]:
    """The lead-in to a list, a table or code rests on the same words as that, where it cites nothing itself."""
    cited: list[AnswerSentence] = []
    for index, sentence in enumerate(sentences):
        numbers = sentence.citations
        if not numbers and sentence.form is Form.TEXT and sentence.text.endswith((":", "：")):
            run = takewhile(lambda each: each.form is not Form.TEXT, sentences[index + 1 :])
            numbers = tuple(dict.fromkeys(number for each in run for number in each.citations))[:MOST]
        cited.append(replace(sentence, citations=numbers))
    return cited


_LANGUAGE_NAME = re.compile(r"[\w+#.-]+")


def _find_code_language(cited: Sequence[Citation], sources: Sequence[SourceText]) -> str:
    """The document's name for the language of the cited code; empty where it has none."""
    documents = {source.document.id: source.document for source in sources}
    for citation in cited:
        around = documents[citation.document_id].tree.around(citation.span.start)
        label = next((block.label for block in reversed(around) if block.kind is BlockKind.CODE), None)
        if label and _LANGUAGE_NAME.fullmatch(label):
            return label
    return ""


def _before_verification(sentence: AnswerSentence, cited: Sequence[Citation], language: str) -> Verdict:
    """How far a sentence plainly is what it cites: the share of its content words, in 0..1."""
    if not cited:
        return Verdict(VerdictLabel.NOT_IN_SOURCES, 0.0)
    quotes = [citation.quote for citation in cited]
    bare = " ".join(WORD.findall(sentence.text)).casefold()
    if any(bare in " ".join(WORD.findall(quote)).casefold() for quote in quotes) or quotes_code(sentence, cited):
        return Verdict(VerdictLabel.SUPPORTED, 1.0)
    said = set(content_terms(sentence.text, language))
    held = set(content_terms(" ".join(quotes), language))
    return Verdict(VerdictLabel.INFERRED, round(len(said & held) / len(said), 2) if said else 0.0)
