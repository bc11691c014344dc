"""XLSX and ODS: what a sheet shows, in its order, and what of it is named as left out."""

import io
import zipfile

import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from sample_files import build_opendocument, odf_table, zip_files

from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.documents.formats.reader import SourceFile
from ascertain.documents.formats.registry import extract_texts
from ascertain.documents.sources.files import ReadOptions

KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def book_bytes(book):
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def a_book(*rows, name="S"):
    book = openpyxl.Workbook()
    book.active.title = name
    for row in rows:
        book.active.append(row)
    return book, book.active


def edit_parts(content, **edits):
    """``content`` with parts replaced: by name with ``/`` written as ``__``."""
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    for name, edit in edits.items():
        key = next(each for each in (*parts, name) if each.replace("/", "__").replace(".", "_") == name)
        parts[key] = edit(parts[key].decode()) if callable(edit) else edit
    return zip_files(parts)


@pytest.fixture
def extract(tmp_path):
    def read(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return list(extract_texts(SourceFile(path, ReadOptions())))

    return read


def left_out(extracted):
    return {loss.what: loss for each in extracted for loss in each.left_out}


def label_of(document, words):
    start = document.text.index(words)
    return document.place_of(Span(start, start + len(words))).label


def test_merged_cells_are_filled_and_header_rows_are_joined(read_one):
    book, sheet = a_book(
        ["Region", "2025", None, "2026", None],
        [None, "Units", "Revenue", "Units", "Revenue"],
        ["Nord", 120, 5400, 131, 6020],
        ["Nord", 88, 3900, 97, 4410],
    )
    for cells in ("B1:C1", "D1:E1", "A1:A2"):
        sheet.merge_cells(cells)
    sheet["A4"] = None
    sheet.merge_cells("A3:A4")
    document = read_one("a.xlsx", book_bytes(book))
    assert document.text == (
        "Region | 2025 Units | 2025 Revenue | 2026 Units | 2026 Revenue\nNord | 120 | 5400 | 131 | 6020\nNord | 88 | 3900 | 97 | 4410"
    )
    assert label_of(document, "Region") == "sheet S, A1:E2"
    (table,) = document.blocks_of(BlockKind.TABLE)
    assert table.header_rows == 1


def test_a_title_over_the_whole_table_stays_one_line(read_one):
    book, sheet = a_book(["Fees of 2026"], ["Boat", "Fee"], ["Alma", 120], ["Berta", 90], ["Total", 210])
    sheet.merge_cells("A1:B1")
    assert (
        read_one("a.xlsx", book_bytes(book)).text == "Fees of 2026\n\nBoat | Fee\nAlma | 120\nBerta | 90\nTotal | 210"
    )


def test_two_rows_of_words_above_numbers_are_one_header(read_one):
    book, _ = a_book(["Boat", "Length", "Weight"], [None, "(m)", "(kg)"], ["Alma", 8.5, 300], ["Berta", 7, 250])
    assert read_one("a.xlsx", book_bytes(book)).text.startswith("Boat | Length (m) | Weight (kg)\nAlma")


def test_rows_of_numbers_have_no_header(read_one):
    book, _ = a_book(["Alma", 120, 7.5], ["Berta", 90, 8.5])
    document = read_one("a.xlsx", book_bytes(book))
    assert document.blocks_of(BlockKind.TABLE)[0].header_rows == 0
    book, _ = a_book(["Week", 1, 2, 3], ["Alma", 120, 130, 140])
    assert read_one("b.xlsx", book_bytes(book)).blocks_of(BlockKind.TABLE)[0].header_rows == 1


def test_tables_beside_each_other_are_apart(read_one):
    book, _ = a_book(["Boat", "Fee", None, "Service", "Price"], ["Alma", 120, None, "Shower", 20], ["Berta", 90])
    document = read_one("a.xlsx", book_bytes(book))
    assert document.text == "Boat | Fee\nAlma | 120\nBerta | 90\n\nService | Price\nShower | 20"
    assert label_of(document, "Shower") == "sheet S, D2:E2"


def test_spacers_between_columns_leave_a_table_whole(read_one):
    book, _ = a_book(["Item", None, "2024", None, "2025"], ["Sales", None, 10, None, 12], ["Costs", None, 8, None, 9])
    assert read_one("a.xlsx", book_bytes(book)).text == "Item | 2024 | 2025\nSales | 10 | 12\nCosts | 8 | 9"


def test_what_is_hidden_is_marked(read_one):
    book, sheet = a_book(["Part", "Count", "Note"], ["Oar", 14, "x"], ["Paddle", 9, "y"], name="Stock")
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    other = book.create_sheet("OldPrices")
    other.append(["Item", "Price"])
    other.append(["Kayak", 11])
    other.sheet_state = "veryHidden"
    document = read_one("a.xlsx", book_bytes(book))
    assert "Part | Count | [hidden] Note\nOar | 14 | x\n[hidden] Paddle | 9 | y" in document.text
    assert label_of(document, "Paddle") == "sheet Stock, A3:C3 (hidden)"
    assert label_of(document, "Kayak") == "sheet OldPrices (hidden), A2:B2"
    assert [block.is_hidden for block in document.blocks_of(BlockKind.TABLE)] == [False, True]


def test_values_are_as_displayed(read_one):
    book, sheet = a_book(["Item", "Price", "Share", "Day", "Long"], ["Kayak", 1234.5, 0.175, 46113, 1.5])
    for cell, code in {"B2": '#,##0.00 "EUR"', "C2": "0.0%", "D2": "dd.mm.yyyy", "E2": "[h]:mm"}.items():
        sheet[cell].number_format = code
    assert read_one("a.xlsx", book_bytes(book)).text.endswith("Kayak | 1,234.50 EUR | 17.5% | 01.04.2026 | 36:00")


def test_every_carrier_of_text_is_stored_or_named(extract):
    book, sheet = a_book(["w001", "w002"], ["w003 first\nw003 second", "w004"], name="w005")
    sheet["A2"].comment = Comment("w006 remark", "w007")
    sheet["B3"] = "=SUM(1,2)"
    sheet.oddHeader.left.text = "w008 letterhead"
    sheet.oddFooter.center.text = "Page &P of &N"
    chart = BarChart()
    chart.title = "w009"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=2), titles_from_data=True)
    sheet.add_chart(chart, "E5")
    validation = openpyxl.worksheet.datavalidation.DataValidation(type="list", formula1='"w010,w011"')
    validation.add("C3")
    sheet.add_data_validation(validation)
    extracted = extract("a.xlsx", book_bytes(book))
    text = extracted[0].text
    for word in ("w001", "w002", "w003 first / w003 second", "w004", "w006", "w008 letterhead", "w009"):
        assert word in text
    assert "Comment by w007 on A2: w006 remark" in text
    assert "Page" not in text
    assert {block.kind for block in extracted[0].blocks} >= {BlockKind.COMMENT, BlockKind.CAPTION, BlockKind.FURNITURE}
    named = left_out(extracted)
    assert named["formulas without a saved value"].names == ("w005!B3",)
    assert named["lists of allowed values"].words == 2
    assert named["charts"].names == ("w009",)


