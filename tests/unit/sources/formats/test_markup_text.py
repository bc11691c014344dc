import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.sources.formats.markup import markup_text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("plain words", "plain words"),
        ("<p>One.</p><p>Two &amp; <b>three</b>.</p>", "One.\n\nTwo & three."),
        ("Lead<br>on the same line<h2>Head</h2>rest", "Lead on the same line\n\nHead\n\nrest"),
        ("<ul><li>a</li><li><p>b</p></li></ul>after", "- a\n\n- b\n\nafter"),
        ("<script>alert(1)</script><style>p{}</style>seen", "seen"),
        ("a < b and b > c", "a < b and b > c"),
        ("<table><tr><td>x</td><td>1</td></tr></table>", "x 1"),
        ("&lt;p&gt;kept as text&lt;/p&gt;", "<p>kept as text</p>"),
        ("<p>unclosed <b>bold", "unclosed bold"),
        ("", ""),
    ],
)
def test_reads_pieces_of_html(markup, text):
    assert markup_text(markup) == text


@given(st.text(alphabet="ab <>/&;!-p\n\"'=script", max_size=80))
def test_any_text_is_read(markup):
    markup_text(markup)


@pytest.mark.parametrize("piece", ["<!--", "</", "<a '", "<div>", "&#", "<![CDATA["])
def test_damage_at_length_is_read_in_a_moment(piece):
    """Python's parser needs the square of its length for these: minutes for a megabyte."""
    markup_text(piece * (1_000_000 // len(piece)))
