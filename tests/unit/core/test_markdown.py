import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ascertain.core.markdown import disarm_markdown

LIVE = {"image", "link_open", "html_inline", "html_block"}
PIECES = st.sampled_from(
    [
        "[",
        "]",
        "(",
        ")",
        "!",
        "<",
        ">",
        "\\",
        "`",
        ":",
        "@",
        "/",
        "\n",
        " ",
        "a",
        "img src=x",
        "http://evil.example",
        "[a]: /b",
    ]
)


def live_parts(text):
    tokens = MarkdownIt("commonmark").parse(text)
    return {inner.type for token in tokens for inner in (token, *(token.children or ()))} & LIVE


@pytest.mark.parametrize(
    "text",
    [
        "![pixel](https://evil.example/p.png?q=1)",
        "[click](https://evil.example)",
        "[![badge](https://evil.example/b.svg)](https://evil.example)",
        "![pixel][p]\n\n[p]: https://evil.example/p.png",
        "see [1] and [2]\n\n[1]: https://evil.example\n[2]: https://evil.example 'title'",
        "<img src=https://evil.example/p.png>",
        "<script>alert(1)</script>",
        "\\\\<img src=x>",
        "<!-- hidden -->",
        "<https://evil.example>",
        "<1@evil.example>",
        "text\n<div onclick=x>",
        "`[a](`b) ![c](d)`](e)",
    ],
)
def test_nothing_that_a_document_wrote_is_live(text):
    assert live_parts(text), "the text would do no harm as it is"
    assert not live_parts(disarm_markdown(text))


@example("<<@")
@given(st.lists(PIECES, max_size=25).map("".join) | st.text())
def test_no_text_is_live_and_twice_is_as_once(text):
    once = disarm_markdown(text)
    assert not live_parts(once)
    assert disarm_markdown(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "A refund takes 5 days [1].",
        "p < 0.05 and <5 %",
        "a[1] = b(2)",
        "**bold** and `code`",
        "https://example.org/a_b",
        "x <= y",
    ],
)
def test_ordinary_text_stays_as_it_is(text):
    assert disarm_markdown(text) == text


@pytest.mark.parametrize("text", ["![pixel](https://evil.example/p.png)", "[a]: b", "array[i](x)", "[1][2]"])
def test_rendered_it_shows_what_was_written(text):
    (_, inline, _) = MarkdownIt("commonmark").parse(disarm_markdown(text))
    assert "".join(child.content for child in inline.children) == text
