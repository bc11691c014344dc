from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.checking.claims import split_claims


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        ("Apples and pears are fruit.", ["Apples and pears are fruit."]),
        ("Apples are red; bananas are yellow.", ["Apples are red", "bananas are yellow."]),
        (
            "The tower is 330 metres tall, and it was built in 1889 [1].",
            ["The tower is 330 metres tall", "it was built in 1889."],
        ),
        (
            "Paris hosts the Louvre, which is the largest museum in the world [2][3].",
            ["Paris hosts the Louvre, which is the largest museum in the world."],
        ),
        ("Paris, which lies on the Seine, is large.", ["Paris, which lies on the Seine, is large."]),
        ("It rained, which was good for the crops.", ["It rained, which was good for the crops."]),
        ("He said “it is fine, and it was done” to them.", ["He said “it is fine, and it was done” to them."]),
        ("It works. They said so.", ["It works.", "They said so."]),
        ("[1]", []),
        ("", []),
    ],
)
def test_a_sentence_falls_into_what_can_be_true_by_itself(sentence, claims):
    assert [claim.text for claim in split_claims(sentence)] == claims


@given(st.text(max_size=300))
def test_spans_are_in_order_inside_the_sentence(sentence):
    end = 0
    for claim in split_claims(sentence):
        assert end <= claim.span.start < claim.span.end <= len(sentence)
        end = claim.span.end
