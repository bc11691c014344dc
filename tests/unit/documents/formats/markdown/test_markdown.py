from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.documents.formats.markdown.reader import render_markdown
from ascertain.testing.documents import check_layout, check_tree

PAGE = """---
title: Guide
date: 2024-02-03
author: [Ann, Bob]
tags: [x, y]
url: https://e.org/g
---
# Guide

Intro with [a link](http://x.y) and ![img](i.png) and **bold** `code`
text &amp; <b>tags</b>.

## Install

1. First
2. Second
   - nested *b*

```python
x = 1

y = 2
```

| A | B |
|---|---|
| 1 | 2 |

### Deep

> quoted
"""


def test_gives_the_readable_text_with_sections(read_one):
    document = read_one("g.md", PAGE)
    assert document.text == (
        "Guide\n\nIntro with a link and and bold code text & tags.\n\n"
        "Install\n\n1. First\n2. Second\n  - nested b\n\nx = 1\n\ny = 2\n\nA | B\n1 | 2\n\nDeep\n\nquoted"
    )
    sections = [(r.place.section, r.span.of(document.text)[:7]) for r in document.blocks_of(BlockKind.SECTION)]
    assert sections == [(("Install",), "Install"), (("Install", "Deep"), "Deep\n\nq")]


def test_takes_metadata_from_the_front_matter(read_one):
    document = read_one("g.md", PAGE)
    assert (document.title, document.author, document.url) == ("Guide", "Ann, Bob", "https://e.org/g")
    assert document.published_at == datetime(2024, 2, 3, tzinfo=UTC)
    assert document.tags == ("x", "y")


def test_title_is_the_first_heading_else_the_file_name(read_one):
    assert read_one("a.md", "## Sub\n\n# *Main* thing\n\ntext").title == "Main thing"
    assert read_one("my-api_notes.md", "text").title == "My API Notes"


@pytest.mark.parametrize("head", ["---\n: : :\n---\n", "---\n- a list\n---\n", "---\nno end\n", "+++\n=\n+++\n"])
def test_front_matter_that_cannot_be_parsed_stays_text(read_one, head):
    assert "Body." in read_one("a.md", head + "\nBody.").text


def test_reads_toml_front_matter(read_one):
    assert read_one("a.md", '+++\ntitle = "T"\ndate = 2024-01-02\n+++\nBody.').title == "T"


@given(st.text(st.sampled_from("#*_`[](){}<>!|-+~>\\ \n\tab1.:\"'&;")))
def test_regions_fit_the_text_whatever_the_source(source):
    extracted = render_markdown(source)
    if extracted.text.strip():
        document = Document("d", extracted.text, "T", DocumentKind.PROSE, "d.md", blocks=extracted.blocks)
        check_layout(document)
        check_tree(document)
    assert render_markdown(source) == extracted


def test_empty_cells_keep_the_others_in_their_columns(read_one):
    document = read_one(
        "a.md", "| | Rondeel | Süd |\n|---|---|---|\n| Price | 13 € | 12 € |\n| Notes | | `a \\| b` |\n"
    )
    assert document.text == "– | Rondeel | Süd\nPrice | 13 € | 12 €\nNotes | – | a|b"
