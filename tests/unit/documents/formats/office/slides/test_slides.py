"""PPTX and ODP: what slides show, in order, and what of it is named as left out."""

import io
import zipfile

import pptx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from pptx.util import Inches
from sample_files import build_opendocument, build_pptx, zip_files

from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.documents.formats.reader import SourceFile
from ascertain.documents.formats.registry import extract_texts
from ascertain.documents.sources.files import ReadOptions

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


@pytest.fixture
def extract(tmp_path):
    def read(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        (extracted,) = extract_texts(SourceFile(path, ReadOptions()))
        return extracted

    return read


def deck_bytes(deck):
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def a_deck(title="T", layout=5):
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    slide.shapes.title.text = title
    return deck, slide


def add_box(slide, *paragraphs):
    """A text box of paragraphs as XML inside of ``a:p``."""
    box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(2))
    body = box.text_frame._txBody
    for old in body.findall(f"{{{DRAWING}}}p"):
        body.remove(old)
    for each in paragraphs:
        body.append(etree.fromstring(f'<a:p xmlns:a="{DRAWING}" xmlns:m="{MATH}">{each}</a:p>'))
    return box


def run(text, properties=""):
    return f"<a:r><a:rPr {properties}/><a:t>{text}</a:t></a:r>"


def label_of(document, words):
    start = document.text.index(words)
    return document.place_of(Span(start, start + len(words))).label


def test_hidden_slides_are_marked(read_one):
    deck, _ = a_deck("Open")
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Secret plan"
    second._element.set("show", "0")
    document = read_one("a.pptx", deck_bytes(deck))
    assert label_of(document, "Secret plan") == "Secret plan, slide 2 (hidden)"
    assert label_of(document, "Open") == "Open, slide 1"


def test_lists_have_the_markers_that_are_shown(extract):
    deck, slide = a_deck("Steps")
    numbered = '<a:pPr><a:buAutoNum type="arabicPeriod" startAt="3"/></a:pPr>'
    add_box(
        slide,
        run("Before you begin:"),
        numbered + run("Open the valve."),
        '<a:pPr lvl="1"><a:buAutoNum type="alphaLcParenR"/></a:pPr>' + run("Slowly."),
        numbered + run("Start the pump."),
    )
    assert extract("a.pptx", deck_bytes(deck)).text == (
        "Steps\n\nBefore you begin:\n\n3. Open the valve.\n  a) Slowly.\n4. Start the pump."
    )


def test_bullets_come_from_the_layout(extract):
    deck, slide = a_deck("Plan", layout=1)
    frame = slide.placeholders[1].text_frame
    frame.text = "One"
    frame.add_paragraph().text = "Two"
    plain = frame.add_paragraph()
    plain.text = "Not an item"
    plain._p.get_or_add_pPr().append(etree.fromstring(f'<a:buNone xmlns:a="{DRAWING}"/>'))
    extracted = extract("a.pptx", deck_bytes(deck))
    assert extracted.text == "Plan\n\n- One\n- Two\n\nNot an item"
    assert sum(block.kind is BlockKind.ITEM for block in extracted.blocks) == 2


def test_lists_count_in_letters_and_roman_numerals(extract):
    deck, slide = a_deck()
    schemes = ["alphaLcParenR", "romanUcParenBoth", "arabicPlain"]
    for scheme in schemes:
        item = f'<a:pPr><a:buAutoNum type="{scheme}" startAt="4"/></a:pPr>'
        add_box(slide, item + run("one"), item + run("two"))
    assert extract("a.pptx", deck_bytes(deck)).text == ("T\n\nd) one\ne) two\n\n(IV) one\n(V) two\n\n4 one\n5 two")


def test_raised_struck_broken_text_and_equations(extract):
    deck, slide = a_deck()
    equation = (
        "<m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
        "<m:r><m:t>=</m:t></m:r><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></m:oMathPara>"
    )
    add_box(
        slide,
        run("10") + run("26", 'baseline="30000"') + run(" and H") + run("2", 'baseline="-25000"') + run("O"),
        run("Old fee", 'strike="sngStrike"') + "<a:br/>" + run("New fee"),
        equation,
        '<a:fld id="{1}" type="slidenum"><a:t>7</a:t></a:fld>' + run(" of 9"),
    )
    assert extract("a.pptx", deck_bytes(deck)).text == (
        "T\n\n10²⁶ and H₂O\n\n~~Old fee~~\nNew fee\n\n(a+b)/2=x²\n\n7 of 9"
    )


