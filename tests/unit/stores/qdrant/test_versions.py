"""Readings are repeated until they are sure; the points are a table that the test changes."""

import pytest

from ascertain.core.errors import StoreError
from ascertain.stores.qdrant.terms import Stored
from ascertain.stores.qdrant.versions import Versions, now_microseconds

LONG_AGO = 1


class Table:
    place = "a table"

    def __init__(self, **versions):
        self.versions = versions

    def retrieve(self, ids, fields):
        return [
            Stored(each, dict(zip(("version", "written"), self.versions[each], strict=True)))
            for each in ids
            if each in self.versions
        ]


def counting(found):
    """A reading that finds parts from a list of lists, one for each time it is called, and the last one from then on."""
    calls = []

    def read(sight):
        calls.append(1)
        return sight.visible(found[min(len(calls), len(found)) - 1])

    return calls, read


def test_parts_of_settled_documents_are_read_once():
    calls, read = counting([{1: ("a", "v1"), 2: ("a", "v1")}])
    assert Versions(Table(a=("v1", LONG_AGO))).read_consistently(read) == {1, 2}
    assert len(calls) == 1


def test_a_document_that_just_became_current_is_read_again_once():
    calls, read = counting([{1: ("a", "v1")}, {1: ("a", "v1"), 2: ("a", "v1")}])
    versions = Versions(Table(a=("v1", now_microseconds())))
    assert versions.read_consistently(read) == {1, 2}
    assert len(calls) == 2
    assert versions.read_consistently(read) == {1, 2}
    assert len(calls) == 3


def test_parts_of_another_version_make_it_look_again_for_those_of_the_current_one():
    calls, read = counting([{1: ("a", "v0")}, {2: ("a", "v1")}])
    assert Versions(Table(a=("v1", LONG_AGO))).read_consistently(read) == {2}
    assert len(calls) == 2


def test_what_a_killed_writer_left_costs_one_more_reading_and_no_second():
    calls, read = counting([{1: ("a", "left"), 2: ("a", "v1")}])
    versions = Versions(Table(a=("v1", LONG_AGO)))
    assert versions.read_consistently(read) == versions.read_consistently(read) == {2}
    assert len(calls) == 3


def test_parts_without_a_document_are_not_shown():
    _, read = counting([{1: ("gone", "v1")}])
    assert Versions(Table()).read_consistently(read) == set()


def test_documents_that_never_rest_are_an_error():
    table = Table()

    def read(sight):
        table.versions["a"] = (f"v{now_microseconds()}", now_microseconds())
        return sight.visible({1: ("a", "v0")})

    with pytest.raises(StoreError, match="without pause"):
        Versions(table).read_consistently(read)


def test_a_stable_reading_began_and_ended_with_the_same_versions():
    table = Table(a=("v1", LONG_AGO))
    seen = []

    def read(current):
        seen.append(dict(current))
        table.versions["a"] = ("v2", LONG_AGO)
        return current["a"]

    assert Versions(table).stable(["a"], read) == "v2"
    assert seen == [{"a": "v1"}, {"a": "v2"}]
