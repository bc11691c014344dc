"""Controls: items with a certain verdict among those that a chat model judges.

A model that gets one wrong is not trusted about the others: a text about something else that it finds good, a claim
with a figure changed that it finds supported. They are part of calls that are made anyway. A model that passes can
tell one thing from another; that does not prove that it is right.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascertain.language.dates import MONTH_FORMS
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import content_terms
from ascertain.language.word_lists import load_pairs, load_phrases
from ascertain.models.ports import ClaimPair

TELLING = 2
"""Content words that a question needs before it is certain that a text without any of them does not answer it; "What is
new?" anything may answer.
"""


@dataclass(frozen=True, slots=True)
class Stray:
    """A text about something other than the question."""

    title: str
    text: str


def choose_stray(question: str, language: str) -> Stray | None:
    """A text that shares no content word with ``question``, always the same for the same one; None where that would say
    little.
    """
    asked = set(content_terms(question, language))
    if len(asked) < TELLING:
        return None
    texts = [Stray(title, text) for title, text in load_pairs("controls", "strays").items()]
    apart = [stray for stray in texts if asked.isdisjoint(content_terms(f"{stray.title} {stray.text}", language))]
    return apart[zlib.crc32(question.encode()) % len(apart)] if apart else None


def choose_addition(pairs: Sequence[ClaimPair], language: str) -> str:
    """A sentence that adds a detail to what is claimed and shares no content word with the evidence or the claims of ``pairs``, always the
    same for the same ones; empty where there is none, or nothing to add to.
    """
    used_terms = {term for pair in pairs for term in content_terms(f"{pair.claim} {pair.evidence}", language)}
    apart = [
        line for line in load_phrases("controls", "additions") if used_terms.isdisjoint(content_terms(line, language))
    ]
    if len(used_terms) < TELLING or not apart:
        return ""
    return apart[zlib.crc32("".join(pair.claim for pair in pairs).encode()) % len(apart)]


_MONTHS = "|".join(form.capitalize() for form in MONTH_FORMS)
_COUNTED = re.compile(rf"(?<=[\s$€£])[1-9][\d,.]*(?=\s?%|\s+(?!(?:{_MONTHS})\b)[^\W\d_])")
"""A figure before the word for what it counts; not that of a date, a list, a reference or a name."""
_FEWEST, _MOST = 5, 40
"""Words of a sentence that says something whole, and in which the figure is not lost."""
_ENCLOSING = re.compile(r"[(\[|`=<>]")
"""Code, tables and asides, where a figure may not be a statement."""
_SHOWN = 400
"""Characters of evidence that a claim about something else is shown with."""


def make_false_claim(pairs: Sequence[ClaimPair], language: str) -> ClaimPair | None:
    """A claim that its evidence does not support: a sentence of the evidence of ``pairs`` with a figure changed, and
    where none counts something a text about something else; None without one either.
    """
    for evidence in dict.fromkeys(pair.evidence for pair in pairs):
        for sentence, figure in _find_counting(evidence):
            altered = _change_figure(figure.group(), evidence)
            if altered is not None:
                return ClaimPair(f"{sentence[: figure.start()]}{altered}{sentence[figure.end() :]}", sentence)
    evidence = pairs[0].evidence[:_SHOWN] if pairs else ""
    stray = choose_stray(evidence, language)
    return ClaimPair(stray.text, evidence) if stray else None


def _find_counting(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    for span in split_sentences(text):
        sentence = span.of(text)
        is_whole = sentence.endswith(".") and sentence[:1].isupper() and _FEWEST <= len(sentence.split()) <= _MOST
        figure = _COUNTED.search(sentence)
        if is_whole and figure and not _ENCLOSING.search(sentence):
            yield sentence, figure


def _change_figure(figure: str, evidence: str) -> str | None:
    """``figure`` with another first digit, so that nothing is rounded to it; None where each stands in ``evidence``."""
    first = int(figure[0])
    others = (f"{(first + step - 1) % 9 + 1}{figure[1:]}" for step in range(2, 9))
    return next((other for other in others if other not in evidence), None)
