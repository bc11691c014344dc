"""Whatever was added, changed and deleted, in whatever order, the graph is that of what is left."""

from __future__ import annotations

import pytest
from changing_corpus import History, assert_same_graph, filled_at_once
from small_knowledge import NOW, WordHashes, opened

from ascertain import Ascertain, Settings
from ascertain.core.settings_store import StoreSettings


def assert_same_as_from_scratch(history: History, fresh: Ascertain) -> None:
    history.knowledge.graph_build_all()
    filled_at_once(fresh, list(history.corpus.documents.values()))
    for tenant in history.TENANTS:
        assert_same_graph(history.knowledge, fresh, tenant)
    assert history.knowledge._opened.graph.store.columns("default").names


@pytest.mark.parametrize("seed", range(2))
def test_forty_operations_leave_the_graph_of_the_final_corpus_without_a_build(tmp_path, seed):
    history = History(opened(tmp_path / "kb"), seed)
    history.run(40)
    filled = filled_at_once(opened(tmp_path / "fresh"), list(history.corpus.documents.values()))
    for tenant in history.TENANTS:
        assert_same_graph(history.knowledge, filled, tenant)


def test_forty_operations_with_kills_in_between_are_mended_by_a_build(tmp_path):
    history = History(opened(tmp_path / "kb"), 5, kill_every=3)
    history.run(40)
    assert history.kills >= 5
    assert_same_as_from_scratch(history, opened(tmp_path / "fresh"))


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kill_every", [0, 5])
def test_five_hundred_operations(tmp_path, kill_every):
    history = History(opened(tmp_path / "kb"), 11, kill_every)
    history.run(500)
    assert history.kills >= (20 if kill_every else 0)
    assert_same_as_from_scratch(history, opened(tmp_path / "fresh"))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_hundred_operations_in_postgres(tmp_path, postgres_url):
    def on_server(name: str) -> Ascertain:
        store = StoreSettings(kind="postgres", url=postgres_url, name=name)
        return Ascertain(Settings(home=tmp_path / name, store=store), clock=NOW, embedder=WordHashes())

    history = History(on_server("graph_history"), 23, kill_every=6)
    history.run(100)
    assert_same_as_from_scratch(history, on_server("graph_fresh"))
