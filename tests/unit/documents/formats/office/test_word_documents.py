"""Word documents out of the XML that Word writes: each carrier of text is stored or named."""

import io
import zipfile
from xml.sax.saxutils import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.office.docx.reader import read_docx
from ascertain.documents.formats.reader import ReadOptions, SourceFile
from ascertain.documents.sources.files import read_path

SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
)
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def run(text, properties=""):
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(*pieces, properties=""):
    inner = "".join(run(each) if not each.startswith("<") else each for each in pieces)
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def cell(*blocks, properties=""):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{''.join(blocks) or '<w:p/>'}</w:tc>"


def table(*rows, look=True):
    properties = '<w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr>' if look else ""
    lines = "".join("<w:tr>" + "".join(cells) + "</w:tr>" for cells in rows)
    return f"<w:tbl>{properties}{lines}</w:tbl>"


def build_word(*blocks, **parts):
    """A Word file of a body and other parts by name: ``styles``, ``numbering``, ``footnotes``; ``header1`` is that of the section."""
    roots = {
        "footnotes": "footnotes",
        "endnotes": "endnotes",
        "comments": "comments",
        "styles": "styles",
        "numbering": "numbering",
    }
    out = io.BytesIO()
    relations: list[str] = []
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts.items():
            kind = name.rstrip("0123456789")
            root = {"header": "hdr", "footer": "ftr", **roots}.get(kind)
            body = f"<w:{root} {SPACES}>{content}</w:{root}>" if root else content
            archive.writestr(f"word/{name}.xml", body)
            relations.append(f'<Relationship Id="{name}" Type="{RELATION}/{kind}" Target="{name}.xml"/>')
        head = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        archive.writestr("word/_rels/document.xml.rels", f"{head}{''.join(relations)}</Relationships>")
        archive.writestr("word/document.xml", f"<w:document {SPACES}><w:body>{''.join(blocks)}</w:body></w:document>")
    return out.getvalue()


@pytest.fixture
def extract(write):
    """What the reader makes of a file: its text, blocks and what it leaves out."""

    def one(content):
        (extracted,) = read_docx(SourceFile(write("a.docx", content), ReadOptions()))
        return extracted

    return one


@pytest.fixture
def text_of(read_one):
    return lambda *blocks, **parts: read_one("a.docx", build_word(*blocks, **parts)).text


def left_out(extracted):
    return {each.what: (each.count, each.words) for each in extracted.left_out}


def test_tracked_changes_stand_as_accepted_and_what_they_take_out_is_counted(extract):
    deleted = "<w:del><w:r><w:delText>40,000 euros</w:delText></w:r></w:del>"
    moved = f"<w:moveFrom>{run('sixty days')}</w:moveFrom>"
    gone = f'<w:tr><w:trPr><w:del w:id="1"/></w:trPr>{cell(paragraph("old row"))}{cell(paragraph("gone"))}</w:tr>'
    body = (
        paragraph("The cap is ", deleted, f"<w:ins>{run('75,000 euros')}</w:ins>", "."),
        paragraph(moved, properties="<w:rPr><w:moveFrom/></w:rPr>"),
        paragraph("First half ", properties="<w:rPr><w:del/></w:rPr>"),
        paragraph("second half."),
        table([cell(paragraph("a")), cell(paragraph("b"))]).replace("</w:tbl>", f"{gone}</w:tbl>"),
    )
    extracted = extract(build_word(*body))
    assert extracted.text == "The cap is 75,000 euros.\n\nFirst half second half.\n\na | b"
    assert left_out(extracted) == {"deleted passages": (3, 8)}


STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="T1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr>'
    '<w:outlineLvl w:val="0"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Klausel"><w:name w:val="Klausel"/><w:basedOn w:val="T1"/><w:pPr><w:numPr>'
    '<w:ilvl w:val="1"/></w:numPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Ti"><w:name w:val="Title"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Quote"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="S"><w:name w:val="Source Code"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="V1"><w:name w:val="toc 1"/></w:style>'
    '<w:style w:type="character" w:styleId="Hid"><w:name w:val="Hid"/><w:rPr><w:vanish/></w:rPr></w:style>'
)
LEVEL = '<w:lvl w:ilvl="{}"><w:start w:val="1"/><w:numFmt w:val="{}"/><w:lvlText w:val="{}"/>{}</w:lvl>'
NUMBERING = (
    '<w:abstractNum w:abstractNumId="0">'
    + LEVEL.format(0, "decimal", "%1.", "")
    + LEVEL.format(1, "decimal", "%1.%2", "")
    + LEVEL.format(2, "lowerLetter", "(%3)", "")
    + '</w:abstractNum><w:abstractNum w:abstractNumId="1">'
    + LEVEL.format(0, "bullet", "\uf0b7", "")
    + LEVEL.format(1, "upperRoman", "%2)", '<w:pPr><w:ind w:left="720"/></w:pPr>')
    + "</w:abstractNum>"
    + '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    + '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>'
)


