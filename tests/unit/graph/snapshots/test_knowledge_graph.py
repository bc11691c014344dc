"""Snapshots kept as long as the store's generation stays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

import numpy as np
import pytest
from hand_made import columns_of, says
from hypothesis import given
from hypothesis import strategies as st

from ascertain.graph import knowledge_graph
from ascertain.graph.knowledge_graph import KEPT, KnowledgeGraph, hide_documents


class CountingStore:
    """A graph store that says what it is told to, and counts how often it was read."""

    def __init__(self):
        self.now = "1"
        self.reads = 0

    def generation(self, tenant):
        return self.now

    def columns(self, tenant):
        self.reads += 1
        return columns_of([says(f"{tenant}-{self.now}", [["Ada"]])], self.now)

    def pins(self, tenant):
        return []


@pytest.fixture
def store():
    return CountingStore()


def test_it_is_read_once_a_generation(store):
    graph = KnowledgeGraph(store)
    assert graph.snapshot("default") is graph.snapshot("default")
    assert graph.linker("default") is graph.linker("default")
    assert store.reads == 1
    store.now = "2"
    assert graph.snapshot("default").documents == ("default-2",)
    assert store.reads == 2


def test_tenants_have_their_own(store):
    graph = KnowledgeGraph(store)
    assert graph.snapshot("a").documents == ("a-1",)
    assert graph.snapshot("b").documents == ("b-1",)


def test_only_the_latest_tenants_stay_in_memory(store):
    graph = KnowledgeGraph(store)
    for number in range(KEPT + 1):
        graph.snapshot(f"tenant {number}")
    graph.snapshot(f"tenant {KEPT}")
    assert store.reads == KEPT + 1
    graph.snapshot("tenant 0")
    assert store.reads == KEPT + 2


def test_threads_that_ask_together_read_once(store):
    graph = KnowledgeGraph(store)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(graph.snapshot, ["default"] * 32))
    assert store.reads == 1
    assert len({id(one) for one in found}) == 1


def test_a_large_one_is_kept_for_the_next_process(store, tmp_path, monkeypatch):
    monkeypatch.setattr(knowledge_graph, "WORTH_A_FILE", 1)
    KnowledgeGraph(store, tmp_path).snapshot("default")
    assert KnowledgeGraph(store, tmp_path).snapshot("default").documents == ("default-1",)
    assert store.reads == 1
    store.now = "2"
    assert KnowledgeGraph(store, tmp_path).snapshot("default").documents == ("default-2",)
    assert store.reads == 2


def test_a_small_one_leaves_no_file_and_takes_an_old_one_away(store, tmp_path, monkeypatch):
    monkeypatch.setattr(knowledge_graph, "WORTH_A_FILE", 1)
    KnowledgeGraph(store, tmp_path).snapshot("default")
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr(knowledge_graph, "WORTH_A_FILE", 2)
    store.now = "2"
    KnowledgeGraph(store, tmp_path).snapshot("default")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_costs_nothing_else(store, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(knowledge_graph, "WORTH_A_FILE", 1)
    (tmp_path / "file").write_text("in the way")
    assert KnowledgeGraph(store, tmp_path / "file").snapshot("default").documents
    assert "not stored" in caplog.text


def test_what_is_forgotten_is_gone_from_memory_and_disk(store, tmp_path, monkeypatch):
    monkeypatch.setattr(knowledge_graph, "WORTH_A_FILE", 1)
    graph = KnowledgeGraph(store, tmp_path)
    graph.snapshot("default")
    graph.forget("default")
    assert not list(tmp_path.iterdir())
    graph.snapshot("default")
    assert store.reads == 2


@given(hidden=st.sets(st.sampled_from(("a", "b", "c", "d"))))
def test_what_is_hidden_is_as_if_it_had_never_been_read(hidden):
    graphs = [
        says("a", [["Ada", "Bo"]], [["Cy"]], aliases=[("Ada", "Countess", "role")], relations=[("Ada", "met", "Bo")]),
        says("b", [["Bo", "Ada"]], title="Cy"),
        says("c", [["Dee"]], relations=[("Dee", "left", "Eve")], conversation="talk"),
        says("d", [[]]),
    ]
    rest = columns_of([graph for graph in graphs if graph.document_id not in hidden])
    found = hide_documents(columns_of(graphs), hidden)
    for field in fields(rest):
        left, right = getattr(found, field.name), getattr(rest, field.name)
        assert np.array_equal(left, right) if isinstance(right, np.ndarray) else list(left) == list(right), field.name
