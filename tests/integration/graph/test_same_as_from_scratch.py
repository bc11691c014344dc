"""Whatever was added, changed and deleted, in whatever order, the graph is that of what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from changing_corpus import History, assert_same_graph, filled_at_once
from small_knowledge import NOW, WordHashes, opened

from ascertain import Ascertain, Settings
from ascertain.core.settings import StoreSettings

Make = Callable[[str], Ascertain]


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def in_a_folder(tmp_path: Path, closing: ExitStack) -> Make:
    return lambda name: closing.enter_context(opened(tmp_path / name))


@pytest.fixture
def on_a_server(tmp_path: Path, closing: ExitStack, postgres_url: str) -> Make:
    def make(name: str) -> Ascertain:
        settings = Settings(
            home=tmp_path / name, store=StoreSettings(kind="postgres", url=postgres_url, name=f"graph_{name}")
        )
        return closing.enter_context(Ascertain(settings, clock=NOW, embedder=WordHashes()))

    return make


def assert_same_as_from_scratch(history: History, make: Make) -> None:
    fresh = filled_at_once(make("fresh"), list(history.corpus.documents.values()))
    for tenant in history.TENANTS:
        assert_same_graph(history.knowledge, fresh, tenant)
    assert history.knowledge.container.graph_store.columns("default").names


@pytest.mark.parametrize("seed", range(2))
def test_forty_operations_leave_the_graph_of_the_final_corpus_without_a_build(in_a_folder, seed):
    history = History(in_a_folder("changed"), seed)
    history.run(40)
    assert_same_as_from_scratch(history, in_a_folder)


def test_forty_operations_with_kills_in_between_are_mended_by_a_build(in_a_folder):
    history = History(in_a_folder("changed"), 5, kill_every=3)
    history.run(40)
    assert history.kills >= 5
    history.knowledge.graph.build_all()
    assert_same_as_from_scratch(history, in_a_folder)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_five_hundred_operations(in_a_folder):
    history = History(in_a_folder("changed"), 11)
    history.run(500)
    assert_same_as_from_scratch(history, in_a_folder)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_five_hundred_operations_with_kills_in_between(in_a_folder):
    history = History(in_a_folder("changed"), 12, kill_every=5)
    history.run(500)
    assert history.kills >= 20
    history.knowledge.graph.build_all()
    assert_same_as_from_scratch(history, in_a_folder)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_hundred_operations_in_postgres_with_kills_in_between(on_a_server):
    history = History(on_a_server("changed"), 23, kill_every=6)
    history.run(100)
    assert history.kills >= 5
    history.knowledge.graph.build_all()
    assert_same_as_from_scratch(history, on_a_server)
