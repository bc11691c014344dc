import pytest

from ascertain.core.errors import ModelError
from ascertain.retrieval import reranking
from ascertain.retrieval.reranking import EvidenceNotes


@pytest.fixture
def select(prompts, run, a_found_passage):
    def ask(chat, count=3, text="Passage."):
        passages = tuple(a_found_passage(text, f"c{i}") for i in range(1, count + 1))
        return EvidenceNotes(chat, prompts).select("Which?", passages, run)

    return ask


def notes(*scores, first=1):
    return {
        "notes": [
            {"key": f"P{i}", "score": score, "summary": f"About {i}.", "facts": ["1912", "Ada"]}
            for i, score in enumerate(scores, first)
        ]
    }


def test_notes_what_each_passage_gives_and_drops_those_that_give_nothing(scripted, select, run):
    kept = select(scripted(notes(9, 0, 4)))
    assert [p.chunk.id for p in kept] == ["c1", "c3"]
    assert kept[0].note == "About 1. - 1912 - Ada"
    assert kept[0].scores["evidence"] == 0.9
    assert "1 of 3 scored under 3" in run.take_notes()[0].reason


def test_several_passages_share_a_call(scripted, select):
    chat = scripted(notes(9, 9, 9, 9), notes(9, 9, first=5))
    assert len(select(chat, count=6)) == 6
    assert len(chat.asked) == 2
    assert 'key="P5"' in chat.prompt
    assert 'key="P4"' not in chat.prompt


def test_long_passages_have_calls_of_their_own(scripted, select):
    chat = scripted(notes(9), notes(9, first=2), notes(9, first=3))
    select(chat, text="Long passage. " * 500)
    assert len(chat.asked) == 3


def test_a_batch_that_fails_is_kept_without_notes(scripted, select, run):
    kept = select(scripted(notes(9, 9, 9, 9), ModelError("slow")), count=6)
    assert [bool(p.note) for p in kept] == [True] * 4 + [False] * 2
    assert run.take_notes()[0].outcome == "fell back to rules"


def test_keeps_all_when_none_helps(scripted, select, run):
    assert len(select(scripted(notes(0, 0, 0)))) == 3
    assert run.take_notes()[0].outcome == "no passage helps"


@pytest.mark.parametrize("reply", [{"notes": []}, notes(9, first=50)])
def test_says_so_when_the_model_noted_nothing(scripted, select, run, reply):
    assert all(not p.note for p in select(scripted(reply)))
    assert "noted nothing" in run.take_notes()[0].reason


def test_a_note_on_a_passage_of_another_batch_counts_for_nothing(scripted, select):
    kept = select(scripted(notes(9, 9, 9, 9), notes(0, 0)), count=6)
    assert [bool(p.note) for p in kept] == [True] * 4 + [False] * 2


def test_a_constant_says_how_helpful_a_passage_must_be(scripted, select, monkeypatch):
    monkeypatch.setattr(reranking, "HELPFUL", 5)
    assert len(select(scripted(notes(9, 0, 4)))) == 1
