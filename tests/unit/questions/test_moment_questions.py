"""Which questions ask what is said at a time of a recording, of which one, and of whose words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.plans import Aspect
from ascertain.core.asking.requests import Turn
from ascertain.core.asking.runs import Budget, Run
from ascertain.language.languages import ENGLISH
from ascertain.questions.conversation.rewriting import RuleRewriter
from ascertain.questions.kinds.moments import read_moment_question, shift_moment


@pytest.mark.parametrize(
    ("question", "name", "speaker", "start", "end"),
    [
        ("what is said at 08:04?", "", "", 484, 484),
        ("Could you tell me what Maya says at 12:30?", "", "Maya", 750, 750),
        ("What does Maya say at 12:30 in episode 149?", "episode 149", "Maya", 750, 750),
        ("what does she say at 1:02:10 in episode 149?", "episode 149", "", 3730, 3730),
        ("In episode 149, what is said at 08:04?", "episode 149", "", 484, 484),
        ("What does episode 149 say at 12:30?", "episode 149", "", 750, 750),
        ("episode 149 at 12:30", "episode 149", "", 750, 750),
        ("Who is speaking at 08:04 in the board call?", "board call", "", 484, 484),
        ("At 8 minutes, what does Lena say?", "", "Lena", 480, 480),
        ("What happens 8 minutes into episode 149?", "episode 149", "", 480, 480),
        ("what is being discussed around the 12:30 mark", "", "", 750, 750),
        ("What is said in minute 8?", "", "", 480, 480),
        ("What's said at 8m04s?", "", "", 484, 484),
        ("what does he talk about half an hour in?", "", "", 1800, 1800),
        ("What was discussed between 10:00 and 15:00?", "", "", 600, 900),
        ("what is said between minutes 10 and 15 of the interview?", "", "", 600, 900),
        ("Summarise episode 149 from 10:00 to 15:00", "episode 149", "", 600, 900),
        ("what happens in the first five minutes of episode 149?", "episode 149", "", 0, 300),
        ("what was said until 05:00 in ep 149", "ep 149", "", 0, 300),
        ("What is said after 40:00?", "", "", 2400, None),
    ],
)
def test_the_time_the_recording_and_the_speaker_are_read(question, name, speaker, start, end):
    asked = read_moment_question(question)
    assert asked is not None and asked.stretch is not None
    assert asked.aspect is Aspect.MOMENT
    assert (asked.name, asked.speaker, asked.stretch.start, asked.stretch.end) == (name, speaker, start, end)


def test_the_last_minutes_are_counted_from_the_end():
    asked = read_moment_question("Summarise the last ten minutes of episode 149")
    assert asked is not None and asked.stretch is not None
    assert asked.stretch.is_from_end
    assert asked.stretch.start == 600


@pytest.mark.parametrize(
    "question",
    [
        "What is said at 10:00 pm?",
        "When does the shop open at 08:00?",
        "What does Maya say about steam at 12:41?",
        "How long is 10 minutes?",
        "Bake for 30 minutes",
        "What was said in 2024?",
        "Which train leaves at 12:30?",
        "What is the score at 2:1?",
        "",
        "08:04",
    ],
)
def test_other_questions_with_times_are_left_alone(question):
    assert read_moment_question(question) is None


def test_a_time_alone_asks_the_last_question_of_that_time():
    assert shift_moment("at 12:30?", "What is said at 08:04 in episode 149?") == "What is said at 12:30 in episode 149?"
    assert shift_moment("at 12:30?", "What is rye?") is None


@pytest.mark.parametrize(
    ("asked", "standalone"),
    [
        ("what is said at 08:04?", "what is said at 08:04 in episode 149?"),
        ("and what does she say at 12:30?", "and what does she say at 12:30 in episode 149?"),
        ("what is said at 08:04 in episode 12?", "what is said at 08:04 in episode 12?"),
    ],
)
def test_in_a_conversation_the_recording_spoken_of_is_meant(asked, standalone):
    history = (Turn("user", "What does episode 149 say about ovens?"), Turn("assistant", "A stone keeps the heat."))
    run = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
    assert RuleRewriter().standalone(asked, ENGLISH, history, run).text == standalone


@given(st.text(alphabet="0123456789: atinwhsdomeu?", max_size=80))
def test_any_text_can_be_read(question):
    read_moment_question(question)
