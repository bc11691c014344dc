from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import DocumentKind
from ascertain.documents.formats.speech.spoken_text import markdown_turns, plain_turns

EPISODE = r"""**Ann Lee:** Welcome to the show. \[laughter\]

**Bob Ray:** Thanks. It's *great* to be here, see [my site](https://b.ob).

And another thing.

**Break:** \[01:44\]

**Ann Lee:** We are back.

**Bob Ray:** \[03:46\] So I said \[unintelligible 00:03:50.22\] and left. \[\\00:03:55.10\] it was.

\[01:03:56.22\] After an hour, \#1 again.

**Jingle:** \[01:04:10\] to \[01:04:27\]

**Ann Lee:** Good bye. \[00: .25\]

**Bob Ray:** Bye.
"""


def test_reads_speakers_and_times_of_a_markdown_episode(read_one):
    document = read_one("some-show-12.md", EPISODE)
    assert document.kind is DocumentKind.TRANSCRIPT
    assert document.title == "Some Show 12"
    assert document.author == "Ann Lee, Bob Ray"
    turns = [
        (block.place.speaker, block.place.start_time, block.place.end_time, block.span.of(document.text))
        for block in document.blocks_of(BlockKind.TURN)
    ]
    assert turns == [
        ("Ann Lee", None, 104, "Ann Lee: Welcome to the show. [laughter]"),
        ("Bob Ray", None, 104, "Bob Ray: Thanks. It's great to be here, see my site.\n\nAnd another thing."),
        ("Ann Lee", 104, 226, "Ann Lee: We are back."),
        ("Bob Ray", 226, 3836.22, "Bob Ray: So I said [unintelligible] and left. [unintelligible] it was."),
        ("Bob Ray", 3836.22, 3850, "After an hour, #1 again."),
        ("Ann Lee", 3867, None, "Ann Lee: Good bye."),
        ("Bob Ray", 3867, None, "Bob Ray: Bye."),
    ]
    assert document.place_of(document.blocks[2].span).label == "Ann Lee, 01:44"


def test_documentation_with_bold_words_is_no_transcript():
    page = "\n\n".join(["**Note:** be careful.", "**Warning:** hot.", "**Tip:** a.", "**Note:** b.", "**Note:** c."])
    assert markdown_turns(page) is None
    assert markdown_turns("**Install:** do this.\n\n**Run:** do that.\n\n**Test:** so.\n\n**Ship:** done.") is None


def test_reads_times_and_speakers_in_plain_text(read_one):
    document = read_one(
        "talk.txt", "[00:00:01] Ann: Hello there.\n[00:00:09] Bob: Hi Ann,\nhow are you?\n[01:00:10] Ann: Fine.\n"
    )
    assert document.text == "Ann: Hello there.\n\nBob: Hi Ann, how are you?\n\nAnn: Fine."
    assert [block.place.start_time for block in document.blocks] == [1, 9, 3610]


def test_letters_with_colons_are_no_transcript():
    assert plain_turns("Dear Ann: hello.\nNote: at [10:30] we meet.\nYours: Bob") is None


@given(st.lists(st.tuples(st.sampled_from(["Ann", "Bob", None]), st.text(max_size=30)), max_size=20))
def test_any_paragraphs_make_turns_in_order(paragraphs):
    source = "\n\n".join(f"**{name}:** {words}" if name else words for name, words in paragraphs)
    for turn in markdown_turns(source) or ():
        assert turn.end is None or turn.start is None or turn.end >= turn.start