def test_merged_cells_of_a_table_are_filled(extract):
    deck, slide = a_deck()
    table = slide.shapes.add_table(3, 3, Inches(1), Inches(3), Inches(6), Inches(2)).table
    for row, cells in enumerate([["Region", "2025", ""], ["North", "1", "2"], ["", "3", "4"]]):
        for column, cell in enumerate(cells):
            table.cell(row, column).text = cell
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(1, 0).merge(table.cell(2, 0))
    assert extract("a.pptx", deck_bytes(deck)).text == "T\n\nRegion | 2025 | 2025\nNorth | 1 | 2\nNorth | 3 | 4"


def test_remarks_diagrams_and_furniture_are_read_and_pictures_named(extract):
    content = build_pptx({"title": "w001", "lines": ["w002"], "notes": "w003", "chart": {"w004": 4}})
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    footer = '<p:sp><p:nvSpPr><p:cNvPr id="90" name="F"/><p:cNvSpPr/><p:nvPr><p:ph type="ftr"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>w005 Ltd</a:t></a:r></a:p></p:txBody></p:sp>'
    picture = (
        '<p:pic><p:nvPicPr><p:cNvPr id="91" name="P" descr="w006 boat"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr></p:pic>'
    )
    smart = f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="92" name="D"/></p:nvGraphicFramePr><a:graphic><a:graphicData><dgm:relIds xmlns:dgm="x" xmlns:r="{KINDS}" r:dm="rD"/></a:graphicData></a:graphic></p:graphicFrame>'
    slide = parts["ppt/slides/slide1.xml"].decode()
    parts["ppt/slides/slide1.xml"] = slide.replace("</p:spTree>", footer + picture + smart + "</p:spTree>")
    relations = parts["ppt/slides/_rels/slide1.xml.rels"].decode()
    parts["ppt/slides/_rels/slide1.xml.rels"] = relations.replace(
        "</Relationships>",
        f'<Relationship Id="rD" Type="{KINDS}/diagramData" Target="../d1.xml"/><Relationship Id="rC" Type="{KINDS}/comments" Target="../c1.xml"/>'
        f'<Relationship Id="rV" Type="{KINDS}/video" Target="../media/w007.mp4"/></Relationships>',
    )
    point = '<dgm:pt modelId="{}"><dgm:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></dgm:t></dgm:pt>'
    link = '<dgm:cxn srcId="{}" destId="{}" srcOrd="{}"/>'
    parts["ppt/d1.xml"] = (
        f'<dgm:dataModel xmlns:dgm="x" xmlns:a="{DRAWING}"><dgm:ptLst><dgm:pt modelId="0" type="doc"/>'
        + point.format(1, "w010 below")
        + point.format(2, "w009 second")
        + point.format(3, "w008 first")
        + point.format(4, "w013 arrow").replace("<dgm:pt ", '<dgm:pt type="sibTrans" ')
        + "</dgm:ptLst><dgm:cxnLst>"
        + link.format(0, 2, 1)
        + link.format(0, 3, 0)
        + link.format(3, 1, 0)
        + "</dgm:cxnLst></dgm:dataModel>"
    )
    parts["ppt/c1.xml"] = '<p:cmLst xmlns:p="p"><p:cm authorId="4"><p:text>w011 why?</p:text></p:cm></p:cmLst>'
    parts["ppt/a1.xml"] = '<p:cmAuthorLst xmlns:p="p"><p:cmAuthor id="4" name="w012"/></p:cmAuthorLst>'
    main = parts["ppt/_rels/presentation.xml.rels"].decode()
    author = f'<Relationship Id="rA" Type="{KINDS}/commentAuthors" Target="a1.xml"/></Relationships>'
    parts["ppt/_rels/presentation.xml.rels"] = main.replace("</Relationships>", author)
    extracted = extract("a.pptx", zip_files(parts))
    text = extracted.text
    assert "- w008 first\n  - w010 below\n- w009 second\n- w013 arrow" in text
    assert "Speaker notes\n\nw003" in text
    assert "Comment by w012: w011 why?" in text
    assert text.endswith("w005 Ltd")
    assert "w004 | 4" in text
    furniture = [block for block in extracted.blocks if block.kind is BlockKind.FURNITURE]
    assert [block.span.of(text) for block in furniture] == ["w005 Ltd"]
    named = {loss.what: loss.names for loss in extracted.left_out}
    assert named["pictures"] == ("w006 boat",)
    assert named["films"] == ("w007.mp4",)


