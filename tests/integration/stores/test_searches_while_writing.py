"""What searches find, and how long they wait, while another thread of the process writes much."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "app"))

from small_knowledge import a_document, opened

from ascertain import Ascertain, Strategy
from ascertain.stores.embedded.lexical.index import LexicalIndex
from ascertain.stores.embedded.vectors import segments

LONG = "\n\n".join(f"Paragraph {number} tells of the long river and its {number} mills. " * 12 for number in range(700))


@pytest.fixture
def knowledge(tmp_path: Path) -> Iterator[Ascertain]:
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document("bridge", "The harbour bridge was repaired by Ana Flores.")])
        assert find(knowledge, "harbour bridge") == ["bridge"]
        yield knowledge


def find(knowledge: Ascertain, words: str, strategy: Strategy = Strategy.KEYWORD) -> list[str]:
    found = knowledge.search(words, strategy=strategy).passages
    return list(dict.fromkeys(passage.chunk.source for passage in found))


class Gate:
    """Holds up whoever comes by in a thread that writes, until it is opened."""

    def __init__(self) -> None:
        self.reached, self.may_go = threading.Event(), threading.Event()

    def pass_by(self) -> None:
        if threading.current_thread().name == "writes":
            self.reached.set()
            self.may_go.wait(30)


def writing(knowledge: Ascertain) -> threading.Thread:
    thread = threading.Thread(
        target=lambda: knowledge.add_documents([a_document("river", LONG)]), name="writes", daemon=True
    )
    thread.start()
    return thread


def test_a_search_by_words_does_not_wait_for_a_long_text_to_be_indexed(
    knowledge: Ascertain, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    catch_up = LexicalIndex.catch_up

    def held_up(index: LexicalIndex) -> None:
        with index._mutex:  # as while it adds what the record has
            gate.pass_by()
            catch_up(index)

    monkeypatch.setattr(LexicalIndex, "catch_up", held_up)
    thread = writing(knowledge)
    assert gate.reached.wait(60)
    started = time.monotonic()
    assert find(knowledge, "harbour bridge") == ["bridge"]
    assert find(knowledge, "river mills", Strategy.SEMANTIC)[0] == "river"
    assert time.monotonic() - started < 10
    assert thread.is_alive()
    gate.may_go.set()
    thread.join(60)
    assert find(knowledge, "river mills") == ["river"]


def test_a_search_by_meaning_does_not_wait_for_the_index_to_be_saved(
    knowledge: Ascertain, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    save = segments.write_snapshot

    def held_up(*given) -> None:
        gate.pass_by()
        save(*given)

    monkeypatch.setattr(segments, "write_snapshot", held_up)
    monkeypatch.setattr("ascertain.stores.embedded.vectors.leg._RENEW_ROWS", 100)
    thread = writing(knowledge)
    assert gate.reached.wait(60)
    started = time.monotonic()
    knowledge.container.store().plain._plain._dense._index.forget()  # as after a change that it lacks
    assert find(knowledge, "river mills", Strategy.SEMANTIC)[0] == "river"
    assert time.monotonic() - started < 10
    assert thread.is_alive()
    gate.may_go.set()
    thread.join(60)
    assert find(knowledge, "river mills", Strategy.SEMANTIC)[0] == "river"


def test_what_a_run_wrote_is_found_at_its_end_though_another_goes_on(
    knowledge: Ascertain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ascertain.stores.embedded.store._COMMIT_CHUNKS", 1_000_000)
    monkeypatch.setattr("ascertain.stores.embedded.store._COMMIT_SECONDS", 1_000.0)
    store = knowledge.container.store()
    is_held, may_go = threading.Event(), threading.Event()

    def go_on() -> None:
        with store.writing():
            is_held.set()
            may_go.wait(30)

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    assert is_held.wait(30)
    knowledge.add_documents([a_document("river", LONG)])
    assert find(knowledge, "river mills") == ["river"]
    assert thread.is_alive()
    may_go.set()
    thread.join(30)
