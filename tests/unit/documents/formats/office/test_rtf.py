"""RTF as Word shows it: each carrier of text is stored or named."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.errors import SourceError
from ascertain.documents.formats.office.rtf.reader import read_rtf
from ascertain.documents.formats.reader import ReadOptions, SourceFile
from ascertain.documents.sources.files import read_path

FONTS = (
    r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset2 Symbol;}{\f3\fcharset128 MS Mincho;}"
    r"{\f4\fcharset2 Wingdings;}}"
)
STYLES = r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 Titre un;}{\s2 heading 2;}{\s3 Quote;}{\s4 Title;}{\*\cs9 Heading 3;}}"


def build(body):
    return (r"{\rtf1\ansi\ansicpg1252\deff0" + FONTS + STYLES + body + "}").encode("latin-1")


@pytest.fixture
def extract(write):
    def one(body):
        content = body if isinstance(body, bytes) else build(body)
        (extracted,) = read_rtf(SourceFile(write("a.rtf", content), ReadOptions()))
        return extracted

    return one


def left_out(extracted):
    return {each.what: (each.count, each.words) for each in extracted.left_out}


def test_deleted_text_is_out_hidden_text_is_marked(read_one, extract):
    body = r"The cap is {\deleted 40,000}{\revised 75,000} euros.{\v hidden words}\par {\strike Old} fee 10{\super 26} H{\sub 2}O.\par"
    assert extract(body).text == "The cap is 75,000 euros.\n\n[hidden] hidden words\n\n~~Old~~ fee 10²⁶ H₂O."
    assert left_out(extract(body)) == {"deleted passages": (1, 2)}


def test_headings_lists_and_styles(read_one):
    body = (
        r"\pard\s4 Report\par\pard\s1 Un\par\pard\s2{\listtext 1.1\tab}Deux\par"
        r"\pard\ls1\li360{\listtext\f2\'b7\tab}\f0 one\par\pard\ls1\ilvl1\li720{\listtext (a)\tab}two\par\pard plain\par"
        r"\pard\fi-360\li720 3.\tab hanging\par\pard\s3 said\par"
    )
    document = read_one("a.rtf", build(body))
    assert document.text == "Report\n\nUn\n\n1.1 Deux\n\n- one\n  (a) two\n\nplain\n\n3. hanging\n\nsaid"
    assert document.title == "Report"
    assert [each.level for each in document.blocks_of(BlockKind.HEADING)] == [0, 1, 2]
    assert len(document.blocks_of(BlockKind.QUOTATION)) == 1


def test_characters_are_decoded_in_the_code_page_of_their_font(extract):
    body = (
        r"Caf\'e9 {\f1 \'ca\'eb\'fe\'f7} {\f3 \'93\'94\'91\'e4} \u1050?\u1083? \u-10179?\u-8704? {\uc2\u233\'c3\'a9x} "
        r"{\f2 a}{\f4 \'fc} a\~b\_c\-d \lquote q\rquote \emdash end"
    )
    assert extract(body).text == "Café Ключ 灯台 Кл 😀 éx α✓ a b-cd ‘q’—end".replace(
        "灯台", bytes.fromhex("939491e4").decode("cp932")
    )


def test_tables_fill_merged_cells_and_keep_nested_ones(read_one):
    body = (
        r"\trowd\trhdr\clvmgf\cellx1000\cellx3000 \intbl Region\cell 2025\cell\row"
        r"\trowd\trhdr\clvmrg\cellx1000\cellx2000\cellx3000 \intbl\cell Units\cell Revenue\cell\row"
        r"\trowd\cellx1000\cellx2000\cellx3000 \intbl North\par Quay\cell 5\cell "
        r"\pard\intbl\itap2 in1\nestcell in2\nestcell{\*\nesttableprops\trowd\cellx1\cellx2\nestrow}\pard\intbl 6\cell\row"
        r"\pard after\par"
    )
    document = read_one("a.rtf", build(body))
    assert document.text == "Region | 2025 Units | 2025 Revenue\nNorth / Quay | 5 | in1; in2 / 6\n\nafter"


def test_rows_with_other_columns_are_another_table(read_one):
    row = r"\trowd\cellx{}\cellx9000 \intbl {}\cell {}\cell\row"
    document = read_one(
        "a.rtf", build(row.replace("{}", "%s") % (3000, "a", "b") + row.replace("{}", "%s") % (5000, "c", "d"))
    )
    assert document.text == "a | b\n\nc | d"


def test_every_carrier_of_text_is_stored_once_or_named(extract):
    body = (
        r"{\info{\title w001}{\author w002}{\*\company x}}{\header w003\par}{\footerf w004\par}"
        r"w005{\super\chftn}{\footnote\pard {\super\chftn} w006\par}{\footnote\ftnalt w007} {\*\atnauthor w008}{\*\annotation w009}"
        r"{\field{\*\fldinst HYPERLINK x}{\fldrslt w010}}{\pict\wmetafile8 0123456789abcdef}"
        r"{\shp{\*\shpinst{\sp{\sn wzName}{\sv no}}{\shptxt w011\par}}{\shprslt w011}}{\*\shppict{\pict\bin5 {{{{{}}{\nonshppict{\pict 00}}"
        r"{\object{\*\objdata 00}{\result w012}}{\upr{no}{\*\ud{w013}}}{\*\unknown no}{\bkmkstart no}\par"
        r"{\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres1{\*\ffname w014}}}}{\fldrslt}} w015\par"
        r"{\mmath{\*\moMath{\mf{\mnum{\mr w016}}{\mden{\mr w017}}}}}\par"
    )
    extracted = extract(body)
    for number in (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17):
        times = 2 if number == 8 and extracted.text.count("w008") == 2 else 1
        assert extracted.text.count(f"w{number:03d}") == times, number
    assert (extracted.title, extracted.author) == ("w001", "w002")
    assert "w005[1][1]" in extracted.text.replace("[i]", "[1]") and "Comment by w008: w009" in extracted.text
    assert "☒ w015\n\nw014: yes" in extracted.text and "w016/w017" in extracted.text
    assert "no" not in extracted.text.split() and left_out(extracted) == {
        "pictures": (2, 0),
        "embedded objects": (1, 0),
    }


def test_what_is_cut_off_is_read_and_said(extract):
    extracted = extract(build(r"Good.\par {\b bold ")[:-1])
    assert extracted.text == "Good.\n\nbold" and extracted.notes == ("the file ends in the middle; it may be cut off",)


def test_groups_too_deep_are_refused(write):
    with pytest.raises(SourceError, match="more than 1,000 deep"):
        list(read_path(write("a.rtf", build("{" * 200_000 + "x"))))


def test_stray_ends_and_huge_numbers_are_harmless(extract):
    assert extract(build(r"a\li99999999999999\u99999999999? \cellx1\row\nestrow\cell b\par"))
    assert extract(rb"{\rtf1 a}}}} after").text == "a"


@pytest.mark.parametrize(
    ("head", "text", "encoding"),
    [
        (r"\ansicpg1251", "Привет мир", "cp1251"),
        (r"\ansicpg1251{\fonttbl{\f0\fcharset0 Times;}}\f0", "Привет мир", "cp1251"),
        (r"\ansicpg1252{\fonttbl{\f0\fcharset204 Times;}}\f0", "Привет мир", "cp1251"),
        (r"\ansicpg28592", "Łódź", "iso8859-2"),
        (r"\ansicpg20866", "Привет", "koi8-r"),
        (r"\ansicpg932", "港の船", "cp932"),
        (r"\ansicpg1252", "café über", "utf-8"),
        (r"\ansicpg99999", "café", "cp1252"),
    ],
)
def test_bytes_that_stand_in_the_file_as_they_are(extract, head, text, encoding):
    assert extract(rf"{{\rtf1\ansi{head} {text}\par}}".encode(encoding)).text == text


WORDS = st.text(st.sampled_from("abcdefgh0123456789"), min_size=1, max_size=6)
BLOCKS = st.lists(
    st.tuples(st.sampled_from(["p", "cells", "item", "lines", "note", "tab"]), WORDS, WORDS), min_size=1, max_size=8
)


def write_block(kind, one, two):
    return {
        "p": rf"\pard {one}\par {two}\par",
        "cells": rf"\trowd\cellx1000\cellx2000\pard\intbl {one}\cell {two}\cell\row",
        "item": rf"\pard\ls1{{\listtext -\tab}}{one}\par{{\listtext -\tab}}{two}\par",
        "lines": rf"\pard {one}\line {two}\par",
        "note": rf"\pard {one}{{\footnote {two}}}\par",
        "tab": rf"\pard {one}\tab {two}\par",
    }[kind]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(blocks=BLOCKS)
def test_no_two_neighbours_touch(write, check, blocks):
    (document,) = read_path(write("a.rtf", build("".join(write_block(*each) for each in blocks))))
    check(document)
    shown = document.text.replace("[", " [").replace("|", " ").split()
    assert {word for _, *pair in blocks for word in pair} <= set(shown)
