import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.ui.client import ServerEvent, ServiceProblem, read_events


def test_event_has_its_name_its_data_and_where_to_go_on_from():
    lines = ["id: abc:1", "event: node", 'data: {"node": "plan"}', ""]
    assert list(read_events(lines)) == [ServerEvent("node", {"node": "plan"}, "abc:1")]


def test_comments_keep_the_connection_alive_and_say_nothing():
    assert list(read_events([": ping", "", ": ping", ""])) == []


def test_data_of_several_lines_is_one_text():
    assert list(read_events(["data: {", 'data:"a": 1', "data: }", ""])) == [ServerEvent("message", {"a": 1})]


def test_id_stays_for_events_that_name_none():
    lines = ["id: abc:4", "data: {}", "", "data: {}", ""]
    assert [event.id for event in read_events(lines)] == ["abc:4", "abc:4"]


def test_event_that_was_cut_off_is_dropped():
    assert list(read_events(["event: text", 'data: {"text": "half'])) == []


@pytest.mark.parametrize("data", ["no json", "[1]", "null"])
def test_event_that_is_no_object_is_a_problem(data):
    with pytest.raises(ServiceProblem, match="cannot be read"):
        list(read_events([f"data: {data}", ""]))


@given(st.lists(st.dictionaries(st.text(), st.text())))
def test_whatever_text_is_sent_is_read_back(sent):
    lines = [line for data in sent for line in (f"data: {json.dumps(data)}", "")]
    assert [event.data for event in read_events(lines)] == sent
