"""Small files of office programs and mailboxes, built by hand or by libraries that the readers do not use."""

import datetime
import gzip
import io
import json
import tarfile
import zipfile
from email.message import EmailMessage

import openpyxl
import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches


def zip_files(files, stored=("mimetype",)):
    """Bytes of a ZIP archive of {name: content}."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content, zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tar_files(files, mode="w:gz"):
    """Bytes of a TAR archive of {name: content}."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def gzip_bytes(content):
    return gzip.compress(content if isinstance(content, bytes) else content.encode())


def build_pptx(*slides, title="", author=""):
    """Slides as dicts: title, lines, table (rows), notes, chart ({category: value})."""
    deck = pptx.Presentation()
    deck.core_properties.title = title
    deck.core_properties.author = author
    for each in slides:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = each.get("title", "")
        slide.placeholders[1].text = "\n".join(each.get("lines", []))
        if rows := each.get("table"):
            size = (Inches(1), Inches(3), Inches(6), Inches(2))
            table = slide.shapes.add_table(len(rows), len(rows[0]), *size).table
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    table.cell(row, column).text = cell
        if chart := each.get("chart"):
            data = CategoryChartData()
            data.categories = list(chart)
            data.add_series("Sales", list(chart.values()))
            slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(4), Inches(3), data)
        if notes := each.get("notes"):
            slide.notes_slide.notes_text_frame.text = notes
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def build_xlsx(sheets, title="", formats=()):
    """Sheets as {name: rows}; ``formats`` are (sheet, cell, number format)."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    book.properties.title = title
    book.properties.modified = datetime.datetime(2025, 3, 4)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    for name, cell, number_format in formats:
        book[name][cell].number_format = number_format
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


_OFFICE = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" '
    + "".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" '
        for prefix, name in {"form": "form", "chart": "chart", "style": "style", "svg": "svg-compatible"}.items()
    )
    + 'xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"'
)


def build_opendocument(kind, body, title="", author="", *, master="", objects=None):
    """An OpenDocument file of a kind (text, spreadsheet, presentation) with the XML of its body, its master page and embedded objects by name."""
    meta = f"<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator><dc:date>2025-03-04T10:00:00</dc:date>"
    return zip_files(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {_OFFICE}><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
            "meta.xml": f"<office:document-meta {_OFFICE}><office:meta>{meta}</office:meta></office:document-meta>",
            "styles.xml": f"<office:document-styles {_OFFICE}><office:master-styles>{master}</office:master-styles></office:document-styles>",
            **{
                f"{name}/content.xml": f"<office:document-content {_OFFICE}>{content}</office:document-content>"
                for name, content in (objects or {}).items()
            },
        }
    )


def odf_table(name, rows):
    """A table of OpenDocument from rows of cells."""
    lines = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in rows
    )
    return f'<table:table table:name="{name}">{lines}</table:table>'


def build_epub(*chapters, title="A book", author="Ann Author", with_contents=True):
    """Chapters as (name, XHTML of the body)."""
    items = "".join(
        f'<item id="c{n}" href="text/c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    links = "".join(f'<li><a href="text/c{n}.xhtml">{name}</a></li>' for n, (name, _) in enumerate(chapters) if name)
    nav = (
        '<item id="nav" properties="nav" href="nav.xhtml" media-type="application/xhtml+xml"/>' if with_contents else ""
    )
    container = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator><dc:date>2020-01-02</dc:date></metadata>"
        f"<manifest>{items}{nav}</manifest><spine>{spine}</spine></package>"
    )
    files = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OPS/book.opf": opf}
    if with_contents:
        files["OPS/nav.xhtml"] = f"<html><body><nav><ol>{links}</ol></nav></body></html>"
    for number, (_, body) in enumerate(chapters):
        files[f"OPS/text/c{number}.xhtml"] = (
            f'<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{body}</body></html>'
        )
    return zip_files(files)


def build_notebook(*cells, **metadata):
    """Cells as (kind, source) or ("code", source, outputs)."""
    made = [
        {"cell_type": cell[0], "source": cell[1], "metadata": {}, **({"outputs": cell[2]} if len(cell) > 2 else {})}
        for cell in cells
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": made}).encode()


def build_mail(text="", *, html="", attachments=(), **headers):
    """Bytes of a message; ``attachments`` are (name, bytes)."""
    message = EmailMessage()
    given = {
        "From": "Ana Flores <ana@example.org>",
        "To": "Bo <bo@example.org>",
        "Date": "Tue, 04 Mar 2025 09:30:00 +0100",
    }
    for name, value in {**given, "Subject": "The order", **headers}.items():
        message[name] = value
    if text:
        message.set_content(text)
    if html and text:
        message.add_alternative(html, subtype="html")
    elif html:
        message.set_content(html, subtype="html")
    for name, data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def build_rtf(*paragraphs):
    """An RTF file of paragraphs, other characters than those of ASCII as Unicode escapes."""

    def escape(text):
        return "".join(each if ord(each) < 128 else f"\\u{ord(each)}?" for each in text)

    body = "\n".join(f"\\pard {escape(each)}\\par" for each in paragraphs)
    return (
        "{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Arial;}}{\\info{\\title The plan}{\\author Zoe}"
        "{\\creatim\\yr2025\\mo3\\dy4\\hr10}}\n" + body + "}"
    ).encode("ascii")
