"""What one tenant sees of a knowledge base that others use too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from small_knowledge import NOW, WordHashes, a_document, opened

from ascertain import Ascertain, Filter, Settings
from ascertain.core.documents.documents import DocumentState
from ascertain.core.errors import UsageError


@pytest.fixture
def first(tmp_path: Path):
    """Two tenants with a document each; the instance is the first's."""
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document("bridge", "The harbour bridge is closed for repairs.")])
        knowledge.as_tenant("acme").add_documents(
            [a_document("ferry", "The harbour ferry sails at noon.", profile="news")]
        )
        yield knowledge


def titles(knowledge: Ascertain, **filter) -> set[str]:
    return {record.title for record in knowledge.documents(Filter(**filter))}


def test_each_sees_its_own_documents_and_numbers(first: Ascertain) -> None:
    acme = first.as_tenant("acme")
    assert (first.tenant, acme.tenant) == ("default", "acme")
    assert titles(first) == {"bridge"}
    assert titles(acme) == {"ferry"}
    assert (first.stats().documents, acme.stats().documents) == (1, 1)
    assert acme.stats().by_profile == {"news": 1}
    assert {p.chunk.title for p in acme.search("harbour").passages} == {"ferry"}
    assert {p.chunk.title for p in first.search("harbour").passages} == {"bridge"}


@pytest.mark.parametrize("tenant", ["default", "nobody"])
def test_a_filter_cannot_reach_another_tenant(first: Ascertain, tenant: str) -> None:
    acme = first.as_tenant("acme")
    assert titles(acme, tenant=tenant) == {"ferry"}
    found = acme.search("harbour", filter=Filter(tenant=tenant))
    assert {p.chunk.title for p in found.passages} == {"ferry"}
    assert acme.delete(Filter(tenant=tenant)) == 1
    assert titles(first) == {"bridge"}


def test_the_id_of_anothers_document_opens_nothing(first: Ascertain) -> None:
    (record,) = first.documents()
    acme = first.as_tenant("acme")
    assert first.document(record.id) is not None
    assert acme.document(record.id) is None
    assert acme.documents(Filter(document_ids=(record.id,))) == []
    assert acme.delete(Filter(document_ids=(record.id,))) == 0
    assert acme.search("harbour", filter=Filter(document_ids=(record.id,))).passages == ()


def test_documents_that_name_another_tenant_become_ones_own(first: Ascertain) -> None:
    (record,) = first.documents()
    forged = replace(a_document("bridge", "Nothing is closed."), id=record.id)
    acme = first.as_tenant("acme")
    acme.add_documents([forged])
    acme.add_documents(iter([forged]))
    assert titles(acme) == {"bridge", "ferry"}
    kept = first.document(record.id)
    assert kept is not None and kept.text == "The harbour bridge is closed for repairs."


def test_the_same_story_of_two_tenants_is_no_duplicate(first: Ascertain) -> None:
    story = "The harbour bridge is closed for repairs that take six weeks and cost a lot. " * 5
    acme = first.as_tenant("acme")
    first.add_documents([a_document("one", story)])
    assert acme.add_documents([a_document("two", story, tenant="acme")]).duplicates == 0
    assert acme.add_documents([a_document("three", story, tenant="acme")]).duplicates == 1
    assert {record.state for record in first.documents()} == {DocumentState.INDEXED}


def test_a_folder_is_brought_into_step_for_one_tenant_only(first: Ascertain, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Pier\n\nThe pier is open.\n", "utf-8")
    acme = first.as_tenant("acme")
    assert first.add([folder]).added == 1
    assert acme.add([folder]).added == 1
    (folder / "a.md").unlink()
    assert acme.add([folder], sync=True).deleted == 1
    assert titles(acme) == {"ferry"}
    assert titles(first) == {"bridge", "Pier"}
    assert [run.what for run in acme.ingest_runs()].count(str(folder)) == 2
    assert [run.what for run in first.ingest_runs()].count(str(folder)) == 1


def test_conversations_of_one_id_are_two(first: Ascertain) -> None:
    acme = first.as_tenant("acme")
    first.ask("When is the harbour bridge open again?", conversation_id="c")
    acme.ask("When does the harbour ferry sail?", conversation_id="c")
    assert [turn.question for turn in acme.conversation("c")] == ["When does the harbour ferry sail?"]
    assert [summary.turns for summary in first.conversations()] == [1]
    answer = acme.last_answer("c")
    assert answer is not None and answer.question == "When does the harbour ferry sail?"
    assert acme.delete_conversation("c") == 1
    assert first.conversation("c")


def test_a_tenant_without_documents_is_told_so(first: Ascertain) -> None:
    with pytest.raises(UsageError, match="no documents yet"):
        first.as_tenant("new").ask("Where is the harbour?")
    with pytest.raises(UsageError, match="tenant must not be empty"):
        first.as_tenant("")


def test_closing_the_first_closes_all_and_closing_another_closes_nothing(tmp_path: Path) -> None:
    embedder = WordHashes()
    knowledge = Ascertain(Settings(home=tmp_path / "kb"), clock=NOW, embedder=embedder, tenant="a")
    knowledge.add_documents([a_document("x", "The harbour is deep.", tenant="a")])
    store = knowledge.container.store()
    with knowledge.as_tenant("b") as other:
        assert other.documents() == []
    assert knowledge.container.store() is store
    knowledge.close()
    assert knowledge.as_tenant("a").search("harbour").passages
    assert knowledge.container.store() is not store
    knowledge.close()
