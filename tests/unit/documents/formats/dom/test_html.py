"""Pages as documents: every carrier of text, furniture, titles and metadata."""

import re
from datetime import UTC, datetime

import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import SourceError
from ascertain.documents.sources.files import read_path
from ascertain.testing.documents import check_document

PAGE = """<!doctype html><html lang="en"><head><title>My Page | Site</title>
<meta property="article:published_time" content="2024-05-01T10:00:00Z"><meta name="author" content="Jane Roe">
<link rel="canonical" href="https://x.org/a"></head><body><nav><a href="/">Home</a> <a href="/b">About us</a></nav>
<article><h1>My Page</h1><p>Intro paragraph with <b>bold</b> and <a href="x">link</a> text, long enough to keep.</p>
<h2>Section A</h2><p>Text of section A is here and it goes on for a while.</p><ul><li>one item</li><li>two</li></ul>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></article>
<footer>Copyright, all rights reserved</footer></body></html>"""


def page(body, head=""):
    return f"<html><head>{head}</head><body>{body}</body></html>"


def furniture(document):
    return [block.span.of(document.text) for block in document.blocks_of(BlockKind.FURNITURE)]


def test_stores_all_a_page_shows_with_its_sections_and_marks_what_stands_around_it(read_one):
    document = read_one("p.html", PAGE)
    assert document.text == (
        "Home About us\n\nMy Page\n\nIntro paragraph with bold and link text, long enough to keep.\n\nSection A\n\n"
        "Text of section A is here and it goes on for a while.\n\n- one item\n- two\n\nA | B\n1 | 2\n\n"
        "Copyright, all rights reserved"
    )
    assert furniture(document) == ["Home About us", "Copyright, all rights reserved"]
    assert [block.place.section for block in document.blocks_of(BlockKind.SECTION)] == [("Section A",)]


def test_takes_metadata_from_the_page(read_one):
    document = read_one("p.html", PAGE, profile="news")
    assert (document.title, document.author, document.url) == ("My Page", "Jane Roe", "https://x.org/a")
    assert document.published_at is not None
    assert document.published_at.date() == datetime(2024, 5, 1, tzinfo=UTC).date()
    assert document.kind is DocumentKind.ARTICLE
    assert document.language == "en"


def test_recognises_a_page_by_its_content(read_one):
    assert read_one("p.txt", PAGE).title == "My Page"


@pytest.mark.parametrize("markup", ["<html></html>", "<html><body><script>x()</script></body></html>"])
def test_refuses_a_page_without_text(write, markup):
    with pytest.raises(SourceError, match=r"^p\.html: no text"):
        list(read_path(write("p.html", markup)))


CARRIERS = """<header><a href=/>w001</a> <a href=/b>w002</a></header><main><h1>w003</h1><p>w004 <b>w005</b><a href=x>w006</a></p>
<div>w007<div>w008</div>w009</div><ul><li>w010<ul><li>w011</li></ul></li></ul><ol><li><p>w012</p><p>w013</p></li></ol>
<dl><dt>w014</dt><dd>w015</dd><dd><p>w016</p></dd></dl><table><caption>w017</caption><thead><tr><th>w018</th><th>w019</th></tr></thead>
<tr><td>w020</td><td><table><tr><td>w021</td><td>w022</td></tr></table></td></tr></table><pre>w023 <b>w024</b></pre>
<blockquote>w025</blockquote><figure><img src=a alt="w900"><figcaption>w026</figcaption></figure><details><summary>w027</summary>w028</details>
<div class="admonition note"><p class="admonition-title">w029</p><p>w030</p></div><form><fieldset><legend>w031</legend><label>w032</label>
<input value="w033"><select><option>w034</option><option>w035</option></select><textarea>w036</textarea><button>w037</button>
<input type=submit value="w038"><input placeholder="w039"></form><svg><title>w901</title><text>w040</text></svg>
<math><mfrac><mi>w041</mi><mi>w042</mi></mfrac></math><script type="math/tex">w043</script><q>w044</q><kbd>w045</kbd><del>w046</del>
<ruby>w047<rt>w048</rt></ruby><sup>w049</sup><sub>w050</sub><p hidden>w051</p><div style="display:none">w052</div><address>w053</address>
<section><h2>w054</h2><aside>w055</aside></section><p>w056<sup><a href="#n" id="r">1</a></sup></p><abbr title="w902">w057</abbr>
<p aria-hidden="true">w058</p><my-part>w059</my-part><div id=n>w060 <a href="#r">^</a></div><a href=x><img alt="w061"></a></main>
<nav><ul><li><a href=y>w062</a></li></ul></nav><footer>w063</footer><p>w064</p><noscript>w903</noscript><template>w904</template>
<iframe src="w905"></iframe><object data=x>w906</object><video>w907</video><span style="visibility:hidden">w908</span><script>w909</script>"""


