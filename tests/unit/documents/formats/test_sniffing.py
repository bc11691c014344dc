"""A file is what its structure says, not what a word in it says."""

import gzip
import io
import json
import tarfile
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest

from ascertain.documents.formats.files.sniffing import HEAD_BYTES
from ascertain.documents.formats.registry import format_of, split_name
from ascertain.documents.sources.files import ReadOptions, discover_files, read_path

NOTE = "A PDF begins with its header:\n%PDF-1.7\nand ends with startxref 9 %%EOF, says the manual of the harbour.\n"


@pytest.fixture
def pdf(a_pdf):
    return a_pdf([[(72, 700, 12, "plain", "The PDF in it says hello to everybody.")]])


def texts(path):
    return [document.text for document in read_path(path)]


def tar_of(**files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name.replace("_", "."))
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize("name", ["note.txt", "note.md", "note.log", "NOTE", "note.rst"])
def test_a_text_that_talks_of_pdfs_is_a_text(write, name):
    (text,) = texts(write(name, NOTE))
    assert "says the manual of the harbour" in text


def test_a_page_that_talks_of_pdfs_is_a_page(write):
    page = (
        f"<html><head><title>PDF</title></head><body><p>The header of the harbour:</p><pre>\n{NOTE}</pre></body></html>"
    )
    assert "manual of the harbour" in texts(write("a.html", page))[0]


@pytest.mark.parametrize("encoding", ["base64", "8bit"])
def test_a_mail_with_a_pdf_is_a_mail(write, pdf, encoding):
    message = EmailMessage()
    message["From"], message["Subject"] = "Mia <mia@example.org>", "The report"
    message["Date"], message["Message-ID"] = "Thu, 2 Oct 2025 10:00:00 +0000", "<1@example.org>"
    message.set_content("The report is attached, says Mia.")
    message.add_attachment(
        pdf, "application", "pdf", filename="report.pdf", cte=encoding if encoding == "base64" else None
    )
    for name in ("a.eml", "mail", "mail.txt"):
        mail, report = read_path(write(name, message.as_bytes()))
        assert mail.title == "The report"
        assert "hello to everybody" in report.text


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("name", ["mixed.zip", "mixed.txt", "mixed", "mixed.pdf"])
def test_a_zip_with_a_stored_pdf_is_a_zip(write, pdf, compression, name):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        archive.writestr("report.pdf", pdf)
        archive.writestr("notes.md", "# Notes\n\nThe second member.\n")
    found = texts(write(name, out.getvalue()))
    assert len(found) == 2
    assert "hello to everybody" in found[0]
    assert "second member" in found[1]


@pytest.mark.parametrize("name", ["mixed.tar", "mixed.txt", "mixed"])
def test_a_tar_with_a_pdf_is_a_tar(write, pdf, name):
    found = texts(write(name, tar_of(report_pdf=pdf, notes_md=b"The second member.")))
    assert "hello to everybody" in found[0]
    assert found[1] == "The second member."


@pytest.mark.parametrize("before", [b"\n\n", b"\xef\xbb\xbf", b"\0\0", b" \r\n"])
def test_a_pdf_may_begin_late(write, pdf, before):
    for name in ("a.pdf", "a.txt", "a"):
        assert "hello" in texts(write(name, before + pdf))[0]


def test_what_printers_put_before_a_pdf_makes_it_nothing_else(write, pdf):
    job = b"\x1b%-12345X@PJL SET COPIES=1\r\n@PJL ENTER LANGUAGE=PDF\r\n" + pdf
    assert "hello" in texts(write("a.pdf", job))[0]
    assert "hello" in texts(write("a", job))[0]


def test_a_page_that_was_saved_as_something_else_is_a_page(write):
    page = "<!DOCTYPE html>\n<html><body><h1>Sign in</h1><p>The harbour office asks you to sign in first.</p></body></html>"
    for name in ("report.pdf", "report.docx", "table.xls", "page", "page.txt"):
        assert "asks you to sign in" in texts(write(name, page))[0]
        assert "<" not in texts(write(name, page))[0]


