"""One rule for encodings on every way in: files of each text format, mails, feeds, archives, packed files, pages."""

import csv
import gzip
import io
import json
import tarfile
import zipfile
from base64 import b64encode

import pytest
from sample_files import build_epub

from ascertain.documents.formats.reader import ReadOptions as Options
from ascertain.documents.formats.reader import SourceFile
from ascertain.documents.formats.registry import extract_texts
from ascertain.documents.sources.files import ReadOptions, read_apart, read_path
from ascertain.documents.sources.web.fetching import Fetched
from ascertain.documents.sources.web.pages import documents_of

RUSSIAN = "Ключ от эллинга хранится у сторожа, который живёт у моста, в доме с зелёной крышей."
CHINESE = "码头仓库的钥匙由仓库管理员保管，每周三下午盘点库存，结果报送港务局备案。"
JAPANESE = "灯台は岬の先にあり、灯台守の田中花子が毎晩明かりをともします。"


def text_in(path):
    return "\n".join(document.text for document in read_path(path))


def wrap(name, text):
    """A file of the format of ``name`` around a text."""
    if name.endswith(".csv"):
        out = io.StringIO()
        csv.writer(out).writerows([["title", "content"], ["1", text]])
        return out.getvalue()
    if name.endswith((".json", ".jsonl")):
        row = json.dumps({"title": "Key", "content": text}, ensure_ascii=False)
        return f"[{row}]" if name.endswith(".json") else f"{row}\n{row.replace('Key', 'Other')}\n"
    if name.endswith((".srt", ".vtt")):
        head = "WEBVTT\n\n" if name.endswith(".vtt") else "1\n"
        return f"{head}00:00:01,000 --> 00:00:09,000\n{text}\n".replace(
            ",000", "." + "000" if head[0] == "W" else ",000"
        )
    if name.endswith(".html"):
        return f"<html><body><p>{text}</p></body></html>"
    return f"{text}\n"


@pytest.mark.parametrize(
    ("text", "encoding"), [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (CHINESE, "gbk"), (JAPANESE, "cp932")]
)
@pytest.mark.parametrize(
    "name",
    ["a.txt", "a.md", "a.rst", "a.org", "a.adoc", "a.tex", "a.csv", "a.json", "a.jsonl", "a.srt", "a.vtt", "a.html"],
)
def test_files_of_every_text_format_are_read_in_their_encoding(write, name, text, encoding):
    path = write(name, wrap(name, text).encode(encoding))
    assert text in text_in(path)
    (first, *_) = extract_texts(SourceFile(path, Options()))
    assert any(note.startswith("encoding not declared: read as ") for note in first.notes)


def test_files_in_utf8_have_no_note(write):
    (found,) = extract_texts(SourceFile(write("a.txt", RUSSIAN), Options()))
    assert found.notes == ()


def test_a_note_stands_at_the_first_of_many_documents(write):
    rows = "\n".join(["title;content", *(f"{number};{RUSSIAN}" for number in range(3))])
    found = list(extract_texts(SourceFile(write("a.csv", rows.encode("cp1251")), Options())))
    assert [len(each.notes) for each in found] == [1] + [0] * (len(found) - 1)


def test_a_process_of_its_own_reads_the_same(write):
    path = write("a.txt", RUSSIAN.encode("koi8-r"))
    assert [document.text for document in read_apart(path, ReadOptions())] == [RUSSIAN]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.html",
            b'<html><head><meta charset="shift_jis"></head><body><p>'
            + JAPANESE.encode("cp932")
            + b"</p></body></html>",
        ),
        ("a.py", b"# -*- coding: cp932 -*-\n" + f'"""{JAPANESE}"""\n'.encode("cp932")),
        (
            "a.tex",
            b"\\documentclass{book}\n\\usepackage[sjis]{inputenc}\n\\begin{document}\n" + JAPANESE.encode("cp932"),
        ),
        ("a.txt.gz", gzip.compress(JAPANESE.encode("cp932"), mtime=0)),
    ],
)
def test_what_a_file_declares_is_heard(write, name, content):
    assert JAPANESE in text_in(write(name, content))


def test_a_book_declares_its_chapters_one_by_one(write):
    book = build_epub(("One", f"<p>{RUSSIAN}</p>"))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.infolist():
            data = old.read(entry)
            if RUSSIAN.encode() in data:
                rest = data.decode().rpartition("?>")[2]
                data = b'<?xml version="1.0" encoding="koi8-r"?>' + rest.encode("koi8-r")
            new.writestr(entry, data)
    assert RUSSIAN in text_in(write("a.epub", out.getvalue()))


def mail(*headers, body):
    return (
        "\r\n".join(["From: mia@example.org", "Date: Thu, 2 Oct 2025 10:00:00 +0000", *headers, "", ""]).encode() + body
    )


