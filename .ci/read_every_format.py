"""Writes one file of every format into a folder and reads them with ``ascertain add``, as it is installed here.

Run by ``.ci/wheel`` with the Python of a fresh environment, so it imports what Ascertain brings and nothing else.
"""

import gzip
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

PICTURES = ["bmp", "jpeg", "jpg", "png", "tif", "tiff", "webp"]
"""Read with the extra ``ocr``, which a plain wheel has not; it has to say so."""
TEXT = "A refund of order {name} is granted within 30 days of the purchase. The receipt must be shown."
PAGE = "<html><head><title>{name}</title></head><body><article><p>{text}</p><p>{text}</p></article></body></html>"
CUES = "00:00:01{mark}000 --> 00:00:09{mark}000\nMarit: {text}\n"
RSS = "<rss version='2.0'><channel><title>Shop</title><item><title>{name}</title><description>{text}</description></item></channel></rss>"
ATOM = (
    "<feed xmlns='http://www.w3.org/2005/Atom'><title>Shop</title><id>urn:shop</id><updated>2024-12-05T00:00:00Z</updated>"
    "<entry><title>{name}</title><id>urn:shop:1</id><updated>2024-12-05T00:00:00Z</updated><summary>{text}</summary></entry></feed>"
)
MAIL = "From: Marit <marit@example.org>\nSubject: Refunds\nDate: Thu, 5 Dec 2024 10:00:00 +0000\n\n{text}\n"
SLIDE = (
    '<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/'
    '2006/main"><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:sld>'
)
DECK = (
    '<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>'
)
RELATIONS = '<Relationships><Relationship Id="rId1" Type="x/slide" Target="slides/slide1.xml"/></Relationships>'
DOCUMENT = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p>'
    "</w:body></w:document>"
)
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORKBOOK = f'<workbook xmlns="{SHEETS}" xmlns:r="{LINKS}"><sheets><sheet name="Refunds" sheetId="1" r:id="rId1"/></sheets></workbook>'
SHEET_RELATIONS = (
    f'<Relationships><Relationship Id="rId1" Type="{LINKS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
)
SHEET = (
    f'<worksheet xmlns="{SHEETS}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Refunds</t></is></c>'
    '<c r="B1" t="inlineStr"><is><t>{text}</t></is></c></row></sheetData></worksheet>'
)
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"
OPEN_DOCUMENT = (
    f'<o:document-content xmlns:o="{OFFICE}office:1.0" xmlns:t="{OFFICE}text:1.0" xmlns:b="{OFFICE}table:1.0" '
    f'xmlns:d="{OFFICE}drawing:1.0"><o:body>{{body}}</o:body></o:document-content>'
)
OPEN_BODIES = {
    "odt": ("text", "<o:text><t:p>{text}</t:p></o:text>"),
    "ott": ("text-template", "<o:text><t:p>{text}</t:p></o:text>"),
    "ods": (
        "spreadsheet",
        '<o:spreadsheet><b:table b:name="S"><b:table-row><b:table-cell><t:p>{text}</t:p></b:table-cell></b:table-row></b:table></o:spreadsheet>',
    ),
    "odp": (
        "presentation",
        "<o:presentation><d:page><d:frame><d:text-box><t:p>{text}</t:p></d:text-box></d:frame></d:page></o:presentation>",
    ),
}
BOOK = '<package><metadata/><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>'


def zip_files(files: dict[str, str]) -> bytes:
    """A ZIP archive of files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def tar_file(mode: str, text: str) -> bytes:
    """A TAR archive of one file."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        info = tarfile.TarInfo("refunds.txt")
        info.size = len(text.encode())
        archive.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


WORD = ("docx", "docm", "dotx", "dotm")