def test_markdown_that_begins_with_markup_is_markdown(write):
    text = '<p align="center"><img src="logo.png"></p>\n\n# Tool\n\n```html\n<html><body>hi</body></html>\n```\n\nThe tool works.\n'
    assert "<html><body>hi" in texts(write("README.md", text))[0]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", '[{"title": "Rope", "content": "A rope of ten metres."}]', "json"),
        ("a.txt", '{"title": "a"}\n{"title": "b"}\n', "jsonl"),
        ("a.txt", '{"title": "a"} and so on', "txt"),
        ("a.txt", '{"never": "closed', "txt"),
        ("a.txt", "[1] A note\n[2] Another note\n", "txt"),
        ("a.md", "[Link](x) to a page", "md"),
        ("a.txt", "[" * 50_000 + "]" * 50_000, "txt"),
        ("a.txt", "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n", "vtt"),
        ("a.txt", "<?xml version='1.0'?><rss><channel/></rss>", "rss"),
        ("inbox", "From mia@example.org Thu Oct  2 10:00:00 2025\nFrom: Mia\n\nHi\n", "mbox"),
        ("a.txt", "From Bergen to Oslo the train takes seven hours.", "txt"),
        ("a.txt", "From: me\nTo: you\n\nA letter on paper.", "txt"),
        ("index.rst.txt", "Title\n=====\n", "rst"),
        ("index.md.txt", "# Title\n", "md"),
        ("a.org.txt", "* Title\n", "org"),
        ("a.adoc.txt", "= Title\n", "adoc"),
        ("a.py.txt", "print()\n", "txt"),
        ("README", "Plain words", "txt"),
        ("Makefile", "all:\n\tcc x.c\n", "txt"),
        ("a.tex", "% <html>\n\\section{x}", "tex"),
        ("a.php", "<!DOCTYPE html><html><?php ?>", "php"),
    ],
)
def test_formats_by_structure(write, name, content, expected):
    path = write(name, content)
    assert format_of(path, path.read_bytes()[:HEAD_BYTES]).plugin.name == expected


@pytest.mark.parametrize(
    ("name", "stem", "suffix"),
    [
        ("index.rst.txt", "index", "rst"),
        ("index.txt", "index", "txt"),
        ("a.B.PDF", "a.B", "pdf"),
        ("README", "README", ""),
        ("2. Minutes of the board", "2. Minutes of the board", ""),
        ("2025.10.02", "2025.10.02", ""),
        (".txt", ".txt", ""),
    ],
)
def test_names_tell_a_format(name, stem, suffix):
    assert split_name(name) == (stem, suffix)


def test_sphinx_sources_are_read_as_what_they_are(read_one):
    document = read_one("index.rst.txt", "Mooring\n=======\n\nSee :ref:`ropes <ropes>` for *lines*.\n")
    assert document.title == "Mooring"
    assert "See ropes for lines." in document.text


def test_a_single_packed_file_is_read_by_its_inner_name(write):
    packed = gzip.compress(b"# Changes\n\n- The *pier* was painted.\n")
    (document,) = read_path(write("changes.md.gz", packed))
    assert (document.title, document.text) == ("Changes", "Changes\n\n- The pier was painted.")
    (plain,) = read_path(write("changelog.Debian.gz", gzip.compress(b"pier (1.2) unstable\n\n  * Painted.\n")))
    assert "pier (1.2)" in plain.text


def test_folders_give_texts_without_a_suffix_and_skip_what_is_none(write, tmp_path):
    kept = [write("LICENSE", "Anybody may use it."), write("README", "The pier.")]
    binary = write("tool", b"\x7fELF\x02\x01\x01" + bytes(500))
    empty = write("empty", b"")
    found = discover_files([tmp_path])
    assert found.files == tuple(sorted(kept))
    assert found.skipped == tuple(sorted([(binary, "no suffix"), (empty, "no suffix")]))


def test_archives_give_texts_without_a_suffix_and_count_what_is_none(write):
    told: list[tuple[str, str]] = []
    path = write("a.tar", tar_of(LICENSE=b"Anybody may use it.", tool=b"\x7fELF\x02\x01\x01" + bytes(500)))
    (document,) = read_path(path, ReadOptions(on_bad_row=lambda source, reason: told.append((source, reason))))
    assert document.text == "Anybody may use it."
    assert "1 without a suffix" in told[0][1]


def test_text_is_read_before_pictures_and_scans(write, tmp_path, pdf):
    scan = b"%PDF-1.4\n1 0 obj<</Type/XObject/Subtype/Image>>endobj\n"
    for name, content in (("a.png", b"x"), ("b.pdf", scan), ("c.pdf", pdf), ("d.txt", "x"), ("e/f.md", "x")):
        write(name, content)
    names = [path.name for path in discover_files([tmp_path]).files]
    assert names == ["c.pdf", "d.txt", "f.md", "a.png", "b.pdf"]


def test_json_under_another_suffix_is_read_as_json(write):
    rows = json.dumps([{"title": "Rope", "content": "A rope of ten metres."}])
    (document,) = read_path(write("rows.txt", rows))
    assert document.title == "Rope"


def test_a_missing_file_has_the_format_of_its_first_bytes():
    assert format_of(Path("nowhere.txt"), b"PK\x03\x04").plugin.name == "zip"