def test_every_carrier_of_text_is_stored_in_its_order(read_one):
    document = read_one("p.html", page(CARRIERS))
    check_document(document)
    shown = re.findall(r"w\d{3}", CARRIERS)
    stored = re.findall(r"w\d{3}", document.text)
    # a table in a cell stands behind the table
    assert stored == [word for word in shown if not word.startswith("w9")]


def test_what_is_not_stored_is_named(read_one):
    document = read_one("p.html", page(CARRIERS))
    assert document.completeness is not None
    assert {part.what: part.count for part in document.completeness.left_out} == {
        "pictures": 1,
        "hidden words": 1,
        "texts for browsers without scripts": 1,
        "templates": 1,
        "embedded pages": 1,
        "embedded objects": 1,
        "recordings": 1,
    }
    assert document.completeness.share == 1


@pytest.mark.parametrize(
    "name", ["sharing", "menus", "tags", "comments", "authors", "cookies", "sidebar", "navigation"]
)
def test_no_name_of_an_element_takes_its_words_away(read_one, name):
    body = f'<div role="main"><h1>House</h1><section id="{name}" class="{name}"><h2>Part</h2><p>The rule of the house.</p></section></div>'
    document = read_one("p.html", page(body))
    assert document.text == "House\n\nPart\n\nThe rule of the house."
    assert not furniture(document)


DOCBOOK_HEAD = '<title>2.1. Concepts</title><link rel="prev" href="a.html" title="2. Basics"><link rel="next" href="b.html" title="2.2. Entry">'
DOCBOOK_BAR = '<div class="navheader"><table><tr><th colspan="3">2.1. Concepts</th></tr><tr><td><a href="a.html">Prev</a></td><th>Basics</th><td><a href="b.html">Next</a></td></tr></table></div>'


def test_bars_that_lead_to_the_pages_before_and_after_are_furniture(read_one):
    prose = "<p>Things that are owned are assets, and what is owed is a liability of the owner.</p>" * 3
    document = read_one(
        "p.html", page(f"{DOCBOOK_BAR}<div><h2>2.1. Concepts</h2>{prose}</div>{DOCBOOK_BAR}", DOCBOOK_HEAD)
    )
    assert furniture(document) == ["2.1. Concepts\nPrev\nBasics\nNext"] * 2
    assert document.title == "2.1. Concepts"


def test_a_list_of_links_in_the_text_is_text(read_one):
    links = "".join(f'<li><a href="{n}.html">Chapter {n} of the book</a></li>' for n in range(9))
    document = read_one("p.html", page(f"<h1>Contents</h1><p>What the book holds.</p><ul>{links}</ul>"))
    assert not furniture(document)


def test_beside_the_main_element_prose_is_text_and_an_aside_is_furniture(read_one):
    body = "<main><h1>House</h1><p>The rule.</p></main><aside>Buy a mattress.</aside><p>Written on Monday.</p>"
    document = read_one("p.html", page(body))
    assert furniture(document) == ["Buy a mattress."]
    assert document.text.endswith("Written on Monday.")


def test_a_navigation_that_was_never_closed_is_text(read_one):
    prose = "<p>The harbour office is open from eight to four on all days but Sunday.</p>" * 9
    assert not furniture(read_one("p.html", page(f"<nav><a href=a>Home</a><h1>Harbour</h1>{prose}")))


