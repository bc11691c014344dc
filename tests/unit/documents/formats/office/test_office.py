import datetime
import io
import zipfile

import openpyxl
import pytest
from sample_files import build_epub, build_opendocument, build_pptx, build_rtf, build_xlsx, odf_table, zip_files

from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.core.errors import SourceError
from ascertain.documents.formats.reader import ReadLimits
from ascertain.documents.sources.files import ReadOptions, read_apart, read_path


def label_of(document, words):
    start = document.text.index(words)
    return document.place_of(Span(start, start + len(words))).label


def test_slides_have_numbers_titles_tables_and_notes(read_one):
    content = build_pptx(
        {"title": "Roadmap", "lines": ["We ship in June.", "Then we rest."], "notes": "Do not promise July."},
        {"title": "Prices", "table": [["Item", "Cost"], ["Anvil", "19 €"]]},
        {"title": "Sales", "chart": {"2023": 4, "2024": 7}},
        title="The plan",
        author="Zoe",
    )
    document = read_one("plan.pptx", content)
    assert (document.title, document.author) == ("The plan", "Zoe")
    assert label_of(document, "We ship in June.") == "Roadmap, slide 1"
    assert label_of(document, "Do not promise July.") == "Roadmap › Speaker notes, slide 1"
    assert label_of(document, "Anvil | 19 €") == "Prices, slide 2"
    assert "Item | Cost\nAnvil | 19 €" in document.text
    assert "– | Sales\n2023 | 4" in document.text
    assert document.text.index("Then we rest.") < document.text.index("Prices")


def test_rows_of_a_workbook_are_cited_by_their_cells(read_one):
    content = build_xlsx(
        {
            "Prices": [
                ["List of 2025"],
                [],
                ["Item", "Price", "From", "Share"],
                ["Anvil", 19.5, datetime.date(2025, 3, 4), 0.25],
                ["Rope", 0.1 + 0.2, datetime.datetime(2025, 3, 4, 9, 30), 1],
                ["Bell", None, None, None],
            ],
            "Shops": [["City", "Open"], ["Bergen", True]],
        },
        title="Catalogue",
        formats=[("Prices", "D4", "0%"), ("Prices", "D5", "0.0%")],
    )
    document = read_one("prices.xlsx", content)
    assert document.text == (
        "List of 2025\n\nItem | Price | From | Share\nAnvil | 19.5 | 2025-03-04 | 25%\n"
        "Rope | 0.3 | 2025-03-04 9:30:00 | 100.0%\nBell | – | – | –\n\nCity | Open\nBergen | TRUE"
    )
    assert label_of(document, "List of 2025") == "sheet Prices, A1"
    assert label_of(document, "Anvil") == "sheet Prices, A4:D4"
    assert label_of(document, "Bergen") == "sheet Shops, A2:B2"
    assert document.title == "Catalogue"