def numbered(number, level, text, style=""):
    properties = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    return paragraph(text, properties=style + properties)


def styled(style, text):
    return paragraph(text, properties=f'<w:pStyle w:val="{style}"/>')


def test_headings_and_clauses_have_the_numbers_that_word_shows(read_one):
    content = build_word(
        styled("Ti", "Agreement"),
        styled("T1", "Scope"),
        styled("Klausel", "Goods"),
        numbered(1, 2, "Boats"),
        numbered(1, 2, "Oars"),
        styled("Klausel", "Services"),
        numbered(1, 2, "Repairs"),
        styled("T1", "Price"),
        numbered(3, 0, "Seven"),
        styles=STYLES,
        numbering=NUMBERING,
    )
    document = read_one("a.docx", content)
    assert document.text == (
        "Agreement\n\n1. Scope\n\n1.1 Goods\n\n(a) Boats\n(b) Oars\n\n1.2 Services\n\n(a) Repairs\n\n2. Price\n\n7. Seven"
    )
    assert document.title == "Agreement"
    assert [(each.level, each.label) for each in document.blocks_of(BlockKind.HEADING)] == [
        (0, None), (1, None), (2, None), (2, None), (1, None)
    ]  # fmt: skip
    assert document.blocks_of(BlockKind.ITEM)[1].label == "(b)"


def test_lists_nest_by_their_levels_and_go_on_behind_paragraphs(text_of):
    text = text_of(
        numbered(2, 0, "Fruit"),
        numbered(2, 1, "Apples"),
        paragraph("more of apples", properties='<w:ind w:left="720"/>'),
        numbered(2, 1, "Pears"),
        paragraph("Between."),
        numbered(2, 0, "Bread"),
        numbering=NUMBERING,
    )
    assert text == "- Fruit\n  I) Apples\nmore of apples\n\n  II) Pears\n\nBetween.\n\n- Bread"


def test_styles_say_what_a_paragraph_is(read_one):
    blocks = (
        styled("Q", "Said."),
        styled("C", "Figure 1"),
        styled("S", "  a = 1"),
        styled("S", "b"),
        styled("V1", "Scope\t3"),
    )
    document = read_one("a.docx", build_word(*blocks, paragraph("End."), styles=STYLES))
    kinds = [block.kind for block in document.tree.content()]
    assert kinds == [BlockKind.QUOTATION, BlockKind.CAPTION, BlockKind.CODE, BlockKind.FURNITURE, BlockKind.PARAGRAPH]
    assert "a = 1\nb" in document.text


def field_run(kind, inner=""):
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{inner}</w:fldChar></w:r>'


def code(text):
    return f"<w:r><w:instrText>{text}</w:instrText></w:r>"


def test_fields_show_their_results_and_forms_what_is_filled_in(read_one):
    text_form = '<w:ffData><w:name w:val="Boat"/><w:textInput/></w:ffData>'
    box = '<w:ffData><w:name w:val="Insured"/><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData>'
    gear = '<w:ffData><w:name w:val="Gear"/><w:ddList><w:result w:val="1"/><w:listEntry w:val="Line"/><w:listEntry w:val="Gillnet"/></w:ddList></w:ffData>'
    control = (
        '<w:sdt><w:sdtPr><w:alias w:val="Deck"/><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr>'
        f"<w:sdtContent>{run('☒')}</w:sdtContent></w:sdt>"
    )
    document = read_one("a.docx", build_word(
        paragraph("see ", field_run("begin"), code(" REF _x "), field_run("separate"), "clause 4", field_run("end"), "."),
        paragraph(f'<w:fldSimple w:instr=" PAGE ">{run("9")}</w:fldSimple>', " pages"),
        paragraph("boat ", field_run("begin", text_form), code("FORMTEXT"), field_run("separate"), "NO-7731", field_run("end")),
        paragraph("cover ", field_run("begin", box), code("FORMCHECKBOX"), field_run("end")),
        paragraph("gear ", field_run("begin", gear), code("FORMDROPDOWN"), field_run("end")),
        paragraph(control, " deck"),
    ))  # fmt: skip
    assert document.text.split("\n\n") == [
        "see clause 4.", "9 pages", "boat NO-7731", "Boat: NO-7731", "cover ☒", "Insured: yes", "gear Gillnet", "Gear: Gillnet",
        "☒ deck", "Deck: yes",
    ]  # fmt: skip
    assert [each.label for each in document.blocks_of(BlockKind.FIELD)] == ["Boat", "Insured", "Gear", "Deck"]


