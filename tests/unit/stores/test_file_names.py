import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.stores.records.encoding import as_file_name


@pytest.mark.parametrize(
    ("name", "usable"),
    [
        ("report.pdf", "report.pdf"),
        (".env", ".env"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\a.b.docx", "a.b.docx"),
        ("a:b?.md", "a_b_.md"),
        ("...", "file"),
        ("   ", "file"),
        ("数" * 100 + ".pdf", "数" * 65 + ".pdf"),
        ("x." + "y" * 300, "x." + "y" * 198),
    ],
)
def test_the_last_part_with_its_ending(name, usable):
    assert as_file_name(name) == usable


@given(st.text(st.characters(codec=None)))
def test_any_name_can_be_written(name):
    usable = as_file_name(name)
    assert 0 < len(os.fsencode(usable)) <= 255
    assert usable not in {".", ".."}
    assert not set(usable) & set("/\\\0")


def test_a_name_is_written_and_read_back(tmp_path):
    path = tmp_path / as_file_name("folder/nul\0 lone\udc80.pdf")
    path.write_text("words")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