@pytest.mark.parametrize(
    ("headers", "encoding"),
    [
        (("Content-Type: text/plain; charset=koi8-r", "Content-Transfer-Encoding: 8bit"), "koi8-r"),
        (("Content-Type: text/plain; charset=ks_c_5601-1987", "Content-Transfer-Encoding: 8bit"), "utf-8"),
        (("Content-Type: text/plain", "Content-Transfer-Encoding: 8bit"), "cp1251"),
        (("Content-Type: text/plain; charset=x-unknown", "Content-Transfer-Encoding: 8bit"), "cp1251"),
        (("Content-Type: text/html; charset=windows-1251", "Content-Transfer-Encoding: 8bit"), "cp1251"),
    ],
)
def test_parts_of_mails_are_read_in_their_encoding(write, headers, encoding):
    assert RUSSIAN in text_in(write("a.eml", mail("Subject: Key", *headers, body=RUSSIAN.encode(encoding))))


def test_headers_in_bare_bytes_are_read(write):
    subject = b"Subject: " + "Ключ от эллинга".encode("cp1251") + b"\r\n"
    (document,) = read_path(write("a.eml", subject + mail("X: y", body=b"See above.")))
    assert document.title == "Ключ от эллинга"


def test_attached_text_is_read_in_the_encoding_that_the_mail_declares(write):
    content = b64encode("мы\n".encode("koi8-r"))
    parts = [
        b'--x\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--x\r\nContent-Type: text/plain; charset=koi8-r; name="a.txt"\r\n',
        b'Content-Disposition: attachment; filename="a.txt"\r\nContent-Transfer-Encoding: base64\r\n\r\n'
        + content
        + b"\r\n--x--\r\n",
    ]
    whole = mail("Subject: S", "MIME-Version: 1.0", 'Content-Type: multipart/mixed; boundary="x"', body=b"".join(parts))
    _, attached = read_path(write("a.eml", whole))
    assert attached.text == "мы"


FEED = '<?xml version="1.0"{declared}?><rss version="2.0"><channel><title>Порт</title><item><guid>1</guid><title>Ключ</title><description>{text}</description></item></channel></rss>'


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [(' encoding="koi8-r"', "koi8-r"), (' encoding="koi8-r"', "utf-8"), ("", "cp1251"), ("", "utf-8")],
)
def test_feeds_are_read_in_their_encoding(write, declared, encoding):
    data = FEED.format(declared=declared, text=RUSSIAN).encode(encoding)
    assert RUSSIAN in text_in(write("a.rss", data))


@pytest.mark.parametrize(
    ("head", "charset", "encoding"),
    [
        (b"", "koi8-r", "koi8-r"),
        (b'<meta charset="utf-8">', "koi8-r", "koi8-r"),
        (b'<meta charset="windows-1251">', None, "cp1251"),
        (b'<meta charset="windows-1251">', "utf-8", "cp1251"),
        (b"", None, "cp1251"),
        (b"", "iso-8859-1", "utf-8"),
    ],
)
def test_pages_are_read_in_their_encoding(head, charset, encoding):
    body = (
        b"<html><head>" + head + b"</head><body><p>" + f"{RUSSIAN} {RUSSIAN}".encode(encoding) + b"</p></body></html>"
    )
    fetched = Fetched("https://herald.example/key", 200, body, "text/html", charset)
    (document,) = documents_of(fetched, ReadOptions())
    assert RUSSIAN in document.text


def zip_of(names, encoding, flag=0):
    """A ZIP whose names are in ``encoding``, which Python itself does not write."""
    out = io.BytesIO()
    placeholders = [
        (f"{number:03}".ljust(len(name.encode(encoding)), "x"), name.encode(encoding))
        for number, name in enumerate(names)
    ]
    with zipfile.ZipFile(out, "w") as archive:
        for placeholder, _ in placeholders:
            archive.writestr(placeholder, "The pier.")
    data = out.getvalue()
    for placeholder, raw in placeholders:
        data = data.replace(placeholder.encode(), raw)
    return data


@pytest.mark.parametrize(
    ("names", "encoding"),
    [
        (["Протокол собрания.txt", "Отчёт за год.txt"], "cp866"),
        (["会议记录二零二五.txt", "年度报告.txt"], "gbk"),
        (["Größe der Gäste.txt"], "cp437"),
        (["Größe.txt"], "utf-8"),
    ],
)
def test_names_in_archives_are_read_in_their_encoding(write, names, encoding):
    documents = read_path(write("a.zip", zip_of(names, encoding)))
    assert [document.source.rpartition("#")[2] for document in documents] == names


def test_a_name_that_an_archive_gives_in_utf8_as_well_is_that(tmp_path):
    path = tmp_path / "a.zip"
    raw, name = b"???.txt", "Ключ.txt".encode()
    entry = zipfile.ZipInfo(raw.decode())
    entry.extra = b"up" + (5 + len(name)).to_bytes(2, "little") + b"\x01\0\0\0\0" + name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, "The pier.")
    (document,) = read_path(path)
    assert document.source.endswith("#Ключ.txt")


def test_names_in_tapes_are_read_in_their_encoding(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT, encoding="koi8-r") as archive:
        info = tarfile.TarInfo("Протокол общего собрания.txt")
        info.size = 9
        archive.addfile(info, io.BytesIO(b"The pier."))
    (document,) = read_path(path)
    assert document.source.endswith("#Протокол общего собрания.txt")
