from graphs import an_entity

from ascertain.ui.graph.entities import box_data


def test_suggestions_say_kind_and_how_often():
    data = box_data("From", "London", "Type a name", "ad", [an_entity(kind="Person", mentions=1)])
    assert (data["value"], data["query"]) == ("London", "ad")
    assert data["suggestions"] == [
        {"id": "ada lovelace", "name": "Ada Lovelace", "note": "once", "kind": {"mark": "●", "tone": "one"}}
    ]
