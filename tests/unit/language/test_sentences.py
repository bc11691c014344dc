from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.language.sentences import MAX_SENTENCE, split_sentences


def sentences(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Smith came.", "He left."],
        ["We tried it, e.g. on Mars.", "It works."],
        ["He moved to the U.S. in 1999.", "Then he left."],
        ["She left the U.S.", "The reason is unknown."],
        ["It is A vs. B today.", "Nobody wins."],
        ["Smith et al. (2019) agree.", "Others do not."],
        ["See Fig. 3 for details.", "See also No. 5 there."],
        ["Is it you?", "No.", "Never."],
        ["Acme Inc. sells tools.", "They hold."],
        ["J. K. Rowling wrote it.", "It sold well."],
        ["So did I.", "Then we left."],
        ["Pi is 3.14 or so.", "Use Python 3.11.", "Version 3.12 is out."],
        ["Go to https://example.com/a.b?c=d.e now.", "Then stop."],
        ["Read example.com.", "It is good."],
        ["Wait... what is it?", "Nothing..."],
        ["He said “Stop.”", "She did not."],
        ['"What?" he said.', "She left (at last).", "All was well."],
        ["It fell.[12]", "It rose.[3, 4]", "It stayed."],
        ["What?!", "No way!", "Yes."],
        ["It works etc.", "Nothing else does."],
        ["It rose at 5 p.m. on Monday.", "It fell at 6 p.m.", "The market closed."],
        ["Gen. Grant met Sen. Brown.", "They talked."],
        ["It has a Ph.D. programme.", "It is good."],
    ],
)
def test_splits_prose_where_a_reader_would(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_splits_text_tokenised_with_spaces_before_stops() -> None:
    text = 'There were periods . Any of them , e.g. the first , had 2 @.@ 5 of it . " It is so . " He left .'
    assert sentences(text) == [
        "There were periods .",
        "Any of them , e.g. the first , had 2 @.@ 5 of it .",
        '" It is so . "',
        "He left .",
    ]


def test_lines_broken_by_a_layout_stay_in_one_sentence() -> None:
    text = "The quick brown fox jumps over the lazy dog and\nthen it runs away from all of the others. It\nnever comes back."
    assert sentences(text) == [
        "The quick brown fox jumps over the lazy dog and\nthen it runs away from all of the others.",
        "It\nnever comes back.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\nSome words here.", ["# Title", "Some words here."]),
        ("Introduction\nSome words here.", ["Introduction", "Some words here."]),
        ("We need\n- eggs\n- milk", ["We need", "- eggs", "- milk"]),
        ("1. First thing. It is good.\n2. Second thing", ["1. First thing.", "It is good.", "2. Second thing"]),
        ("No stop here\n\nnext paragraph", ["No stop here", "next paragraph"]),
        ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
        (
            "Item | Fits | Price\nBR-8 | Not the One. All others. | 9 €",
            ["Item | Fits | Price", "BR-8 | Not the One. All others. | 9 €"],
        ),
        ("吾輩は猫である。名前はまだ無い。どこで？", ["吾輩は猫である。", "名前はまだ無い。", "どこで？"]),
        ("वह गया। वह आया।", ["वह गया।", "वह आया।"]),
        ("ok. so we go. then what. yes", ["ok.", "so we go.", "then what.", "yes"]),
        ("   \n\t ", []),
        ("", []),
    ],
)
def test_layout_and_other_scripts(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_run_on_is_cut_at_clause_marks() -> None:
    text = "it goes on and on and on, " * 100
    parts = sentences(text)
    assert all(len(part) <= MAX_SENTENCE for part in parts)
    assert all(part.endswith(",") for part in parts)


pieces = st.sampled_from(
    [
        *"aZ9.!?…,;:()\"'“”。\n\r\t\f \u00a0\u2028-#|",
        "Dr.",
        "U.S.",
        "e.g.",
        "The",
        "word",
        "\n\n",
        ". ",
        "- ",
        "1. ",
        "[3]",
    ]
)


@given(st.one_of(st.text(max_size=300), st.lists(pieces, max_size=120).map("".join), st.text("ab ,.", max_size=2000)))
def test_spans_are_ordered_trimmed_and_cover_everything(text: str) -> None:
    end = 0
    covered = ""
    for span in split_sentences(text):
        assert span.start >= end
        assert 0 < span.length <= MAX_SENTENCE
        assert span.of(text) == span.of(text).strip()
        assert not text[end : span.start].strip()
        end = span.end
        covered += span.of(text)
    assert not text[end:].strip()
    assert "".join(covered.split()) == "".join(text.split())
