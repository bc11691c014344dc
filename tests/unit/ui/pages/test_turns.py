from answers import a_sentence, an_answer

from ascertain.ui.pages.chat import resume_question, turn_of
from ascertain.wire.conversations import TurnJson
from ascertain.wire.shape import make_example


def a_turn(**fields):
    usual = {
        "turn_id": "t1",
        "question": "How?",
        "state": "finished",
        "reason": "",
        "answer": "So.",
        "type": "summary",
        "whole": None,
        "feedback": None,
    }
    return TurnJson.model_validate({**make_example(TurnJson), **usual, **fields})


def test_turn_has_its_whole_answer():
    turn = turn_of(a_turn(whole=an_answer(a_sentence("So."))))
    assert (turn.id, turn.answer.id, turn.text) == ("t1", "a1", "So.")


def test_turn_tells_what_was_thought_of_it():
    assert turn_of(a_turn()).thumb is None
    feedback = {"answer_id": "a1", "thumb": "down", "comment": "no"}
    assert turn_of(a_turn(feedback=feedback)).thumb == "down"


def test_old_turn_keeps_its_text():
    turn = turn_of(a_turn())
    assert (turn.answer, turn.text) == (None, "So.")


def test_turn_under_way_is_listened_to_again():
    running = turn_of(a_turn(state="running", answer=None))
    assert resume_question([turn_of(a_turn()), running]).answer_id == "t1"


def test_nothing_under_way_is_listened_to():
    assert resume_question([]) is None
    assert resume_question([turn_of(a_turn(state="running")), turn_of(a_turn())]) is None
