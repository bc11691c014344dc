import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.documents.formats.plain.text import read_prose
from ascertain.testing.documents import check_layout, check_tree
from tests.growth import assert_linear

RULES = """\
                     Constitution of the rowing club

   This text says how the club makes up its mind. It is long enough for
   two lines.

1. Bodies

   Each decision of the club is made by one of the following people, as
   is said below:
    1. The members, by a vote of all of them;
    2. The Chair, who may ask others to help with what is to be done and
       tells the members of it.
       Nobody else may do so, but for those who are named in the list of
       the office.
         1. A helper has no vote.
         2. A helper may leave.
    3. The Secretary.

  1.1. Meetings

   The club meets in May.
"""


def blocks_of(text, *kinds):
    read = read_prose(text)
    return [(block.kind.value, block.label, block.span.of(read.text)) for block in read.blocks if block.kind in kinds]


def test_hard_wrapped_and_indented_lines_are_paragraphs_items_and_headings():
    read = read_prose(RULES)
    assert read.title == "Constitution of the rowing club"
    assert (
        read.text
        == """\
Constitution of the rowing club

This text says how the club makes up its mind. It is long enough for two lines.

1. Bodies

Each decision of the club is made by one of the following people, as is said below:

1. The members, by a vote of all of them;
2. The Chair, who may ask others to help with what is to be done and tells the members of it.
Nobody else may do so, but for those who are named in the list of the office.

  1. A helper has no vote.
  2. A helper may leave.
3. The Secretary.

1.1. Meetings

The club meets in May."""
    )
    levels = [(each.level, each.span.of(read.text)) for each in read.blocks if each.kind is BlockKind.HEADING]
    assert levels == [(1, "Constitution of the rowing club"), (2, "1. Bodies"), (3, "1.1. Meetings")]


def test_items_have_the_markers_that_are_shown():
    text = "(a) first clause\n(b) second clause\n    (i) nested\n    (ii) too\n(c) third\n\n2.1 Rent.\n2.2 Leave.\n2.2.1 At once.\n2.3 Other.\n"
    items = [(label, words.split("\n")[0].strip()) for _, label, words in blocks_of(text, BlockKind.ITEM)]
    assert items == [
        ("(a)", "(a) first clause"), ("(b)", "(b) second clause"), ("(i)", "(i) nested"), ("(ii)", "(ii) too"), ("(c)", "(c) third"),
        ("2.1", "2.1 Rent."), ("2.2", "2.2 Leave."), ("2.2.1", "2.2.1 At once."), ("2.3", "2.3 Other."),
    ]  # fmt: skip


def test_bullets_of_any_look_are_dashes():
    assert [
        label for _, label, _ in blocks_of("* one\n* two\n\n• three\n\n   o  four is\n      long\n", BlockKind.ITEM)
    ] == ["-"] * 4


@pytest.mark.parametrize(
    "lines",
    [
        "It is an ancient Mariner,\nAnd he stoppeth one of three.\n'By thy long beard and glittering eye,\nNow wherefore stopp'st thou me?",
        "Harbour office\nQuay Street 5\n5020 Bergen",
        "12:00 boat left\n12:10 boat seen near the pier by two people\n13:00 boat back",
        "# first comment of the file that goes on to here\n# and another one that is just as long\n# end",
    ],
)
def test_lines_that_nobody_filled_stay_lines(lines):
    assert read_prose(lines).text == lines


def test_a_word_cut_at_the_end_of_a_line_is_whole_where_the_text_has_it():
    text = "The harbourmaster keeps the list of all of the ships, and the harbour-\nmaster shows it to all of the captains who have a name as well-\nknown as hers."
    assert read_prose(text).text == (
        "The harbourmaster keeps the list of all of the ships, and the harbourmaster shows it to all of the captains who have a name"
        " as well-known as hers."
    )


def test_lines_of_chinese_are_joined_without_a_space():
    line = "码头仓库位于青岛市仓库管理员是王小明每周三下午盘点库存盘点"
    assert read_prose(f"{line}\n{line}\n{line}。").text == f"{line}{line}{line}。"


