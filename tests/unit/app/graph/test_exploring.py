"""The knowledge graph through ``Ascertain``: what is seen, by whom, and what is decided about it."""

from __future__ import annotations

import json
import pickle
import xml.etree.ElementTree as ET

import pytest
from small_knowledge import a_document, opened

from ascertain.app.graph.view import sentence_at
from ascertain.app.wire.graph import NeighbourhoodJson, PathJson
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.core.errors import NoGraph, UnknownEntity, UsageError
from ascertain.core.settings import GraphSettings
from ascertain.core.settings.profiles import load_profiles
from ascertain.documents.ingest.cluster.batches import GraphRecipe

BANK = "The European Central Bank (ECB) was founded in Frankfurt by Wim Duisenberg. The ECB raised rates."
BORN = "Wim Duisenberg was born in Heerenveen."


@pytest.fixture
def knowledge(tmp_path):
    with opened(tmp_path / "kb") as made:
        made.add_documents([a_document("bank", BANK), a_document("born", BORN)])
        yield made


def names(found):
    return {link.entity.name for link in found.neighbours}


def test_every_sentence_shown_stands_so_in_its_document(knowledge):
    found = knowledge.graph.entity("ECB")
    assert found.entity.name == "European Central Bank"
    cited = [one for link in found.neighbours for one in link.evidence]
    cited += found.passages
    assert cited
    for citation in cited:
        document = knowledge.document(citation.document_id)
        assert citation.quote == citation.span.of(document.text)


def test_a_speaker_is_found_by_the_first_name_that_others_call_her_by(knowledge, tmp_path):
    talk = (
        "**Ade Bello:** Welcome, Maya. You bake bread in Leeds.\n\n**Maya Okonkwo:** I do, Ade. Leeds has good flour.\n"
    )
    (tmp_path / "talk.md").write_text(talk * 3, "utf-8")
    knowledge.add([tmp_path / "talk.md"])
    assert knowledge.graph.entity("maya").entity.name == "Maya Okonkwo"


def test_what_belongs_to_a_conversation_is_not_seen_outside_of_it(knowledge):
    private = a_document("talk", "Wim Duisenberg met Ana Flores in Zagreb.", conversation_id="c1")
    before = knowledge.graph.stats()
    knowledge.add_documents([private])
    assert "Ana Flores" not in names(knowledge.graph.entity("Wim Duisenberg"))
    assert knowledge.graph.entity("Wim Duisenberg").entity.documents == 2
    with pytest.raises(UnknownEntity) as unknown:
        knowledge.graph.entity("Ana Florez")
    assert unknown.value.suggestions == ()
    assert knowledge.graph.entities("Zagreb").total == 0
    after = knowledge.graph.stats()
    assert (after.entities, after.mentions, after.links) == (before.entities, before.mentions, before.links)


def test_tenants_see_their_own(knowledge):
    other = knowledge.as_tenant("other")
    other.add_documents([a_document("theirs", "Ana Flores was born in Zagreb.")])
    assert other.graph.entity("Ana Flores").entity.documents == 1
    with pytest.raises(UnknownEntity):
        other.graph.entity("Wim Duisenberg")
    with pytest.raises(UnknownEntity):
        knowledge.graph.entity("Ana Flores")
    other.graph.merge("Ana Flores", "Zagreb")
    assert knowledge.graph.merges().decided == ()


def test_a_build_of_everyone_reads_for_every_tenant(tmp_path):
    with opened(tmp_path / "kb", graph=GraphSettings(build=False)) as knowledge:
        knowledge.add_documents([a_document("bank", BANK)])
        knowledge.as_tenant("other").add_documents([a_document("born", BORN)])
        with pytest.raises(NoGraph, match=r"graph\.build"):
            knowledge.graph.entity("ECB")
        assert not knowledge.graph.stats().enabled
        assert knowledge.graph.estimate().documents == 2
        assert knowledge.graph.build_all().read == 2
        assert knowledge.graph.entity("ECB").entity.mentions
        assert knowledge.as_tenant("other").graph.entity("Heerenveen").entity.mentions
        assert knowledge.graph.build_all(again=True).read == 2


