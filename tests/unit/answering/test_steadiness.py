"""Scores that differ by what two stores' arithmetic differs by tell the same of an answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ascertain.answering.composition import WritingRequest
from ascertain.answering.evidence import read_evidence
from ascertain.answering.extractive import TIED, ExtractiveComposer, choose_sentences
from ascertain.answering.judging.features import share_first, soften_ranks
from ascertain.answering.units.candidates import gather_candidates
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.settings import AnswerSettings
from ascertain.language.languages import ENGLISH
from ascertain.models.vectors.sentences import SentenceModel, SentenceModels
from ascertain.questions.reading.question import read_question

A_RUN = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
SHAKEN = 0.002
"""The most by which a score of one store differed from that of another for the same text."""
MOVED = 3
"""Points of confidence that this may move an answer by."""
TEXTS = (
    "The Elm Bridge in Oakford was built in 1912 by Ada Stone. It carries two lanes. Cats sleep on it.",
    "Ada Stone built the Elm Bridge. The bridge of Oakford opened in 1912, after four years of work.",
    "Who built the Elm Bridge is not known, says a plaque of 1950. The plaque hangs in the museum of Oakford.",
    "The Oak Bridge in Elmford was built in 1920. Its builder was Tom Wood. It carries a tram.",
    "The Elm Bridge was repaired in 1985. The repairs cost 2 million. Oakford paid for them.",
    "Bridges of stone last for centuries. Bridges of steel are painted every ten years.",
)
QUESTIONS = (
    "Who built the Elm Bridge in Oakford?",
    "When was the Elm Bridge built?",
    "How much did the repairs of the Elm Bridge cost?",
    "What is painted?",
)
BASE = st.lists(st.sampled_from([0.3, 0.5, 0.501, 0.502, 0.505, 0.51, 0.52, 0.6]), min_size=6, max_size=6)
SHIFTS = st.lists(st.floats(-SHAKEN, SHAKEN), min_size=12, max_size=12)


@pytest.fixture(scope="session")
def composed(embedder, a_document, a_passage):
    """The answer to a question from passages of given scores, and the log-odds of its sentences."""
    stored = {f"d{i}": a_document(text, id=f"d{i}", title=f"Page {i}") for i, text in enumerate(TEXTS)}
    composer = ExtractiveComposer(SentenceModels(SentenceModel(embedder)), stored.get, AnswerSettings(passages=6))

    def compose(question, scores, nearness):
        found = [
            replace(a_passage(document, score=score), scores={"dense": dense})
            for document, score, dense in zip(stored.values(), scores, nearness, strict=True)
        ]
        passages = tuple(sorted(found, key=lambda passage: (-passage.score, passage.chunk.id)))
        answer = composer.compose(WritingRequest(read_question(question), passages, 80), A_RUN)
        candidates = gather_candidates(passages, stored.get, ENGLISH).candidates
        reading = read_evidence(read_question(question), candidates, passages, SentenceModel(embedder))
        odds = dict(zip((c.text for c in candidates), reading.scores.tolist(), strict=True))
        return answer, odds

    return compose


@settings(max_examples=50, deadline=None)
@given(question=st.sampled_from(QUESTIONS), base=BASE, shifts=SHIFTS)
@example(QUESTIONS[0], [0.5, 0.501, 0.3, 0.3, 0.3, 0.3], [SHAKEN, -SHAKEN, *[0.0] * 10])
@example(QUESTIONS[0], [0.501, 0.5, 0.3, 0.3, 0.3, 0.3], [-SHAKEN, SHAKEN, *[0.0] * 10])
def test_the_confidence_hardly_moves_and_sentences_keep_their_order(composed, question, base, shifts):
    shaken = [score + shift for score, shift in zip(base, shifts[:6], strict=True)]
    nearness = [score + shift for score, shift in zip(base, shifts[6:], strict=True)]
    answer, odds = composed(question, base, base)
    again, odds_again = composed(question, shaken, nearness)
    assert abs(answer.confidence.score - again.confidence.score) <= MOVED
    told, told_again = ([sentence.text for sentence in each.sentences] for each in (answer, again))
    shorter, longer = sorted((told, told_again), key=len)
    # one more may be needed to be sure enough
    if [text for text in longer if text in shorter] != shorter:
        both = dict.fromkeys([*told, *told_again])
        gaps = [abs(each[a] - each[b]) for each in (odds, odds_again) for a in both for b in odds if a != b]
        assert min(gaps) <= 2 * TIED, (told, told_again)


@given(scores=st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_passages_far_apart_have_their_plain_ranks(scores):
    spread = sorted((round(score, 1) for score in set(scores)), reverse=True)
    spread = list(dict.fromkeys(spread))
    assert soften_ranks(spread) == pytest.approx(range(len(spread)))
    assert share_first(spread) == pytest.approx([1.0, *[0.0] * (len(spread) - 1)])


def test_passages_alike_share_the_first_place():
    assert share_first([0.5, 0.5]) == pytest.approx([0.5, 0.5])
    assert soften_ranks([0.5, 0.5, 0.1]) == pytest.approx([0.5, 0.5, 2.0])


def test_sentences_as_good_as_each_other_come_by_document_and_place_not_by_a_hair(a_document, a_passage):
    documents = {
        name: a_document(text, id=name) for name, text in (("a", "Cats sleep long."), ("b", "Dogs bark loud."))
    }
    for order, odds in ((("a", "b"), (1.0, 1.001)), (("b", "a"), (1.0, 1.001))):
        found = gather_candidates([a_passage(documents[name]) for name in order], documents.get, ENGLISH).candidates
        chosen = [found[each.candidate].text for each in choose_sentences(found, np.array(odds), 2, ENGLISH)]
        assert chosen == ["Cats sleep long.", "Dogs bark loud."]
