from analysis_documents import MAPPER, a_map, an_article
from hypothesis import given, settings
from hypothesis import strategies as st

WORDS = st.sampled_from(
    ["Bitcoin", "fell", "4", "%", "to", "$92,000", ".", "\n\n", "could", "rise", "said", "Ada Lovelace", "no", "—", "é"]
)


def test_what_is_kept_of_a_document_is_what_it_says():
    found = a_map(
        "Bitcoin in trouble",
        "Bitcoin fell 4 % to $92,000 on Monday. Ines Okafor expects it to drop further. The desk is in Leeds.",
    )
    assert found.mood < -0.15
    assert [(m.subject, m.percent, m.level) for m in found.moves] == [("Bitcoin", 4.0, 92000.0)]
    assert [f.speaker for f in found.forecasts] == ["Ines Okafor"]
    assert found.statements[found.key[0]].quote.text == "Bitcoin fell 4 % to $92,000 on Monday."


def test_short_forms_count_for_what_they_stand_for():
    assert "Bitcoin" in dict(a_map("The week", "BTC was quiet. Nothing else happened in Porto.").names)


def test_a_sum_of_money_is_no_name():
    names = dict(a_map("A fine", "Japan fined Tarn Pay JPY 3.2 billion. That is EUR 19 million for Tarn Pay.").names)
    assert set(names) == {"Tarn Pay"}


def test_a_name_that_only_ever_opens_sentences_is_one_where_it_does_so_again():
    found = a_map(
        "Veridon cuts orders", "Veridon's stock fell 3 %. Orders are down. Orders may fall. Veridon denied it."
    )
    assert [name for name, _ in found.names] == ["Veridon"]


def test_a_place_is_not_what_moved_there():
    found = a_map(
        "Veridon is up", "Veridon did well. The company's shares rose 4.5 percent in Osaka. It fell 2 percent later."
    )
    assert {move.subject for move in found.moves} == {"Veridon"}


def test_a_forecast_is_not_about_who_makes_it():
    found = a_map("Veridon after the storm", "Veridon is calm. Jonas Wirth expects the shares to rise again by June.")
    assert [(f.speaker, f.subject) for f in found.forecasts] == [("Jonas Wirth", "Veridon")]


def test_a_text_without_a_sentence_is_said_to_have_none():
    assert a_map("Empty", " \n ").sentences == 0


@settings(max_examples=40)
@given(st.lists(WORDS, max_size=60).map(" ".join))
def test_every_quote_is_what_the_document_holds_under_its_span(text: str):
    document = an_article("A title of it", text)
    found = MAPPER.map_document(document)
    quotes = [each.quote for each in (*found.statements, *found.moves, *found.forecasts)]
    assert all(quote.span.of(document.text) == quote.text for quote in quotes)
    assert all(0 <= place < len(found.statements) for place in found.key)
    assert -1 <= found.mood <= 1