def test_text_behind_a_field_without_an_end_is_not_lost(text_of):
    assert text_of(paragraph("a ", field_run("begin"), code("REF x")), paragraph("kept")) == "a\n\nkept"


def math(inner):
    return f"<m:oMath>{inner}</m:oMath>"


def m(text):
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        (f"<m:f><m:num>{m('a+b')}</m:num><m:den>{m('2')}</m:den></m:f>", "(a+b)/2"),
        (f"<m:sSup><m:e>{m('x')}</m:e><m:sup>{m('2')}</m:sup></m:sSup>", "x²"),
        (f"<m:sSubSup><m:e>{m('x')}</m:e><m:sub>{m('1')}</m:sub><m:sup>{m('n/2')}</m:sup></m:sSubSup>", "x₁^(n/2)"),
        (f"<m:rad><m:deg/><m:e>{m('x+1')}</m:e></m:rad>", "√(x+1)"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{m("i=1")}</m:sub><m:sup>{m("n")}</m:sup><m:e>{m("i")}</m:e></m:nary>',
            "∑_(i=1)^(n) i",
        ),
        (f"<m:d><m:e><m:m><m:mr><m:e>{m('a')}</m:e><m:e>{m('b')}</m:e></m:mr><m:mr><m:e>{m('c')}</m:e><m:e>{m('d')}</m:e></m:mr></m:m></m:e></m:d>", "(a, b; c, d)"),
    ],
)  # fmt: skip
def test_formulas_stand_in_one_line(text_of, formula, line):
    assert text_of(paragraph("so ", math(formula), " holds")) == f"so {line} holds"


def test_merged_cells_are_filled_and_header_rows_joined(read_one):
    down = '<w:vMerge w:val="restart"/>'
    content = build_word(table(
        [cell(paragraph("Region"), properties=down), cell(paragraph("2025"), properties='<w:gridSpan w:val="2"/>')],
        [cell(properties="<w:vMerge/>"), cell(paragraph("Units")), cell(paragraph("Revenue"))],
        [cell(paragraph("North"), properties=down), cell(paragraph("5")), cell(paragraph("6"), table([cell(paragraph("x")), cell(paragraph("y"))]))],
        [cell(properties="<w:vMerge/>"), cell(paragraph("Quay"), paragraph("Street")), cell()],
    ))  # fmt: skip
    document = read_one("a.docx", content)
    assert document.text == "Region | 2025 Units | 2025 Revenue\nNorth | 5 | 6 / x; y\nNorth | Quay / Street | –"
    assert document.blocks_of(BlockKind.TABLE)[0].header_rows == 1


def test_a_cell_of_a_million_columns_is_bounded(text_of):
    wide = cell(paragraph("wide"), properties='<w:gridSpan w:val="2000000000"/>')
    text = text_of(table([wide, cell(paragraph("end"))], [cell(paragraph("a")), cell(paragraph("b"))]))
    assert len(text) < 3000 and "a | b" in text


def test_hidden_and_struck_words_are_marked_and_figures_raised(read_one):
    hidden = '<w:r><w:rPr><w:rStyle w:val="Hid"/></w:rPr><w:t>secret</w:t></w:r>'
    document = read_one("a.docx", build_word(
        paragraph("10", run("26", '<w:vertAlign w:val="superscript"/>'), " H", run("2", '<w:vertAlign w:val="subscript"/>'), "O ",
                  run("old fee", "<w:strike/>"), hidden, " new"),
        styles=STYLES,
    ))  # fmt: skip
    assert document.text == "10²⁶ H₂O ~~old fee~~ new\n\n[hidden] secret"
    assert document.tree.content()[-1].is_hidden


