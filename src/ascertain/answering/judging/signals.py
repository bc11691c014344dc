"""What a name that the question says leads to: what is defined, opened, headed or listed under it, in numbers for the judge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ascertain.answering.candidates import Candidate, is_entry_of
from ascertain.answering.judging.features import Matrix
from ascertain.answering.judging.headings import find_openings, is_heading, score_named
from ascertain.answering.kinds import tells_subject
from ascertain.language.tokens import content_terms
from ascertain.models.ports import Vectors
from ascertain.models.sentences import SentenceModel
from ascertain.questions.reading.question import Question

SIGNAL_FEATURES = ("defining", "opening", "asked_same", "named", "neighbour", "under_code")
"""Of a candidate: whether it says what the thing is that is asked about, opens what stands under its name, stands under a heading that asks
the same, under a name that the question says, under another name, or under a code that is asked for.
"""
LEAST_SAME, SURELY_SAME = 0.7, 0.9
"""Nearness of two questions from which they may be one, and surely are: of the headings of four FAQs those that ask for other things are up
to .73 near to a question, those that ask the same .88 to .98.
"""


def signal_features(
    question: Question, candidates: Sequence[Candidate], asked: Vectors, model: SentenceModel
) -> Matrix:
    """One row a candidate, columns as in ``SIGNAL_FEATURES``, each -1..1; ``asked`` is the vector of ``question`` by ``model``.

    Raises ModelError when the model fails.
    """
    named = score_named(question, candidates)
    columns = [
        _score_definitions(question, candidates),
        _score_openings(question, candidates),
        _score_asked_headings(candidates, asked, model),
        np.clip(named, 0.0, None),
        np.clip(named, None, 0.0),
        np.array([is_entry_of(each, question.codes) for each in candidates], dtype=np.float64),
    ]
    return np.stack(columns, axis=1)


def _score_definitions(question: Question, candidates: Sequence[Candidate]) -> Matrix:
    """For each candidate that tells what the subject asked about is, how much of the question it and its title hold."""
    subject = question.subject
    if not subject:
        return np.zeros(len(candidates))
    return np.array(
        [
            question.coverage({*each.terms, *content_terms(each.document.title)})
            if tells_subject(subject, each.text)
            else 0.0
            for each in candidates
        ]
    )


def _score_openings(question: Question, candidates: Sequence[Candidate]) -> Matrix:
    """For each candidate that opens what stands under the name of the subject asked about, how much of the question it holds with that name."""
    subject, shares = question.subject, np.zeros(len(candidates))
    for i in find_openings(subject, candidates) if subject else ():
        shares[i] = question.coverage({*candidates[i].terms, *content_terms(subject)})
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
