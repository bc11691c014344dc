"""What is said at a time of a recording, asked as people ask it, over files that players and recorders write."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.answers import AnswerType
from ascertain.core.settings import Settings

EPISODE_148 = """WEBVTT

00:00:01.000 --> 00:00:06.000
<v Maya Okonkwo>Welcome to Baking Talk, episode 148. Today we speak about starters.

00:04:58.000 --> 00:05:10.000
<v Maya Okonkwo>A starter needs a warm kitchen. Mine lives beside the oven.

00:08:04.000 --> 00:08:15.000
<v Tom Reed>I feed my starter with rye flour every morning. Rye ferments faster than wheat.

00:41:00.000 --> 00:41:07.000
<v Tom Reed>Thanks for listening, and see you next week.
"""
EPISODE_149 = """1
00:00:00,500 --> 00:00:07,000
Maya: This is episode 149 of Baking Talk, about ovens.

2
00:08:00,000 --> 00:08:09,000
Lena: A stone in the oven keeps the heat for an hour.

3
00:12:25,000 --> 00:12:40,000
Maya: I bake at 240 degrees and turn it down after ten minutes.

4
00:12:41,000 --> 00:12:52,000
Lena: Steam is what makes the crust thin.

5
01:02:10,000 --> 01:02:20,000
Maya: We have to stop here.
"""
MARKED = "\n\n".join(
    f"**{name}:** {mark}{name} counts to {number}, slowly."
    for number, (name, mark) in enumerate(
        [("Ann", r"\[00:00\] "), *[("Ben", ""), ("Ann", "")] * 9, ("Ben", r"\[10:00\] ")]
    )
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recordings")
    (folder / "ep148.vtt").write_text(EPISODE_148, "utf-8")
    (folder / "ep149.srt").write_text(EPISODE_149, "utf-8")
    (folder / "marked-talk.md").write_text(MARKED, "utf-8")
    (folder / "agenda.md").write_text("# Agenda\n\nAt 11:15 the mayor opens the fair.\n", "utf-8")
    with Ascertain(Settings(home=folder / "kb")) as knowledge:
        knowledge.add([str(folder / name) for name in ("ep148.vtt", "ep149.srt", "marked-talk.md", "agenda.md")])
    return folder / "kb"


@pytest.fixture(scope="module")
def knowledge(home):
    with Ascertain(Settings(home=home)) as opened:
        yield opened


@pytest.mark.parametrize(
    "question", ["Who are the guests of episode 148?", "Who speaks in ep148?", "Who is in episode 148?"]
)
def test_who_is_in_a_recording_is_who_speaks_in_it(knowledge, question):
    answer = knowledge.ask(question, use_cache=False)
    assert answer.text.startswith("Speaking in “Ep148”: Maya Okonkwo, Tom Reed."), answer.text
    assert "Baking Talk" not in answer.text.split("\n")[0]


def ask(knowledge, question, **options):
    return knowledge.ask(question, use_cache=False, **options)


def test_the_words_of_a_moment_are_shown_with_those_beside_them_and_when_they_are_said(knowledge):
    answer = ask(knowledge, "What is said at 12:30 in episode 149?")
    assert answer.text.splitlines()[2:] == [
        "08:00  Lena: A stone in the oven keeps the heat for an hour.",
        "12:25  Maya: I bake at 240 degrees and turn it down after ten minutes.",
        "12:41  Lena: Steam is what makes the crust thin.",
    ]
    assert [each.place.start_time for each in answer.citations] == [480, 745, 761]
    assert all(each.title == "Ep149" for each in answer.citations)


def test_of_a_speaker_the_words_at_that_time_are_shown_or_the_nearest_which_is_said(knowledge):
    answer = ask(knowledge, "What does Maya say at 12:30 in episode 149?")
    assert [each.quote for each in answer.citations] == ["I bake at 240 degrees and turn it down after ten minutes."]
    other = ask(knowledge, "What does Lena say at 12:30 in episode 149?")
    assert [each.quote for each in other.citations] == ["Steam is what makes the crust thin."]
    assert "Maya speaks then; what Lena says is nearest at 12:41" in other.text


def test_a_stretch_shows_what_is_said_in_it_and_nothing_around_it(knowledge):
    first = ask(knowledge, "What happens in the first five minutes of episode 148?")
    assert [each.place.start_time for each in first.citations] == [1, 1, 298, 298]
    last = ask(knowledge, "Summarise the last ten minutes of episode 149")
    assert [each.quote for each in last.citations] == ["We have to stop here."]


def test_several_recordings_that_fit_are_all_named(knowledge):
    answer = ask(knowledge, "What is said at 08:04?")
    assert answer.text.startswith("3 recordings may be meant, at 08:04:")
    assert {each.title for each in answer.citations} == {"Ep148", "Ep149", "Marked Talk"}
    longer = ask(knowledge, "What is said at 45:00?")
    assert {each.title for each in longer.citations} == {"Ep149"}
    assert "Shorter: “Ep148” (41:07)" in longer.text


def test_a_time_past_the_end_and_a_recording_that_there_is_not_are_said_and_nothing_is_quoted(knowledge):
    answer = ask(knowledge, "What is said at 55:00 in episode 148?")
    assert answer.text == "There is nothing at 55:00: “Ep148” ends at 41:07."
    unknown = ask(knowledge, "What is said at 08:04 in episode 150?")
    assert unknown.text == "None of 3 recordings is called “episode 150”."
    nobody = ask(knowledge, "What does Zoe say at 08:04 in episode 148?")
    assert nobody.text == "Nobody called “Zoe” speaks in “Ep148”."
    for each in (answer, unknown, nobody):
        assert each.type is AnswerType.REJECTION
        assert not each.citations


def test_silence_is_said(knowledge):
    answer = ask(knowledge, "What is said at 20:00 in episode 148?")
    assert "Nothing is said at 20:00; these are the words before and after it." in answer.text


def test_between_marks_that_are_minutes_apart_words_are_placed_by_their_length(knowledge):
    answer = ask(knowledge, "What is said at 05:00 in the marked talk?")
    assert any("counts to 9," in each.quote for each in answer.citations)
    assert "Its times are minutes apart" in answer.text


def test_a_time_of_day_that_another_document_writes_is_looked_up_there(knowledge):
    answer = ask(knowledge, "What happens at 11:15?")
    assert {each.title for each in answer.citations} == {"Agenda"}


def test_a_conversation_stays_with_the_recording_that_was_quoted_last(knowledge):
    def say(question):
        return knowledge.ask(question, conversation_id="talk", use_cache=False)

    assert {each.title for each in say("Who speaks about rye?").citations} == {"Ep148"}
    assert {each.title for each in say("What is said at 05:00?").citations} == {"Ep148"}
    moved = say("and at 41:02?")
    assert {each.title for each in moved.citations} == {"Ep148"}
    assert "see you next week" in moved.text


def test_the_command_shows_a_moment_with_its_citations(home):
    command = [
        sys.executable,
        "-m",
        "ascertain",
        "--home",
        str(home),
        "ask",
        "--no-cache",
        "what does Tom Reed say at 08:04?",
    ]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert (
        "08:04 Tom Reed: I feed my starter with rye flour every morning. [1] Rye ferments faster than wheat. [2]"
        in shown
    )
    assert "[1] Ep148 · Tom Reed, 08:04" in shown
