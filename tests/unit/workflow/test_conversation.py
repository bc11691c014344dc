from __future__ import annotations

import pytest

from ascertain.core.conversations import Turn
from ascertain.workflow.conversation import resolve_follow_up

HISTORY = (
    Turn("user", "How does the transformer attend to words?"),
    Turn("assistant", "By queries and keys."),
)


@pytest.mark.parametrize(
    "question",
    [
        "How does it work?",
        "and in 2023?",
        "What about training?",
        "Who invented them?",
        "Why?",
        "How do those compare with recurrent networks in practice and theory?",
    ],
)
def test_a_follow_up_borrows_the_words_of_the_last_question(question: str) -> None:
    resolved = resolve_follow_up(question, HISTORY)
    assert resolved.text.startswith(question)
    assert resolved.borrowed == ("transformer", "attend", "words")


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of the Republic of Kiribati today?",
        "Is there a way to restore a deleted backup from last week?",
        "Which plan has a trial period and how long is it valid?",
        "What do those who lost money in the collapse get back?",
    ],
)
def test_a_question_that_stands_alone_is_left_as_it_is(question: str) -> None:
    assert resolve_follow_up(question, HISTORY).text == question


def test_without_earlier_questions_nothing_is_added() -> None:
    assert resolve_follow_up("How does it work?", ()).borrowed == ()
    assert resolve_follow_up("How does it work?", (Turn("assistant", "Hello!"),)).borrowed == ()


def test_the_last_question_counts_not_the_first() -> None:
    history = (
        Turn("user", "What is proof of stake?"),
        Turn("assistant", "..."),
        Turn("user", "And sharding?"),
    )
    assert resolve_follow_up("How does it scale?", history).borrowed == ("sharding",)


def test_words_already_asked_are_not_added_again() -> None:
    resolved = resolve_follow_up("Does the Transformer need it?", HISTORY)
    assert resolved.text == "Does the Transformer need it?" or "transformer" not in resolved.borrowed
