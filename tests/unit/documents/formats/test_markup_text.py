"""Pieces of HTML as text: what mail, feeds, notebooks and books have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.dom.markup import add_blocks, markup_text, markup_tree
from ascertain.documents.formats.drafts.draft import Draft


def blocks_of(markup):
    draft = Draft()
    add_blocks(markup_tree(markup), draft)
    text, blocks = draft.finish()
    return [
        (block.kind.value, block.label, block.span.of(text)) for block in blocks if block.kind is not BlockKind.SECTION
    ]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("plain words", "plain words"),
        ("<p>One.</p><p>Two &amp; <b>three</b>.</p>", "One.\n\nTwo & three."),
        ("Lead<br>on the next line<h2>Head</h2>rest", "Lead\non the next line\n\nHead\n\nrest"),
        ("Lead<br><br>new paragraph", "Lead\n\nnew paragraph"),
        ("<ul><li>a</li><li><p>b</p></li></ul>after", "- a\n- b\n\nafter"),
        ("<script>alert(1)</script><style>p{}</style>seen", "seen"),
        ("a < b and b > c", "a < b and b > c"),
        ("<table><tr><td>x</td><td>1</td></tr></table>", "x | 1"),
        ("&lt;p&gt;kept as text&lt;/p&gt;", "<p>kept as text</p>"),
        ("<p>unclosed <b>bold", "unclosed bold"),
        ("", ""),
        # inline elements touch where they are shown so, and words in elements of their own never do
        ("tool -x <em>name</em> &gt; <em>file</em>", "tool -x name > file"),
        ("un<b>believ</b>able, Weight<b>12</b>", "unbelievable, Weight12"),
        ("<span>Weight</span><span>12 kg</span>", "Weight 12 kg"),
        ("<label>Port:</label><code>8080</code>", "Port: 8080"),
        ("<code><span>a</span><span>b</span></code><b>3.</b><i>2</i> <b>12:</b><b>30</b>", "ab 3.2 12:30"),
        ("<span>O</span><span>nce</span> <b>東</b><b>京</b>", "Once 東京"),
        ("one<a id=x></a><b>two</b> up<wbr>set", "onetwo upset"),
        ("5511<br>7722<div>8</div>9", "5511\n7722\n\n8\n\n9"),
        # small signs
        (
            "10<sup>26</sup>, H<sub>2</sub>O, x<sup>a+b</sup>, T<sub>max</sub>, 1<sup>st</sup>",
            "10²⁶, H₂O, x^(a+b), T_(max), 1st",
        ),
        ("<s>Old fee</s> <q>new</q> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "~~Old fee~~ “new” 漢(kan)"),
        # lists
        (
            "<ol start=3><li>Open.</li><li>Start.<ol type=a><li>Wait.</li></ol></li></ol>",
            "3. Open.\n4. Start.\n  a. Wait.",
        ),
        ("<ol reversed><li>x</li><li value=9>y</li></ol>", "2. x\n9. y"),
        ("<ol type=I start=4><li>r</li></ol><ol class=loweralpha><li>s</li></ol>", "IV. r\n\na. s"),
        (
            "<dl><dt>Ballast<dd>Stones.<dt>Why?<dd><p>So.</p><p>More.</p><dt>Bare</dl>",
            "Ballast: Stones.\n\nWhy? So.\n\nMore.\n\nBare",
        ),
        ("<dl><dt>-v<dt>--verbose<dd><ul><li>x</li></ul></dd></dl>", "-v, --verbose\n\n- x"),
        ("<details><summary>A dog?</summary><p>On deck.</p></details>", "A dog? On deck."),
        # marks behind headings and notes
        ("<h2>Part<a href='#p'>¶</a></h2><p>x<a href='#n1'>#</a></p>", "Part\n\nx"),
        ("<p hidden>old</p><p>new</p>", "[hidden] old\n\nnew"),
        ("<p>Name <input value=Ada></p>", "Name: Ada"),
        ("<p><input type=checkbox checked> Paid</p>", "☑ Paid"),
        ("<pre>a\n  <b>b</b>\n\n\n\nc</pre>", "a\n  b\n\nc"),
    ],
)
def test_reads_pieces_of_html(markup, text):
    assert markup_text(markup) == text


NOTES = {
    "docutils": '<p>Word <a class="footnote-reference brackets" href="#i2" id="i1">1</a> goes on.</p><p>More.</p>'
    '<dl class="footnote"><dt id="i2"><span><a href="#i1">1</a></span></dt><dd><p>A note.</p></dd></dl>',
    "sphinx": '<p>Word<a class="footnote-reference" href="#i2" id="i1" role="doc-noteref">1</a> goes on.</p><p>More.</p>'
    '<aside id="i2" role="doc-footnote"><span class="label"><a href="#i1">1</a></span><p>A note.</p></aside>',
    "pandoc": '<p>Word<a href="#fn1" class="footnote-ref" id="fnref1"><sup>1</sup></a> goes on.</p><p>More.</p>'
    '<section role="doc-endnotes"><ol><li id="fn1"><p>A note.<a href="#fnref1">↩︎</a></p></li></ol></section>',
    "docbook": '<p>Word<a href="#ftn.1" class="footnote" name="n1"><sup>[1]</sup></a> goes on.</p><p>More.</p>'
    '<div id="ftn.1"><p><a href="#n1" class="para"><sup>[1] </sup></a>A note.</p></div>',
    "wiki": '<p>Word<sup id="cr"><a href="#cn">[1]</a></sup> goes on.</p><p>More.</p>'
    '<ol><li id="cn"><b><a href="#cr">^</a></b> A note.</li></ol>',
}


@pytest.mark.parametrize("form", NOTES)
def test_notes_are_told_from_the_text(form):
    found = blocks_of(NOTES[form])
    assert found[0] == ("paragraph", None, "Word[1] goes on.")
    assert ("footnote", "1", "[1] A note.") in found


@pytest.mark.parametrize(
    "box",
    [
        '<div class="admonition note"><p class="admonition-title">Note</p><p>Hot.</p></div>',
        '<div class="note"><h3 class="title">Note</h3><p>Hot.</p></div>',
        '<div class="note"><table><tr><td rowspan="2"><img alt="[Note]"></td><th>Note</th></tr><tr><td><p>Hot.</p></td></tr></table></div>',
        '<details class="note"><summary>Note</summary><p>Hot.</p></details>',
    ],
)
def test_a_box_is_an_admonition_under_its_title(box):
    assert blocks_of(box) == [
        ("admonition", "Note", "Note\n\nHot."),
        ("paragraph", None, "Note"),
        ("paragraph", None, "Hot."),
    ]


@pytest.mark.parametrize(
    ("listing", "language"),
    [
        ('<div class="highlight-python notranslate"><div class="highlight"><pre>x</pre></div></div>', "python"),
        ('<pre><code class="language-rust">x</code></pre>', "rust"),
        ('<pre class="sourceCode bash">x</pre>', "bash"),
        ('<div class="highlight-default"><pre>x</pre></div>', None),
    ],
)
def test_a_listing_has_its_language(listing, language):
    assert blocks_of(listing) == [("code", language, "x")]


def test_a_heading_in_a_box_heads_nothing_behind_it():
    draft = Draft()
    add_blocks(markup_tree("<h1>T</h1><blockquote><h2>In</h2><p>a</p></blockquote><p>b</p>"), draft)
    text, blocks = draft.finish()
    sections = [(block.place.section, block.span.of(text)) for block in blocks if block.kind is BlockKind.SECTION]
    assert sections == [(("T",), "T"), (("T", "In"), "In\n\na"), (("T",), "b")]


@given(st.text(alphabet="ab <>/&;!-p\n\"'=script", max_size=80))
def test_any_text_is_read(markup):
    markup_text(markup)


_INLINE = ("b", "span", "a", "em", "label", "button", "kbd")
_BLOCK = ("p", "div", "li", "h2", "dd", "dt", "blockquote", "pre", "section", "figcaption", "summary", "option", "br")


@given(
    st.lists(st.tuples(st.sampled_from(_INLINE + _BLOCK), st.integers(100, 999)), min_size=2, max_size=8),
    st.integers(0, 3),
)
def test_no_two_neighbours_touch(elements, depth):
    pieces = [f"<br><i>{number}</i>" if tag == "br" else f"<{tag}>{number}</{tag}>" for tag, number in elements]
    markup = "<div>" * depth + "".join(pieces) + "</div>" * depth
    found = markup_text(markup)
    for _, number in elements:
        assert str(number) in found
    assert not any(word.isdigit() and len(word) > 3 for word in found.replace(":", " ").split())


@given(
    st.lists(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=4), min_size=1, max_size=4)
)
def test_cells_of_any_spans_keep_their_words_apart(rows):
    cells = iter(f"{number}" for number in range(100, 1000))
    written = ["".join(f"<td colspan={wide} rowspan={high}>{next(cells)}</td>" for wide, high in row) for row in rows]
    found = markup_text("<table>" + "".join(f"<tr>{row}</tr>" for row in written) + "</table>")
    count = sum(map(len, rows))
    assert {f"{number}" for number in range(100, 100 + count)} <= set(found.replace("|", " ").split())
    assert all(len(word) <= 3 for word in found.split())


@pytest.mark.parametrize(
    "piece", ["<!--", "</", "<a '", "<div>", "&#", "<![CDATA[", "<table><tr><td>", "<b>x", "<sup>1"]
)
def test_damage_at_length_is_read_in_a_moment(piece):
    """Python's parser needs the square of its length for some of these: minutes for a megabyte."""
    markup_text(piece * (200_000 // len(piece)))


def test_spans_do_not_multiply_a_page():
    cell = f"<td colspan=1000 rowspan=60000>{'x' * 1000}</td>"
    assert len(markup_text(f"<table>{'<tr>' * 1}{cell}</tr>{'<tr></tr>' * 2000}</table>")) < 2_000_000
