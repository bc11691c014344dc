import pytest

from ascertain.core.errors import ModelError
from ascertain.retrieval import reranking
from ascertain.retrieval.reranking import PassageJudge


@pytest.fixture
def passages(a_found_passage):
    return tuple(a_found_passage(f"Passage number {i}.", f"c{i}") for i in range(1, 7))


@pytest.fixture
def select(prompts, run, passages):
    def ask(chat):
        return PassageJudge(chat, prompts).select("Which?", passages, run)

    return ask


def scores(*values):
    return {"scores": [{"key": f"P{i}", "score": value} for i, value in enumerate(values, 1)]}


def ids(passages):
    return [passage.chunk.id for passage in passages]


def test_keeps_the_four_best_by_score(scripted, select):
    kept = select(scripted(scores(10, 60, 90, 70, 80, 60)))
    assert ids(kept) == ["c3", "c5", "c4", "c2"]
    assert [passage.score for passage in kept] == [0.9, 0.8, 0.7, 0.6]
    assert kept[0].scores == {"dense": 0.6, "judge": 0.9}


def test_drops_what_is_below_the_floor(scripted, select, run):
    assert ids(select(scripted(scores(10, 60, 90, 49, 0, 0)))) == ["c3", "c2"]
    assert "2 of 6 passages judged relevant" in run.take_notes()[0].reason


def test_constants_say_how_many_and_how_good(scripted, select, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(reranking, "KEPT", 1)
        assert ids(select(scripted(scores(10, 60, 90, 49, 0, 0)))) == ["c3"]
    monkeypatch.setattr(reranking, "RELEVANT", 0.1)
    assert ids(select(scripted(scores(10, 60, 90, 49, 0, 0)))) == ["c3", "c2", "c4", "c1"]


def test_keeps_the_best_when_none_is_relevant_and_says_so(scripted, select, run):
    assert ids(select(scripted(scores(1, 2, 3, 4, 5, 6)))) == ["c6", "c5", "c4", "c3"]
    assert run.take_notes()[0].outcome == "no passage judged relevant"


def test_unknown_keys_count_for_nothing_and_the_lowest_of_two_scores_counts(scripted, select):
    reply = scores(10, 60, 90, 70, 80, 60)
    reply["scores"] += [{"key": "P99", "score": 100}, {"key": "x", "score": 100}, {"key": "[p3]", "score": 20}]
    assert ids(select(scripted(reply))) == ["c5", "c4", "c2", "c6"]


@pytest.mark.parametrize("reply", [ModelError("slow"), scores(50, 60), {"scores": [{"key": "Q", "score": 1}]}])
def test_keeps_the_order_given_when_the_model_does_not_tell(scripted, select, run, passages, reply):
    assert select(scripted(reply)) == passages
    assert run.take_notes()[0].outcome == "fell back to rules"


def ask_about_bridges(prompts, run, passages, chat):
    return PassageJudge(chat, prompts).select("Who built the Elm Bridge?", passages, run)


@pytest.mark.parametrize("stray", [50, 100])
def test_a_model_that_finds_a_text_about_something_else_relevant_is_not_believed(
    scripted, prompts, run, passages, stray
):
    chat = scripted(scores(10, 60, 90, 70, 80, 60, stray))
    assert ask_about_bridges(prompts, run, passages, chat) == passages
    [note] = run.take_notes()
    assert (note.node, note.outcome) == ("judge", "fell back to rules after a control")
    assert f"gave {stray} of 100 to a passage about something else" in note.reason
    assert run.is_distrusted


def test_a_model_that_says_nothing_of_any_passage_is_no_judge(scripted, select, run, passages):
    assert select(scripted(scores())) == passages
    [note] = run.take_notes()
    assert (note.outcome, "said nothing of 6 passages" in note.reason) == ("fell back to rules after a control", True)
    assert run.is_distrusted


def test_the_highest_of_two_scores_of_that_text_counts(scripted, prompts, run, passages):
    reply = scores(10, 60, 90, 70, 80, 60, 0)
    reply["scores"].append({"key": "P7", "score": 100})
    assert ask_about_bridges(prompts, run, passages, scripted(reply)) == passages
    assert run.is_distrusted


def test_that_text_is_never_kept(scripted, prompts, run, passages):
    kept = ask_about_bridges(prompts, run, passages, scripted(scores(10, 10, 10, 10, 10, 10, 49)))
    assert ids(kept) == ["c1", "c2", "c3", "c4"]
    assert not run.is_distrusted


def test_after_that_nothing_more_is_asked(scripted, prompts, run, passages):
    run.distrust("judge", "it praised what it should not")
    chat = scripted()
    assert ask_about_bridges(prompts, run, passages, chat) == passages
    assert not chat.asked
    assert [note.outcome for note in run.take_notes()] == ["fell back to rules after a control"]


def test_nothing_to_judge_costs_nothing(scripted, prompts, run):
    chat = scripted()
    assert PassageJudge(chat, prompts).select("Which?", (), run) == ()
    assert not chat.asked
