"""What is deleted is forgotten by the graph too, wherever a kill comes between the two deletions."""

from __future__ import annotations

import pytest
from small_knowledge import a_document, opened

from ascertain.app.health import examine_health
from ascertain.core.asking.passages import Filter
from ascertain.core.errors import StoreError, UsageError

KEPT = "Norland Lines sails from Oakford to Veltrix Bay."
GONE = "Norland Lines fired its captain, Peter Aaskov. Peter Aaskov lives in Oakford."
GONE_FILTER = Filter(sources=("gone",))


class Killed(BaseException):
    """Nothing more is done from here on."""


@pytest.fixture
def knowledge(tmp_path):
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document("kept", KEPT), a_document("gone", GONE)])
        yield knowledge


def graph_of(knowledge):
    return knowledge.container.graph_store


def leave_behind(knowledge, change):
    """Change the documents as where the graph is elsewhere, killed before the graph has heard of it."""
    graph = graph_of(knowledge)
    said = graph.graphs("default", sorted(graph.known("default")))
    change(knowledge.container.store().plain)
    graph.upsert(said)


def names_of(knowledge):
    return {found.entity.name for found in knowledge.graph.entities("", 100).entities}


def test_a_kill_between_the_two_deletions_leaves_no_name_where_the_record_is_one_file(knowledge, monkeypatch):
    def kill(self, tenant, document_ids):
        raise Killed

    monkeypatch.setattr("ascertain.graph.synchronisation.GraphUpkeep.forget_documents", kill)
    with pytest.raises(Killed):
        knowledge.delete(GONE_FILTER)
    graph = graph_of(knowledge)
    assert [record.source for record in knowledge.documents()] == ["kept"]
    assert not [name for name in graph.columns("default").names if "aaskov" in name.key]
    assert list(graph.known("default")) == [knowledge.documents()[0].id]
    assert graph.check().problems == ()


def test_a_kill_before_a_new_version_was_read_leaves_nothing_of_the_old_one(knowledge, monkeypatch):
    def kill(self, chunks, documents):
        raise Killed

    monkeypatch.setattr("ascertain.graph.synchronisation.GraphUpkeep.follow_documents", kill)
    with pytest.raises(Killed):
        knowledge.add_documents([a_document("gone", "Nobody is named in here.")])
    assert not [name for name in graph_of(knowledge).columns("default").names if "aaskov" in name.key]
    assert examine_health(knowledge).facts["graph behind"].startswith("1 document:")


def test_what_is_gone_is_in_no_answer_and_mended_as_the_graph_is_asked(knowledge):
    leave_behind(knowledge, lambda plain: plain.delete(GONE_FILTER))
    assert len(graph_of(knowledge).known("default")) == 2
    with pytest.raises(UsageError, match="Aaskov"):
        knowledge.graph.entity("Peter Aaskov")
    assert "Norland Lines" in names_of(knowledge)
    assert len(graph_of(knowledge).known("default")) == 1
    assert examine_health(knowledge).problems == ()


def test_an_answer_of_a_running_service_forgets_what_another_process_was_killed_over(knowledge):
    assert "Peter Aaskov" in names_of(knowledge)
    leave_behind(knowledge, lambda plain: plain.delete(GONE_FILTER))
    assert "Peter Aaskov" not in names_of(knowledge)
    assert "Oakford" in names_of(knowledge)


def test_what_is_gone_stays_hidden_where_the_graph_cannot_be_mended(knowledge, monkeypatch, caplog):
    leave_behind(knowledge, lambda plain: plain.delete(GONE_FILTER))
    graph = graph_of(knowledge)

    def refuse(tenant, document_ids):
        raise StoreError("the graph is read-only")

    monkeypatch.setattr(graph, "delete", refuse)
    assert "Peter Aaskov" not in names_of(knowledge)
    assert "Veltrix Bay" in names_of(knowledge)
    assert "hidden: the graph is read-only" in caplog.text
    assert knowledge.graph.stats().behind == 1


def test_what_an_earlier_version_said_is_hidden_until_the_new_one_is_read(knowledge):
    changed = a_document("gone", "The ferry Astrid Berg sails from Oakford.")
    said = {}

    def change(plain):
        with opened(knowledge.settings.home.parent / "other") as other:
            other.add_documents([changed])
            said[0] = other.container.store().export([changed.id])
        plain.upsert(said[0])

    leave_behind(knowledge, change)
    assert "Peter Aaskov" not in names_of(knowledge)
    assert knowledge.graph.stats().behind == 1
    assert knowledge.graph.build().read == 1
    assert "Astrid Berg" in names_of(knowledge)
    assert knowledge.graph.stats().behind == 0


def test_doctor_tells_what_is_left_and_repair_forgets_it(knowledge):
    leave_behind(knowledge, lambda plain: plain.delete(GONE_FILTER))
    (problem,) = examine_health(knowledge).problems
    assert problem.startswith("knowledge graph: it still has facts from deleted")
    assert "(1 document): run `ascertain doctor --repair`" in problem
    mended = examine_health(knowledge, repair=True)
    assert mended.problems == ()
    assert mended.facts["repaired in the graph"] == "forgot what 1 document no longer say"
    assert examine_health(knowledge).problems == ()


def test_doctor_looks_at_every_tenant(knowledge):
    acme = knowledge.as_tenant("acme")
    acme.add_documents([a_document("theirs", GONE, tenant="acme")])
    graph = graph_of(knowledge)
    said = graph.graphs("acme", list(graph.known("acme")))
    acme.delete(Filter())
    graph.upsert(said)
    assert "(1 document)" in examine_health(knowledge).problems[0]


def test_no_copy_of_the_graph_outlives_a_deletion_that_is_killed(knowledge, monkeypatch):
    monkeypatch.setattr("ascertain.graph.knowledge_graph.WORTH_A_FILE", 1)
    names_of(knowledge)
    copies = knowledge.settings.home / "graph"
    assert list(copies.glob("*.npz"))

    def kill(*anything):
        raise Killed

    monkeypatch.setattr(knowledge.container.store().plain, "delete", kill)
    with pytest.raises(Killed):
        knowledge.delete(GONE_FILTER)
    assert not list(copies.glob("*.npz"))