def test_headings_are_underlined_numbered_or_in_capitals():
    text = "Title\n=====\n\nPart\n----\nWords of it.\n\nOther\n-----\n\nMore words.\n\nUSAGE\n\nRun it.\n\nChapter 3. The end\n\nIt ends.\n"
    read = read_prose(text)
    assert [(each.level, each.span.of(read.text)) for each in read.blocks if each.kind is BlockKind.HEADING] == [
        (1, "Title"), (2, "Part"), (2, "Other"), (3, "USAGE"), (4, "Chapter 3. The end"),
    ]  # fmt: skip
    assert "=" not in read.text


def test_numbered_lines_that_follow_each_other_are_a_list():
    assert not blocks_of("1. Buy milk\n\n2. Buy bread\n\nThen go home.\n", BlockKind.HEADING)


def test_options_and_fields_are_definitions():
    text = "  -x, --long FILE   read the file and do something with it that is\n                    long\n  -v                be verbose\n  --a-very-long-option=VALUE\n                    does things\n\nSubject: Hello\nDate: Monday\n\nPORT    8080\nHOST    localhost\n"
    assert blocks_of(text, BlockKind.DEFINITION) == [
        ("definition", "-x, --long FILE", "-x, --long FILE: read the file and do something with it that is long"),
        ("definition", "-v", "-v: be verbose"),
        ("definition", "--a-very-long-option=VALUE", "--a-very-long-option=VALUE: does things"),
        ("definition", "Subject", "Subject: Hello"),
        ("definition", "Date", "Date: Monday"),
        ("definition", "PORT", "PORT: 8080"),
        ("definition", "HOST", "HOST: localhost"),
    ]


@pytest.mark.parametrize(
    "drawn",
    [
        "+------+---------+\n| Code | Meaning |\n+------+---------+\n| 200  | OK      |\n| 404  | Missing |\n+------+---------+",
        "| Code | Meaning |\n|------|---------|\n| 200  | OK      |\n| 404  | Missing |",
        "Code  Meaning\n----  -------\n200   OK\n404   Missing",
        " Code | Meaning\n------+---------\n 200  | OK\n 404  | Missing",
    ],
)
def test_drawn_tables_are_tables(drawn):
    read = read_prose(f"Codes are these.\n\n{drawn}\n\nThat is all.")
    assert read.text == "Codes are these.\n\nCode | Meaning\n200 | OK\n404 | Missing\n\nThat is all."
    assert [each.header_rows for each in read.blocks if each.kind is BlockKind.TABLE] == [1]


def test_code_keeps_its_white_space():
    text = "Run this long command to build all of the things that are here:\n\n    $ make install\n    # make check\n\n    for x in 1; do\n        echo $x;\n    done\n\nThen it runs, as it should do on all machines there are.\n"
    assert blocks_of(text, BlockKind.CODE) == [
        ("code", None, "$ make install\n# make check\n\nfor x in 1; do\n    echo $x;\ndone")
    ]


def test_quotations_lie_in_each_other():
    read = read_prose("Ann wrote:\n> One.\n>> Two.\nMine.\n")
    assert read.text == "Ann wrote:\n\nOne.\n\nTwo.\n\nMine."
    assert [each.depth for each in read.blocks if each.kind is BlockKind.QUOTATION] == [0, 1]


def test_contents_are_a_list():
    text = "   1.  Introduction  . . . . . . . . . . . . . . .   3\n     1.1.  Terms . . . . . . . . . . . . . . . . .   4\n   Index . . . . . . . . . . . . . . . . . . . . .   9\n"
    assert read_prose(text).text == "1. Introduction ... 3\n1.1. Terms ... 4\n- Index ... 9"


def test_running_heads_are_furniture_and_paragraphs_go_on_over_pages():
    foot, head = "Bradner     Best Practice     [Page {}]\n\f\n", "RFC 2119      Key Words      March 1997\n\n"
    pages = [
        "   The absolute requirement of the specification that is written and\n\n",
        "   goes on at the head of the next page with some more words in it.\n\n",
        "   The end.\n\n",
    ]
    read = read_prose(
        "".join(f"{head if number else ''}{page}{foot.format(number + 1)}" for number, page in enumerate(pages))
    )
    assert read.text == (
        "The absolute requirement of the specification that is written and goes on at the head of the next page with some more words"
        " in it.\n\nThe end.\n\nBradner     Best Practice     [Page 1]\n\nRFC 2119      Key Words      March 1997"
    )
    assert [each.kind for each in read.blocks][-2:] == [BlockKind.FURNITURE] * 2