def test_formulas_are_read_by_their_cached_values(read_one):
    book = build_xlsx({"Sums": [["What", "Total"], ["All", 1]]})
    with zipfile.ZipFile(io.BytesIO(book)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"].decode()
    assert '<c r="B2" t="n"><v>1</v></c>' in sheet
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(
        '<c r="B2" t="n"><v>1</v></c>', '<c r="B2"><f>SUM(1,41)</f><v>42</v></c>'
    )
    assert read_one("sums.xlsx", zip_files(parts)).text == "What | Total\nAll | 42"


def test_an_empty_row_ends_a_table_only_above_another_header(read_one):
    rows = [["Item", "Cost"], ["A", 1], [], ["B", 2], [], ["Shop", "City"], ["X", "Oslo"]]
    document = read_one("two.xlsx", build_xlsx({"S": rows}))
    assert document.text == "Item | Cost\nA | 1\nB | 2\n\nShop | City\nX | Oslo"


def test_a_long_sheet_goes_on_in_parts_under_its_header(write, check):
    rows = [["Number", "Words"], *([number, "some words that fill the row " * 3] for number in range(9000))]
    documents = list(read_path(write("long.xlsx", build_xlsx({"Log": rows}))))
    assert len(documents) == 2
    for document in documents:
        check(document)
        assert document.text.startswith("Number | Words\n")
    assert documents[1].source.endswith("-Log 9001") and "#Log " in documents[1].source
    assert sum(document.text.count("\n") for document in documents) == 9000
    last = documents[1]
    assert label_of(last, "8999 | some") == "sheet Log, A9001:B9001"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_million_cells_are_read_in_parts(tmp_path):
    path = tmp_path / "million.xlsx"
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Data")
    sheet.append([f"column {number}" for number in range(10)])
    for row in range(100_000):
        sheet.append([f"item {row}", *range(row, row + 9)])
    book.save(path)
    last, parts = "", 0
    # a process of its own, within the limits of time and memory that are usual
    for document in read_apart(path, ReadOptions()):
        last, parts = document.text, parts + 1
    assert parts > 10
    assert last.endswith("item 99999 | " + " | ".join(map(str, range(99_999, 100_008))))


def test_a_sheet_of_a_million_cells_is_read_or_refused_within_its_limits(write):
    row = "<row>" + "<c><v>1</v></c>" * 1000 + "</row>"
    book = build_xlsx({"S": [["a", "b"], [1, 2]]})
    with zipfile.ZipFile(io.BytesIO(book)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    parts["xl/worksheets/sheet1.xml"] = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        + row * 1000
        + "</sheetData></worksheet>"
    )
    path = write("million.xlsx", zip_files(parts))
    with pytest.raises(SourceError, match=r"^million\.xlsx: unpacks to .* raise ingest\.reading\.unpacked_bytes$"):
        list(read_path(path, ReadOptions(max_bytes=1_000_000, limits=ReadLimits(unpacked_bytes=1_000_000))))


def test_a_spreadsheet_of_opendocument_repeats_nothing_to_its_end(read_one):
    filler = '<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    dated = '<table:table-row><table:table-cell><text:p>Rope</text:p></table:table-cell><table:table-cell office:value-type="date" office:date-value="2025-03-04"><text:p>4/3/25</text:p></table:table-cell></table:table-row>'
    table = odf_table("Prices", [["Item", "From"], ["Anvil", "soon"]])
    body = table.replace("</table:table>", f"{dated}{filler}</table:table>") + odf_table("Shops", [["City", "Open"]])
    document = read_one("prices.ods", build_opendocument("spreadsheet", body, "Catalogue", "Zoe"))
    assert document.text == "Item | From\nAnvil | soon\nRope | 4/3/25\n\nCity | Open"
    assert label_of(document, "Rope") == "sheet Prices, A3:B3"
    assert (document.title, document.author, str(document.published_at)[:10]) == ("Catalogue", "Zoe", "2025-03-04")


def test_an_opendocument_text(read_one):
    body = (
        '<text:tracked-changes><text:p>deleted words</text:p></text:tracked-changes><text:p text:style-name="Title">Report</text:p>'
        '<text:h text:outline-level="1">Aim</text:h><text:p>We<text:s text:c="2"/>want<text:note><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>Badly.</text:p></text:note-body></text:note> to <text:span>win</text:span>.</text:p>"
        "<text:list><text:list-item><text:p>one</text:p></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>"
        + odf_table("T", [["a", "b"], ["c", "d"]])
    )
    document = read_one("report.odt", build_opendocument("text", body))
    assert document.text == "Report\n\nAim\n\nWe want[1] to win.\n\n- one\n- two\n\na | b\nc | d\n\n[1] Badly."
    assert document.title == "Report"
    assert label_of(document, "to win") == "Aim"


def test_an_opendocument_presentation(read_one):
    page = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Goals</text:p></draw:text-box></draw:frame>'
        "<draw:frame><draw:text-box><text:p>Win the cup.</text:p></draw:text-box></draw:frame>"
        "<presentation:notes><draw:frame><draw:text-box><text:p>Smile.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>"
    )
    document = read_one("deck.odp", build_opendocument("presentation", page))
    assert document.text == "Goals\n\nWin the cup.\n\nSpeaker notes\n\nSmile."
    assert label_of(document, "Win the cup.") == "Goals, slide 1"


