"""Rows that a filter selects, as intervals."""

import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.passages import Filter
from ascertain.stores.chroma import search as module
from ascertain.stores.chroma.search import Selections


@pytest.fixture
def db():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE changes (sequence INTEGER PRIMARY KEY)")
    db.execute("CREATE TABLE documents (chunks INTEGER)")
    return db


def selected(monkeypatch, db, intervals):
    monkeypatch.setattr(module.record, "matching_rows", lambda db, filter: intervals)
    return Selections().of(db, Filter())


@given(sizes=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), max_size=20))
def test_has_exactly_the_rows_of_its_intervals(sizes):
    intervals, row = [], 1
    for gap, size in sizes:
        intervals.append((row + gap, size))
        row += gap + size
    wanted = {number for first, size in intervals for number in range(first, first + size)}
    with pytest.MonkeyPatch.context() as patch:
        db = sqlite3.connect(":memory:")
        db.execute("CREATE TABLE changes (sequence INTEGER PRIMARY KEY)")
        selection = selected(patch, db, intervals[::-1])
        db.close()
    rows = np.arange(row + 10)
    assert set(rows[selection.has(rows)].tolist()) == wanted
    assert selection.count == len(wanted)


def test_neighbouring_documents_are_one_interval(monkeypatch, db):
    assert selected(monkeypatch, db, [(4, 2), (1, 3), (10, 1)]).intervals == [(1, 6), (10, 11)]


def test_is_worked_out_again_when_the_record_has_changed(monkeypatch, db):
    selections = Selections()
    monkeypatch.setattr(module.record, "matching_rows", lambda db, filter: [(1, 1)])
    first = selections.of(db, Filter())
    assert selections.of(db, Filter()) is first
    assert selections.everything(db) == 0
    db.execute("INSERT INTO changes VALUES (1)")
    db.execute("INSERT INTO documents VALUES (3)")
    assert selections.of(db, Filter()) is not first
    assert selections.everything(db) == 3
