"""The walk over the elements of a page: every word that is shown, in its order, in the block that shows it."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.dom import elements as html
from ascertain.documents.formats.dom.lists import Lists
from ascertain.documents.formats.dom.notes import Notes
from ascertain.documents.formats.dom.phrases import Phrases, decode_data_address
from ascertain.documents.formats.dom.tables import TableGrid, TablePart, holds_data
from ascertain.documents.formats.dom.writing import BlockWriter, Close, Frame, note_marker, term_marker
from ascertain.documents.formats.drafts.draft import HIDDEN, Draft, short_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.reader import count_words

_ADMONITIONS = frozenset("note tip warning important caution danger hint attention error seealso".split())
_ADMONITION_TAGS = frozenset(("div", "aside", "section", "details", "blockquote"))
_ADMONITION_CLASSES = ("admonition", "admonitionblock", "markdown-alert")
_TITLE_CLASSES = ("admonition-title", "markdown-alert-title", "title")
_TITLE_DISTANCE = 14
"""Elements of an admonition among which its title is looked for; DocBook has a table around it."""
_CAPTIONED = ("figure", "table", "example", "equation", "informalfigure", "informalexample")
_LINE_NUMBERS = ("linenos", "lineno", "linenumber", "line-numbers", "linenodiv")


class Walk:
    """Reads elements into a draft, each met once when it begins and once when it ends, however deep it lies.

    ``furniture`` are elements that stand around the text. A heading of the words ``known_heading`` begins no section.
    """

    def __init__(
        self,
        draft: Draft,
        furniture: Collection[Any] = (),
        known_heading: str = "",
        load_picture: Callable[[str], bytes] = decode_data_address,
    ) -> None:
        self._writer = BlockWriter(draft)
        self._line = self._writer.line
        self._losses = Losses()
        self._furniture = furniture
        self._furniture_depth = 0
        self._known_heading = known_heading
        self._notes = Notes()
        self._tables: list[TableGrid | None] = []
        self._hides_cell = False
        self._box_titles: set[Any] = set()
        self._phrases = Phrases(self._writer, self._losses, load_picture)
        self._lists = Lists(self._writer, self._box_titles)
        self._openings: dict[str, Callable[[Any], Close | None]] = {
            **self._phrases.openings,
            **self._lists.openings,
            **dict.fromkeys(html.HEADINGS, self._open_heading),
            **dict.fromkeys(("pre", "xmp", "listing", "plaintext"), self._open_pre),
            "table": self._open_table,
            "tr": self._open_row,
            **dict.fromkeys(("thead", "tbody", "tfoot"), self._open_row_group),
            **dict.fromkeys(("td", "th"), self._open_cell),
            "caption": self._open_caption,
        }

    def read(self, root: Any) -> None:
        """Add the blocks of ``root`` and all that is in it; the text behind it is not."""
        self._notes = self._phrases.notes = self._lists.notes = Notes.of(root)
        waiting: list[tuple[Any, Close | None]] = [(root, None)]
        while waiting:
            element, close = waiting.pop()
            if close is not None:
                close()
            elif (close := self._open(element)) is not None:
                self._write(element.text)
                waiting.append((element, close))
                waiting += [(child, None) for child in reversed(element)]
                continue
            if element is not root:
                self._write(element.tail)
        self._writer.flush()

    def left_out(self) -> tuple[LeftOut, ...]:
        """What was met and is not in the text."""
        return self._losses.left_out()

    def _write(self, text: str | None) -> None:
        if not text:
            return
        if self._writer.verbatim_depth:
            self._line.write_verbatim(text.replace("\r\n", "\n").replace("\r", "\n"))
        elif not self._line.is_empty or not text.isspace():
            self._line.write(text)

    def _open(self, element: Any) -> Close | None:
        tag = html.local_tag(element)
        if element in self._furniture:
            self._writer.begin_capture()
            self._furniture_depth += 1
            return self._close_furniture
        if not tag or tag == "script" or tag in html.SILENT:
            return self._open_script(element) if tag == "script" else None
        style = html.style_of(element)
        if html.is_hidden(element, style) or (tag == "dialog" and element.get("open") is None):
            return self._open_hidden(element, tag, style)
        return self._open_shown(element, tag, style)

    def _open_shown(self, element: Any, tag: str, style: dict[str, str]) -> Close | None:
        if tag in html.REPLACED:
            return self._open_replaced(element, tag)
        if element in self._notes.references:
            self._line.drop_space()
            self._line.write_verbatim(f"[{self._notes.references[element]}]")
            return None
        if element in self._notes.notes and tag != "dt":
            return self._open_note(element)
        if style.get("white-space", "").startswith("pre") and tag not in html.VERBATIM and tag in html.BLOCKS:
            return self._open_verbatim(
                None if tag in ("td", "th", "tr", "table", "body") else element, BlockKind.PARAGRAPH
            )
        if tag == "details" and (title := _admonition_title(element)) is not None:
            return self._open_admonition(title, element)
        opening = self._openings.get(tag)
        if opening is not None:
            return opening(element)
        return self._open_block(element) if html.is_block(tag, style) else self._phrases.open_inline(element)

    def _open_script(self, element: Any) -> None:
        """Formulas in TeX stand in scripts, which MathJax shows."""
        if str(element.get("type") or "").startswith("math/tex"):
            self._line.set_apart()
            self._line.write(html.words_in(element))
            self._line.set_apart()

    def _open_replaced(self, element: Any, tag: str) -> None:
        name = element.get("title") or element.get("src") or element.get("data")
        if tag not in ("noscript", "template", "canvas", "object") or html.words_in(element):
            self._losses.add(html.REPLACED[tag], name=name)
        if not self._writer.verbatim_depth:
            self._line.set_apart()

    def _open_hidden(self, element: Any, tag: str, style: dict[str, str]) -> Close | None:
        if tag in ("tr", "td", "th") and self._tables and self._tables[-1] is not None:
            self._hides_cell = True
            return self._open_shown(element, tag, style)
        if tag not in html.BLOCKS or tag in html.REPLACED:
            words = count_words(html.words_in(element))
            if words and tag not in html.REPLACED:
                self._losses.add("hidden words", name=html.words_in(element), count=words)
            return None
        frame = self._writer.begin(BlockKind.PARAGRAPH, marker=HIDDEN, is_hidden=True)
        close = self._open_shown(element, tag, style)
        if close is None:
            self._writer.end(frame)
            return None
        return partial(self._close_both, close, frame)

    def _close_both(self, close: Close, frame: Frame) -> None:
        close()
        self._writer.end(frame)

    def _close_furniture(self) -> None:
        self._furniture_depth -= 1
        self._writer.add_furniture(self._writer.end_capture())

    def _open_block(self, element: Any) -> Close:
        title = _admonition_title(element)
        if title is not None:
            return self._open_admonition(title, element)
        if html.role_of(element) == "heading":
            return self._open_heading(element)
        tag = element.tag
        if tag == "figcaption" or html.has_class(element, "caption") or _is_caption(element):
            return partial(self._writer.end, self._writer.begin(BlockKind.CAPTION))
        if tag == "blockquote":
            return partial(self._writer.end, self._writer.begin(BlockKind.QUOTATION))
        if tag in ("section", "article", "aside"):
            return partial(self._writer.end, self._writer.begin_sections())
        self._writer.flush()
        return self._writer.flush

    def _open_admonition(self, title: Any, element: Any) -> Close:
        names = [name for name in str(element.get("class") or "").lower().split() if name in _ADMONITIONS]
        label = names[0].capitalize() if names else None
        if title is not element:
            self._box_titles.add(title)
            label = short_line(html.words_in(title), 100)
        return partial(self._writer.end, self._writer.begin(BlockKind.ADMONITION, label))

    def _open_heading(self, element: Any) -> Close:
        if element in self._box_titles or self._writer.is_capturing or self._writer.verbatim_depth:
            self._writer.flush()
            return self._writer.flush
        level = html.whole_number(element.get("aria-level"), 2)
        if html.local_tag(element) in html.HEADINGS:
            level = int(html.local_tag(element)[1])
        self._writer.begin_capture()
        return partial(self._close_heading, max(1, min(level, 9)))

    def _close_heading(self, level: int) -> None:
        text = " ".join(self._writer.end_capture())
        if text and text == self._known_heading:
            self._writer.add(text, BlockKind.HEADING, level=level)
        else:
            self._writer.add_heading(text, level)

    def _open_pre(self, element: Any) -> Close | None:
        if html.has_class(element, *_LINE_NUMBERS) or html.has_class(element.getparent(), *_LINE_NUMBERS):
            self._losses.add("columns of line numbers")
            return None
        return self._open_verbatim(element, BlockKind.CODE)

    def _open_verbatim(self, element: Any, kind: BlockKind) -> Close:
        self._writer.flush()
        self._writer.verbatim_depth += 1
        return partial(self._close_verbatim, html.code_language(element) if kind is BlockKind.CODE else None, kind)

    def _close_verbatim(self, language: str | None, kind: BlockKind) -> None:
        self._writer.verbatim_depth -= 1
        if not self._writer.verbatim_depth:
            self._writer.add(self._line.take(), kind, label=language)
        else:
            self._writer.flush()

    def _open_note(self, element: Any) -> Close:
        label = self._notes.notes[element]
        grid = next((each for each in self._tables if each is not None), None)
        if grid is not None:
            self._writer.begin_capture()
            return partial(self._close_cell_note, grid, label)
        return partial(self._writer.end, self._writer.begin(BlockKind.FOOTNOTE, label, note_marker(label)))

    def _close_cell_note(self, grid: TableGrid, label: str | None) -> None:
        grid.behind.append(partial(self._writer.add_note, label, "\n".join(self._writer.end_capture())))

    def _open_table(self, element: Any) -> Close:
        is_box = self._writer.begins_admonition or self._furniture_depth > 0
        is_data = not is_box and holds_data(element, len(self._tables))
        self._writer.flush()
        self._tables.append(TableGrid() if is_data else None)
        return self._close_table

    def _close_table(self) -> None:
        self._writer.flush()
        grid = self._tables.pop()
        if grid is None:
            return
        add = partial(self._add_parts, grid.finish())
        outer = next((each for each in self._tables if each is not None), None)
        if outer is not None:
            outer.behind += [add, *grid.behind]
            return
        for each in (add, *grid.behind):
            each()

    def _add_parts(self, parts: list[TablePart]) -> None:
        for part in parts:
            self._writer.add(part.caption)
            if not part.is_glossary:
                self._writer.add_table(part.rows, part.header_rows)
                continue
            for name, meaning in part.rows:
                frame = self._writer.begin(BlockKind.DEFINITION, name, term_marker(name))
                self._writer.add(meaning)
                self._writer.end(frame)

    def _open_row(self, element: Any) -> Close:
        self._writer.flush()
        grid = self._tables[-1] if self._tables else None
        if grid is None:
            return self._writer.flush
        above = element.getparent()
        grid.begin_row(is_head=above is not None and above.tag == "thead")
        return grid.end_row

    def _open_row_group(self, element: Any) -> Close:
        self._writer.flush()
        grid = self._tables[-1] if self._tables else None
        return self._writer.flush if grid is None else grid.end_group

    def _open_cell(self, element: Any) -> Close:
        grid = self._tables[-1] if self._tables else None
        if grid is None:
            self._writer.flush()
            return self._writer.flush
        self._writer.begin_capture()
        return partial(self._close_cell, grid, element)

    def _close_cell(self, grid: TableGrid, element: Any) -> None:
        text = " / ".join(self._writer.end_capture())
        if text and self._hides_cell:
            text = HIDDEN + text
            self._hides_cell = False
        grid.add_cell(text, element)

    def _open_caption(self, element: Any) -> Close:
        self._writer.begin_capture()
        return self._close_caption

    def _close_caption(self) -> None:
        self._writer.add("\n".join(self._writer.end_capture()), BlockKind.CAPTION)


def _admonition_title(element: Any) -> Any:
    """The title of an admonition, or the element itself where its title is not shown; None for what is none."""
    classes, role = set(str(element.get("class") or "").lower().split()), html.role_of(element)
    is_named = element.tag in _ADMONITION_TAGS and not classes.isdisjoint(_ADMONITIONS)
    if not is_named and role not in ("note", "doc-tip", "doc-notice") and classes.isdisjoint(_ADMONITION_CLASSES):
        return None
    for number, each in enumerate(element.iter()):
        if number > _TITLE_DISTANCE:
            break
        tag = html.local_tag(each)
        is_title = tag in html.HEADINGS or tag in ("th", "summary", "legend") or html.has_class(each, *_TITLE_CLASSES)
        if each is not element and is_title and html.words_in(each):
            return each
        if tag == "p" and each is not element:
            break
    return element


def _is_caption(element: Any) -> bool:
    """DocBook, Asciidoctor: ``p`` or ``div`` of the class ``title`` straight in a figure."""
    above = element.getparent()
    return above is not None and html.has_class(element, "title") and html.has_class(above, *_CAPTIONED)