def test_a_path_has_a_sentence_for_each_step(knowledge):
    (way,) = knowledge.graph.path("ECB", "Heerenveen", paths=1).ways
    assert [entity.name for entity in way.entities] == ["European Central Bank", "Wim Duisenberg", "Heerenveen"]
    quotes = [step.evidence[0].quote for step in way.steps]
    assert quotes == ["The European Central Bank (ECB) was founded in Frankfurt by Wim Duisenberg.", BORN]
    assert knowledge.graph.path("ECB", "ECB").ways == ()


def test_decisions_overrule_the_rules_and_are_taken_back(knowledge):
    assert knowledge.graph.split("ECB", "European Central Bank").holds
    assert knowledge.graph.entity("ECB").entity.aliases == ()
    assert knowledge.graph.undo("European Central Bank", "ECB")
    assert knowledge.graph.entity("ECB").entity.aliases == ("ECB",)
    assert knowledge.graph.merge("Frankfurt", "Heerenveen", "twins").holds
    assert knowledge.graph.entity("Frankfurt").entity.id == knowledge.graph.entity("Heerenveen").entity.id
    (decided,) = knowledge.graph.merges().decided
    assert (decided.reason, decided.same) == ("twins", True)
    with pytest.raises(UnknownEntity):
        knowledge.graph.merge("Frankfurt", "Nowhere")
    with pytest.raises(UsageError, match="the same name"):
        knowledge.graph.split("ECB", "the ECB")


def test_a_decision_outlives_its_documents(knowledge):
    knowledge.graph.merge("Frankfurt", "Heerenveen")
    knowledge.add_documents([a_document("born", "Nothing is said here.")])
    knowledge.add_documents([a_document("born", BORN)])
    assert knowledge.graph.entity("Frankfurt").entity.id == knowledge.graph.entity("Heerenveen").entity.id


def test_json_is_made_of_plain_values(knowledge):
    found = NeighbourhoodJson.from_noun(knowledge.graph.entity("ECB")).to_json()
    assert json.loads(json.dumps(found)) == found
    assert [one["title"] for one in found["in_documents"]] == ["bank"]
    shown = PathJson.from_noun(knowledge.graph.path("ECB", "Heerenveen")).to_json()
    assert json.loads(json.dumps(shown)) == shown


def test_an_export_is_well_formed_whatever_names_hold(tmp_path):
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document('Odd\x01 & <Title> "Ltd"', "Ana Flores of AT&T met Ben Ito.")])
        file = tmp_path / "graph.graphml"
        report = knowledge.graph.export(file)
        nodes = [one for one in ET.parse(file).iter() if one.tag.endswith("}node")]
        assert len(nodes) == report.entities > 0
        assert any("<Title>" in "".join(node.itertext()) for node in nodes)
        report = knowledge.graph.export(tmp_path / "graph.json")
        assert len(json.loads((tmp_path / "graph.json").read_text("utf-8"))["links"]) == report.links


def test_a_sentence_is_found_by_where_it_begins_or_lies():
    text = "One is here. Two is there."
    chunk = Chunk("d:10-36", "d", 0, Span(10, 36), text, "", "", DocumentKind.PROSE, "d")
    assert sentence_at(chunk, 23) == Span(23, 36)
    assert sentence_at(chunk, 25) == Span(23, 36)
    assert sentence_at(chunk, 0) == Span(10, 22)


def test_what_a_worker_opens_the_graph_by_travels_to_it(tmp_path, knowledge, monkeypatch):
    monkeypatch.setenv("ASCERTAIN_GRAPH_KEY", "secret")
    settings = knowledge.settings
    recipe = GraphRecipe.of(settings.graph, settings.store, settings.home, load_profiles(settings.home / "profiles"))
    assert "secret" not in repr(recipe)
    upkeep = pickle.loads(pickle.dumps(recipe))()
    assert upkeep.extractor.name == knowledge.container.extractor.name
    assert upkeep.store.known("default") == knowledge.container.graph_store.known("default")
    upkeep.store.close()
