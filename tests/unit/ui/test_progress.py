from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.ui.client import ServerEvent, ServiceProblem
from ascertain.ui.progress import Pending, progress_html, question_html

HOSTILE = '<script>window.hacked=1</script><img src=x onerror="hack()">'


def told(*events):
    pending = Pending("How?", {})
    for number, (name, data) in enumerate(events, 1):
        pending.take(ServerEvent(name, data, f"a1:{number}"))
    return pending


def test_started_names_the_answer_and_where_to_go_on():
    pending = told(("started", {"answer_id": "a1", "conversation_id": "c1"}))
    assert (pending.answer_id, pending.last_event) == ("a1", "a1:1")


def test_step_runs_until_it_is_finished():
    started = ("node", {"node": "retrieve", "state": "started"})
    assert told(started).steps[0].is_running
    (step,) = told(started, ("node", {"node": "retrieve", "state": "finished", "outcome": "8 passages"})).steps
    assert (step.is_running, step.outcome) == (False, "8 passages")


def test_step_that_comes_again_is_a_step_of_its_own():
    again = [("node", {"node": "judge", "state": state}) for state in ("started", "finished", "started")]
    assert [step.is_running for step in told(*again).steps] == [False, True]


def test_text_comes_in_pieces():
    assert told(("text", {"text": "Gas "}), ("text", {"text": "fees"})).text == "Gas fees"


def test_error_says_what_failed():
    with pytest.raises(ServiceProblem, match="the store is away"):
        told(("error", {"problem": {"title": "Failed", "detail": "the store is away"}}))


def test_what_a_model_says_is_text():
    pending = told(("node", {"node": HOSTILE, "state": "finished", "outcome": HOSTILE}), ("text", {"text": HOSTILE}))
    for html in (progress_html(pending), question_html(HOSTILE)):
        assert "<script" not in html
        assert "<img" not in html


class Seen(HTMLParser):
    """The elements of some HTML, and its text."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text = set(), ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)

    def handle_data(self, data):
        self.text += data


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\0")))
def test_every_text_is_shown_as_it_is(text):
    seen = Seen(progress_html(told(("text", {"text": text}))))
    assert seen.elements <= {"div", "ol", "li", "span"}
    assert seen.text.endswith(text)


def test_a_draft_is_shown_as_one_until_the_checked_text_is_there():
    drafted = [("draft", {"text": "Gas", "is_new": True}), ("draft", {"text": " fees", "is_new": False})]
    html = progress_html(told(*drafted))
    assert "Draft, not checked yet" in html
    assert "Gas fees" in html
    again = progress_html(told(*drafted, ("draft", {"text": "Fees", "is_new": True})))
    assert "Gas" not in again
    checked = progress_html(told(*drafted, ("text", {"text": "They pay."})))
    assert "Gas fees" not in checked
    assert "Draft" not in checked


def test_a_draft_is_text():
    assert "<script" not in progress_html(told(("draft", {"text": HOSTILE, "is_new": True})))
