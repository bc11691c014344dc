import io
import tempfile
import zipfile

import pytest
from sample_files import build_mail, gzip_bytes, tar_files, zip_files

from ascertain.core.errors import SourceError
from ascertain.documents.formats.files import archives
from ascertain.documents.formats.reader import ReadLimits
from ascertain.documents.sources.files import ReadOptions, read_path


def read_all(path, **options):
    left_out = []
    documents = list(read_path(path, ReadOptions(on_bad_row=lambda *each: left_out.append(each), **options)))
    return documents, left_out


FILES = {
    "docs/one.txt": "First words.",
    "docs/two.md": "# Two\n\nSecond words.",
    "table.csv": "title,content\nRow,Words of a row.",
    "logo.psd": "x",
    ".hidden.txt": "hidden",
    "__MACOSX/one.txt": "hidden",
    "broken.docx": "no word file",
}


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.zip", zip_files(FILES)), ("a.tar.gz", tar_files(FILES)), ("a.tgz", tar_files(FILES)), ("a.tar", tar_files(FILES, "w"))],
)  # fmt: skip
def test_files_in_an_archive_are_documents(write, check, name, content):
    path = write(name, content)
    documents, left_out = read_all(path)
    for document in documents:
        check(document)
    assert {document.source.removeprefix(str(path)): document.title for document in documents} == {
        "#docs/one.txt": "One",
        "#docs/two.md": "Two",
        "#table.csv#2": "Row",
    }
    assert (f"{path}", "files of other formats in it were skipped: 1 .psd") in left_out
    assert any(source == f"{path}#broken.docx" and "get the file again" in reason for source, reason in left_out)


def test_a_single_file_packed_with_gzip(write):
    (document,) = read_all(write("report.txt.gz", gzip_bytes("Packed words.")))[0]
    assert (document.text, document.title) == ("Packed words.", "Report")


def test_archives_in_archives_to_a_depth(write):
    content = b"Words."
    name = "a.txt"
    for depth in range(archives.MAX_DEPTH):
        content, name = zip_files({name: content}), f"{depth}.zip"
    documents, _ = read_all(write("good.zip", content))
    assert documents[0].text == "Words."
    with pytest.raises(SourceError, match=r"^deep\.zip: no file in it could be read \(.*"):
        read_all(write("deep.zip", zip_files({name: content})))


def test_what_unpacks_to_too_much_ends_however_it_is_nested(write):
    limits = {"limits": ReadLimits(unpacked_bytes=3_000_000), "max_bytes": 3_000_000}
    bomb = zip_files({f"{n}.txt": "word " * 100_000 for n in range(4)})
    nested = zip_files({f"{n}.zip": bomb for n in range(4)})
    for name, content in (
        ("a.zip", zip_files({"a.txt": "word " * 1_000_000})),
        ("b.zip", nested),
        ("c.tar.gz", tar_files({"skipped.bin": "0" * 50_000_000, "a.txt": "Words."})),
        ("d.txt.gz", gzip_bytes("word " * 1_000_000)),
        ("e.eml", build_mail("See.\n", attachments=[("n.zip", nested)])),
    ):
        with pytest.raises(SourceError, match=rf"^{name}: .*(?:raise ingest\.reading\.unpacked_bytes|over the limit)"):
            read_all(write(name, content), **limits)


def test_too_many_files_are_refused(write, monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    with pytest.raises(SourceError, match=r"more than 3 files in it; unpack it and add the folder"):
        read_all(write("a.zip", zip_files({f"{n}.txt": "Words." for n in range(4)})))


def test_names_that_lead_elsewhere_write_nothing_there(write, tmp_path):
    documents, _ = read_all(write("a.zip", zip_files({"../../evil.txt": "Words.", "/etc/other.txt": "More."})))
    assert {document.text for document in documents} == {"Words.", "More."}
    assert not (tmp_path.parent / "evil.txt").exists()


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tgz", "a.gz"])
@pytest.mark.parametrize(
    "content",
    [b"PK\x03\x04" + b"0" * 50, b"\x1f\x8b" + b"0" * 50, b"0" * 600, zip_files({}), zip_files({"a.exe": "x"})],
)
def test_what_is_damaged_or_empty_is_refused_in_a_line(write, name, content):
    with pytest.raises(SourceError, match=rf"^{name}: [^\n]+$"):
        read_all(write(name, content))


def test_a_locked_file_is_told_and_the_others_read(write):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("open.txt", "Words.")
        archive.writestr("locked.txt", "Secret.")
    data = bytearray(out.getvalue())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.rindex(signature) + offset] |= 1
    documents, left_out = read_all(write("a.zip", bytes(data)))
    assert [document.text for document in documents] == ["Words."]
    assert left_out[0][1] == "cannot be unpacked; it may be damaged or encrypted"


def test_a_tar_that_breaks_off_gives_the_files_before(write):
    whole = tar_files({"one.txt": "First words.", "two.txt": "Second words. " * 400, "three.txt": "Third words."}, "w")
    path = write("cut.tar", whole[: 512 * 5])
    documents, left_out = read_all(path)
    assert documents[0].text == "First words."
    assert left_out


def test_a_damaged_file_is_named_and_the_others_read(write):
    whole = zip_files(
        {"one.txt": "First words.", "two.txt": "Second words.", "three.txt": "Third."}, stored=("two.txt",)
    )
    documents, left_out = read_all(write("bad.zip", whole.replace(b"Second words.", b"Sxcond words.")))
    assert [document.text for document in documents] == ["First words.", "Third."]
    ((source, reason),) = left_out
    assert source.endswith("bad.zip#two.txt")
    assert "may be damaged" in reason


def test_files_of_one_name_are_both_read(write):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a.txt", "First words.")
        archive.writestr("a.txt", "Second words.")
    path = write("twice.zip", out.getvalue())
    documents, _ = read_all(path)
    assert [document.source for document in documents] == [f"{path}#a.txt", f"{path}#a (2).txt"]


def test_messages_of_a_folder_of_mail_in_an_archive(write):
    mail = build_mail("The office moves.\n", Subject="Move")
    path = write("mail.zip", zip_files({"Maildir/cur/1620122400.1.host:2,S": mail}))
    ((document,), _) = read_all(path)
    assert document.title == "Move"
    assert "The office moves." in document.text


def test_files_lie_unpacked_one_at_a_time_in_one_folder(write, tmp_path, monkeypatch):
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(unpacked))
    inner = {f"{n}.txt": f"Words {n}." for n in range(3)}
    mail = build_mail("See.\n", attachments=[(name, words.encode()) for name, words in inner.items()])
    for path in (write("a.zip", zip_files(inner)), write("a.eml", mail)):
        seen = [sorted(unpacked.rglob("*")) for document in read_path(path) if "#" in document.source]
        assert [[each.name for each in paths[1:]] for paths in seen] == [[name] for name in inner]
        assert len({paths[0] for paths in seen}) == 1
        assert not list(unpacked.iterdir())
