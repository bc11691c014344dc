"""A second draft: what the check found in the first, for the model that writes again, and what of the first stays.

A check can be wrong, so the model is shown its reasons, not its judgement alone. What was found right stays with its
citations, whatever the second draft does with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ascertain.answering.citations import CitationList, SourceText
from ascertain.answering.composition import CheckedDraft
from ascertain.core.asking.answers import AnswerSentence, Citation
from ascertain.language.folding import folded_text
from ascertain.language.instructions import without_instructions
from ascertain.language.tokens import WORD
from ascertain.models.prompts import as_data

_MEND = """
An earlier draft of yours was checked. Write the whole answer again:
- Repeat what is kept word for word, in its place, with quotes of the sources it names.
- Of what is flagged see the reason, which is a rough check's and may be wrong. Where the sources say otherwise, write what they
  say. Where they do say it, keep it and quote the words that state it, of two sources where it rests on both. Leave out only what
  no source says.
"""


def describe_draft(draft: CheckedDraft | None, sources: Sequence[SourceText]) -> str:
    """The draft for the model that revises it: each sentence as kept or flagged; empty where nothing was flagged."""
    if draft is None or not draft.groundedness.flagged:
        return ""
    reasons: dict[int, list[str]] = {}
    for claim in draft.groundedness.flagged:
        part = f"“{claim.text}”: " if claim.text != draft.composition.sentences[claim.sentence].text else ""
        reasons.setdefault(claim.sentence, []).append(f"{part}{claim.reason or 'no words that state it were found'}")
    citations = {citation.number: citation for citation in draft.composition.citations}
    blocks: list[str] = []
    for index, sentence in enumerate(draft.composition.sentences):
        cited = [citations[number] for number in sentence.citations if number in citations]
        keys = ", ".join(dict.fromkeys(key for each in cited if (key := _find_key(each, sources))))
        about = {"keys": keys} if keys else {}
        if index in reasons:
            about |= {"reason": without_instructions("; ".join(reasons[index]))}
        blocks.append(as_data(sentence.text, "flagged" if index in reasons else "kept", about))
    return _MEND + "\n".join(blocks)


def keep_supported(
    draft: CheckedDraft | None, written: Sequence[AnswerSentence], citations: CitationList
) -> list[AnswerSentence]:
    """``written`` with the supported sentences of the first draft: each that is repeated keeps its citations, each that is
    missing is put back after the one it followed, unless a new sentence cites the same words.
    """
    sentences = list(written)
    if draft is None:
        return sentences
    flagged = {claim.sentence for claim in draft.groundedness.flagged}
    first = {citation.number: citation for citation in draft.composition.citations}
    place = 0
    for index, sentence in enumerate(draft.composition.sentences):
        cited = [first[number] for number in sentence.citations if number in first]
        numbers = () if index in flagged else _cite_again(cited, citations)
        if not numbers:
            continue
        at = next((i for i, each in enumerate(sentences) if _says_same(each, sentence)), None)
        kept = replace(sentence, citations=numbers)
        if at is not None:
            sentences[at] = kept
            place = at + 1
        elif not any(set(numbers) & set(each.citations) for each in sentences):
            sentences.insert(place, kept)
            place += 1
    return sentences


def _cite_again(cited: Sequence[Citation], citations: CitationList) -> tuple[int, ...]:
    numbers = (citations.cite_again(citation) for citation in cited)
    return tuple(dict.fromkeys(number for number in numbers if number is not None))


def _says_same(one: AnswerSentence, other: AnswerSentence) -> bool:
    return one.form is other.form and _words(one) == _words(other)


def _words(sentence: AnswerSentence) -> list[str]:
    return WORD.findall(folded_text(sentence.text))


def _find_key(citation: Citation, sources: Sequence[SourceText]) -> str:
    for source in sources:
        chunk = source.passage.chunk
        if chunk.document_id == citation.document_id and chunk.span.contains(citation.span):
            return source.key
    return ""