def test_a_book_is_cited_by_chapter(read_one):
    content = build_epub(
        ("Loomings", "<h1>Loomings</h1><p>Call me Ishmael.</p><h2>The sea</h2><p>It is wide.</p>"),
        (
            "Chapter 2. The Bag",
            "<h1>The Bag</h1><p>I stuffed a shirt.</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        ),
        ("", "<p>Words without a name.</p>"),
    )
    document = read_one("book.epub", content)
    assert (document.title, document.author) == ("A book", "Ann Author")
    assert label_of(document, "Call me Ishmael.") == "chapter Loomings"
    assert label_of(document, "It is wide.") == "chapter Loomings › The sea"
    assert label_of(document, "I stuffed") == "Chapter 2. The Bag › The Bag"
    assert label_of(document, "Words without a name.") == "chapter 3"
    assert "a | b\n1 | 2" in document.text


def test_an_rtf_file(read_one):
    document = read_one("plan.rtf", build_rtf("The budget is 40 € — größer.", "It grows."))
    assert document.text == "The budget is 40 € — größer.\n\nIt grows."
    assert (document.title, document.author, str(document.published_at)[:10]) == ("The plan", "Zoe", "2025-03-04")


SENTENCES = [f"Sentence {n} of the report says that größe {n} costs €{n * 7} & more “today”." for n in range(200)]


def damage_chapter(book, words):
    """The bytes of a book with other words in a chapter than its checksum says."""
    plain = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as packed, zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as stored:
        for name in packed.namelist():
            stored.writestr(name, packed.read(name))
    return plain.getvalue().replace(words, words.swapcase(), 1)


def test_a_damaged_chapter_of_a_book_is_named_and_the_others_are_read(read_one):
    chapters = [(f"Chapter {name}", f"<h2>{name}</h2><p>{name} lines.</p>") for name in ("One", "Two", "Three")]
    document = read_one("book.epub", damage_chapter(build_epub(*chapters), b"Two lines"))
    assert document.text == "One\n\nOne lines.\n\nThree\n\nThree lines."
    assert document.completeness is not None
    (lost,) = document.completeness.left_out
    assert (lost.what, lost.names) == ("damaged chapters", ("Chapter Two",))
    assert document.completeness.notes == ("Chapter Two is damaged or missing, and was left out",)


BOOK = """
<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>w001</dc:title>
<dc:creator>w002</dc:creator><dc:creator>w003</dc:creator></metadata><manifest>
<item id="nav" properties="nav" href="nav.xhtml" media-type="application/xhtml+xml"/><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/><item id="c" href="c.svg" media-type="image/svg+xml"/>
<item id="p" href="p.png" media-type="image/png"/><item id="n" href="notes.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="nav"/><itemref idref="a"/><itemref idref="b" linear="no"/><itemref idref="c"/><itemref idref="p"/><itemref idref="lost"/></spine></package>"""
CHAPTER = """
<h1>w011</h1><p>w012<a epub:type="noteref" href="#n1">1</a></p><aside epub:type="footnote" id="n1">w013</aside>
<figure><img src="a.png" alt="w101"/><figcaption>w014</figcaption></figure><svg xmlns="http://www.w3.org/2000/svg"><text>w015</text></svg>
<p><math xmlns="http://www.w3.org/1998/Math/MathML"><mi>w016</mi></math> <ruby>w017<rt>w018</rt></ruby></p>
<table><caption>w019</caption><tr><th>w020</th><td>w021</td></tr></table><dl><dt>w022</dt><dd>w023</dd></dl>
<audio src="w102.mp3"/><video src="w103.mp4"/><p hidden="hidden">w024</p>"""


def test_every_carrier_of_text_in_a_book_is_stored_once_or_named(read_one):
    def page(body):
        return f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>no</title></head><body>{body}</body></html>'

    contents = '<h1>w004</h1><nav epub:type="toc"><ol><li><a href="a.xhtml">w005</a></li><li><span>w006</span></li></ol></nav><p>w007</p>'
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
        "book.opf": BOOK,
        "nav.xhtml": page(contents),
        "a.xhtml": page(CHAPTER),
        "b.xhtml": page("<p>w008</p>"),
        "c.svg": '<svg xmlns="http://www.w3.org/2000/svg"><text>w009</text></svg>',
        "notes.xhtml": page("<p>two words</p>"),
        "p.png": b"",
    }  # fmt: skip
    document = read_one("a.epub", zip_files(parts))
    stored = f"{document.title} {document.author} {document.text}"
    for number in (*range(1, 10), *range(11, 25)):
        assert stored.count(f"w{number:03d}") == 1, number
    assert [block.span.of(document.text) for block in document.blocks_of(BlockKind.FURNITURE)] == ["w005\nw006"]
    assert "[1] w013" in document.text and "w017(w018)" in document.text and "[hidden] w024" in document.text
    named = {loss.what: loss for loss in document.completeness.left_out}
    assert named["pictures"].names == ("w101", "p.png")
    assert named["recordings"].names == ("w102.mp3", "w103.mp4")
    assert named["damaged chapters"].names == ("lost",)
    assert (named["pages outside of the reading order"].names, named["pages outside of the reading order"].words) == (
        ("notes.xhtml",),
        2,
    )


def test_a_part_of_a_book_that_is_listed_again_and_again_is_read_once(read_one):
    again = 5_000
    item = '<item id="{}" href="{}.xhtml" media-type="application/xhtml+xml"/>'
    items = "".join(item.format(f"i{n}", "ab"[n % 2]) for n in range(again))
    named = '<itemref idref="i0"/>' * again + "".join(f'<itemref idref="i{n}"/>' for n in range(0, again, 2))
    contents = '<item id="nav{}" properties="nav" href="nav.xhtml" media-type="application/xhtml+xml"/>'
    navs = "".join(contents.format(n) for n in range(again))
    words = "".join(f"<p>Line {n}.</p>" for n in range(300))
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
        "book.opf": f"<package><metadata/><manifest>{items}{navs}</manifest><spine>{named}</spine></package>",
        "nav.xhtml": f'<html><body><nav><a href="a.xhtml">Chapter One</a></nav>{words}</body></html>',
        "a.xhtml": f"<html><body>{words}</body></html>",
        "b.xhtml": "<html><body><p>two words</p></body></html>",
    }
    document = read_one("a.epub", zip_files(parts))
    assert document.text.count("Line 299.") == 1
    assert label_of(document, "Line 299.") == "Chapter One"
    (loss,) = document.completeness.left_out
    assert (loss.what, loss.count, loss.names) == ("pages outside of the reading order", 1, ("b.xhtml",))