def test_an_entry_of_a_changelog_is_a_section_with_items():
    text = "boat (1.2-1) unstable; urgency=low\n\n  * Mend the hull, which had a hole near the keel, with a plank of\n    oak.\n    - Caulk it.\n  * New oars.\n\n -- Ann <ann@example.org>  Mon, 01 Jan 2024 10:00:00 +0000\n"
    read = read_prose(text)
    assert read.text.startswith(
        "boat (1.2-1) unstable; urgency=low\n\n- Mend the hull, which had a hole near the keel, with a plank of oak.\n  - Caulk it.\n- New oars."
    )


PIECES = st.sampled_from(
    ["w{}", "W{} w{}", "1. w{}", "2. w{}", "(a) w{}", "* w{}", "  - w{}", "W{}\n====", "   w{} w{} w{} w{} w{} w{}", "> w{}", "$ w{}",
     "w{}  w{}  w{}", "W{}: w{}", "| w{} | w{} |", "[1] w{}", "w{}:", "", "W{}\n---", "    w{} = w{};", "1.1 W{}", "\tw{}", "w{}-", "w{} . . . . . 3"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30))
def test_every_word_is_kept_in_its_order_and_apart(pieces):
    numbers = iter(range(10_000))
    text = "\n".join(re.sub(r"\{\}", lambda _: f"q{next(numbers)}z", piece) for piece in pieces)
    if not re.search(r"\w", text):
        return
    read = read_prose(text)
    assert re.findall(r"q\d+z", read.text) == re.findall(r"q\d+z", text)
    assert not re.search(r"zw?q", read.text, re.IGNORECASE)
    document = Document("d", read.text, "T", DocumentKind.PROSE, "s", blocks=read.blocks)
    check_layout(document)
    check_tree(document)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        ".",
        " ",
        "\n",
        "- ",
        "- x\n",
        "1. a\n",
        "1.",
        "|",
        "> ",
        "+-",
        "= ",
        "[1] a\n",
        "T\n=\n",
        "a  b  ",
        "a: b\n",
        "x  9\n\f",
        "  ",
        "a\n  b\n",
        "码",
    ],
)
def test_time_grows_with_length(piece):
    assert_linear(lambda length: read_prose(piece * (length // len(piece)) + "x"), 20_000)


CARRIERS = """\
w001
====

w002 w003
w004

1. w005

1.1 w006

w007 a line
  w008 indented

* w009
  - w010
(a) w011

  -x, --w012   w013
  -y           w014

w015:    w016
w017:    w018

+------+------+
| w019 | w020 |
+======+======+
| w021 | w022 |
+------+------+

> w023
>> w024

$ w025
    w026 = 1

[1] w027
\x0c
w028 .... 3
w029 .... 4

W030 SECTION
   w031

*** w032 ***
--\x20
w033

\t\tw034
w035\tw036
"""


def test_every_carrier_of_text_is_stored_once(read_one):
    document = read_one("a.txt", CARRIERS)
    for number in range(1, 37):
        assert document.text.lower().count(f"w{number:03d}") == 1, number
    assert not document.completeness.left_out
    assert "w019 | w020\nw021 | w022" in document.text


def test_questions_by_themselves_head_their_answers():
    text = "What is peat?\n\nPeat is a soil made of plants.\n\nHow is a bog restored?\n\nFirst the old drains are blocked.\nThen moss is planted.\n"

    assert [shown for _, _, shown in blocks_of(text, BlockKind.HEADING)] == ["What is peat?", "How is a bog restored?"]


def test_one_question_in_prose_heads_nothing():
    assert not blocks_of("The club met in May.\n\nWho would lead it?\n\nNobody knew at the time.\n", BlockKind.HEADING)
