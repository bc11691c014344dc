"""Files made to hold up, mislead or rob whoever reads them: each ends within its limits, in documents or in a refusal with a reason."""

import base64
import gzip
import io
import json
import tarfile
import zipfile

import pytest

from ascertain.core.errors import AscertainError
from ascertain.documents.formats.reader import ReadLimits, ReadOptions
from ascertain.documents.sources.files import read_apart

SECRET = "the-secret-of-the-machine"
MARKER = "The honest sentence of this file stands here."


def zip_of(parts):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return packed.getvalue()


def word_with_link_out(secret):
    body = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>'
        f'<w:p><w:r><w:t>{MARKER}</w:t></w:r></w:p><w:altChunk r:id="rId1"/></w:body></w:document>'
    )
    relations = f'<Relationships><Relationship Id="rId1" Type="x/aFChunk" Target="{secret}" TargetMode="External"/></Relationships>'
    return zip_of({"word/document.xml": body, "word/_rels/document.xml.rels": relations})


def book_of_one_page():
    spine = '<itemref idref="a"/>' * 4_000
    book = f'<package><metadata/><manifest><item id="a" href="a.xhtml"/></manifest><spine>{spine}</spine></package>'
    root = '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'
    page = f"<html><body><p>{MARKER}</p></body></html>"
    return zip_of({"META-INF/container.xml": root, "book.opf": book, "a.xhtml": page})


