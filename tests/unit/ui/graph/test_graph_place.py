import pytest

from ascertain.ui.graph.entities import GraphPlace, address_of, place_of


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ({}, None),
        ({"conversation": "c1"}, None),
        ({"entity": "ada lovelace"}, GraphPlace("entity", "ada lovelace")),
        ({"from": "ada"}, GraphPlace("path", start="ada")),
        ({"view": "path", "from": "ada", "to": "london"}, GraphPlace("path", start="ada", end="london")),
        ({"view": "themes"}, GraphPlace("themes")),
        ({"view": "<script>", "entity": "ada"}, GraphPlace("entity", "ada")),
        ({"entity": "  "}, None),
    ],
)
def test_address_names_the_place(address, place):
    assert place_of(address) == place


@pytest.mark.parametrize(
    "place",
    [
        GraphPlace("entity", "TCP/IP & <b>"),
        GraphPlace("path", start="a", end="b"),
        GraphPlace("path", start="a"),
        GraphPlace("themes"),
    ],
)
def test_place_is_found_again_by_its_address(place):
    assert place_of(address_of(place)) == place


def test_nothing_chosen_needs_no_address():
    assert address_of(GraphPlace()) == {}
