import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.reports.analysis import Mood
from ascertain.core.settings.profiles import load_profile
from ascertain.reports.analysis.moods import NEUTRAL, MoodReader, name_mood

READER = MoodReader(load_profile("news").moods)


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("Bitcoin rose 5 % to $92,000.", Mood.POSITIVE),
        ("Bitcoin did not rise.", Mood.NEGATIVE),
        ("Inflation rose to 3 percent.", Mood.NEGATIVE),
        ("Losses fell sharply.", Mood.POSITIVE),
        ("Fees fell 20 percent.", Mood.POSITIVE),
        ("Solana closed down 3 percent.", Mood.NEGATIVE),
        ("There is no evidence of fraud.", Mood.POSITIVE),
        ("Investors are anything but confident.", Mood.NEGATIVE),
        ("Regulators fined the exchange 41 million euros.", Mood.NEGATIVE),
        ("A spokesperson declined to comment.", Mood.NEUTRAL),
        ("The company holds 34 percent of the shares.", Mood.NEUTRAL),
        ("Interest rates and securities are discussed on Monday.", Mood.NEUTRAL),
        ("Tarn beats estimates for the third time.", Mood.POSITIVE),
        ("Nobody was pleased.", Mood.NEGATIVE),
        ("No one should celebrate yet.", Mood.NEGATIVE),
        ("Few would call it a failure.", Mood.POSITIVE),
        ("DEGENS GET REKT", Mood.NEGATIVE),
        ("BTC is mooning", Mood.POSITIVE),
    ],
)
def test_tells_the_mood_of_reports_and_headlines(text: str, mood: Mood):
    assert name_mood(READER.score_sentence(text)) is mood


def test_a_fear_that_did_not_come_true_is_no_bad_news():
    assert READER.score_sentence("Many had feared delays, which did not materialise.") >= 0


def test_the_words_of_a_profile_count():
    assert MoodReader({"floofy": 3.0}).score_sentence("The market is floofy.") > 0.3
    assert MoodReader().score_sentence("The market is floofy.") == 0.0


@given(st.text(max_size=300))
def test_any_text_has_a_score_between_minus_one_and_one(text: str):
    assert -1 <= READER.score_sentence(text) <= 1


def test_a_description_judges_nothing_by_what_it_names():
    reader = MoodReader(of_descriptions=True)
    told = [
        "Bitcoin adjusts the target every 2,016 blocks, about every two weeks, so that a block is found in ten minutes.",
        "The difficulty is limited by a target, and its default is 5.",
        "The recovery key consists of 24 words.",
    ]
    assert [reader.score_sentence(each) for each in told] == [0.0, 0.0, 0.0]
    assert reader.score_sentence("The result was terrible.") < -NEUTRAL
    assert MoodReader().score_sentence("A block is found every ten minutes.") == 0.0