def text_with_wide_table():
    office = "urn:oasis:names:tc:opendocument:xmlns:"
    cell = f'<b:table-cell b:number-columns-repeated="2147483647"><t:p>{MARKER}</t:p></b:table-cell>'
    content = (
        f'<o:document-content xmlns:o="{office}office:1.0" xmlns:t="{office}text:1.0" xmlns:b="{office}table:1.0"><o:body><o:text>'
        f'<b:table><b:table-row b:number-rows-repeated="2147483647">{cell}</b:table-row></b:table></o:text></o:body></o:document-content>'
    )
    return zip_of({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def tar_of_links(secret):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(f"{number}.txt")
            info.type, info.linkname = kind, str(secret)
            archive.addfile(info)
        honest = tarfile.TarInfo("../../honest.txt")
        honest.size = len(MARKER)
        archive.addfile(honest, io.BytesIO(MARKER.encode()))
    return packed.getvalue()


def letter_in_letters(levels=300):
    head, foot = f"Subject: deep\n\n{MARKER}\n", ""
    for level in range(levels):
        mark = f"b{level}"
        head = f"Content-Type: multipart/mixed; boundary={mark}\n\n--{mark}\n" + head
        foot += f"\n--b{levels - 1 - level}--\n"
    return f"From: a@example.org\nMIME-Version: 1.0\n{head}{foot}"


FILES = {
    "marks.txt": lambda _: MARKER + "\n\na" + "\u0301" * 200_000,
    "joiners.txt": lambda _: MARKER + "\n\n" + "\u200d\u202e\u2066" * 60_000,
    "numbers.txt": lambda _: MARKER + "\n\n" + "1.2.3." * 40_000,
    "nothing.txt": lambda _: b"\x00" * 300_000,
    "links.md": lambda _: MARKER + "\n\n" + "[a](" * 40_000,
    "footnotes.md": lambda _: MARKER + "\n\n" + "".join(f"[^{n}] " for n in range(20_000)),
    "wide.md": lambda _: MARKER + "\n\n" + "|a" * 5_000 + "|\n" + "|-" * 5_000 + "|\n" + "|b" * 5_000 + "|\n",
    "reference.md": lambda _: MARKER + "\n\n[a]: <b\n[b]: <a\n" + "[a][b]" * 20_000,
    "nul.csv": lambda _: f"title,content\nx,{MARKER}\n" + "\x00,\x00\n" * 20_000,
    "wide.csv": lambda _: ",".join(f"c{n}" for n in range(20_000)) + "\n" + ",".join("x" * 20_000) + "\n",
    "surrogates.json": lambda _: f'{{"title": "\\ud800\\ud800", "content": "{MARKER} \\udfff"}}',
    "endless.jsonl": lambda _: (
        json.dumps({"title": "t", "content": MARKER}) + "\n" + '{"n": 1e' + "9" * 200_000 + "}\n"
    ),
    "bold.html": lambda _: f"<p>{MARKER}</p>" + "<b><i>" * 30_000,
    "frames.html": lambda secret: (
        f'<base href="file:///"><p>{MARKER}</p><iframe src="{secret}"></iframe><object data="{secret}">'
    ),
    "entity.rss": lambda secret: (
        f'<!DOCTYPE r [<!ENTITY x SYSTEM "file://{secret}">]><rss version="2.0"><channel><title>t</title>'
        f"<item><title>&x;</title><description>{MARKER} &x;</description></item></channel></rss>"
    ),
    "letters.eml": lambda _: letter_in_letters(),
    "words.eml": lambda _: "Subject: " + "=?utf-8?q?a?= " * 40_000 + f"\nFrom: a@example.org\n\n{MARKER}\n",
    "starts.mbox": lambda _: "From a Thu Dec  5 10:00:00 2024\n" * 4_000 + f"Subject: s\n\n{MARKER}\n",
    "forever.ics": lambda _: (
        f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:{MARKER}\nDTSTART:00010101T000000\nRRULE:FREQ=SECONDLY;COUNT=999999999\n"
        "END:VEVENT\nEND:VCALENDAR\n"
    ),
    "photo.vcf": lambda _: (
        f"BEGIN:VCARD\nFN:{MARKER}\nPHOTO;ENCODING=b:" + base64.b64encode(b"x" * 500_000).decode() + "\nEND:VCARD\n"
    ),
    "chunk.docx": word_with_link_out,
    "spine.epub": lambda _: book_of_one_page(),
    "repeated.odt": lambda _: text_with_wide_table(),
    "links.tar": tar_of_links,
    "members.gz": lambda _: gzip.compress(b"") * 20_000 + gzip.compress(MARKER.encode()),
    "names.zip": lambda _: zip_of({"a/" * 20_000 + "x.txt": MARKER, "b.txt": MARKER}),
    "times.srt": lambda _: "1\n99:99:99,999 --> 0" + "0" * 50_000 + f":00:01,000\n{MARKER}\n",
    "binary.rtf": lambda _: "{\\rtf1 " + MARKER + "\\bin4000000000 " + "{" * 50_000,
    "macros.tex": lambda secret: (
        f"\\def\\a{{\\a\\a}}\\begin{{document}}{MARKER} \\a \\input{{{secret}}}\\end{{document}}"
    ),
    "include.rst": lambda secret: f"{MARKER}\n\n.. include:: {secret}\n\n.. raw:: html\n   :file: {secret}\n",
    "include.adoc": lambda secret: f"{MARKER}\n\ninclude::{secret}[]\n",
    "include.org": lambda secret: f'{MARKER}\n\n#+INCLUDE: "{secret}"\n',
    "source.man": lambda secret: f".TH A 1\n.SH NAME\n{MARKER}\n.so {secret}\n.so source.man\n",
}


@pytest.mark.parametrize("name", FILES)
def test_a_strange_file_ends_in_documents_or_in_a_reason_and_tells_nothing_else(name, tmp_path):
    secret = tmp_path / "secret" / "passwd.txt"
    secret.parent.mkdir()
    secret.write_text(SECRET)
    content = FILES[name](secret)
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    try:
        documents = list(read_apart(path, ReadOptions(limits=ReadLimits(seconds=60))))
    except AscertainError as refusal:
        assert name.partition(".")[0] in str(refusal)
        assert SECRET not in str(refusal)
        return
    assert sum(len(document.text) for document in documents) < 20_000_000
    assert not any(SECRET in document.text or SECRET in document.title for document in documents)
