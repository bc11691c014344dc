"""Real files with pictures in them, made by the programs of others where there are some."""

from __future__ import annotations

import base64
import ctypes
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

import docx
import pptx
import pypdfium2
from PIL import Image, ImageDraw

raw = pypdfium2.raw
PAGE = (612, 792)


def draw_chart(color: str = "blue", size: tuple[int, int] = (400, 300), kind: str = "PNG") -> bytes:
    """A bar chart; another one for each colour."""
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    width, height = size
    for number, share in enumerate((0.2, 0.45, 0.7)):
        left = int(width * (0.1 + 0.3 * number))
        pen.rectangle((left, int(height * (0.95 - share)), left + width // 6, int(height * 0.95)), fill=color)
    packed = io.BytesIO()
    image.save(packed, kind)
    return packed.getvalue()


def make_docx(path: Path, *pictures: bytes, caption: str = "Figure 1: Sales by region") -> Path:
    """A heading, a paragraph, each picture with its caption, a paragraph."""
    document = docx.Document()
    document.add_heading("Report", 1)
    document.add_paragraph("Sales went well in the north, as everybody had hoped for.")
    for picture in pictures:
        document.add_picture(io.BytesIO(picture))
        document.add_paragraph(caption, style="Caption")
    document.add_paragraph("We expect more of the same in the years to come.")
    document.save(str(path))
    return path


def make_pptx(path: Path, slides: Sequence[Sequence[bytes]]) -> Path:
    """A slide for each list of pictures, with a line of words on it."""
    presentation = pptx.Presentation()
    for number, pictures in enumerate(slides, 1):
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        slide.shapes.add_textbox(0, 0, 900_000, 900_000).text_frame.text = f"Words of slide number {number}"
        for picture in pictures:
            slide.shapes.add_picture(io.BytesIO(picture), 0, 0)
    presentation.save(str(path))
    return path


def make_page(path: Path, source: str) -> Path:
    """A page with a picture in it, named by ``source``."""
    path.write_text(
        "<h1>Costs</h1><p>Before the picture there is text.</p>"
        f'<figure><img alt="Costs by year" src="{source}"><figcaption>Costs of the house</figcaption></figure>'
        "<p>After the picture there is text too.</p>"
    )
    return path


def as_data_address(picture: bytes) -> str:
    """The picture as a page has it in itself."""
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def make_epub(path: Path, picture: bytes) -> Path:
    """A book of one chapter with a picture."""
    container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    book = (
        '<package><metadata><title>A book</title></metadata><manifest><item id="c" href="text/c.xhtml"/></manifest>'
        '<spine><itemref idref="c"/></spine></package>'
    )
    chapter = (
        '<html><body><h1>Loomings</h1><p>Some words of it.</p><img src="../images/a.png" alt="A whale"/></body></html>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("OEBPS/book.opf", book)
        archive.writestr("OEBPS/text/c.xhtml", chapter)
        archive.writestr("OEBPS/images/a.png", picture)
    return path


def make_odt(path: Path, picture: bytes) -> Path:
    """A text of OpenDocument with a picture between two paragraphs."""
    namespaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0"'
        for name, kind in (("office", "office"), ("text", "text"), ("draw", "drawing"))
    )
    content = (
        f'<office:document-content {namespaces} xmlns:xlink="http://www.w3.org/1999/xlink"><office:body><office:text>'
        '<text:p>The words before it.</text:p><text:p><draw:frame><draw:image xlink:href="Pictures/a.png"/>'
        "</draw:frame></text:p><text:p>The words behind it.</text:p></office:text></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", content)
        archive.writestr("Pictures/a.png", picture)
    return path


class PdfMaker:
    """A PDF that PDFium writes, page by page; places count from the lower left corner, in points."""

    def __init__(self) -> None:
        self._document = pypdfium2.PdfDocument.new()
        self._page = self._document.new_page(*PAGE)

    def turn_page(self) -> None:
        self._finish_page()
        self._page = self._document.new_page(*PAGE)

    def write(self, left: float, bottom: float, text: str, size: float = 11) -> None:
        item = raw.FPDFPageObj_NewTextObj(self._document.raw, b"Helvetica", size)
        units = text.encode("utf-16-le") + b"\0\0"
        raw.FPDFText_SetText(item, (ctypes.c_ushort * (len(units) // 2)).from_buffer_copy(units))
        raw.FPDFPageObj_Transform(item, 1, 0, 0, 1, left, bottom)
        raw.FPDFPage_InsertObject(self._page.raw, item)

    def place(self, left: float, bottom: float, width: float, height: float, picture: bytes) -> None:
        item = pypdfium2.PdfImage.new(self._document)
        item.set_bitmap(pypdfium2.PdfBitmap.from_pil(Image.open(io.BytesIO(picture))))
        item.set_matrix(pypdfium2.PdfMatrix().scale(width, height).translate(left, bottom))
        self._page.insert_obj(item)

    def draw(self, left: float, bottom: float, width: float, height: float) -> None:
        """A filled area."""
        item = raw.FPDFPageObj_CreateNewRect(left, bottom, width, height)
        raw.FPDFPageObj_SetFillColor(item, 30, 60, 200, 255)
        raw.FPDFPath_SetDrawMode(item, raw.FPDF_FILLMODE_WINDING, 0)
        raw.FPDFPage_InsertObject(self._page.raw, item)

    def save(self, path: Path) -> Path:
        self._finish_page()
        self._document.save(str(path))
        return path

    def _finish_page(self) -> None:
        self._page.gen_content()
        self._page.close()
