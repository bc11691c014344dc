import pytest
from answers import a_citation, a_sentence, an_answer

from ascertain.ui.answer_view import MOST_DRAWN, answer_data, found_data


def led(n, *entities, start=None, **fields):
    way = {
        "entities": [{"id": name.casefold(), "name": name} for name in entities],
        "from": start and {"document_id": start, "title": f"Title of {start}"},
    }
    usual = {"document_id": f"d{n}", "origin": "graph", "explanation": f"names {entities[0]}", "way": way}
    return a_citation(n, **{**usual, **fields})


def lines(drawing):
    """Which node leads to which, by where the lines begin and end."""
    places = {f"{node['x']:.2f} {node['y']:.1f}": node["id"] for node in drawing["nodes"]}
    ends = [edge["line"].removeprefix("M").split(" L") for edge in drawing["edges"]]
    return {(places[start], places[end]) for start, end in ends}


@pytest.mark.parametrize("look", ["wide", "tall"])
def test_way_from_the_question_over_an_entity_to_a_passage(look):
    shown = found_data([led(1, "Hal Finney")])[look]
    assert lines(shown) == {("question", "entity:hal finney"), ("entity:hal finney", "citation:1")}
    roles = {node["id"]: (node["role"], node["text"]) for node in shown["nodes"]}
    assert roles["question"] == ("start", "Your question")
    assert roles["entity:hal finney"] == ("entity", "Hal Finney")
    assert roles["citation:1"] == ("passage", "1 · Refunds")


def test_document_that_a_way_begins_in_is_its_citation_where_it_is_cited():
    shown = found_data([a_citation(1, document_id="d1"), led(2, "Hal Finney", start="d1")])["wide"]
    assert lines(shown) == {
        ("question", "citation:1"),
        ("citation:1", "entity:hal finney"),
        ("entity:hal finney", "citation:2"),
    }


def test_document_that_is_not_cited_is_drawn_by_its_title():
    shown = found_data([led(2, "Hal Finney", start="d9")])["wide"]
    (start,) = [node for node in shown["nodes"] if node["id"] == "start:d9"]
    assert (start["role"], start["text"]) == ("start", "Title of d9")


def test_passages_found_one_from_the_other_are_drawn_once_each():
    shown = found_data([led(1, "A", start="d2"), led(2, "B", start="d1")])["wide"]
    assert len(shown["nodes"]) == len({node["id"] for node in shown["nodes"]}) == 5


def test_entity_of_several_passages_is_drawn_once():
    shown = found_data([led(1, "Hal Finney"), led(2, "Hal Finney", "Bitcoin")])["wide"]
    assert sum(node["role"] == "entity" for node in shown["nodes"]) == 2
    assert ("entity:bitcoin", "citation:2") in lines(shown)


def test_no_more_is_drawn_than_can_be_looked_at():
    shown = found_data([led(n, "Hal Finney") for n in range(1, 30)])["wide"]
    assert sum(node["role"] == "passage" for node in shown["nodes"]) == MOST_DRAWN


def test_answers_without_the_graph_have_no_drawing_and_those_of_earlier_versions_neither():
    for citation in (a_citation(), a_citation(origin="passages", explanation="", way=None)):
        data = answer_data(an_answer(a_sentence("Paid to the card."), citations=[citation]), None)
        assert data["found"] is None
        assert data["sources"][0]["how"] == ""


def test_source_says_why_the_graph_found_it():
    data = answer_data(an_answer(a_sentence("So."), citations=[led(1, "Hal Finney")]), None)
    assert data["sources"][0]["how"] == "names Hal Finney"
    assert data["found"]["label"] == "How the graph led to the sources"


def test_passages_of_one_document_found_in_one_way_are_drawn_together():
    cited = [led(n, "DNS", document_id="d1") for n in (2, 3, 5)] + [led(6, "DNS", document_id="d2")]
    shown = found_data(cited)["wide"]
    texts = [node["text"] for node in shown["nodes"] if node["role"] == "passage"]
    assert texts == ["2, 3, 5 · Refunds", "6 · Refunds"]
    assert [node["id"] for node in shown["nodes"] if node["role"] == "passage"] == ["citation:2", "citation:6"]
