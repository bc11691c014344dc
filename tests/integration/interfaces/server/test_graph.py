"""The graph over HTTP: found by name, looked into, walked along, and never another tenant's."""

import re

import pytest
from material import ENGINES, REFUNDS, TURIN
from running_service import client_of, upload

from ascertain.app.wire.graph import FoundEntitiesJson, NeighbourhoodJson, PathJson
from ascertain.app.wire.requests import MOST_NEIGHBOURS
from ascertain.core.graph.results import CommunitiesView, GraphStats

BABBAGE = "/v1/graph/entities/Charles Babbage"


@pytest.fixture
def named(client):
    """A client whose two documents name people, places and an institution."""
    job = upload(client, {"engines.md": ENGINES, "turin.md": TURIN})
    assert job["state"] == "finished", job
    return client


def graph(client, path="", **query):
    return client.get(f"/v1/graph{path}", params=query).raise_for_status().json()


def names(found):
    return [entity["name"] for entity in found["entities"]]


def test_an_upload_is_in_the_graph_when_its_job_has_ended(named):
    stats = graph(named)
    assert GraphStats.from_json(stats).to_json() == stats
    assert (stats["enabled"], stats["documents"], stats["behind"]) == (True, 2, 0)
    assert stats["entities"] > 5
    assert "Charles Babbage" in [entity["name"] for entity in stats["top"]]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("bab", "Charles Babbage"),
        ("charles babbage", "Charles Babbage"),
        ("ECB", "European Central Bank"),
        ("Charls Babage", "Charles Babbage"),
    ],
)
def test_an_entity_is_found_by_a_beginning_an_alias_and_misspelt(named, typed, first):
    found = graph(named, "/entities", q=typed)
    FoundEntitiesJson.model_validate(found, extra="forbid")
    assert names(found)[0] == first


def test_without_a_word_those_named_most_are_listed_as_far_as_is_asked(named):
    found = graph(named, "/entities", limit=2)
    assert len(found["entities"]) == 2 < found["total"]


def test_every_sentence_behind_a_link_stands_where_it_says(named):
    entity = named.get(BABBAGE).raise_for_status().json()
    NeighbourhoodJson.model_validate(entity, extra="forbid")
    assert {link["entity"]["name"] for link in entity["neighbours"]} >= {"Ada Lovelace", "Analytical Engine"}
    sentences = [each for link in entity["neighbours"] for each in link["evidence"]] + entity["passages"]
    assert any(each["quote"].startswith("Ada Lovelace worked with Charles Babbage") for each in sentences)
    for each in sentences:
        start, end = each["span"]
        shown = named.get(f"/v1/documents/{each['document_id']}/text", params={"start": start, "end": end}).json()
        assert shown["text"][start - shown["start"] : end - shown["start"]] == each["quote"]


def test_an_entity_is_shown_by_its_id_any_of_its_names_and_in_any_case(named):
    by_name = graph(named, "/entities/European Central Bank")
    assert by_name["aliases"] == ["ECB"]
    for other in (by_name["id"], "ECB", "european central bank", "the European Central Bank"):
        assert graph(named, f"/entities/{other}")["id"] == by_name["id"]


def test_no_more_is_told_than_was_asked_for(named):
    little = graph(named, "/entities/Charles Babbage", neighbours=1, sentences=0, passages=0)
    assert len(little["neighbours"]) == 1 < little["total_neighbours"]
    assert little["neighbours"][0]["evidence"] == little["passages"] == []
    assert little["neighbours"][0]["sentences"] > 0


def test_links_among_neighbours_name_neighbours_that_are_given(named):
    entity = graph(named, "/entities/Charles Babbage")
    given = {link["entity"]["id"] for link in entity["neighbours"]}
    assert entity["between"]
    assert {each[end] for each in entity["between"] for end in ("left", "right")} <= given


def test_a_path_leads_over_documents_with_a_sentence_at_each_step(named):
    found = graph(named, "/path", **{"from": "Ada Lovelace", "to": "Luigi Menabrea"})
    PathJson.model_validate(found, extra="forbid")
    assert (found["from"]["name"], found["to"]["name"]) == ("Ada Lovelace", "Luigi Menabrea")
    for way in found["paths"]:
        assert way["entities"][0] == found["from"]
        assert way["entities"][-1] == found["to"]
        assert len(way["steps"]) == len(way["entities"]) - 1
        assert all(step["evidence"] for step in way["steps"])
    assert any("Analytical Engine" in names(way) for way in found["paths"])


def test_groups_are_listed_with_the_sentences_that_stand_for_them(named):
    found = graph(named, "/communities", sentences=1)
    assert CommunitiesView.from_json(found).to_json() == found
    assert (found["level"], found["total"]) == (0, len(found["communities"]))
    largest = found["communities"][0]
    assert "Charles Babbage" in names(largest)
    assert largest["summary"] == largest["evidence"][0]["quote"]
    assert graph(named, "/communities", offset=found["total"])["communities"] == []
    assert graph(named, "/communities", level=99)["level"] == found["levels"] - 1


