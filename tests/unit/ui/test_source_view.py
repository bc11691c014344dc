import pytest
from answers import a_citation, a_place
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.answers import safe_link
from ascertain.ui.citations import source_data
from ascertain.wire.documents import TextWindowJson


def a_window(text, start, end, window):
    given = {
        "document_id": "d1",
        "title": "Refunds",
        "text": text[window[0] : window[1]],
        "start": window[0],
        "end": window[1],
        "quote_start": start,
        "quote_end": end,
        "place": a_place(),
        "characters": len(text),
    }
    return TextWindowJson.model_validate(given)


@given(st.text(min_size=1), st.data())
def test_quote_and_context_make_up_the_window(text, data):
    low = data.draw(st.integers(0, len(text)))
    start = data.draw(st.integers(low, len(text)))
    end = data.draw(st.integers(start, len(text)))
    high = data.draw(st.integers(end, len(text)))
    shown = source_data(a_citation(), a_window(text, start, end, (low, high)))
    assert shown["quote"] == [text[start:end], "", ""]
    assert shown["before"] + "".join(shown["quote"]) + shown["after"] == text[low:high]
    assert (shown["starts_inside"], shown["ends_inside"]) == (low > 0, high < len(text))


def test_deleted_document_leaves_the_quote():
    shown = source_data(a_citation(quote="Paid to the card.", answer=[18, 26]), None)
    assert (shown["before"], shown["quote"], shown["after"]) == ("", ["Paid to ", "the card", "."], "")


def test_the_words_that_answer_are_marked_in_the_quote():
    text = "Returns. 🦓 Refunds are paid to the card. Or not."
    start, end = text.index("🦓"), text.index(" Or")
    answer = [text.index("the card"), text.index("the card") + 8]
    citation = a_citation(quote=text[start:end], span=[start, end], answer=answer)
    shown = source_data(citation, a_window(text, start, end, (4, len(text))))
    assert shown["quote"] == ["🦓 Refunds are paid to ", "the card", "."]


def test_recording_names_speaker_and_time_instead_of_a_label():
    place = a_place(speaker="Ben Ito", start_time=6.5, end_time=3725.0, label="Ben Ito, 00:06")
    shown = source_data(a_citation(place=place), None)
    assert (shown["speaker"], shown["time"]) == ("Ben Ito", "00:06 to 1:02:05")
    assert shown["facts"] == ["refunds.md"]


def test_upload_is_named_by_its_file():
    assert source_data(a_citation(source="upload:reports/may.pdf"), None)["facts"] == ["may.pdf"]


@pytest.mark.parametrize(
    ("address", "is_safe"),
    [
        ("https://example.org/a", True),
        ("http://example.org", True),
        ("javascript:alert(1)", False),
        ("JAVASCRIPT:alert(1)", False),
        ("data:text/html,<script>", False),
        ("https:", False),
        ("http://[broken", False),
        ("", False),
        (None, False),
    ],
)
def test_only_web_addresses_become_links(address, is_safe):
    assert safe_link(address) == (address if is_safe else None)


def test_a_description_of_a_figure_says_so():
    figure = {"digest": "a" * 64, "model": "openai:gpt-5-mini"}
    shown = source_data(a_citation(figure=figure), None)
    assert "description of figure by openai:gpt-5-mini" in shown["facts"]
    assert "description of figure" not in str(source_data(a_citation(), None)["facts"])
