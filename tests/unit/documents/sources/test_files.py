import pytest

from ascertain.core.documents.documents import document_id
from ascertain.core.errors import SourceError
from ascertain.documents.sources.files import ReadOptions, read_path


def test_a_document_keeps_its_id_when_its_text_changes(write):
    (before,) = read_path(write("a.txt", "One."))
    (after,) = read_path(write("a.txt", "Two."))
    assert before.id == after.id == document_id(before.source)
    assert before.content_hash != after.content_hash
    assert before.source.endswith("/a.txt")


def test_reading_twice_gives_the_same(write):
    path = write("a.md", "# A\n\ntext\n\n## B\n\nmore")
    assert list(read_path(path)) == list(read_path(path))


def test_carries_the_options_into_the_document(read_one):
    document = read_one("a.txt", "x", profile="papers", tags=("t",), tenant="me", conversation_id="c")
    assert (document.profile, document.tags, document.tenant, document.conversation_id) == ("papers", ("t",), "me", "c")
    assert document.id == document_id(document.source, "me", "c")


def test_reads_text_of_any_suffix_when_named(read_one):
    assert read_one("NOTES", "Plain words.").text == "Plain words."
    assert read_one("a.log", "Plain words.").title == "A"


def test_tells_the_language(read_one):
    german = "Der Ausschuss hat am Mittwoch beschlossen, die Förderung der Schulen im Land deutlich zu erhöhen."
    assert read_one("a.txt", german).language == "de"
    assert read_one("b.txt", "BTC 12").language is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "the file is empty"),
        ("a.txt", " \n\t\n\ufeff", "no readable text"),
        ("a.txt", bytes(range(256)) * 20, "holds binary data, not text"),
        ("a.md", b"\x89PNG\r\n\x1a\n" + bytes(100), "the picture is damaged"),
        ("a.rtf", b"{\\rtf1 }", "no readable text"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "an old or encrypted Office file"),
        ("a.txt.gz", b"\x1f\x8b\x08" + bytes(99), "no file in it could be read .cannot be unpacked"),
        ("a.txt", b"\xff\xfea", "is not valid utf-16"),
        ("new\nline.txt", b"", "the file is empty"),
    ],
)
def test_refuses_bad_files_in_one_line_that_begins_with_the_name(write, name, content, message):
    with pytest.raises(SourceError, match=message) as caught:
        list(read_path(write(name, content)))
    assert str(caught.value).startswith(name.replace("\n", " ") + ": ")
    assert "\n" not in str(caught.value)


def test_refuses_large_files_without_reading_them(write):
    path = write("a.txt", "")
    with path.open("wb") as sparse:
        sparse.truncate(10**12)
    with pytest.raises(SourceError, match="over the limit of 200,000,000; split it"):
        list(read_path(path))


def test_refuses_long_texts(write):
    options = ReadOptions(max_characters=100)
    with pytest.raises(SourceError, match="longer than 100 characters"):
        list(read_path(write("a.txt", "x" * 101), options))
    with pytest.raises(SourceError, match="longer than 100 characters"):
        list(read_path(write("a.md", "x" * 1000), options))


def test_refuses_what_is_not_there_or_no_file(tmp_path):
    for path in (tmp_path / "no.txt", tmp_path, tmp_path / "nul\0.txt"):
        with pytest.raises(SourceError):
            list(read_path(path))
