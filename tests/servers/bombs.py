"""Small files that take all time or memory there is when they are read without limits, one function each.

``BOMBS`` has them by name; the name's suffix is the file's.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Callable

MANY = 1_000_000


def build_pdf(contents: bytes, *, resources: str = "", objects: tuple[bytes, ...] = (), kids: str = "3 0 R") -> bytes:
    """A page with ``contents`` (a whole stream object); ``objects`` are numbered from 6 on."""
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {kids.count('R')} >>".encode(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> "
        + resources.encode()
        + b" >> >>",
        contents,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *objects,
    ]
    out = bytearray(b"%PDF-1.7\n")
    places: list[int] = []
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    xref = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, xref))


def stream_of(data: bytes, entries: bytes = b"") -> bytes:
    """A stream object as it stands."""
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(data), entries, data)


def packed_stream(data: bytes, times: int = 1, entries: bytes = b"") -> bytes:
    """A stream object packed so many times."""
    for _ in range(times):
        data = zlib.compress(data, 9)
    filters = b" ".join([b"/FlateDecode"] * times)
    return stream_of(data, b"/Filter [%b] %b" % (filters, entries))


def nested_forms(levels: int = 9, calls: int = 10) -> bytes:
    """Forms that each draw the next one ten times: a thousand million texts in less than three kilobytes."""
    forms = [
        stream_of(
            b"/X Do " * calls,
            b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >>" % (level + 7),
        )
        for level in range(levels)
    ]
    last = stream_of(
        b"BT /F 9 Tf (boom) Tj ET",
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F 5 0 R >> >>",
    )
    return build_pdf(stream_of(b"/X Do"), resources="/XObject << /X 6 0 R >>", objects=(*forms, last))


def packed_operators(size: int = 300_000_000) -> bytes:
    """Under a megabyte that unpacks to ``size`` bytes of operators."""
    return build_pdf(packed_stream(b"BT /F 1 Tf (a) Tj ET\n" * (size // 21)))


def operators_in_streams() -> bytes:
    """As much in streams that are each below the limit."""
    part = packed_stream(b"BT /F 1 Tf (a) Tj ET\n" * 4_000_000)
    data = build_pdf(stream_of(b""), objects=(part,) * 6)
    return data.replace(b"/Contents 4 0 R", b"/Contents [" + b" ".join(b"%d 0 R" % n for n in range(6, 12)) + b"]")


def packed_twice() -> bytes:
    return build_pdf(packed_stream(b"BT /F 1 Tf (a) Tj ET\n" * 20_000_000, times=2))


def form_in_itself() -> bytes:
    form = stream_of(
        b"/X Do /X Do BT /F 9 Tf (round and round) Tj ET",
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> /Font << /F 5 0 R >> >>",
    )
    return build_pdf(stream_of(b"/X Do"), resources="/XObject << /X 6 0 R >>", objects=(form,))


def pages_in_circles() -> bytes:
    return build_pdf(stream_of(b""), kids="2 0 R 2 0 R 3 0 R")


def one_page_many_times() -> bytes:
    page = stream_of(b"BT /F 1 Tf (much the same on every page) Tj ET\n" * 20_000)
    return build_pdf(page, kids="3 0 R " * 19_000)


def brackets_in_pdf() -> bytes:
    return build_pdf(stream_of(b"BT /F 1 Tf " + b"[" * MANY + b" TJ ET"))


def brackets_in_objects() -> bytes:
    return build_pdf(stream_of(b""), objects=(b"[" * MANY + b"]" * MANY,))


def xref_in_circles() -> bytes:
    data = build_pdf(stream_of(b"BT /F 9 Tf (text) Tj ET"))
    place = data.rindex(b"xref\n0")
    return data.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %d" % place)


def wide_character_map() -> bytes:
    ranges = b"100 beginbfrange\n" + b"<0000> <FFFF> <0041>\n" * 100 + b"endbfrange\n"
    cmap = packed_stream(b"begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange\n" + ranges * 2_000)
    font = (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [<< "
        b"/Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (A) /Ordering (I) /Supplement 0 "
        b">> >>] >>"
    )
    return build_pdf(stream_of(b"BT /G 9 Tf <00410042> Tj ET"), objects=(cmap, font)).replace(
        b"/F 5 0 R", b"/F 5 0 R /G 7 0 R", 1
    )


WORD = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def build_word(document: str, **others: str | bytes) -> bytes:
    """The smallest Word file with this part; ``others`` are added beside it."""
    parts = {"[Content_Types].xml": _TYPES, "_rels/.rels": _RELATIONS, "word/document.xml": document, **others}
    return build_zip(parts)


def build_zip(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def huge_word_part() -> bytes:
    return build_word(WORD.format("<w:p/>" * 25_000_000))


def word_that_lies_about_its_size() -> bytes:
    """The directory says that the part is small."""
    data = bytearray(huge_word_part())
    size = len(WORD.format("<w:p/>" * 25_000_000)).to_bytes(4, "little")
    while (place := data.find(size)) >= 0:
        data[place : place + 4] = (1000).to_bytes(4, "little")
    return bytes(data)


def many_paragraphs() -> bytes:
    return build_word(WORD.format("<w:p/>" * 15_000_000))


def archives_in_archives() -> bytes:
    inner: bytes = bytes(50_000_000)
    for depth in range(5):
        inner = build_zip({f"{depth}-{number}.zip": inner for number in range(8)})
    return build_word(WORD.format("<w:p><w:r><w:t>Text.</w:t></w:r></w:p>"), **{"word/inner.zip": inner})


def many_entries() -> bytes:
    return build_word(WORD.format(""), **{f"word/{number}.xml": "<a/>" for number in range(60_000)})


def wide_cell() -> bytes:
    cell = '<w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc>'
    return build_word(WORD.format(f"<w:tbl><w:tblGrid/><w:tr>{cell}</w:tr></w:tbl>"))


def tables_in_tables() -> bytes:
    depth = 100_000
    return build_word(WORD.format("<w:tbl><w:tr><w:tc>" * depth + "</w:tc></w:tr></w:tbl>" * depth))


def laughs(root: str) -> str:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    return f'<?xml version="1.0"?><!DOCTYPE {root} [<!ENTITY l0 "ha">{entities}]>'


def laughing_word() -> bytes:
    return build_word(laughs("w:document") + WORD.format("<w:p><w:r><w:t>&l11;</w:t></w:r></w:p>"))


def blown_up_word() -> bytes:
    entity = f'<!DOCTYPE w:document [<!ENTITY a "{"a" * 100_000}">]>'
    return build_word(entity + WORD.format(f"<w:p><w:r><w:t>{'&a;' * 100_000}</w:t></w:r></w:p>"))


def laughing_feed() -> bytes:
    item = "<item><title>&l11;</title><description>&l11;</description></item>"
    return f'{laughs("rss")}<rss version="2.0"><channel><title>T</title>{item}</channel></rss>'.encode()


def blown_up_feed() -> bytes:
    entity = f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "{"a" * 100_000}">]>'
    item = f"<item><title>T</title><description>{'&a;' * 100_000}</description></item>"
    return f'{entity}<rss version="2.0"><channel>{item}</channel></rss>'.encode()


def deep_feed() -> bytes:
    return f'<rss version="2.0"><channel><item><title>T</title>{"<a>" * MANY}'.encode()


def many_feed_items() -> bytes:
    item = "<item><title>T</title><description>&lt;p&gt;D&lt;/p&gt;</description></item>"
    return f'<rss version="2.0"><channel>{item * 400_000}</channel></rss>'.encode()


def deep_page() -> bytes:
    return b"<html><body><p>Text of the page.</p>" + b"<div>" * MANY


def unclosed_page() -> bytes:
    return b"<html><body>" + b"<p><b><i><a href=x>word " * MANY


def page_of_cells() -> bytes:
    return b"<html><body><article><table><tr>" + b"<td>cell of a table" * 2 * MANY


def page_of_lists() -> bytes:
    return b"<html><body><article>" + b"<ul><li>item" * MANY


def page_of_one_attribute() -> bytes:
    return b"<html><body><p title='" + b"a" * 70_000_000 + b"'>Text</p>"


def page_of_entities() -> bytes:
    return b"<html><body><p>" + b"&amp;" * 10 * MANY


def quotes_that_stay_open() -> bytes:
    return b"title,content,url\n" + b'"a,b,c\n' * 3 * MANY


def one_open_quote() -> bytes:
    return b"name,price,city\n" + b'"open,1,x\n' + b"row,2,y\n" * 4 * MANY


def wide_header() -> bytes:
    return b",".join(b"c%d" % number for number in range(3 * MANY)) + b"\n1,2\n"


def short_rows() -> bytes:
    return b"title,content\n" + b"a,b\n" * 5 * MANY


def bad_rows() -> bytes:
    return b"title,content\n" + b"a,b,c,d\n" * MANY


def deep_json() -> bytes:
    return b"[" * 50 * MANY


def long_number() -> bytes:
    return b'{"title": ' + b"9" * 70_000_000 + b"}"


def many_objects() -> bytes:
    return b"[" + b"{}," * 20 * MANY + b"{}]"


def many_keys() -> bytes:
    return json.dumps({f"k{number}": [] for number in range(3 * MANY)}).encode()


def many_segments() -> bytes:
    segment = '{"speaker": "A", "start": 0, "end": 1, "text": "x"},'
    return f'{{"segments": [{segment * MANY}{segment[:-1]}]}}'.encode()


def lines_of_lists() -> bytes:
    return (b"[" * 500 + b"]" * 500 + b"\n") * 70_000


def deep_quotation() -> bytes:
    return b">" * 20_000 + b" deep\n\n" + b"- " * 50_000 + b"deeper"


def open_brackets() -> bytes:
    return b"[a](" * MANY


def open_emphasis() -> bytes:
    return b"**a _b " * MANY


def spaces() -> bytes:
    return b"a" + b" \t" * 9 * MANY + b"b"


def times_of_a_transcript() -> bytes:
    return b"WEBVTT\n\n" + b"00:00:01.000 --> 00:00:02.000\n<v A>x\n\n" * MANY


def speakers() -> bytes:
    return b"\n".join(b"[00:00:01] Speaker %d: yes" % number for number in range(MANY))


BOMBS: dict[str, Callable[[], bytes]] = {
    "nested-forms.pdf": nested_forms,
    "packed-operators.pdf": packed_operators,
    "operators-in-streams.pdf": operators_in_streams,
    "packed-twice.pdf": packed_twice,
    "form-in-itself.pdf": form_in_itself,
    "pages-in-circles.pdf": pages_in_circles,
    "one-page-many-times.pdf": one_page_many_times,
    "brackets.pdf": brackets_in_pdf,
    "brackets-in-objects.pdf": brackets_in_objects,
    "xref-in-circles.pdf": xref_in_circles,
    "wide-character-map.pdf": wide_character_map,
    "huge-part.docx": huge_word_part,
    "lies-about-its-size.docx": word_that_lies_about_its_size,
    "many-paragraphs.docx": many_paragraphs,
    "archives-in-archives.docx": archives_in_archives,
    "many-entries.docx": many_entries,
    "wide-cell.docx": wide_cell,
    "tables-in-tables.docx": tables_in_tables,
    "laughs.docx": laughing_word,
    "blown-up.docx": blown_up_word,
    "laughs.rss": laughing_feed,
    "blown-up.rss": blown_up_feed,
    "deep.rss": deep_feed,
    "many-items.rss": many_feed_items,
    "deep.html": deep_page,
    "unclosed.html": unclosed_page,
    "cells.html": page_of_cells,
    "lists.html": page_of_lists,
    "one-attribute.html": page_of_one_attribute,
    "entities.html": page_of_entities,
    "open-quotes.csv": quotes_that_stay_open,
    "one-open-quote.csv": one_open_quote,
    "wide-header.csv": wide_header,
    "short-rows.csv": short_rows,
    "bad-rows.csv": bad_rows,
    "deep.json": deep_json,
    "long-number.json": long_number,
    "many-objects.json": many_objects,
    "many-keys.json": many_keys,
    "many-segments.json": many_segments,
    "lists.jsonl": lines_of_lists,
    "deep.md": deep_quotation,
    "brackets.md": open_brackets,
    "emphasis.md": open_emphasis,
    "spaces.txt": spaces,
    "times.vtt": times_of_a_transcript,
    "speakers.txt": speakers,
}
