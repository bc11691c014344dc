"""Whatever a document holds: every span lies where it says, and nothing depends on what else is read."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ascertain.core.documents.documents import DocumentKind

PIECES = st.sampled_from(
    [
        "Tim Cook", "Apple", "European Central Bank (ECB)", "also known as", "founded", " and ", ", ", ". ", "\n", "\n\n", "of the",
        "rate limit", "The rate limit is", "\"Night Moves\"", "`a b`", "max_tokens", "(", ")", "“", "’s", "U.S.", "ALL CAPS HERE", "东京",
        "\u200b", "\u00ad", "é", "e\u0301", "İ", "ß", "ﬁ", "😀", "born in 1950 in", "Москва", "Ann: ", "Ann: I like Rust.", "--flag", "1920",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=300), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES, max_size=40).map("".join)
)


def chunked(a_chunk, text, cuts, **options):
    """Chunks of ``text`` that overlap by up to ten characters."""
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    spans = [(max(0, start - 10), end) for start, end in pairwise(edges)] or [(0, len(text))]
    return [a_chunk(text[a:b], id=f"c{i}", start=a, **options) for i, (a, b) in enumerate(spans)]


@given(text=TEXTS, title=TEXTS, cuts=st.lists(st.integers(0, 400), max_size=4), kind=st.sampled_from(DocumentKind))
@settings(max_examples=80)
def test_every_span_lies_in_its_chunk_and_holds_what_is_written(rules, a_chunk, *, text, title, cuts, kind):
    speaker = "Ann" if kind is DocumentKind.TRANSCRIPT else None
    chunks = chunked(a_chunk, text, cuts, title=title, kind=kind, speaker=speaker)
    graph = rules.read("hash", chunks)
    by_id = {chunk.id: chunk for chunk in chunks}
    assert graph.chunk_ids == tuple(by_id)
    for mention in graph.mentions:
        chunk = by_id[mention.chunk_id]
        assert chunk.span.contains(mention.span)
        assert chunk.span.contains(mention.sentence)
        assert mention.name.key
        if mention.role == "named":
            assert mention.sentence.contains(mention.span)
            assert " ".join(mention.span.of(text).split()) == " ".join(mention.name.written.split())
    for relation in graph.relations:
        assert by_id[relation.chunk_id].span.contains(relation.sentence)
        assert relation.subject != relation.object
        assert relation.predicate
    for claim in graph.aliases:
        assert by_id[claim.chunk_id].span.contains(claim.span)
        assert claim.alias != claim.key


@given(first=TEXTS, second=TEXTS)
def test_a_document_says_the_same_whatever_is_read_with_it(rules, a_chunk, first, second):
    one, other = ("h1", [a_chunk(first)]), ("h2", [a_chunk(second, document_id="d2")])
    assert list(rules.extract([one, other])) == [*rules.extract([one]), *rules.extract([other])]
    assert list(rules.extract([other, one]))[1] == next(rules.extract([one]))


def test_a_relation_or_claim_is_of_names_that_are_mentioned(read):
    graph = read(
        "Here Tim Cook, chief executive of Apple, spoke. The European Central Bank (ECB) was founded by Wim Duisenberg."
    )
    keys = {mention.name.key for mention in graph.mentions}
    assert {key for one in graph.relations for key in (one.subject, one.object)} <= keys
    assert {key for one in graph.aliases for key in (one.alias, one.key)} <= keys


def test_a_huge_chunk_without_a_stop_is_read(names):
    assert names("Tim Cook met " * 5_000).count("Tim Cook") == 5_000


def test_a_huge_chunk_of_one_word_or_of_brackets_is_read(names):
    assert names("a" * 200_000) == []
    assert names("(" * 50_000 + "ABC" + ")" * 50_000) == ["ABC"]
    assert names('"' * 50_001) == []


def test_a_name_with_an_invisible_character_is_the_same_name(read):
    graph = read("They like Tim\u200b Cook. They like Tim Cook.")
    assert {m.name.key for m in graph.mentions} == {"tim cook"}


def test_the_version_names_the_content_and_the_rules(rules, a_chunk):
    graph = rules.read("abc", [a_chunk("Text.")])
    assert graph.version == f"abc:{rules.name}"