def test_what_is_drawn_over_a_sheet_and_said_at_input_is_stored_or_named(extract):
    book, sheet = a_book(["a", "b"], ["c", 4])
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=2), titles_from_data=True)
    sheet.add_chart(chart, "E5")
    validation = openpyxl.worksheet.datavalidation.DataValidation(
        type="whole", promptTitle="Ask", prompt="Which one?", errorTitle="No", error="Only whole ones."
    )
    validation.add("C3")
    sheet.add_data_validation(validation)
    with zipfile.ZipFile(io.BytesIO(book_bytes(book))) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    words = f'<a:p xmlns:a="{drawing}/main"><a:r><a:t>{{}}</a:t></a:r></a:p>'
    frame = f'<graphicFrame><dgm:relIds xmlns:dgm="{drawing}/diagram" xmlns:r="{KINDS}" r:dm="rD"/></graphicFrame>'
    added = {
        "xl/drawings/drawing1.xml": (b"</wsDr>", f"{frame}</wsDr>"),
        "xl/drawings/_rels/drawing1.xml.rels": (b"</Relationships>", f'<Relationship Id="rD" Type="{KINDS}/diagramData" Target="../d.xml"/></Relationships>'),
        "xl/worksheets/_rels/sheet1.xml.rels": (b"</Relationships>", '<Relationship Id="rS" Type="http://schemas.microsoft.com/office/2007/relationships/slicer" Target="../s.xml"/></Relationships>'),
    }  # fmt: skip
    for name, (end, more) in added.items():
        assert end in parts[name]
        parts[name] = parts[name].replace(end, more.encode())
    parts["xl/d.xml"] = (
        f'<dgm:dataModel xmlns:dgm="{drawing}/diagram"><dgm:pt modelId="1"><dgm:t>{words.format("First step")}</dgm:t></dgm:pt></dgm:dataModel>'
    )
    parts["xl/s.xml"] = '<slicers xmlns="x"><slicer name="S1" caption="By region"/></slicers>'
    parts["xl/charts/_rels/chart1.xml.rels"] = (
        f'<Relationships xmlns="x"><Relationship Id="r1" Type="{KINDS}/chartUserShapes" Target="../drawings/u.xml"/></Relationships>'
    )
    parts["xl/drawings/u.xml"] = f"<userShapes>{words.format('Best year')}</userShapes>"
    extracted = extract("a.xlsx", zip_files(parts))
    assert extracted[0].text == "a | b\nc | 4\n\nBest year\n\nFirst step"
    named = left_out(extracted)
    assert named["slicers"].names == ("By region",)
    assert (named["input messages"].count, named["input messages"].words) == (2, 7)


