"""What a name that the question says leads to: what is defined, opened, headed or listed under it, in numbers for the judge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ascertain.answering.judging.features import Matrix
from ascertain.answering.judging.headings import find_openings, is_heading, score_named
from ascertain.answering.matching.kinds import tells_subject
from ascertain.answering.units.candidates import Candidate, is_entry_of
from ascertain.language.tokens import content_terms
from ascertain.models.ports import Vectors
from ascertain.models.vectors.sentences import SentenceModel
from ascertain.questions.reading.question import Question

DEFINING = 3.0
"""Log-odds that a sentence gains which says what the thing is of which that is asked, or which stands under a code that is asked for."""
OPENING = 7.0
"""Log-odds that a sentence gains which opens what stands under the name of the thing of which that is asked. Of 94 questions over the manuals
of npm and pytest, which nothing was made for, 59 have it first with 7, 58 with 5, 56 with 3 and 54 without.
"""
NAMED = 5.0
"""Log-odds that a sentence gains which stands under a name that is all of the question.

The weights above fitted together with the judge (17 collections, each left out) do no better: 66.7 of 100 questions have the right sentence first
with the small reader, 71.2 with both; with these weights 68.4 and 71.4, with half of them 71.0 with both, without any 66.1 and 70.5. What stands
under another name loses nothing: that changed no collection.
"""
ASKED_SAME = 6.0
"""Log-odds that a sentence gains which opens what stands under a heading that asks the same (by judgement: of those collections none has such
headings in numbers).
"""
LEAST_SAME, SURELY_SAME = 0.7, 0.9
"""Nearness of two questions from which they may be one, and surely are: of the headings of four FAQs those that ask for other things are up
to .73 near to a question, those that ask the same .88 to .98.
"""


def score_signals(question: Question, candidates: Sequence[Candidate], asked: Vectors, model: SentenceModel) -> Matrix:
    """Log-odds that each candidate gains by what ``question``, whose vector by ``model`` is ``asked``, names.

    Raises ModelError when the model fails.
    """
    under_code = np.array([is_entry_of(each, question.codes) for each in candidates], dtype=np.float64)
    return (
        DEFINING * (_score_definitions(question, candidates) + under_code)
        + OPENING * _score_openings(question, candidates)
        + NAMED * score_named(question, candidates)
        + ASKED_SAME * _score_asked_headings(candidates, asked, model)
    )


def _score_definitions(question: Question, candidates: Sequence[Candidate]) -> Matrix:
    """For each candidate that tells what the subject asked about is, how much of the question it and its title hold."""
    subject = question.subject
    if not subject:
        return np.zeros(len(candidates))
    return np.array(
        [
            question.coverage({*each.terms, *content_terms(each.document.title, question.language)})
            if tells_subject(subject, each.text, question.language)
            else 0.0
            for each in candidates
        ]
    )


def _score_openings(question: Question, candidates: Sequence[Candidate]) -> Matrix:
    """For each candidate that opens what stands under the name of the subject asked about, how much of the question it holds with that name."""
    subject, shares = question.subject, np.zeros(len(candidates))
    for i in find_openings(subject, candidates, question.language) if subject else ():
        shares[i] = question.coverage({*candidates[i].terms, *content_terms(subject, question.language)})
    return shares


def _score_asked_headings(candidates: Sequence[Candidate], asked: Vectors, model: SentenceModel) -> Matrix:
    """How surely each candidate stands under a heading that asks what is asked, 0..1; half of that behind the sentence that opens it."""
    under: dict[tuple[str, str], list[int]] = {}
    for i, each in enumerate(candidates):
        section = each.document.place_of(each.span).section
        if section and section[-1].rstrip().endswith("?") and not is_heading(each):
            under.setdefault((each.document.id, section[-1]), []).append(i)
    shares = np.zeros(len(candidates))
    if not under:
        return shares
    documents = [candidates[own[0]].document for own in under.values()]
    near = model.compare(model.embed([heading for _, heading in under], documents), asked)
    for own, nearness in zip(under.values(), near.tolist(), strict=True):
        shares[own] = np.clip((nearness - LEAST_SAME) / (SURELY_SAME - LEAST_SAME), 0.0, 1.0) / 2
        shares[min(own, key=lambda i: candidates[i].span)] *= 2
    return shares
