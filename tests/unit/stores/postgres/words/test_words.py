from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind
from ascertain.stores.postgres.words import texts
from ascertain.stores.records.text_analysis import build_analyzer

ANALYZER = build_analyzer()


def a_chunk(text="", heading="", title="", is_parent=False):
    return Chunk(
        id="d:0",
        document_id="d",
        index=0,
        span=Span(0, len(text)),
        text=text,
        heading=heading,
        title=title,
        kind=DocumentKind.PROSE,
        source="/d",
        is_parent=is_parent,
    )


def values(**fields):
    return dict(zip(texts.CHUNK_COLUMNS, texts.chunk_values(ANALYZER, a_chunk(**fields)), strict=True))


def test_each_word_is_quoted_with_its_positions():
    assert texts.build_text_vector(texts.find_positions(["to", "be", "or", "not", "to", "be"], 1000)) == (
        "'to':1,5 'be':2,6 'or':3 'not':4"
    )


def test_quotes_and_backslashes_in_words_are_doubled():
    assert texts.quote_lexeme("it's \\") == r"'it''s \\'"


def test_words_of_the_parts_come_in_columns_of_their_own():
    filled = values(text="A fox", heading="Animals", title="On foxes")
    assert filled["title_words"] == "'on':1 'fox':2"
    assert filled["heading_words"] == "'anim':1"
    assert filled["text_words"].startswith("'a':1 'fox':2")
    assert (filled["title_length"], filled["length"]) == (2, 3)


def strong(**fields):
    lexemes = values(**fields)["text_words"].split()
    return {lexeme.strip("'").removesuffix(texts.STRONG) for lexeme in lexemes if texts.STRONG in lexeme}


def test_every_word_of_a_short_chunk_is_marked():
    assert strong(text="red fox", heading="den") == {"red", "fox", "den"}


def test_of_a_longer_chunk_the_words_that_come_twice_are_marked():
    others = " ".join(f"w{number}" for number in range(texts.SHORT))
    assert strong(text=f"fox {others} fox") == {"fox"}
    assert strong(text=f"fox {others}", heading="the fox") == {"fox"}
    assert strong(text=others, heading="ha ha") == {"ha"}


def test_parents_have_no_words():
    assert set(texts.chunk_values(ANALYZER, a_chunk("text", is_parent=True))) == {None}


def test_an_empty_chunk_has_words_all_the_same():
    assert values()["text_words"] is not None
    assert values()["length"] == 0


def test_a_document_is_found_by_its_beginning():
    text = " ".join(f"w{number}" for number in range(3000))
    document = Document("d", text, "Some title", DocumentKind.PROSE, "/d")
    title, summary, beginning = texts.document_values(ANALYZER, document, "in short")
    assert (title, summary) == ("'some':1 'titl':2", "'in':1 'short':2")
    assert "'w0':1" in beginning
    assert "'w2999'" not in beginning


def test_different_words_beyond_the_room_are_left_out():
    many = [f"w{number}" for number in range(1000)] + ["w0"]
    found = texts.find_positions(many, 500)
    assert 10 < len(found) < 30
    assert found["w0"] == "1,1001"


def test_positions_beyond_the_last_are_not_kept():
    found = texts.find_positions(["a"] * 20_000 + ["b"], 100_000)
    assert found["b"] == "16383"
    assert max(map(int, found["a"].split(","))) == 16_383


@given(st.text())
def test_no_analysed_word_ends_like_a_marker(text):
    assert not any(texts.STRONG in word for word in ANALYZER.analyze(text))