def test_text_boxes_and_threads_of_comments_are_read(extract):
    drawing = (
        '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        "<xdr:twoCellAnchor><xdr:grpSp><xdr:sp><xdr:txBody><a:p><a:r><a:t>Box one</a:t></a:r></a:p><a:p><a:r><a:t>10</a:t></a:r>"
        '<a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:grpSp></xdr:twoCellAnchor>'
        '<xdr:oneCellAnchor><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="3" name="Picture 2" descr="A red boat"/></xdr:nvPicPr></xdr:pic></xdr:oneCellAnchor></xdr:wsDr>'
    )
    threads = (
        '<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">'
        '<threadedComment ref="A1" personId="{P}" id="{1}"><text>Is this right?</text></threadedComment>'
        '<threadedComment ref="A1" personId="{P}" id="{2}" parentId="{1}"><text>Yes.</text></threadedComment></ThreadedComments>'
    )
    persons = '<personList xmlns="x"><person displayName="Ada Dahl" id="{P}"/></personList>'
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    sheet_relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{kinds}/drawing" Target="../drawings/drawing1.xml"/>'
        '<Relationship Id="r2" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" Target="../t1.xml"/></Relationships>'
    )
    book, _ = a_book(["a", "b"], ["c", "d"])
    with zipfile.ZipFile(io.BytesIO(book_bytes(book))) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    person = '<Relationship Id="r99" Type="http://schemas.microsoft.com/office/2017/10/relationships/person" Target="persons/p.xml"/></Relationships>'
    parts["xl/_rels/workbook.xml.rels"] = (
        parts["xl/_rels/workbook.xml.rels"].decode().replace("</Relationships>", person)
    )
    parts |= {"xl/drawings/drawing1.xml": drawing, "xl/t1.xml": threads, "xl/persons/p.xml": persons}
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = sheet_relations
    extracted = extract("a.xlsx", zip_files(parts))
    text = extracted[0].text
    assert "Box one\n\n10⁶" in text
    assert "Comment by Ada Dahl on A1: Is this right?\n\nComment by Ada Dahl on A1: Yes." in text
    assert left_out(extracted)["pictures"].names == ("A red boat",)


def p(words):
    """A paragraph of OpenDocument."""
    return f"<text:p>{words}</text:p>"


def sheet_of(rows, tail=""):
    return (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        f"{rows}</sheetData>{tail}</worksheet>"
    )


def test_formatted_empty_rows_are_no_rows(extract):
    book, _ = a_book(["Name", "Price"], ["Apple", 3])
    rows = '<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1"><v>3</v></c></row>'
    rows += "".join(f'<row r="{n}" spans="1:2"><c r="A{n}" s="1"/></row>' for n in range(2, 100_000))
    content = edit_parts(book_bytes(book), xl__worksheets__sheet1_xml=sheet_of(rows))
    assert extract("a.xlsx", content)[0].text == "Name | 3"


def test_merges_over_everything_are_bounded(extract):
    book, _ = a_book(["Name", "Price"])
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 3000))
    tail = '<mergeCells><mergeCell ref="A1:XFC1048576"/><mergeCell ref="A2:XFC1048576"/></mergeCells>'
    content = edit_parts(book_bytes(book), xl__worksheets__sheet1_xml=sheet_of(rows, tail))
    extracted = extract("a.xlsx", content)
    assert "merged cells that cover too many others" in left_out(extracted)
    assert sum(len(each.text) for each in extracted) < 1_000_000


