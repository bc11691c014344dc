"""Which questions ask who said what and when, and which only look so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.plans import Asks, EntityQuestion
from ascertain.questions.planning import LONGEST_SUBJECT, read_speaker_question

S, E, T, W = Asks.SPEAKERS, Asks.EPISODES, Asks.TIMES, Asks.WORDS


@pytest.mark.parametrize(
    ("question", "asks", "subject", "speaker"),
    [
        ("Who discussed WebAssembly and in which episodes?", S, "WebAssembly", ""),
        ("who talked about write-ahead logging", S, "write-ahead logging", ""),
        ("Who has mentioned inflation so far?", S, "inflation", ""),
        ("Who all spoke about the component model in these episodes?", S, "the component model", ""),
        ("Who brought up sourdough, and when?", S, "sourdough", ""),
        ("Which guests talk about Rust in the podcast?", S, "Rust", ""),
        ("Which speakers have mentioned leap seconds and what did they say?", S, "leap seconds", ""),
        ("List all guests who mentioned Kubernetes", S, "Kubernetes", ""),
        ("By whom is garbage collection mentioned?", S, "garbage collection", ""),
        ("Can you tell me who discussed WASI?", S, "WASI", ""),
        ("Who is talking about Rust?", S, "Rust", ""),
        ("Who said anything about “The Who”?", S, "The Who", ""),
        ("In which episodes is sourdough mentioned and by whom?", E, "sourdough", ""),
        ("In what episode was the tz database discussed?", E, "the tz database", ""),
        ("In which episodes does Tyler Cowen talk about inflation?", E, "inflation", "Tyler Cowen"),
        ("Which episodes mention SQLite?", E, "SQLite", ""),
        ("Which podcasts are about certificates?", E, "certificates", ""),
        ("Show me all episodes where Docker is mentioned", E, "Docker", ""),
        ("Find the episodes in which Ana Flores talks about starters.", E, "starters", "Ana Flores"),
        ("In which episodes does Ana Flores appear?", E, "", "Ana Flores"),
        ("On which podcasts did Tyler Cowen speak?", E, "", "Tyler Cowen"),
        ("Which episodes feature Ben Okoro as a guest?", E, "", "Ben Okoro"),
        ("Which articles mention Nvidia?", E, "Nvidia", ""),
        ("In which papers is BERT discussed?", E, "BERT", ""),
        ("When did Tyler Cowen talk about inflation?", T, "inflation", "Tyler Cowen"),
        ("when does ana flores mention rye", T, "rye", "ana flores"),
        ("When is WebAssembly first mentioned?", T, "WebAssembly", ""),
        ("At what time was the budget discussed in the meeting?", T, "the budget", ""),
        ("What did Ana Flores say about starters?", W, "starters", "Ana Flores"),
        ("What does Kwabena Lindqvist think about asm.js?", W, "asm.js", "Kwabena Lindqvist"),
        ("What did the guests say about remote work?", W, "remote work", ""),
        ("What has anyone said about Go?", W, "Go", ""),
        ("What was said about testing by Dmitri Halloran?", W, "testing", "Dmitri Halloran"),
        ("What is Ana Flores's opinion on rye?", W, "rye", "Ana Flores"),
    ],
)
def test_asks_for_everything_that_was_said(question, asks, subject, speaker):
    found = read_speaker_question(question)
    assert found is not None
    assert (found.asks, found.subject, found.speaker) == (asks, subject, speaker)


@pytest.mark.parametrize("noun", ["articles", "papers", "documents"])
def test_documents_are_not_only_recordings(noun):
    assert read_speaker_question(f"Which {noun} mention Nvidia?") == EntityQuestion(E, "Nvidia")
    assert read_speaker_question("Which episodes mention Nvidia?") == EntityQuestion(E, "Nvidia", spoken=True)


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote WebAssembly?",
        "Who is the director of the film that mentions Paris?",
        "Who was discussed?",
        "Who invented sourdough and in which year?",
        "When did the Battle of Hastings take place?",
        "When was the treaty signed?",
        "When did Apple announce the iPhone?",
        "When is the meeting?",
        "In which episode does Walter White die?",
        "In which episode does the monster appear?",
        "Which show features a talking horse?",
        "In which city was the treaty discussed?",
        "In what year was sourdough first baked?",
        "Which film mentions the director who was born in Oslo?",
        "What does the documentation say about rate limits?",
        "What does this paper say about attention?",
        "What did he say about it?",
        "What did Einstein say?",
        "What does the author of the report think about growth?",
        "What do you say?",
        "Who mentioned that the server is down?",
        "Who talked about it?",
        "Who is mentioned with Bitcoin?",
        "Who was mentioned in the report?",
        "Who spoke about what happened when the bank that lent the money failed in the spring?",
        "How often is inflation mentioned?",
        "Talk about inflation",
        "Discuss WebAssembly.",
        "",
    ],
)
def test_other_questions_are_left_to_the_search(question):
    assert read_speaker_question(question) is None


@given(st.text(max_size=300))
def test_any_text_is_read_and_what_is_found_is_short_and_of_the_question(text):
    for question in (text, f"Who discussed {text}?", f"What did {text} say about {text}?"):
        found = read_speaker_question(question)
        if found is not None:
            assert found.subject or found.speaker
            assert found.subject in " ".join(question.split())
            assert found.speaker in " ".join(question.split())
            assert len(found.subject.split()) <= max(LONGEST_SUBJECT, len(text.split()))
