import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.documents.formats.markdown.blocks import render_markdown
from ascertain.testing.documents import check_layout, check_tree
from tests.growth import assert_linear

EVERYTHING = """\
# w001

w002 *w003* `w004` [w005](https://example.org) w006[^1] ![w007](w008.png) <b>w009</b>

> [!WARNING] w010
> w011

> [!NOTE]
> w012

!!! tip "w013"
    w014

:::{admonition} w015
w016 {ref}`w017 <w900>` {py:class}`~w901.w018`
:::

```{versionadded} w019
```

7) w020
8) w021
   - w022
     w023

   w024

- [x] w025

w026 [[w902|w027]] [[w028]] ![[w029.png]] ~~w030~~ $w_031*w032*$ 10<sup>26</sup> H<sub>2</sub>O<br>w033

$$
w034 *
$$

> w035
>
> > w036

<div>w037 <i>w038</i><!-- w903 --></div>

```py title="w904"
w039
    w040
```

w041
: w042

    w043

| w044 | w045 |
|------|------|
| w046 | w047 |

[^1]: w048

    w049
"""


def test_every_word_is_stored_or_named():
    read = render_markdown(EVERYTHING)
    assert (
        read.text
        == """\
w001

w002 w003 w004 w005 w006[1] w009

w010

w011

Note

w012

w013

w014

w015

w016 w017 w018

Added in version w019

7) w020
8) w021
  - w022 w023
w024

- [x] w025

w026 w027 w028 ~~w030~~ $w_031*w032*$ 10²⁶ H₂O
w033

$$w034 *$$

w035

w036

w037 w038

w039
    w040

w041: w042

w043

w044 | w045
w046 | w047

[1] w048

w049"""
    )
    assert [(each.what, each.count, each.names) for each in read.left_out] == [("pictures", 2, ("w007", "w029.png"))]
    labels = [(each.kind.value, each.label) for each in read.blocks if each.label and each.kind is not BlockKind.ITEM]
    assert labels == [
        ("admonition", "Warning"), ("admonition", "Note"), ("admonition", "Tip"), ("admonition", "w015"), ("code", "py"),
        ("definition", "w041"), ("footnote", "1"),
    ]  # fmt: skip


PIECES = st.sampled_from(
    ["w{}", "**w{}** w{}", "# w{}", "- w{}", "  - w{}", "1. w{}", "> w{}", "```\nw{}\n```", "| w{} | w{} |\n|--|--|\n| w{} | w{} |",
     "w{}\n: w{}", "w{}[^1]", "[^1]: w{}", "", "~~w{}~~", "w{}<br>w{}", "    w{}", "!!! note\n    w{}", ":::{note}\nw{}\n:::", "[[w{}]]"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=20))
def test_no_words_touch_and_none_is_lost(pieces):
    numbers = iter(range(10_000))
    source = "\n".join(re.sub(r"\{\}", lambda _: f"q{next(numbers)}z", piece) for piece in pieces)
    read = render_markdown(source)
    lost = set(re.findall(r"q\d+z", source)) - set(re.findall(r"q\d+z", read.text))
    # notes that nothing refers to are not shown by anything that reads Markdown
    assert not lost or "[^1]" in source
    assert not re.search(r"zw?q", read.text)
    if read.text.strip():
        document = Document("d", read.text, "T", DocumentKind.PROSE, "s", blocks=read.blocks)
        check_layout(document)
        check_tree(document)


def test_two_spaces_at_the_end_of_a_line_break_it(read_one):
    assert read_one("a.md", "Harbour office  \nQuay Street 5\n").text == "Harbour office\nQuay Street 5"


def test_fields_of_the_front_matter_that_say_more_are_named(read_one):
    document = read_one("a.md", "---\ntitle: T\nstatus: approved\n---\n\nWords.\n")
    assert [(each.what, each.names) for each in document.completeness.left_out] == [
        ("fields of the front matter", ("status",))
    ]


@pytest.mark.parametrize(
    "piece", ["[[", "[^1]", "$", "> ", "!!! a\n", ":::{a}\n", "{a}`", "<sup>", "- ", "|", "a\n: b\n\n", "[^1]: a\n\n"]
)
def test_time_grows_with_length(piece):
    assert_linear(lambda length: render_markdown(piece * (length // len(piece))), 15_000)


def test_reStructuredText_within_is_read_as_that_and_targets_are_not_shown(read_one):
    source = (
        "(prices)=\n# Prices\n\n```{eval-rst}\n.. currentmodule:: boats\n\n.. list-table:: By season\n   :header-rows: 1\n\n"
        "   * - Season\n     - Price\n   * - Spring\n     - 12 €\n```\n\nDone.\n"
    )
    document = read_one("prices.md", source)
    assert document.text == "Prices\n\nBy season\n\nSeason | Price\nSpring | 12 €\n\nDone."
    [table] = document.blocks_of(BlockKind.TABLE)
    assert (table.header_rows, document.place_of(table.span).section) == (1, ())


def test_glossaries_and_versions_of_MyST_are_shown_as_sphinx_shows_them(read_one):
    source = (
        "# Terms\n\n:::{glossary}\n\nBound Logger\n    An instance that is returned.\n\n    It is **immutable**.\n\nContext\n    A mapping.\n:::\n\n"
        ":::{versionchanged} 20.2 Bytes are taken.\n:::\n\n```{versionadded} 4.0\nTuples are taken.\n```\n"
    )
    document = read_one("terms.md", source)
    assert document.text == (
        "Terms\n\nBound Logger: An instance that is returned.\n\nIt is immutable.\n\nContext: A mapping.\n\n"
        "Changed in version 20.2: Bytes are taken.\n\nAdded in version 4.0: Tuples are taken."
    )
    assert [block.label for block in document.blocks_of(BlockKind.DEFINITION)] == ["Bound Logger", "Context"]