def test_an_opendocument_sheet_shows_merges_hidden_rows_and_remarks(extract):
    rows = (
        '<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Region</text:p></table:table-cell>'
        '<table:table-cell table:number-columns-spanned="2"><text:p>2025</text:p></table:table-cell><table:covered-table-cell/></table:table-row>'
        "<table:table-row><table:covered-table-cell/><table:table-cell><text:p>Units</text:p></table:table-cell>"
        "<table:table-cell><text:p>Revenue</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:table-cell><office:annotation><dc:creator>Ada</dc:creator><text:p>check</text:p></office:annotation><text:p>Nord</text:p></table:table-cell>"
        '<table:table-cell office:value-type="float"><text:p>120</text:p></table:table-cell>'
        '<table:table-cell office:value-type="currency"><text:p>1,234.50 EUR</text:p></table:table-cell></table:table-row>'
        '<table:table-row table:visibility="collapse"><table:table-cell><text:p>Syd</text:p></table:table-cell>'
        '<table:table-cell office:value-type="float" table:number-columns-repeated="2"><text:p>7</text:p></table:table-cell></table:table-row>'
    )
    body = f'<table:table table:name="S">{rows}</table:table>'
    (extracted,) = extract("a.ods", build_opendocument("spreadsheet", body))
    assert extracted.text == (
        "Region | 2025 Units | 2025 Revenue\nNord | 120 | 1,234.50 EUR\n[hidden] Syd | 7 | 7\n\nComment by Ada on A3: check"
    )


def test_every_carrier_of_text_on_a_sheet_of_opendocument_is_stored_once_or_named(extract):
    def cell(inner, attributes="", name="table-cell"):
        return f"<table:{name} {attributes}>{inner}</table:{name}>"

    def row(*cells, attributes=""):
        return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"

    drawn = (
        "rect line polyline polygon regular-polygon path circle ellipse connector caption measure custom-shape".split()
    )
    forms = (
        '<form:checkbox form:id="c1" form:label="w001" form:current-state="checked"/><form:text form:id="c2" form:label="w002" form:current-value="w003"/>'
        '<form:listbox form:id="c3" form:name="w004"><form:option form:label="w005" form:current-selected="true"/><form:option form:label="no"/></form:listbox>'
        '<form:button form:id="c4" form:label="w006"/>'
    )
    validation = (
        '<table:content-validation table:condition="of:cell-content-is-in-list(&quot;not&quot;;&quot;shown&quot;)">'
        f'<table:help-message table:title="Ask">{p("Which one?")}</table:help-message></table:content-validation>'
    )
    frame = "<draw:frame>{}</draw:frame>"
    body = (
        f"<table:content-validations>{validation}</table:content-validations>"
        f"<table:tracked-changes><table:change-track-table-cell>{p('old value')}</table:change-track-table-cell></table:tracked-changes>"
        f'<table:table table:name="Fees"><office:forms><form:form>{forms}</form:form></office:forms><table:shapes>'
        + "".join(f'<draw:control draw:control="c{number}"/>' for number in range(1, 5))
        + "".join(f"<draw:{name}>{p(f'w{number:03d}')}</draw:{name}>" for number, name in enumerate(drawn, 7))
        + f"<draw:g><draw:rect>{p('w019')}</draw:rect></draw:g></table:shapes>"
        + row(
            cell(p('w020 <text:a>w021</text:a><text:ruby><text:ruby-base>w022</text:ruby-base><text:ruby-text>w023</text:ruby-text></text:ruby>') + p("w024")),
            cell(p("w025") + f"<office:annotation><dc:creator>w026</dc:creator>{p('w027')}</office:annotation>"),
        )
        + row(cell(f"<text:h>w028</text:h><text:list><text:list-item>{p('w029')}</text:list-item></text:list>"), cell(frame.format(f"<draw:text-box>{p('w030')}</draw:text-box>")))
        + row(cell("", 'office:value-type="float" office:value="1" table:formula="of:=1"'), cell("", 'office:value-type="string" office:string-value="w031"'))
        + row(cell("", 'table:formula="of:=A1"'), cell(p(""), 'office:value-type="float" office:value="7"'), cell(p("w032")))
        + row(cell(p("w033"), 'table:number-columns-spanned="2"'), cell(p("under"), name="covered-table-cell"), attributes='table:visibility="collapse"')
        + row(cell(frame.format('<draw:object xlink:href="./Formula"/>')), cell(frame.format('<draw:object xlink:href="./Chart"/>')))
        + row(cell(frame.format("<draw:image/><svg:title>a quay</svg:title>")), cell(frame.format('<draw:plugin xlink:href="film.mp4"/>')))
        + "</table:table>"
    )  # fmt: skip
    titles = "".join(
        f"<chart:{name}>{p(word)}</chart:{name}>"
        for name, word in {"title": "w036", "subtitle": "w037", "footer": "w038"}.items()
    )
    objects = {
        "Formula": '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>w034</mi><mi>w035</mi></mfrac></math>',
        "Chart": f"<chart:chart>{titles}<chart:axis><chart:title>{p('w039')}</chart:title></chart:axis></chart:chart>",
    }  # fmt: skip
    lines = ("header", "footer", "header-left", "footer-left", "header-first", "footer-first")
    master = "".join(f"<style:{name}>{p(f'w{number:03d} Ltd')}</style:{name}>" for number, name in enumerate(lines, 40))
    extracted = extract(
        "a.ods", build_opendocument("spreadsheet", body, master=f"<style:master-page>{master}</style:master-page>", objects=objects)
    )  # fmt: skip
    text = extracted[0].text
    for number in range(1, 46):
        assert text.count(f"w{number:03d}") == 1, number
    assert "w001: yes\n\nw002: w003\n\nw004: w005\n\nw006" in text and "w022(w023) w024 | w025" in text
    assert "Comment by w026 on B1: w027" in text and "w034/w035" in text and "1 | w031" in text
    named = left_out(extracted)
    assert (named["lists of allowed values"].words, named["input messages"].words) == (2, 3)
    assert (named["earlier contents of cells"].words, named["words under merged cells"].words) == (2, 1)
    assert (named["pictures"].names, named["films"].names) == (("a quay",), ("film.mp4",))
    assert named["formulas without a saved value"].names == ("Fees!A4",)
    assert named["values that their format hides"].names == ("Fees!B4",)


