from datetime import UTC, datetime

import pytest

from ascertain.core.blocks import BlockKind
from ascertain.core.documents import DocumentKind
from ascertain.core.errors import SourceError
from ascertain.sources.files import read_path

PAGE = """<!doctype html><html lang="en"><head><title>My Page | Site</title>
<meta property="article:published_time" content="2024-05-01T10:00:00Z"><meta name="author" content="Jane Roe">
<link rel="canonical" href="https://x.org/a"></head><body><nav><a href="/">Home</a> <a href="/b">About us</a></nav>
<article><h1>My Page</h1><p>Intro paragraph with <b>bold</b> and <a href="x">link</a> text, long enough to keep.</p>
<h2>Section A</h2><p>Text of section A is here and it goes on for a while.</p><ul><li>one item</li><li>two</li></ul>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></article>
<footer>Copyright, all rights reserved</footer></body></html>"""


def test_keeps_the_article_and_its_sections(read_one):
    document = read_one("p.html", PAGE)
    assert document.text == (
        "My Page\n\nIntro paragraph with bold and link text, long enough to keep.\n\nSection A\n\n"
        "Text of section A is here and it goes on for a while.\n\n- one item\n- two\n\nA | B\n1 | 2"
    )
    assert [block.place.section for block in document.blocks_of(BlockKind.SECTION)] == [("Section A",)]


def test_takes_metadata_from_the_page(read_one):
    document = read_one("p.html", PAGE, profile="news")
    assert (document.title, document.author, document.url) == ("My Page", "Jane Roe", "https://x.org/a")
    assert document.published_at == datetime(2024, 5, 1, tzinfo=UTC)
    assert document.kind is DocumentKind.ARTICLE
    assert document.language == "en"


def test_recognises_a_page_by_its_content(read_one):
    assert read_one("p.txt", PAGE).title == "My Page"


@pytest.mark.parametrize("page", ["<html></html>", "<html><body><script>x()</script></body></html>"])
def test_refuses_a_page_without_text(write, page):
    with pytest.raises(SourceError, match=r"^p\.html: no main text"):
        list(read_path(write("p.html", page)))


def test_code_inside_a_sentence_stays_in_it(read_one):
    body = "<p>The <code>open()</code> function opens a file and returns it to the caller at once.</p>"
    listing = "<h2>Example<a href='#x'>#</a></h2><pre><code>a = 1\nb = 2</code></pre>"
    document = read_one("p.html", f"<html><body><article><h1>T</h1>{body * 3}{listing}{body}</article></body></html>")
    assert "The open() function opens a file" in document.text
    assert "\n\na = 1\nb = 2" in document.text
    assert document.blocks_of(BlockKind.SECTION)[-1].place.section[-1] == "Example"


def test_a_definition_list_keeps_each_term_with_what_is_said_of_it(read_one):
    page = (
        "<html><body><h1>Glossary</h1><p>Words that are used in the handbook of the crew.</p><dl>"
        "<dt>Ballast</dt><dd>Stones in the hull that keep the ship upright.</dd>"
        "<dt>Bilge</dt><dd>The lowest part inside the hull.</dd><dd>Also what gathers there.</dd></dl></body></html>"
    )
    assert read_one("p.html", page).text.endswith(
        "\n\nBallast: Stones in the hull that keep the ship upright.\n"
        "Bilge: The lowest part inside the hull. Also what gathers there."
    )