def test_what_nothing_connects_has_no_path(named):
    upload(named, {"refunds.md": REFUNDS, "lisbon.md": "# Boats\n\nMaria Silva rows to Almada every day.\n"})
    found = graph(named, "/path", **{"from": "Maria Silva", "to": "Ada Lovelace"})
    assert found["paths"] == []


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/entities/Charls Babage", {}),
        ("/path", {"from": "Charls Babage", "to": "Ada Lovelace"}),
        ("/path", {"from": "Ada Lovelace", "to": "Charls Babage"}),
    ],
)
def test_an_unknown_name_is_a_problem_that_names_what_is_near(named, path, query):
    response = named.get(f"/v1/graph{path}", params=query)
    assert response.status_code == 404
    problem = response.json()
    assert problem["type"] == "urn:ascertain:problem:not-found"
    assert problem["suggestions"][0] == "Charles Babbage"
    assert "Charles Babbage" in problem["detail"]


@pytest.mark.parametrize("name", ["Xyzzyq", "TCP/IP", "%2e%2e", "<script>", "a" * 300])
def test_a_name_like_no_other_is_a_problem_too(named, name):
    problem = named.get(f"/v1/graph/entities/{name}")
    assert problem.status_code == 404
    assert "suggestions" not in problem.json()


@pytest.mark.parametrize(
    ("path", "query", "pointer"),
    [
        ("/entities", {"limit": 0}, "limit"),
        ("/entities", {"q": "a" * 301}, "q"),
        ("/entities", {"page": 2}, "page"),
        ("/entities/Ada Lovelace", {"neighbours": MOST_NEIGHBOURS + 1}, "neighbours"),
        ("/entities/" + "a" * 301, {}, "entity"),
        ("/path", {"from": "Ada Lovelace"}, "to"),
        ("/path", {"from": "", "to": "Ada Lovelace"}, "from"),
        ("/path", {"from": "a", "to": "b", "paths": 99}, "paths"),
        ("/communities", {"level": -1}, "level"),
    ],
)
def test_limits_are_kept(named, path, query, pointer):
    response = named.get(f"/v1/graph{path}", params=query)
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == pointer


def test_an_empty_graph_is_no_problem(client):
    stats = graph(client)
    assert (stats["documents"], stats["entities"], stats["top"]) == (0, 0, [])
    assert graph(client, "/entities", q="ada") == {"query": "ada", "entities": [], "total": 0}
    assert graph(client, "/communities")["communities"] == []
    assert client.get(BABBAGE).status_code == 404


def test_what_only_a_deleted_document_named_is_gone(named):
    (engines,) = [
        each for each in named.get("/v1/documents").json()["documents"] if each["source"] == "upload:engines.md"
    ]
    named.delete(f"/v1/documents/{engines['id']}").raise_for_status()
    assert named.get("/v1/graph/entities/Ada Lovelace").status_code == 404
    assert graph(named, "/entities/Charles Babbage")["documents"] == 1


def test_two_tenants_never_see_each_others_entities(named, new_client):
    other = new_client("somebody-else")
    upload(other, {"boats.md": "# Boats\n\nMaria Silva met Charles Babbage in Lisbon.\n"})
    theirs = other.get(BABBAGE).json()
    assert {link["entity"]["name"] for link in theirs["neighbours"]} >= {"Maria Silva", "Lisbon"}
    told = (
        theirs.__repr__()
        + str(graph(other))
        + str(graph(other, "/entities", limit=100))
        + str(graph(other, "/communities"))
    )
    assert not re.search("Lovelace|Menabrea|Turin|Central Bank|engines.md", told)
    for path, query in (("/entities/Ada Lovelace", {}), ("/path", {"from": "Charles Babbage", "to": "Ada Lovelace"})):
        refused = other.get(f"/v1/graph{path}", params=query)
        assert refused.status_code == 404
        assert "Lovelace" not in str(refused.json().get("suggestions", []))
    ours = named.get(BABBAGE).json()
    assert not re.search("Silva|Lisbon|boats", str(ours))


def test_a_graph_that_is_switched_off_is_said_to_be(open_service):
    service = open_service(graph__build=False)
    with client_of(service.url) as client:
        upload(client, {"engines.md": ENGINES})
        stats = graph(client)
        assert (stats["enabled"], stats["entities"]) == (False, 0)
        for path in ("/entities?q=ada", "/entities/Ada Lovelace", "/path?from=a&to=b", "/communities"):
            refused = client.get(f"/v1/graph{path}")
            assert refused.status_code == 409, path
            assert refused.json()["type"] == "urn:ascertain:problem:no-graph"