def test_repeats_are_counted_before_they_are_made(extract):
    row = (
        '<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16000">'
        f"<text:p>{'x' * 100}</text:p></table:table-cell></table:table-row>"
    )
    extracted = extract(
        "a.ods", build_opendocument("spreadsheet", f'<table:table table:name="S">{row * 20}</table:table>')
    )
    assert sum(len(each.text) for each in extracted) < 5_000_000
    assert left_out(extracted)["repeats of the same row or cell"].count > 1_000_000


def test_a_table_of_opendocument_is_apart_from_the_lines_above(read_one):
    body = odf_table("S", [["Fees"], [""], ["Boat", "Fee"], ["Alma", "120"]])
    assert read_one("a.ods", build_opendocument("spreadsheet", body)).text == "Fees\n\nBoat | Fee\nAlma | 120"


def test_raised_and_struck_text_in_cells_is_marked(read_one):
    book, sheet = a_book(["Item", "Value"], ["Area", "x"], ["Old fee", 10])
    sheet["B3"].font = openpyxl.styles.Font(strike=True)
    rich = openpyxl.cell.rich_text.CellRichText(
        "10", openpyxl.cell.rich_text.TextBlock(openpyxl.cell.text.InlineFont(vertAlign="superscript"), "6"), " m"
    )
    sheet["B2"] = rich
    assert read_one("a.xlsx", book_bytes(book)).text == "Item | Value\nArea | 10⁶ m\nOld fee | ~~10~~"


def test_names_of_parts_are_the_same_in_capitals_and_texts_that_are_missing_are_named(extract):
    book, _ = a_book(["Name", "Price"], ["Apple", 3])
    with zipfile.ZipFile(io.BytesIO(book_bytes(book))) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    cells = "".join(f'<c r="{letter}1" t="s"><v>{number}</v></c>' for number, letter in enumerate("ABC"))
    parts["xl/worksheets/sheet1.xml"] = sheet_of(f'<row r="1">{cells}</row>')
    shared = f'<Relationship Id="r98" Type="{KINDS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    relations = parts["xl/_rels/workbook.xml.rels"].decode().replace("</Relationships>", shared)
    parts["xl/_rels/workbook.xml.rels"] = relations
    strings = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>Name</t></si>'
        "<si><r><t>Pri</t></r><r><t>ce</t></r><rPh><t>how it sounds</t></rPh></si></sst>"
    )
    (extracted,) = extract("a.xlsx", zip_files({**parts, "xl/SharedStrings.xml": strings}))
    assert extracted.text == "Name | Price"
    assert left_out([extracted])["texts that the file lacks"].count == 1


def test_formulas_on_sheets_of_opendocument_are_read_and_other_objects_named(extract):
    formula = '<draw:object><math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math></draw:object>'
    shapes = (
        f"<table:shapes><draw:frame>{formula}<draw:image/></draw:frame>"
        '<draw:frame draw:name="Plan"><draw:object href="./Object 1"/></draw:frame></table:shapes>'
    )
    body = odf_table("S", [["Boat", "Fee"], ["Alma", "120"]]).replace("</table:table>", f"{shapes}</table:table>")
    extracted = extract("a.ods", build_opendocument("spreadsheet", body))
    assert extracted[0].text == "Boat | Fee\nAlma | 120\n\nx²"
    assert {what: loss.names for what, loss in left_out(extracted).items()} == {"embedded objects": ("Plan",)}
