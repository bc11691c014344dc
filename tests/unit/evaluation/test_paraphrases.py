"""What counts as the same words, numbers, units, sums and dates when answers are compared with strings."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.evaluation.asked import AskedQuestion, ShownAnswer, list_paraphrased, score_shown
from ascertain.evaluation.measures.paraphrases import holds_forms, holds_paraphrase, plain_words, read_words


def said(text, string):
    return holds_paraphrase(read_words(text), string)


@pytest.mark.parametrize(
    ("text", "string"),
    [
        # inflections
        ("It deletes backups nightly.", "deleted backup"),
        ("They were welding in the warehouse", "weld in the warehouse"),
        ("a five-day period", "five days"),
        ("within 5 days", "five-day"),
        ("The policies apply", "policy applies"),
        ("They were planning it", "plan it"),
        ("All funds", "fund"),
        ("one day later", "1 day"),
        # numbers
        ("1,200 people", "twelve hundred"),
        ("1200 people", "1,200"),
        ("one thousand two hundred people", "1200"),
        ("1\u202f200 people", "1200"),
        ("a hundred and five people", "105"),
        ("1.2 thousand people", "1200"),
        ("140k users", "140,000"),
        ("two million three hundred thousand", "2.3 million"),
        ("twenty-five seats", "25 seats"),
        ("three cohorts", "3 cohorts"),
        ("8.80 million", "8.8 million"),
        ("the 2nd release", "second release"),
        ("ninety-nine percent", "99 %"),
        ("34 pct of it", "34 percent"),
        # units
        ("for 90 min", "ninety minutes"),
        ("72h after", "72 hours"),
        ("10 km away", "ten kilometers"),
        ("10km away", "10 kilometres"),
        ("180 °C", "180 degrees"),
        ("180 degrees Celsius for an hour", "180 degrees"),
        ("512 MB of memory", "512 megabytes"),
        ("at 3 p.m.", "3 pm"),
        ("at 3pm", "3 p.m."),
        # sums
        ("It costs $5.", "5 dollars"),
        ("It costs five dollars.", "$5"),
        ("a $5 discount", "5 discount"),
        ("a fine of €41m", "41 million euros"),
        ("a fine of EUR 41 million", "41 million"),
        ("US$ 1.46bn were stolen", "1.46 billion"),
        ("$389.00 in all", "389 dollars"),
        ("41 million euro", "€41 million"),
        # dates
        ("on March 3rd, 2025", "3 March 2025"),
        ("on 3 Mar 2025", "March 3"),
        ("on 2025-03-03", "3 March 2025"),
        ("on 03.03.2025", "March 3, 2025"),
        ("the 3rd of March", "March 3"),
        ("on June 1", "1 June"),
        ("released 2025-06-01T18:00", "June 2025"),
        # a star lets the last word go on
        ("win stays", "win stay*"),
        ("hourly", "hour*"),
    ],
)
def test_other_words_for_the_same_are_recognised(text, string):
    assert said(text, string)


@pytest.mark.parametrize(
    ("text", "string"),
    [
        ("1,300 people", "twelve hundred"),
        ("12 hundred thousand", "1200"),
        ("on 3 April 2025", "3 March 2025"),
        ("on March 3, 2024", "3 March 2025"),
        ("version 4.1", "4.0"),
        ("five hours", "five days"),
        ("five of seven days", "five days"),
        ("50 people", "5"),
        ("5 million", "5 billion"),
        ("it may 5 times fail", "5 may"),
        ("$5", "5 euros"),
        ("Do you reach developing teams?", "developer*"),
        ("He wants liquidity.", "liquidated"),
        ("the requirements", "required"),
        ("We are going there.", "Go"),
        ("the only one", "1"),
        ("## Showing Defaults", "show_default"),
        ("immutability", "immutable"),
        ("the news", "new"),
        ("the end", ""),
        ("the end", "$"),
        ("", "end"),
    ],
)
def test_what_says_something_else_is_not(text, string):
    assert not said(text, string)


def test_what_shows_a_wrong_answer_is_looked_for_without_inflections():
    words = read_words("It did not raise the fee, for five days.")
    assert holds_paraphrase(words, "raised the fee") and not holds_forms(words, "raised the fee")
    assert holds_forms(words, "5 days") and holds_forms(words, "not raise")


NUMBERS = st.integers(min_value=1, max_value=999_999)
SMALL = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def spell(number):
    """An English number in words, as people write it."""
    if number < 20:
        return SMALL[number - 1]
    if number < 100:
        return TENS[number // 10 - 2] + (f"-{SMALL[number % 10 - 1]}" if number % 10 else "")
    if number < 1000:
        rest = f" and {spell(number % 100)}" if number % 100 else ""
        return f"{SMALL[number // 100 - 1]} hundred{rest}"
    rest = f" {spell(number % 1000)}" if number % 1000 else ""
    return f"{spell(number // 1000)} thousand{rest}"


@given(NUMBERS.filter(lambda number: number > 1))
def test_any_number_is_the_same_in_figures_and_in_words(number):
    for text in (f"{number}", f"{number:,}", spell(number)):
        for string in (f"{number}", f"{number:,}", spell(number)):
            assert said(f"There were {text} of them.", string)


@given(NUMBERS.filter(lambda number: number > 1), NUMBERS)
def test_two_numbers_are_never_taken_for_one(number, other):
    assert said(f"There were {spell(number)} of them.", f"{other:,}") is (number == other)


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_any_day_is_the_same_in_every_form(day):
    forms = [
        f"{day:%Y-%m-%d}",
        f"{day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day:%b} {day.day}, {day.year}",
        f"{day.day}. {day:%B} {day.year}".replace(". ", " "),
        f"{day.day:02}.{day.month:02}.{day.year}",
    ]
    assert len({read_words(form) for form in forms}) == 1


@given(st.text(max_size=80), st.text(max_size=20))
def test_any_text_is_read_and_nothing_raises(text, string):
    holds_paraphrase(read_words(text), string)
    holds_forms(read_words(text), string)


@given(st.text(max_size=80).filter(lambda text: "_" not in text))
def test_a_text_says_itself(text):
    words = read_words(text)
    assert not words or all(word.is_optional for word in words) or holds_paraphrase(words, text.replace("*", " "))


@given(st.text(alphabet="abc 0123456789,.$%-", max_size=40), st.text(alphabet="abc 0123456789,.$%-", max_size=10))
def test_nothing_that_was_right_letter_by_letter_is_wrong_now(text, string):
    question = AskedQuestion(id="q", question="?", corpus="c", must=((string,),))
    shown = ShownAnswer(answer=text, type="summary")
    is_there = f" {plain_words(string)} " in f" {plain_words(text)} "
    assert score_shown(question, shown)["right"] == 1 or not is_there


def test_a_result_says_what_was_right_in_other_words_only():
    question = AskedQuestion(
        id="q", question="?", corpus="c", must=(("72 hours", "three days"), ("backup",), ("logs",))
    )
    shown = ShownAnswer(answer="Backups are kept for 72h, and logs too [1].", type="summary")
    assert list_paraphrased(question, shown) == ["72 hours", "backup"]
    assert score_shown(question, shown)["right"] == 1