def write_office(suffix: str, text: str) -> bytes:
    """The content of a file of an office format."""
    if suffix in WORD:
        return zip_files({"word/document.xml": DOCUMENT.format(text=text)})
    if suffix in ("xlsx", "xlsm"):
        parts = {"xl/workbook.xml": WORKBOOK, "xl/_rels/workbook.xml.rels": SHEET_RELATIONS}
        return zip_files({**parts, "xl/worksheets/sheet1.xml": SHEET.format(text=text)})
    if suffix == "pptx":
        parts = {"ppt/presentation.xml": DECK, "ppt/_rels/presentation.xml.rels": RELATIONS}
        return zip_files({**parts, "ppt/slides/slide1.xml": SLIDE.format(text=text)})
    if suffix == "epub":
        root = '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'
        page = f"<html><body><p>{text}</p></body></html>"
        return zip_files({"META-INF/container.xml": root, "book.opf": BOOK, "a.xhtml": page})
    kind, body = OPEN_BODIES[suffix]
    content = OPEN_DOCUMENT.format(body=body.format(text=text))
    return zip_files({"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content})


def write_content(suffix: str, text: str) -> bytes:
    """The content of a file of a format; what has none of its own is plain text."""
    article = json.dumps({"title": suffix, "content": text})
    told = {
        "pdf": lambda: write_pdf(text),
        "html": lambda: PAGE.format(name=suffix, text=text),
        "htm": lambda: PAGE.format(name=suffix, text=text),
        "xhtml": lambda: PAGE.format(name=suffix, text=text),
        "md": lambda: f"# Refunds\n\n{text}\n",
        "json": lambda: article,
        "jsonl": lambda: article,
        "ndjson": lambda: article,
        "csv": lambda: f'title,content\n{suffix},"{text}"\n',
        "tsv": lambda: f"title\tcontent\n{suffix}\t{text}\n",
        "vtt": lambda: "WEBVTT\n\n" + CUES.format(mark=".", text=text),
        "srt": lambda: "1\n" + CUES.format(mark=",", text=text),
        "rss": lambda: RSS.format(name=suffix, text=text),
        "atom": lambda: ATOM.format(name=suffix, text=text),
        **{name: lambda: write_office(suffix, text) for name in (*WORD, "pptx", "xlsx", "xlsm", "epub", *OPEN_BODIES)},
        "rtf": lambda: "{\\rtf1\\ansi " + text + "\\par}",
        "ipynb": lambda: json.dumps({"cells": [{"cell_type": "markdown", "source": text}]}),
        "eml": lambda: MAIL.format(text=text),
        "mbox": lambda: "From marit Thu Dec  5 10:00:00 2024\n" + MAIL.format(text=text),
        "ics": lambda: (
            f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Refunds\nDESCRIPTION:{text}\nEND:VEVENT\nEND:VCALENDAR\n"
        ),
        "vcf": lambda: f"BEGIN:VCARD\nVERSION:4.0\nFN:Refunds\nNOTE:{text}\nEND:VCARD\n",
        "zip": lambda: zip_files({"refunds.txt": text}),
        "tar": lambda: tar_file("w", text),
        "tgz": lambda: tar_file("w:gz", text),
        "gz": lambda: gzip.compress(text.encode()),
    }.get(suffix, lambda: text)()
    return told if isinstance(told, bytes) else told.encode()


def write_pdf(text: str) -> bytes:
    """One page with the text on it."""
    drawn = f"BT /F1 9 Tf 40 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body, offsets = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return body + head + b"trailer << /Root 1 0 R /Size %d >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(body))


def run_command(*arguments: str) -> object:
    """What ``ascertain ... --json`` prints."""
    command = [sys.executable, "-m", "ascertain", *arguments, "--home", "kb", "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main() -> None:
    """Read a file of every format that the installed package names; ends with what was not read, or not told of."""
    folder = Path("files")
    folder.mkdir()
    suffixes = sorted(each.name for each in entry_points(group="ascertain.formats"))
    for suffix in suffixes:
        path, text = folder / f"refunds.{suffix}", TEXT.format(name=suffix)
        path.write_bytes(write_content(suffix, text))
    report = run_command("add", str(folder))
    documents = run_command("documents")
    read = {Path(each["source"].partition("#")[0]).suffix[1:] for each in documents if each["chunks"]}
    missing = [suffix for suffix in suffixes if suffix not in read]
    named = [suffix.removeprefix(".") for suffix in sorted(report["skipped"])]
    is_told = named == PICTURES and "ascertain[ocr]" in str(report["notes"])
    if missing != PICTURES or not is_told or report["failures"]:
        sys.exit(f"not read: {missing}; {report}")
    sys.stdout.write(f"The installed wheel reads {len(read)} formats and says what {len(missing)} of pictures need.\n")


if __name__ == "__main__":
    main()
