"""Manual pages, their macros carried out by readers of our own, so that a page is the same on every machine.

``mandoc`` and ``man`` read them as well where they are installed; they write text for a screen, which says less of what is a term, an
example, a table than the macros do.
"""

import re
from collections.abc import Iterator

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.man.macros import ManReader
from ascertain.documents.formats.man.mdoc import MdocReader
from ascertain.documents.formats.man.page import Page
from ascertain.documents.formats.man.roff import Roff, is_man
from ascertain.documents.formats.plain.text import read_text
from ascertain.documents.formats.reader import Extracted, SourceFile, count_words, text_of


def read_man(file: SourceFile) -> Iterator[Extracted]:
    """The page; a file with the suffix of one that is none is plain text. Raises SourceError for one that only names another."""
    source = text_of(file).replace("\r\n", "\n").removeprefix("\ufeff")
    if not is_man(source):
        yield from read_text(file)
        return
    page = read_page(source)
    if not page.text.strip() and page.left_out:
        raise file.error(f"only points to {page.left_out[0].names[0]}; add that page")
    yield page


def read_page(source: str) -> Extracted:
    """A page in the macros of man(7) or mdoc(7)."""
    roff = Roff(source)
    page = Page()
    is_mdoc = re.search(r"^\.\s*Dd\b", source, re.MULTILINE) is not None and not re.search(
        r"^\.\s*TH\b", source, re.MULTILINE
    )
    reader = MdocReader(roff, page) if is_mdoc else ManReader(roff, page)
    for call in roff.calls():
        reader.take(call)
    page.end_all()
    title, date, shown = _read_header(reader)
    page.draft.leave_sections()
    page.draft.add(shown, kind=BlockKind.FURNITURE)
    text, blocks = page.draft.finish()
    title = _name_page(title, text)
    left_out: list[LeftOut] = []
    if roff.included:
        left_out.append(LeftOut("pages to be included", len(roff.included), 0, tuple(roff.included[:5])))
    if isinstance(reader, ManReader) and reader.equations:
        words = sum(count_words(line) for line in reader.equations)
        left_out.append(LeftOut("equations", len(reader.equations), words))
    return Extracted(text, title, published_at=parse_date(date), blocks=blocks, left_out=tuple(left_out))


def _read_header(reader: ManReader | MdocReader) -> tuple[str | None, str, str]:
    """Title, date, and what stands at the head and foot of the printed page."""
    if isinstance(reader, MdocReader):
        date = (
            next((each for each in reader.header if re.search(r"\d{4}", each)), "")
            .strip("$")
            .removeprefix("Mdocdate:")
            .strip()
        )
        named = next((each.split() for each in reader.header if re.fullmatch(r"\S+ \d\w*(?: \S+)?", each)), list[str]())
        shown = [each for each in reader.header if each]
    else:
        named, date, shown = (
            reader.header[:2],
            (reader.header[2:3] or [""])[0],
            [each for each in reader.header if each],
        )
    title = clean_line(f"{_own_case(named[0])}({named[1]})") if len(named) > 1 and named[0] and named[1] else None
    head = [f"{named[0]}({named[1]})", *shown[2:]] if title and isinstance(reader, ManReader) else shown
    return title, date, " · ".join(head)


_NAMED = re.compile(r"\A(?i:name)\s*\n+(?P<names>[^\n]{1,200}?)\s+[-–—]\s")


def _name_page(title: str | None, text: str) -> str | None:
    """``title``, but with the name that the section NAME gives first where it does not give that of the title at all: a page written by a
    program may be headed by the name of another.
    """
    match = _NAMED.match(text)
    if title is None or match is None:
        return title
    name, _, section = title.partition("(")
    names = [each.strip() for each in match["names"].split(",")]
    spelled = {re.sub(r"\W", "", each).casefold() for each in names}
    return title if re.sub(r"\W", "", name).casefold() in spelled or " " in names[0] else f"{names[0]}({section}"


def _own_case(name: str) -> str:
    """The name of a page, which many write in capitals at its head; their commands are in small letters."""
    return name.lower() if name.isupper() else name
