import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.documents.formats.drafts.draft import Draft
from ascertain.language.blocks import find_announced, find_announced_block, is_code
from ascertain.language.sentences import split_sentences


def announced(text: str, limit: int = 600) -> str:
    lead = split_sentences(text)[0]
    return find_announced(text, lead, limit).of(text)[lead.length :].strip("\n")


@pytest.mark.parametrize(
    ("text", "follows"),
    [
        ("Run the server:\n\nuvicorn app:main --port 80\n\nThen wait.", "uvicorn app:main --port 80"),
        (
            "Like this:\n\nimport a\n\n@a.b\ndef c():\n    pass\n\nThat is all there is.",
            "import a\n\n@a.b\ndef c():\n    pass",
        ),
        ('To install it, type\n\ninstall.packages("l")\n\nat the prompt.', 'install.packages("l")'),
        ("It has two drawbacks:\n\n1. One.\n2. Two\n   goes on.\n\nNext.", "1. One.\n2. Two\n   goes on."),
        ("You need:\n- flour\n- eggs\n\nMix it.", "- flour\n- eggs"),
        ("Topics:\n\n- a\n\n- b\n\nNext.", "- a\n\n- b"),
        ("Open at:\n\nMonday 8 to 12\nTuesday 9 to 12\n\nNext.", "Monday 8 to 12\nTuesday 9 to 12"),
        ("The rates:\n\nCountry | Cost\nMars | 9 €\n\nNext.", "Country | Cost\nMars | 9 €"),
        ("He said this:\n\nIt is late. Go home.", "It is late."),
        ("Do this:\n\n.. example::\n\n    f(1)\n\n.. run::\n\n    g(1)\n\nNext.", ".. example::\n\n    f(1)"),
        ("Testing\n\n.. module:: click.testing\n\nIt is late.", ""),
        ("x = f(\n\n    1)", ""),
        ("It is late.\n\n- one\n- two", ""),
        ("A heading\n\nIt is late.", ""),
        ("The end:", ""),
        ("One thing: it rains. Go home.", ""),
    ],
)
def test_brings_what_a_sentence_announces(text, follows):
    assert announced(text) == follows


def test_what_is_too_long_is_cut_between_items():
    text = "You need:\n\n" + "\n".join(f"- {number} eggs" for number in range(100))
    assert announced(text, 40) == "- 0 eggs\n- 1 eggs\n- 2 eggs"
    assert announced(text, 15) == ""


@pytest.mark.parametrize(
    ("paragraph", "code"),
    [
        ("sudo systemctl start backup-nightly.service", True),
        ("$ ascertain ask 'why?'", True),
        ("x = 1\ny = f(x)", True),
        ("    click.echo(1)", True),
        (".. click:run::", True),
        ("git push", True),
        ("Make a copy of the file first.", False),
        ("make sure that it is there.", False),
        ("Return it to the shop within a month, and take the receipt with you, or else.", False),
        ("- one\n- two", False),
        ("Sales rose in May; nobody knows why.", False),
    ],
)
def test_tells_code_from_prose(paragraph, code):
    assert is_code(paragraph) is code


PIECES = st.sampled_from(
    ["Run this:", "\n", "\n\n", "- an item", "x = f(1)", "a | b", "A sentence. Another one.", "  ", "1) two", ":"]
)


@given(st.lists(PIECES, max_size=14).map("".join), st.integers(1, 80))
def test_what_is_brought_begins_with_the_sentence_and_keeps_to_the_limit(text, limit):
    for lead in split_sentences(text):
        found = find_announced(text, lead, limit)
        assert found.start == lead.start
        assert found == lead or lead.end < found.end <= min(lead.start + limit, len(text.rstrip()))
        assert not found.of(text)[-1].isspace()


def test_what_is_announced_is_found_behind_its_caption():
    draft = Draft()
    draft.add("A fixed width is set so:")
    draft.add("sync.py", kind=BlockKind.CAPTION)
    draft.add("runner.invoke(cli, terminal_width=60)\nprint(1)", kind=BlockKind.CODE)
    draft.add("Then wait.")
    text, blocks = draft.finish()
    document = Document("d", text, "T", DocumentKind.PROSE, "d.md", blocks=blocks)
    lead = split_sentences(text)[0]
    found = find_announced_block(document, lead, 600)
    assert found.of(text) == "A fixed width is set so:\n\nsync.py\n\nrunner.invoke(cli, terminal_width=60)\nprint(1)"
    assert find_announced_block(document, Span(text.index("Then"), len(text)), 600) is None


def test_a_list_of_the_tree_is_brought_item_by_item():
    draft = Draft()
    draft.add("You need:")
    with draft.inside(BlockKind.LIST):
        for what in ("flour", "eggs", "milk"):
            with draft.item():
                draft.add(what)
    text, blocks = draft.finish()
    document = Document("d", text, "T", DocumentKind.PROSE, "d.md", blocks=blocks)
    lead = Span(0, len("You need:"))
    assert find_announced_block(document, lead, 26).of(text) == "You need:\n\n- flour\n- eggs"
    assert find_announced_block(document, lead, 600).of(text) == text