def test_an_opendocument_presentation_shows_lists_tables_and_remarks(extract):
    page = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Goals</text:p></draw:text-box></draw:frame>'
        "<draw:g><draw:frame><draw:text-box><text:list><text:list-item><text:p>One<text:line-break/>more</text:p>"
        "<text:list><text:list-item><text:p>Deep</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>Two</text:p></text:list-item></text:list>"
        "</draw:text-box></draw:frame></draw:g>"
        '<draw:frame><table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-spanned="2">'
        "<text:p>b</text:p></table:table-cell><table:covered-table-cell/></table:table-row><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell>"
        "<table:table-cell><text:p>2</text:p></table:table-cell><table:table-cell><text:p>3</text:p></table:table-cell></table:table-row></table:table></draw:frame>"
        '<draw:frame draw:name="boat"><draw:image/></draw:frame>'
        "<office:annotation><dc:creator>Ada</dc:creator><text:p>Why?</text:p></office:annotation></draw:page>"
    )
    extracted = extract("a.odp", build_opendocument("presentation", page))
    assert extracted.text == "Goals\n\n- One\nmore\n  - Deep\n- Two\n\na | b | b\n1 | 2 | 3\n\nComment by Ada: Why?"
    assert extracted.left_out[0].names == ("boat",)


