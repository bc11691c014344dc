"""OpenDocument texts as LibreOffice shows them: each carrier of text is stored or named."""

import io
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.office.odt.reader import read_odt
from ascertain.documents.formats.reader import ReadOptions, SourceFile
from ascertain.documents.sources.files import read_path

SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style", "fo": "xsl-fo-compatible",
        "form": "form", "chart": "chart", "svg": "svg-compatible",
    }.items()
) + ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'  # fmt: skip

AUTOMATIC = (
    '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Quotations"/>'
    '<style:style style:name="P2" style:family="paragraph"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="T1" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<style:style style:name="T2" style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
    '<text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/></text:list-style>'
    '<text:list-style style:name="L2"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>'
)
OUTLINE = (
    '<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="1"/>'
    '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>'
    '<style:style style:name="Preformatted_20_Text" style:display-name="Preformatted Text" style:family="paragraph"/>'
)


def build_text(body, master="", **objects):
    """An OpenDocument text of a body, the master pages of its styles, and embedded objects by their names."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        content = f"<office:automatic-styles>{AUTOMATIC}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
        archive.writestr("content.xml", f"<office:document-content {SPACES}>{content}</office:document-content>")
        styles = f"<office:styles>{OUTLINE}</office:styles><office:master-styles>{master}</office:master-styles>"
        archive.writestr("styles.xml", f"<office:document-styles {SPACES}>{styles}</office:document-styles>")
        for name, content in objects.items():
            archive.writestr(f"{name}/content.xml", content)
    return out.getvalue()


@pytest.fixture
def extract(write):
    def one(body, **parts):
        (extracted,) = read_odt(SourceFile(write("a.odt", build_text(body, **parts)), ReadOptions()))
        return extracted

    return one


def p(text, style=""):
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def h(text, level=1):
    return f'<text:h text:outline-level="{level}">{text}</text:h>'


def items(*inner, attributes=""):
    return (
        f"<text:list {attributes}>{''.join(f'<text:list-item>{each}</text:list-item>' for each in inner)}</text:list>"
    )


def left_out(extracted):
    return {each.what: (each.count, each.words) for each in extracted.left_out}


def test_headings_and_lists_have_the_numbers_that_are_shown(read_one):
    numbered = 'text:style-name="L1"'
    body = (
        h("Aim") + h("Why", 2) + h("How", 2) + h("End")
        + items(p("one") + p("more"), p("two") + items(p("in")), attributes=numbered)
        + p("Between.")
        + items(p("three"), attributes=f'{numbered} text:continue-numbering="true"')
        + items(p("new"), attributes=numbered)
        + items(p("dot"), attributes='text:style-name="L2"')
        + '<text:list text:style-name="L1"><text:list-item text:start-value="9"><text:p>nine</text:p></text:list-item></text:list>'
    )  # fmt: skip
    document = read_one("a.odt", build_text(body))
    assert document.text == (
        "1 Aim\n\n1.1 Why\n\n1.2 How\n\n2 End\n\n1. one\nmore\n\n2. two\n  (a) in\n\nBetween.\n\n3. three\n\n1. new\n\n- dot\n\n9. nine"
    )
    assert [each.label for each in document.blocks_of(BlockKind.ITEM)][:3] == ["1.", "2.", "(a)"]


def test_styles_say_what_a_paragraph_is_and_how_it_is_shown(read_one):
    body = (
        p("Said.", "P1") + p("a = 1", "Preformatted_20_Text") + p("b", "Preformatted_20_Text") + p("gone", "P2")
        + p('10<text:span text:style-name="T1">26</text:span> <text:span text:style-name="T2">old</text:span>'
            'x<text:s text:c="2"/>y<text:tab/>z<text:line-break/>end<text:hidden-text text:string-value="secret"/>')
    )  # fmt: skip
    document = read_one("a.odt", build_text(body))
    assert document.text == "Said.\n\na = 1\nb\n\n[hidden] gone\n\n10²⁶ ~~old~~x y\tz\nend\n\n[hidden] secret"
    assert [each.kind for each in document.tree.content()][:2] == [BlockKind.QUOTATION, BlockKind.CODE]


def test_spans_of_tables_are_filled(read_one):
    def c(text, attributes="", name="table-cell"):
        return f"<table:{name} {attributes}>{p(text) if text else ''}</table:{name}>"

    covered = c("", name="covered-table-cell")
    body = (
        "<table:table><table:table-header-rows><table:table-row>"
        + c("Region", 'table:number-rows-spanned="2"') + c("2025", 'table:number-columns-spanned="2"') + covered
        + "</table:table-row><table:table-row>" + covered + c("Units") + c("Revenue")
        + "</table:table-row></table:table-header-rows><table:table-row>" + c("North") + c("", 'table:number-columns-repeated="2"')
        + '</table:table-row><table:table-row table:number-rows-repeated="1000000">' + c("") + "</table:table-row></table:table>"
    )  # fmt: skip
    assert read_one("a.odt", build_text(body)).text == "Region | 2025 Units | 2025 Revenue\nNorth | – | –"


def test_every_carrier_of_text_is_stored_once_or_named(extract):
    def note(kind, mark, words):
        return f'<text:note text:note-class="{kind}"><text:note-citation>{mark}</text:note-citation><text:note-body>{p(words)}</text:note-body></text:note>'

    mathml = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>w010</mi><mi>w011</mi></mfrac></math>'
    chart = f"<office:document-content {SPACES}><chart:chart><chart:title>{p('w012')}</chart:title><table:table><table:table-row><table:table-cell>{p('w013')}</table:table-cell><table:table-cell>{p('w014')}</table:table-cell></table:table-row></table:table></chart:chart></office:document-content>"
    frame = "<draw:frame>{}</draw:frame>"
    body = (
        '<office:forms><form:form><form:checkbox form:id="c1" form:label="w001" form:current-state="checked"/></form:form></office:forms>'
        f"<text:tracked-changes><text:changed-region><text:deletion><office:change-info><dc:creator>no</dc:creator></office:change-info>{p('two words')}</text:deletion></text:changed-region></text:tracked-changes>"
        f'<text:table-of-content><text:index-body>{p("w002")}</text:index-body></text:table-of-content>'
        + p("w003" + note("footnote", "1", "w004") + note("endnote", "i", "w005") + f"<office:annotation><dc:creator>Ada</dc:creator>{p('w006')}</office:annotation>")
        + p(frame.format(f"<draw:text-box>{p('w007')}</draw:text-box>") + frame.format("<draw:image/><svg:title>a quay</svg:title>"))
        + p(f"<draw:custom-shape>{p('w008')}</draw:custom-shape>" + '<draw:control draw:control="c1"/>')
        + f'<text:section text:display="none">{p("w009")}</text:section>'
        + p("so " + frame.format('<draw:object xlink:href="./Formula"/><draw:image/>') + frame.format('<draw:object xlink:href="./Chart"/>') + frame.format("<draw:plugin/>"))
        + p('<text:a>w015</text:a> <text:user-field-get>w016</text:user-field-get> <text:ruby><text:ruby-base>w017</text:ruby-base><text:ruby-text>w018</text:ruby-text></text:ruby>')
        + p('<loext:content-control loext:alias="w019" loext:checkbox="true" loext:checked="true">☒</loext:content-control>')
    )  # fmt: skip
    master = f"<style:master-page><style:header>{p('w020')}</style:header><style:footer>{p('w020')}</style:footer></style:master-page>"
    extracted = extract(body, master=master, Formula=mathml, Chart=chart)
    for number in range(1, 21):
        assert extracted.text.count(f"w{number:03d}") == 1, number
    assert "w003[1][i]\n\nComment by Ada: w006" in extracted.text and "[1] w004\n\n[i] w005" in extracted.text
    assert "w001: yes" in extracted.text and "so w010/w011" in extracted.text and "w013 | w014" in extracted.text
    assert left_out(extracted) == {"deleted passages": (1, 2), "pictures": (1, 0), "embedded objects": (1, 0)}


WORDS = st.text(st.sampled_from("abcdefgh0123456789"), min_size=1, max_size=6)
BLOCKS = st.lists(
    st.tuples(st.sampled_from(["p", "cells", "item", "lines", "note", "box"]), WORDS, WORDS), min_size=1, max_size=8
)


def write_block(kind, one, two):
    cell = "<table:table-cell>{}</table:table-cell>"
    return {
        "p": p(one) + p(two),
        "cells": f"<table:table><table:table-row>{cell.format(p(one))}{cell.format(p(two))}</table:table-row></table:table>",
        "item": items(p(one), p(two), attributes='text:style-name="L2"'),
        "lines": p(f"{one}<text:line-break/>{two}"),
        "note": p(f"{one}<text:note><text:note-body>{p(two)}</text:note-body></text:note>"),
        "box": p(f"{one}<draw:frame><draw:text-box>{p(two)}</draw:text-box></draw:frame>"),
    }[kind]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(blocks=BLOCKS)
def test_no_two_neighbours_touch(write, check, blocks):
    (document,) = read_path(write("a.odt", build_text("".join(write_block(*each) for each in blocks))))
    check(document)
    shown = document.text.replace("[", " [").replace("|", " ").split()
    assert {word for _, *pair in blocks for word in pair} <= set(shown)