def test_a_book_of_damaged_chapters_alone_is_refused(write):
    with pytest.raises(SourceError, match="all chapters of the book are damaged"):
        list(read_path(write("book.epub", damage_chapter(build_epub(("One", "<p>One line.</p>")), b"One line"))))


def test_a_book_keeps_lines_of_verse_notes_and_raised_figures(read_one):
    body = (
        "<p>The tide goes out<br/>And 40 oars<br/>12 men begin</p>"
        '<p>Base<sup><a href="#n" epub:type="noteref">1</a></sup> rose 10<sup>6</sup> times.</p>'
        '<aside epub:type="footnote" id="n"><p>A note.</p></aside>'
    )
    document = read_one("book.epub", build_epub(("Song", body)))
    assert document.text == "The tide goes out\nAnd 40 oars\n12 men begin\n\nBase[1] rose 10⁶ times.\n\n[1] A note."


@pytest.mark.parametrize("name", ["a.pptx", "a.xlsx", "a.ods", "a.odt", "a.odp", "a.epub", "a.rtf", "a.docx"])
def test_every_sentence_comes_through(read_one, a_docx, name):
    """At least 99 in a hundred known sentences are in the text as they were written; here all of them."""
    escaped = [sentence.replace("&", "&amp;") for sentence in SENTENCES]
    paragraphs = "".join(f"<text:p>{sentence}</text:p>" for sentence in escaped)
    content = {
        "a.pptx": lambda: build_pptx(*({"title": f"T{n}", "lines": SENTENCES[n : n + 10]} for n in range(0, 200, 10))),
        "a.xlsx": lambda: build_xlsx({"S": [["n", "says"], *([n, sentence] for n, sentence in enumerate(SENTENCES))]}),
        "a.ods": lambda: build_opendocument("spreadsheet", odf_table("S", [["n", "says"], *(["1", s] for s in escaped)])),
        "a.odt": lambda: build_opendocument("text", paragraphs),
        "a.odp": lambda: build_opendocument("presentation", f"<draw:page><draw:frame><draw:text-box>{paragraphs}</draw:text-box></draw:frame></draw:page>"),
        "a.epub": lambda: build_epub(("One", "".join(f"<p>{sentence}</p>" for sentence in escaped))),
        "a.rtf": lambda: build_rtf(*SENTENCES),
        "a.docx": lambda: a_docx(*SENTENCES),
    }[name]()  # fmt: skip
    text = read_one(name, content).text
    assert [sentence for sentence in SENTENCES if sentence not in text] == []


def test_the_name_of_a_file_is_believed_less_than_its_content(read_one):
    assert read_one("deck.docx", build_pptx({"title": "T", "lines": ["Words."]})).text == "T\n\n- Words."
    assert read_one("sheet.zip", build_xlsx({"S": [["a", "b"]]})).text == "a | b"


@pytest.mark.parametrize("suffix", ["pptx", "xlsx", "ods", "odt", "odp", "epub", "rtf"])
def test_what_is_none_of_its_format_is_refused_in_a_line(write, suffix):
    for content in (b"PK\x03\x04" + b"0" * 40, b"\0" * 100, b"no office file", zip_files({"a.xml": "<a/>"})):
        with pytest.raises(SourceError, match=rf"^a\.{suffix}: [^\n]+$"):
            list(read_path(write(f"a.{suffix}", content)))


@pytest.mark.parametrize(
    "entity", ["<!ENTITY x 'word'><!ENTITY y '&x;&x;'>", "<!ENTITY x SYSTEM 'file:///etc/passwd'>"]
)
def test_entities_are_not_followed(write, entity):
    xml = f"<!DOCTYPE d [{entity}]>"
    content = build_opendocument("text", "<text:p>Good words. &x;</text:p>")
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    parts["content.xml"] = xml.encode() + parts["content.xml"]
    (document,) = read_path(write("a.odt", zip_files(parts)))
    assert document.text == "Good words. &x;"


def test_an_archive_that_unpacks_to_too_much_is_refused(write):
    bomb = zip_files({"mimetype": "application/epub+zip", "META-INF/container.xml": "0" * 150_000_000})
    with pytest.raises(SourceError, match="more than is safe to open"):
        list(read_path(write("a.epub", bomb)))