def test_a_page_of_navigation_alone_is_text(read_one):
    assert not furniture(read_one("p.html", page("<nav><a href=a>Home</a> <a href=b>Help</a></nav>")))


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Rules — The Manual v4</title>", "<h1>Rules<a href='#r'>¶</a></h1>", "Rules"),
        ("<title>The Manual: Rules</title>", "<h1>Rules</h1>", "Rules"),
        ("<title>Rules - Manual</title>", "<h1>Other</h1>", "Rules - Manual"),
        ("<title>Rules - Manual</title><meta property='og:title' content='Rules'>", "<p>x</p>", "Rules"),
        ("", "<div class='note'><h3 class='title'>Note</h3><p>x</p></div><h1>Rules</h1>", "Rules"),
    ],
)
def test_the_title_is_the_page_s_own(read_one, head, body, title):
    assert read_one("p.html", page(f"{body}<p>Some words.</p>", head)).title == title


def test_author_and_date_are_read_from_linked_data(read_one):
    linked = '{"@graph": [{"@type": "Article", "author": [{"name": "Ada Roe"}, {"name": "Ben Lo"}], "datePublished": "2023-02-01"}]}'
    document = read_one("p.html", page("<p>Words.</p>", f'<script type="application/ld+json">{linked}</script>'))
    assert (document.author, document.published_at) == ("Ada Roe, Ben Lo", datetime(2023, 2, 1, tzinfo=UTC))


SENTENCE = "The council of the town decided on Monday that the old bridge over the river will be closed for a year. "


def test_news_is_the_article_without_what_stands_around_it(read_one):
    teasers = "".join(f"<div><a href={n}>Teaser {n}</a></div>" for n in range(9))
    body = f"<article><h1>Bridge closed</h1><p>{SENTENCE * 2}</p><p>{SENTENCE}Traffic goes by the ring road.</p></article><div>{teasers}</div>"
    document = read_one("p.html", page(body), profile="news")
    assert "ring road" in document.text
    assert "Teaser" not in document.text
    assert "Teaser" in read_one("p.html", page(body)).text


def test_news_of_which_an_extractor_drops_paragraphs_is_read_whole(read_one):
    parts = "".join(
        f'<div id="{name}"><h2>Part {name}</h2><p>{SENTENCE}It is part {number} of the plan.</p></div>'
        for number, name in enumerate(("sharing", "menus", "tags", "comments", "cookies"))
    )
    document = read_one("p.html", page(f"<article><h1>Plan</h1><p>{SENTENCE}</p>{parts}</article>"), profile="news")
    assert [f"part {number} of the plan" in document.text for number in range(5)] == [True] * 5


def test_elements_deeper_than_a_parser_goes_lose_no_words(read_one):
    document = read_one("p.html", page("<div>" * 5000 + "<p>deep words</p>" + "</div>" * 5000 + "<p>words behind</p>"))
    assert "deep words\n\nwords behind" in document.text


def test_a_hidden_part_that_is_all_of_a_box_stays_marked(read_one):
    document = read_one("p.html", page("<blockquote><div hidden><ul><li>old</li></ul></div></blockquote><p>new</p>"))
    check_document(document)
    assert document.text == "[hidden] - old\n\nnew"
    assert [block.is_hidden for block in document.blocks_of(BlockKind.PARAGRAPH)] == [True, False]


def test_a_table_of_options_is_a_list_of_terms_under_the_row_that_heads_them(read_one):
    rows = '<tr><td colspan="3"><p><b>options</b></p></td></tr><tr><td></td><td><code>--threshold</code> <code>PERCENT</code></td><td>least space to save</td></tr><tr><td></td><td><code>--list</code></td><td>list them</td></tr>'
    document = read_one(
        "compact.html", page(f"<h1>compact</h1><p>Frees the space of a repository.</p><table>{rows}</table>")
    )

    terms = [block.span.of(document.text) for block in document.blocks_of(BlockKind.DEFINITION)]
    assert terms == ["--threshold PERCENT: least space to save", "--list: list them"]
    assert document.text.count("options") == 1
    assert not document.blocks_of(BlockKind.TABLE)


def test_a_table_without_a_header_loses_the_columns_that_are_empty(read_one):
    rows = "".join(
        f"<tr><td></td><td>{name}</td><td>{place}</td></tr>" for name, place in (("Ada", "York"), ("Ben", "Hull"))
    )
    document = read_one(
        "people.html", page(f"<h1>People</h1><p>These are our people and their towns.</p><table>{rows}</table>")
    )

    assert [block.span.of(document.text) for block in document.blocks_of(BlockKind.TABLE)] == ["Ada | York\nBen | Hull"]