def test_every_carrier_of_text_on_a_slide_of_opendocument_is_stored_once_or_named(extract):
    def p(words):
        return f"<text:p>{words}</text:p>"

    def box(words, kind=""):
        inner = words if words.startswith("<") else p(words)
        return f'<draw:frame presentation:class="{kind}"><draw:text-box>{inner}</draw:text-box></draw:frame>'

    def row(*cells):
        return f"<table:table-row>{''.join(f'<table:table-cell>{p(each)}</table:table-cell>' for each in cells)}</table:table-row>"

    drawn = (
        "rect line polyline polygon regular-polygon path circle ellipse connector caption measure custom-shape".split()
    )
    frame = "<draw:frame>{}</draw:frame>"
    forms = '<form:checkbox form:id="c1" form:label="w001" form:current-state="checked"/><form:button form:id="c2" form:label="w002"/>'
    items = f"<text:list><text:list-header>{p('w003')}</text:list-header><text:list-item>{p('w004')}<text:list><text:list-item>{p('w005')}</text:list-item></text:list></text:list-item></text:list>"
    ruby = "<text:ruby><text:ruby-base>w006</text:ruby-base><text:ruby-text>w007</text:ruby-text></text:ruby>"
    page = (
        '<presentation:footer-decl>w040 Ltd</presentation:footer-decl><presentation:header-decl>w041 Ltd</presentation:header-decl>'
        "<presentation:date-time-decl>w042 May</presentation:date-time-decl>"
        f'<draw:page><office:forms><form:form>{forms}</form:form></office:forms><draw:control draw:control="c1"/><draw:control draw:control="c2"/>'
        + box("w008", "title") + box("w009", "subtitle") + box(items)
        + "".join(f"<draw:{name}>{p(f'w{number:03d}')}</draw:{name}>" for number, name in enumerate(drawn, 10))
        + f"<draw:g><draw:g><draw:rect>{p('w022')}</draw:rect></draw:g></draw:g><draw:a>{box('w023')}</draw:a>"
        + frame.format(f"<table:table>{row('w024', 'w025')}{row('w026', '<text:a>w027</text:a>')}</table:table>")
        + frame.format('<draw:object xlink:href="./Formula"/><draw:image/>') + frame.format('<draw:object xlink:href="./Chart"/>')
        + box(f"<text:p>{ruby}<text:line-break/>w028</text:p>") + box("w043 Ltd", "footer")
        + frame.format("<draw:image/><svg:title>a quay</svg:title>") + frame.format('<draw:plugin xlink:href="film.mp4"/>')
        + '<draw:frame draw:name="map"><draw:floating-frame/></draw:frame><draw:frame draw:name="plan"><draw:object-ole/></draw:frame>'
        + f"<office:annotation><dc:creator>w029</dc:creator>{p('w030')}</office:annotation>"
        + "<presentation:notes>" + box("w031") + frame.format("<table:table>" + row("w032") + "</table:table>") + box("w044 Ltd", "header")
        + "</presentation:notes></draw:page>"
    )  # fmt: skip
    titles = "".join(
        f"<chart:{name}>{p(word)}</chart:{name}>"
        for name, word in {"title": "w035", "subtitle": "w036", "footer": "w037"}.items()
    )
    objects = {
        "Formula": '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>w033</mi><mi>w034</mi></mfrac></math>',
        "Chart": f"<chart:chart>{titles}<table:table>{row('w038', 'w039')}</table:table></chart:chart>",
    }  # fmt: skip
    counted = "<text:page-number>&lt;number&gt;</text:page-number>"
    master = (
        f"<style:master-page><draw:rect>{p('w045 Ltd')}</draw:rect>" + box("Click to edit", "title")
        + box(f"<text:p>w046 Ltd {counted}</text:p>", "footer") + frame.format("<draw:image/><svg:title>logo</svg:title>")
        + "</style:master-page>"
    )  # fmt: skip
    extracted = extract("a.odp", build_opendocument("presentation", page, master=master, objects=objects))
    text = extracted.text
    for number in range(1, 47):
        assert text.count(f"w{number:03d}") == 1, number
    assert text.startswith("w008\n\nw009\n\nw003\n\n- w004\n  - w005\n\nw010")
    assert "w001: yes\n\nw002" in text and "w006(w007)\nw028" in text and "w024 | w025\nw026 | w027" in text
    assert "w033/w034" in text and "w038 | w039" in text and "Speaker notes\n\nw031\n\nw032" in text
    assert "Click to edit" not in text and "<number>" not in text
    assert {loss.what: loss.names for loss in extracted.left_out} == {
        "embedded objects": ("plan", "map"),
        "pictures": ("a quay", "logo"),
        "films": ("film.mp4",),
    }


def test_formulas_of_opendocument_slides_are_read_and_other_objects_named(extract):
    formula = (
        '<draw:object><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mfrac><mi>a</mi><mi>b</mi></mfrac>'
        '<annotation encoding="StarMath 5.0">a over b</annotation></semantics></math></draw:object>'
    )
    page = (
        f"<draw:page><draw:g><draw:frame>{formula}<draw:image/></draw:frame></draw:g>"
        '<draw:frame draw:name="Plan"><draw:object-ole href="./Object 1"/><draw:image/></draw:frame></draw:page>'
    )
    extracted = extract("a.odp", build_opendocument("presentation", page))
    assert extracted.text == "a/b"
    assert [(loss.what, loss.names) for loss in extracted.left_out] == [("embedded objects", ("Plan",))]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["box", "break", "table", "item"]), min_size=2, max_size=6))
def test_no_words_of_neighbours_touch(extract, kinds):
    deck, slide = a_deck("w000")
    words = ["w000"]
    for number, kind in enumerate(kinds, 1):
        first, second = f"w{number}a", f"w{number}b"
        words += [first, second]
        if kind == "table":
            table = slide.shapes.add_table(1, 2, Inches(1), Inches(3), Inches(6), Inches(2)).table
            table.cell(0, 0).text, table.cell(0, 1).text = first, second
        elif kind == "break":
            add_box(slide, run(first) + "<a:br/>" + run(second))
        else:
            level = '<a:pPr lvl="1"/>' if kind == "item" else ""
            add_box(slide, run(first), level + run(second))
    text = extract("a.pptx", deck_bytes(deck)).text
    assert [word for word in text.replace("|", " ").split() if word != "-"] == words
