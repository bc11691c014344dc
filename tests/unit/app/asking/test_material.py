"""Results as text for somebody else's model."""

import re
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from ascertain.app.asking.rendering import answer_as_material, lines_as_material, search_as_material
from ascertain.core.asking.answers import Answer, AnswerType, Citation
from ascertain.core.asking.passages import Confidence, Filter, Level, Passage, Strategy
from ascertain.core.asking.requests import SearchResult
from ascertain.core.documents.blocks import Place, Span
from ascertain.core.documents.documents import Chunk, DocumentKind

SURE = Confidence(Level.HIGH, 90)
UNSURE = Confidence(Level.LOW, 30, "The sources speak to this, but may not answer it.")


def found(*texts, confidence=SURE, title="Ether"):
    passages = [
        Passage(
            Chunk(f"d:{n}", "d", n, Span(0, len(text)), text, "", title, DocumentKind.PROSE, "ether.md", Place(page=3)),
            0.8,
        )
        for n, text in enumerate(texts)
    ]
    return SearchResult("q", Strategy.HYBRID, tuple(passages), confidence, Filter(), (), 0.0)


def an_answer(text, *quotes, type=AnswerType.SUMMARY, confidence=SURE):
    citations = [
        Citation(
            n,
            "d",
            "Ether",
            "https://example.org/ether",
            datetime(2022, 9, 15, tzinfo=UTC),
            quote,
            Span(0, len(quote)),
            Place(),
        )
        for n, quote in enumerate(quotes, 1)
    ]
    return Answer("q?", text, type, confidence, (), tuple(citations), Strategy.HYBRID)


def test_passages_are_numbered_blocks_with_their_origin():
    text = search_as_material(found("The Merge.", "Gas fees."))
    opened = re.findall(
        r'<passage boundary="\w+" n="(\d)" document="d" title="Ether" place="p. 3" origin="ether.md">', text
    )
    assert opened == ["1", "2"]
    assert "| The Merge." in text
    assert text.endswith("Confidence: high (90/100).")


def test_an_answer_comes_with_the_quotes_it_cites():
    text = answer_as_material(an_answer("It moved in 2022. [1]", "It moved in 2022.", confidence=UNSURE))
    assert '<answer boundary="' in text
    assert 'published="2022-09-15" origin="https://example.org/ether"' in text
    assert text.count("It moved in 2022.") == 2
    assert text.startswith("The sources speak to this, but may not answer it.\n\n")
    assert text.endswith("Confidence: low (30/100).")


def test_nothing_found_is_said_without_blocks():
    text = search_as_material(found(confidence=Confidence(Level.NONE, 0, "Nothing matches.")))
    assert text == "Nothing matches.\n\nNothing was found.\n\nConfidence: none (0/100)."


@given(st.text(max_size=300))
def test_no_text_stands_outside_its_block(text):
    for material in (
        search_as_material(found(text, title=text)),
        answer_as_material(an_answer(text, text)),
        lines_as_material("documents", [text]),
    ):
        inside = False
        for line in material.split("\n\n", 1)[1].split("\n"):
            is_edge = re.match(r'<\w+ boundary="[0-9a-f]{16}"[^<>]*>$|</\w+ [0-9a-f]{16}>$', line)
            if is_edge:
                inside = not line.startswith("</")
            elif inside:
                assert line.startswith("| ")
            else:
                assert line == "" or line.startswith("Confidence: high")