def test_notes_comments_and_running_heads_have_their_places(read_one):
    def note(name, words):
        return f'<w:{name} w:id="2">{paragraph(words)}</w:{name}>'

    refer = '<w:r><w:{}Reference w:id="2"/></w:r>'
    section = '<w:sectPr><w:headerReference r:id="header1"/><w:footerReference r:id="footer1"/></w:sectPr>'
    document = read_one("a.docx", build_word(
        paragraph("Pressure", refer.format("footnote"), " fell", refer.format("comment"), refer.format("endnote"), "."),
        styled("T1", "Next"),
        section,
        styles=STYLES,
        footnotes='<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>' + note("footnote", "Twelve were excluded."),
        endnotes=note("endnote", "Paid by a fund."),
        comments=f'<w:comment w:id="2" w:author="Ada">{paragraph("Check.")}</w:comment>',
        header1=paragraph("Draft of May"),
        footer1=paragraph("Draft of May"),
    ))  # fmt: skip
    assert document.text == (
        "Pressure[1] fell[i].\n\nComment by Ada: Check.\n\n[1] Twelve were excluded.\n\n[i] Paid by a fund.\n\nNext\n\nDraft of May"
    )
    assert [each.label for each in document.blocks_of(BlockKind.FOOTNOTE)] == ["1", "i"]
    assert [each.label for each in document.blocks_of(BlockKind.COMMENT)] == ["Ada"]
    (furniture,) = document.blocks_of(BlockKind.FURNITURE)
    assert document.place_of(furniture.span).section == ()


def test_charts_show_their_axes_and_levels_of_categories_and_diagrams_their_levels(extract):
    def words(text):
        return f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"

    def level(*values):
        points = "".join(f'<c:pt idx="{n}"><c:v>{each}</c:v></c:pt>' for n, each in values)
        return f"<c:lvl>{points}</c:lvl>"

    chart = (
        f"<c:chartSpace {SPACES}><c:chart><c:title>{words('Sales')}</c:title><c:ser><c:tx><c:v>Boats</c:v></c:tx><c:cat>"
        f"{level((0, 'Q1'), (1, 'Q2'))}{level((0, '2025'))}</c:cat>"
        '<c:val><c:pt idx="0"><c:v>4</c:v></c:pt><c:pt idx="1"><c:v>7</c:v></c:pt></c:val></c:ser>'
        f"<c:valAx><c:title>{words('Units')}</c:title></c:valAx></c:chart></c:chartSpace>"
    )
    point = '<dgm:pt modelId="{}"><dgm:t>{}</dgm:t></dgm:pt>'
    diagram = (
        f"<dgm:dataModel {SPACES}>{point.format(1, words('Below'))}{point.format(2, words('Above'))}"
        '<dgm:cxn srcId="2" destId="1" srcOrd="0"/></dgm:dataModel>'
    )
    extracted = extract(
        build_word(
            paragraph('<w:r><w:drawing><c:chart r:id="chart1"/></w:drawing></w:r>'),
            paragraph('<w:r><w:drawing><dgm:relIds r:dm="diagramData1"/></w:drawing></w:r>'),
            chart1=chart,
            diagramData1=diagram,
        )
    )
    assert extracted.text == "Sales (Units)\n\n– | Boats\n2025 Q1 | 4\n2025 Q2 | 7\n\n- Above\n  - Below"


