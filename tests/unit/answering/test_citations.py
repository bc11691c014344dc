import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.citations import cite_span, shown_text, tells_row
from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.core.errors import CitationError


def document(text, blocks=()):
    return Document("d1", text, "Title", DocumentKind.PROSE, "notes.md", url="https://example.org", blocks=blocks)


@given(text=st.text(min_size=1), data=st.data())
def test_quote_is_exactly_what_stands_under_the_span(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    if not text[start:end].strip():
        with pytest.raises(CitationError, match="white space"):
            cite_span(1, document(text), Span(start, end))
        return
    citation = cite_span(1, document(text), Span(start, end))
    assert citation.quote == text[start:end]
    assert citation.span == Span(start, end)


@given(text=st.text(max_size=50), start=st.integers(-5, 60), end=st.integers(-5, 60))
def test_never_cites_outside_the_text(text, start, end):
    if 0 <= start < end <= len(text):
        return
    with pytest.raises(CitationError, match=r"notes\.md"):
        cite_span(1, document(text), Span(start, end))


@given(text=st.text(alphabet="ab", min_size=1, max_size=20), quote=st.text(alphabet="ab", max_size=20))
def test_refuses_a_quote_that_differs_from_the_text(text, quote):
    span = Span(0, len(text))
    if quote == text:
        assert cite_span(1, document(text), span, quote).quote == quote
    else:
        with pytest.raises(CitationError, match="not the quoted"):
            cite_span(1, document(text), span, quote)


@given(text=st.text(max_size=20), start=st.integers(-2, 22), end=st.integers(-2, 22))
def test_words_that_answer_stand_in_the_quote(text, start, end):
    text = f"Said: {text}. More."
    span, answer = Span(6, len(text) - 6), Span(start, end)
    if span.start <= start < end <= span.end and text[start:end].strip():
        citation = cite_span(1, document(text), span, answer=answer)
        assert citation.answer == answer
        assert citation.answer_in_quote.of(citation.quote) == text[start:end]
    else:
        with pytest.raises(CitationError, match=r"notes\.md: \[6, .* does not hold the words"):
            cite_span(1, document(text), span, answer=answer)


TEXT = "The bridge is closed. "
EDGES = [(0, len(TEXT)), (0, 1), (len(TEXT) - 2, len(TEXT) - 1), (len(TEXT) - 2, len(TEXT)), (3, 5)]
BEYOND = [
    (0, len(TEXT) + 1),
    (len(TEXT) - 2, len(TEXT) + 1),
    (len(TEXT), len(TEXT) + 1),
    (-1, 3),
    (-3, -1),
    (4, 4),
    (5, 4),
    (0, 0),
]


@pytest.mark.parametrize(("start", "end"), EDGES)
def test_a_quote_may_reach_to_either_end_of_the_text(start, end):
    assert cite_span(1, document(TEXT), Span(start, end)).quote == TEXT[start:end]


@pytest.mark.parametrize(("start", "end"), BEYOND)
def test_a_quote_one_character_beyond_the_text_is_none(start, end):
    with pytest.raises(CitationError, match="is not inside its 22 characters"):
        cite_span(1, document(TEXT), Span(start, end))


@pytest.mark.parametrize(
    "quote",
    [
        f"{TEXT} ",
        TEXT.rstrip(),
        f" {TEXT}",
        TEXT.replace(" ", "\u00a0", 1),
        TEXT.replace(" ", "  ", 1),
        TEXT.upper(),
        "",
    ],
)
def test_a_quote_with_other_white_space_or_letters_differs(quote):
    with pytest.raises(CitationError, match="not the quoted"):
        cite_span(1, document(TEXT), Span(0, len(TEXT)), quote)


@pytest.mark.parametrize("blank", [" ", "\n\n", "\t", "\u00a0", "\u2003 \r\n"])
def test_white_space_alone_is_no_quote_and_no_answer(blank):
    text = f"One.{blank}Two."
    with pytest.raises(CitationError, match="white space only"):
        cite_span(1, document(text), Span(4, 4 + len(blank)))
    with pytest.raises(CitationError, match="does not hold the words"):
        cite_span(1, document(text), Span(0, len(text)), answer=Span(4, 4 + len(blank)))


def test_carries_source_and_the_place_where_the_quote_begins():
    page = Block(BlockKind.PAGE, Span(6, 20), Place(page=2))
    citation = cite_span(3, document("First Second words.", (page,)), Span(6, 19))
    assert (citation.number, citation.document_id, citation.title) == (3, "d1", "Title")
    assert (citation.url, citation.source, citation.place.page) == ("https://example.org", "notes.md", 2)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Use bind() and unbind().", "Use bind() and unbind()."),
        ("It lies in the .deb archive , as .env does .", "It lies in the .deb archive, as .env does."),
        ("a != b and arr[0].", "a != b and arr[0]."),
        ("It is so.[1]", "It is so."),
        ("It is so [1, 2].", "It is so."),
        ("See (http://evil.example/x) there.", "See there."),
    ],
)
def test_text_is_shown_as_it_is_written_but_for_marks_and_addresses(written, shown):
    assert shown_text(written, ()) == shown


def test_a_sentence_is_told_with_the_term_that_stands_before_it():
    held = document("adm\n\nMembers may read the logs.\n\nbackup")
    term, said, after = (
        cite_span(number, held, Span(held.text.index(words), held.text.index(words) + len(words)))
        for number, words in enumerate(("adm", "Members may read the logs.", "backup"), 1)
    )
    assert tells_row("adm: Members may read the logs.", [term, said])
    assert not tells_row("backup: Members may read the logs.", [after, said])
    assert not tells_row("adm: Members may read the logs.", [said, term])
