"""Which questions are so alike that one answer serves both."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ascertain.app.asking.answer_cache import normalise_question

SAME = [
    ("Who won in 2019?", "  who won   in 2019 "),
    ("Who won in 2019?", "Who won in 2019!?"),
    ("What are gas fees?", "What are the gas fees?"),
    ("What is a stablecoin?", "What is stablecoin?"),
    ("What's a stablecoin?", "what is a stablecoin"),
    ("What’s the fee?", "What's the fee?"),
    ("Can you tell me who pays the fee?", "Who pays the fee?"),
    ("Hi, could you please tell me what the fee is?", "What the fee is?"),
    ("Please, who pays? Thanks!", "Who pays?"),
    ("hello, what is bitcoin?", "what is bitcoin?"),
    ("Hi there! What is bitcoin?", "what is bitcoin?"),
    ("good morning everyone - what is bitcoin", "what is bitcoin?"),
    ("hey what is bitcoin?", "What is bitcoin?"),
    ("Isn't it closed?", "Is not it closed?"),
    ("Why can't I log in?", "why cannot I log in?"),
    ("Café hours?", "Cafe\u0301 hours?"),
]

DIFFERENT = [
    ("Who won in 2019?", "Who won in 2018?"),
    ("Who won in 2019?", "Who won?"),
    ("Who won in 2019?", "Who won before 2019?"),
    ("Is it 1.5 percent?", "Is it 15 percent?"),
    ("Is it -5 degrees?", "Is it 5 degrees?"),
    ("Is it 5% more?", "Is it 5 more?"),
    ("What costs $5?", "What costs 5€?"),
    ("Is the bridge open?", "Is the bridge not open?"),
    ("Is the bridge open?", "Isn't the bridge open?"),
    ("Can I pay with cash?", "Can I pay without cash?"),
    ("Can I pay with cash?", "Must I pay with cash?"),
    ("Did Alice sue Bob?", "Did Bob sue Alice?"),
    ("Does the bank owe the customer?", "Does the customer owe the bank?"),
    ("Who is the chair?", "Who was the chair?"),
    ("Who won the race?", "When was the race won?"),
    ("What did Evan say?", "What did Evans say?"),
    ("What does Turkey export?", "What does turkey export?"),
    ("What is the WHO doing?", "What is the who doing?"),
    ("What does US law say?", "What does us law say?"),
    ("What is in plan a?", "What is in plan?"),
    ("What does vitamin A do?", "What does vitamin do?"),
    ("Who sang for The Who?", "Who sang for Who?"),
    ("What is C++?", "What is C?"),
    ("What is C++?", "What is C#?"),
    ('What is "gas fee"?', "What is gas fee?"),
    ("How many and how much?", "How many or how much?"),
    ("Do you know Python?", "Python?"),
    ("Who said thanks?", "Who said?"),
    ("hello, world program?", "world program?"),
    ("Hello, Dolly?", "Dolly?"),
    ("Hey Jude?", "Jude?"),
    ("What changed in v1.2?", "What changed in v12?"),
    ("Did prices rise more than 5 percent?", "Did prices rise less than 5 percent?"),
    ("Which banks lend in euros?", "Which banks lend in dollars?"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_nothing_tells_these_apart(one: str, other: str) -> None:
    assert normalise_question(one) == normalise_question(other) != ""


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_these_ask_different_things(one: str, other: str) -> None:
    assert normalise_question(one) != normalise_question(other)


WORDS = st.sampled_from(
    "who what did does bank Alice Bob 2018 2019 5 15 1.5 not never open closed before after the a in of US us".split()
)
QUESTIONS = st.lists(WORDS, min_size=2, max_size=8)


@given(QUESTIONS, st.data())
def test_another_word_in_any_place_makes_another_question(words: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(words) - 1))
    other = data.draw(WORDS)
    articles = {"the", "a"}
    assume(other != words[place] and not {other, words[place]} & articles)
    # what is left of an article may change with its neighbours; everything else stands as it did
    changed = [*words[:place], other, *words[place + 1 :]]
    assert normalise_question(" ".join(words)) != normalise_question(" ".join(changed))


@given(QUESTIONS, st.sampled_from(["", "?", " ?", "??", "!", "…", "."]), st.integers(1, 3))
def test_spaces_and_what_closes_a_question_do_not_matter(words: list[str], end: str, gap: int) -> None:
    assert normalise_question(" ".join(words)) == normalise_question((" " * gap).join(words) + end)


@given(st.text(max_size=200))
def test_no_digit_of_any_text_is_lost(text: str) -> None:
    digits = [c for c in text if c.isdigit() and c.isascii()]
    assert [c for c in normalise_question(text) if c.isdigit() and c.isascii()] == digits