def test_every_carrier_of_text_is_stored_once_or_named(extract):
    box = f"<wps:txbx><w:txbxContent>{paragraph('w010')}</w:txbxContent></wps:txbx>"
    fallback = f"<w:pict><v:textbox><w:txbxContent>{paragraph('w010')}</w:txbxContent></v:textbox></w:pict>"
    either = f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent></w:r>'
    picture = '<w:r><w:drawing><wp:docPr id="1" name="P" descr="a quay"/><a:blip/></w:drawing></w:r>'
    extracted = extract(build_word(
        paragraph(f"<w:hyperlink>{run('w001')}</w:hyperlink>", f"<w:smartTag>{run(' w002')}</w:smartTag>", f"<w:customXml>{run(' w003')}</w:customXml>"),
        f"<w:sdt><w:sdtContent>{paragraph('w004')}</w:sdtContent></w:sdt>",
        f"<w:customXml>{paragraph('w005')}</w:customXml>",
        "<w:tbl>" + "".join(
            f"<w:sdt><w:sdtContent><w:tr>{cell(paragraph(one))}<w:sdt><w:sdtContent>{cell(paragraph(two))}</w:sdtContent></w:sdt></w:tr></w:sdtContent></w:sdt>"
            for one, two in (("w006", "w007"), ("w008", "w009"))
        ) + "</w:tbl>",
        paragraph(either, picture, '<w:r><w:object><o:OLEObject ProgID="Excel.Sheet"/></w:object></w:r>'),
        paragraph('<w:r><w:pict><v:shape><v:textpath string="w011"/></v:shape></w:pict></w:r>'),
        paragraph('<w:r><w:drawing><c:chart r:id="chart1"/></w:drawing></w:r>'),
        paragraph('<w:r><w:drawing><dgm:relIds r:dm="diagramData1"/></w:drawing></w:r>'),
        paragraph('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/><w:noBreakHyphen/><w:t>w012</w:t></w:r>'),
        paragraph("<w:r><w:ruby><w:rt><w:r><w:t>w013</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>w014</w:t></w:r></w:rubyBase></w:ruby></w:r>"),
        '<w:altChunk r:id="x"/>',
        chart1=f'<c:chartSpace {SPACES}><c:chart><c:title><a:p><a:r><a:t>w015</a:t></a:r></a:p></c:title><c:ser><c:tx><c:v>w016</c:v></c:tx>'
               '<c:cat><c:pt idx="0"><c:v>w017</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>18</c:v></c:pt></c:val></c:ser></c:chart></c:chartSpace>',
        diagramData1=f"<dgm:dataModel {SPACES}><a:p><a:r><a:t>w019</a:t></a:r></a:p></dgm:dataModel>",
        comments=f'<w:comment w:id="9" w:author="A">{paragraph("w020")}</w:comment>',
    ))  # fmt: skip
    for number in (*range(1, 18), 19):
        assert extracted.text.count(f"w{number:03d}") == 1, number
    assert "w006 | w007\nw008 | w009" in extracted.text
    assert "α✓-w012" in extracted.text and "w014(w013)" in extracted.text and "w017 | 18" in extracted.text
    named = left_out(extracted)
    assert set(named) == {"pictures", "embedded objects", "embedded documents", "comments without a place"}
    assert next(each.names for each in extracted.left_out if each.what == "pictures") == ("a quay",)


def test_a_damaged_part_is_named_and_the_rest_read(extract):
    extracted = extract(build_word(paragraph("Good."), chart1="<c:chart", numbering="<w:abstractNum"))
    assert extracted.text == "Good." and left_out(extracted) == {"damaged parts": (1, 0)}


def test_a_style_in_a_circle_and_notes_in_themselves_end(text_of):
    circle = '<w:style w:type="paragraph" w:styleId="{}"><w:name w:val="{}"/><w:basedOn w:val="{}"/></w:style>'
    loop = '<w:footnote w:id="1">' + paragraph("note", '<w:r><w:footnoteReference w:id="1"/></w:r>') + "</w:footnote>"
    text = text_of(
        paragraph("x", '<w:r><w:footnoteReference w:id="1"/></w:r>', properties='<w:pStyle w:val="A"/>'),
        styles=circle.format("A", "a", "B") + circle.format("B", "b", "A"),
        footnotes=loop,
    )
    assert text == "x[1]\n\n[1] note[1]"


WORDS = st.text(st.sampled_from("abcdefgh0123456789"), min_size=1, max_size=6)
BLOCKS = st.lists(
    st.tuples(st.sampled_from(["p", "heading", "cells", "item", "lines", "box"]), WORDS, WORDS), min_size=1, max_size=8
)


def write_block(kind, one, two):
    return {
        "p": lambda: paragraph(one) + paragraph(two),
        "heading": lambda: styled("T1", one) + paragraph(two),
        "cells": lambda: table([cell(paragraph(one)), cell(paragraph(two))]),
        "item": lambda: numbered(2, 0, one) + numbered(2, 1, two),
        "lines": lambda: paragraph(one, "<w:r><w:br/></w:r>", two),
        "box": lambda: paragraph(one, f"<w:r><w:pict><w:txbxContent>{paragraph(two)}</w:txbxContent></w:pict></w:r>"),
    }[kind]()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(blocks=BLOCKS)
def test_no_two_neighbours_touch(write, check, blocks):
    content = build_word(*(write_block(*each) for each in blocks), styles=STYLES, numbering=NUMBERING)
    (document,) = read_path(write("a.docx", content))
    check(document)
    words = [word for _, *pair in blocks for word in pair]
    shown = [word for word in document.text.replace("|", " ").split() if word.isalnum()]
    assert [word for word in shown if word in words] == words or set(words) <= set(shown)
