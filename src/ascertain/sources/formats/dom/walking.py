"""The walk over the elements of a page: every word that is shown, in its order, in the block that shows it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ascertain.core.blocks import BlockKind
from ascertain.core.documents import LeftOut
from ascertain.sources.formats.dom import elements as html
from ascertain.sources.formats.dom.formulas import formula_text
from ascertain.sources.formats.dom.notes import Notes
from ascertain.sources.formats.dom.tables import TableGrid, holds_data
from ascertain.sources.formats.dom.writing import HIDDEN, BlockWriter, Frame, note_marker, term_marker
from ascertain.sources.formats.draft import Draft, lowered, raised, short_line
from ascertain.sources.formats.reader import count_words

_Close = Callable[[], None]
"""What ends an element; an element without it is not entered."""

_ADMONITIONS = frozenset("note tip warning important caution danger hint attention error seealso".split())
_ADMONITION_TAGS = frozenset(("div", "aside", "section", "details", "blockquote"))
_ADMONITION_CLASSES = ("admonition", "admonitionblock", "markdown-alert")
_TITLE_CLASSES = ("admonition-title", "markdown-alert-title", "title")
_TITLE_DISTANCE = 14
"""Elements of an admonition among which its title is looked for; DocBook has a table around it."""
_CAPTIONED = ("figure", "table", "example", "equation", "informalfigure", "informalexample")
_LINE_NUMBERS = ("linenos", "lineno", "linenumber", "line-numbers", "linenodiv")
_MOST_NAMES = 5
_LONGEST_TERM = 6
"""Words of terms that share one description."""
_LONGEST_MARK = 2
_MOST_CHANGES = 4
"""Raised signs on raised signs that are written so: each is written again for those around it."""


@dataclass(slots=True)
class _Definitions:
    """A list of definitions, or a box that opens at a click, while it is read."""

    terms: list[str] = field(default_factory=list[str])
    has_links: bool = False
    note: str | None = None
    frame: Frame | None = None
    open_term: Any = None


@dataclass(slots=True)
class _Lost:
    count: int = 0
    names: dict[str, None] = field(default_factory=dict[str, None])


class Walk:
    """Reads elements into a draft, each met once when it begins and once when it ends, however deep it lies.

    ``furniture`` are elements that stand around the text. A heading of the words ``known_heading`` begins no section.
    """

    def __init__(self, draft: Draft, furniture: Collection[Any] = (), known_heading: str = "") -> None:
        self._writer = BlockWriter(draft)
        self._line = self._writer.line
        self._furniture = furniture
        self._known_heading = known_heading
        self._notes = Notes()
        self._tables: list[TableGrid | None] = []
        self._lists: list[html.ListCounter] = []
        self._definitions: list[_Definitions] = []
        self._box_titles: set[Any] = set()
        self._hides_cell = False
        self._furniture_depth = 0
        self._changes = 0
        self._lost: dict[str, _Lost] = {}

    def read(self, root: Any) -> None:
        """Add the blocks of ``root`` and all that is in it; the text behind it is not."""
        self._notes = Notes.of(root)
        waiting: list[tuple[Any, _Close | None]] = [(root, None)]
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
        """What was met and is not in the text. None of it are words that the page shows."""
        return tuple(LeftOut(what, lost.count, 0, tuple(lost.names)) for what, lost in self._lost.items())

    def _write(self, text: str | None) -> None:
        if not text:
            return
        if self._writer.verbatim_depth:
            self._line.write_verbatim(text.replace("\r\n", "\n").replace("\r", "\n"))
        elif not self._line.is_empty or not text.isspace():
            self._line.write(text)

    def _lose(self, what: str, name: object = "", count: int = 1) -> None:
        lost = self._lost.setdefault(what, _Lost())
        lost.count += count
        line = short_line(name, 80)
        if line and len(lost.names) < _MOST_NAMES:
            lost.names[line] = None

    def _open(self, element: Any) -> _Close | None:
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

    def _open_shown(self, element: Any, tag: str, style: dict[str, str]) -> _Close | None:
        if tag in html.REPLACED:
            return self._open_replaced(element, tag)
        if element in self._notes.references:
            self._line.drop_space()
            self._line.write_verbatim(f"[{self._notes.references[element]}]")
            return None
        if element in self._notes.notes and tag != "dt":
            return self._open_note(element)
        if style.get("white-space", "").startswith("pre") and tag not in html.VERBATIM and tag in html.BLOCKS:
            return self._open_verbatim(None if tag in ("td", "th", "tr", "table", "body") else element, BlockKind.PARAGRAPH)
        opening = _OPENINGS.get(tag)
        if opening is not None:
            return opening(self, element)
        if html.is_block(tag, style):
            return self._open_block(element)
        return self._open_inline(element)

    # What is not shown, or shows something else

    def _open_script(self, element: Any) -> None:
        """Formulas in TeX stand in scripts, which MathJax shows."""
        if str(element.get("type") or "").startswith("math/tex"):
            self._line.set_apart()
            self._line.write(html.words_in(element))
            self._line.set_apart()

    def _open_replaced(self, element: Any, tag: str) -> None:
        name = element.get("title") or element.get("src") or element.get("data")
        if tag not in ("noscript", "template", "canvas", "object") or html.words_in(element):
            self._lose(html.REPLACED[tag], name)
        if not self._writer.verbatim_depth:
            self._line.set_apart()

    def _open_hidden(self, element: Any, tag: str, style: dict[str, str]) -> _Close | None:
        if tag in ("tr", "td", "th") and self._tables and self._tables[-1] is not None:
            self._hides_cell = True
            return self._open_shown(element, tag, style)
        if tag not in html.BLOCKS or tag in html.REPLACED:
            words = count_words(html.words_in(element))
            if words and tag not in html.REPLACED:
                self._lose("hidden words", html.words_in(element), words)
            return None
        frame = self._writer.begin(BlockKind.PARAGRAPH, marker=HIDDEN, is_hidden=True)
        close = self._open_shown(element, tag, style)
        if close is None:
            self._writer.end(frame)
            return None
        return partial(self._close_both, close, frame)

    def _close_both(self, close: _Close, frame: Frame) -> None:
        close()
        self._writer.end(frame)

    def _close_furniture(self) -> None:
        self._furniture_depth -= 1
        self._writer.add_furniture(self._writer.end_capture())

    # Blocks

    def _open_block(self, element: Any) -> _Close:
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

    def _open_admonition(self, title: Any, element: Any) -> _Close:
        names = [name for name in str(element.get("class") or "").lower().split() if name in _ADMONITIONS]
        label = names[0].capitalize() if names else None
        if title is not element:
            self._box_titles.add(title)
            label = short_line(html.words_in(title), 100)
        return partial(self._writer.end, self._writer.begin(BlockKind.ADMONITION, label))

    def _open_heading(self, element: Any) -> _Close:
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

    def _open_pre(self, element: Any) -> _Close | None:
        if html.has_class(element, *_LINE_NUMBERS) or html.has_class(element.getparent(), *_LINE_NUMBERS):
            self._lose("columns of line numbers")
            return None
        return self._open_verbatim(element, BlockKind.CODE)

    def _open_verbatim(self, element: Any, kind: BlockKind) -> _Close:
        if element is None:
            return self._open_inline(element)
        self._writer.flush()
        self._writer.verbatim_depth += 1
        return partial(self._close_verbatim, html.code_language(element) if kind is BlockKind.CODE else None, kind)

    def _close_verbatim(self, language: str | None, kind: BlockKind) -> None:
        self._writer.verbatim_depth -= 1
        if not self._writer.verbatim_depth:
            self._writer.add(self._line.take(), kind, label=language)
        else:
            self._writer.flush()

    def _open_note(self, element: Any) -> _Close:
        label = self._notes.notes[element]
        grid = next((each for each in self._tables if each is not None), None)
        if grid is not None:
            self._writer.begin_capture()
            return partial(self._close_cell_note, grid, label)
        return partial(self._writer.end, self._writer.begin(BlockKind.FOOTNOTE, label, note_marker(label)))

    def _close_cell_note(self, grid: TableGrid, label: str | None) -> None:
        grid.behind.append(partial(self._writer.add_note, label, "\n".join(self._writer.end_capture())))

    # Lists

    def _open_list(self, element: Any) -> _Close:
        self._writer.flush()
        first = next((child for child in element if child.tag == "li"), None)
        self._lists.append(html.ListCounter(element, html.local_tag(element)))
        frame = None if first in self._notes.notes else self._writer.begin(BlockKind.LIST)
        return partial(self._close_list, frame)

    def _close_list(self, frame: Frame | None) -> None:
        self._lists.pop()
        if frame is not None:
            self._writer.end(frame)
        self._writer.flush()

    def _open_item(self, element: Any) -> _Close:
        marker = self._lists[-1].next_marker(element) if self._lists else "-"
        indent = "  " * (len(self._lists) - 1)
        return partial(self._writer.end, self._writer.begin(BlockKind.ITEM, marker, f"{indent}{marker} "))

    def _open_definitions(self, element: Any) -> _Close:
        if element.tag == "details" and (title := _admonition_title(element)) is not None:
            return self._open_admonition(title, element)
        self._writer.flush()
        self._definitions.append(_Definitions())
        return self._close_definitions

    def _close_definitions(self) -> None:
        self._end_term()
        self._end_description()
        for term in self._definitions.pop().terms:
            self._writer.add(term)

    def _end_description(self) -> None:
        self._writer.flush()
        definitions = self._definitions[-1]
        if definitions.frame is not None:
            self._writer.end(definitions.frame)
            definitions.frame = None

    def _open_term(self, element: Any) -> _Close:
        is_summary = element.tag == "summary"
        if not self._definitions or element in self._box_titles or (is_summary and element.getparent().tag != "details"):
            self._writer.flush()
            return self._writer.flush
        self._end_term()
        self._end_description()
        self._definitions[-1].open_term = element
        self._writer.begin_capture()
        self._line.open_inline(is_verbatim=html.has_class(element, "sig"))
        return partial(self._close_term, self._definitions[-1], element)

    def _close_term(self, definitions: _Definitions, element: Any) -> None:
        if definitions is self._definitions[-1] and definitions.open_term is element:
            self._end_term()
            if element.tag == "summary":
                self._begin_description()

    def _end_term(self) -> None:
        """End the term that is being read; parsers leave one open in front of the next."""
        definitions = self._definitions[-1]
        element, definitions.open_term = definitions.open_term, None
        if element is None:
            return
        self._line.close_inline()
        term = " ".join(self._writer.end_capture())
        if element in self._notes.notes:
            definitions.note = self._notes.notes[element]
            if term.strip("[]() ") in ("", definitions.note):
                return
        if term:
            definitions.terms.append(term)
            definitions.has_links = definitions.has_links or next(element.iter("a"), None) is not None

    def _open_description(self, element: Any) -> _Close:
        if self._definitions:
            self._end_term()
        if self._definitions and (self._definitions[-1].terms or self._definitions[-1].note):
            self._end_description()
            self._begin_description()
        self._writer.flush()
        return self._writer.flush

    def _begin_description(self) -> None:
        definitions = self._definitions[-1]
        terms, note = definitions.terms, definitions.note
        definitions.terms, definitions.note = [], None
        if note:
            definitions.frame = self._writer.begin(BlockKind.FOOTNOTE, note, note_marker(note))
        elif terms:
            if definitions.has_links or any(len(term.split()) > _LONGEST_TERM for term in terms):
                for term in terms[:-1]:
                    self._writer.add(term)
                del terms[:-1]
            term = ", ".join(terms)
            definitions.frame = self._writer.begin(BlockKind.DEFINITION, term, term_marker(term))
        definitions.has_links = False

    # Tables

    def _open_table(self, element: Any) -> _Close:
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
        add = partial(self._writer.add_table, *grid.finish())
        outer = next((each for each in self._tables if each is not None), None)
        if outer is not None:
            outer.behind += [add, *grid.behind]
            return
        for each in (add, *grid.behind):
            each()

    def _open_row(self, element: Any) -> _Close:
        self._writer.flush()
        grid = self._tables[-1] if self._tables else None
        if grid is None:
            return self._writer.flush
        above = element.getparent()
        grid.begin_row(is_head=above is not None and above.tag == "thead")
        return grid.end_row

    def _open_row_group(self, element: Any) -> _Close:
        self._writer.flush()
        grid = self._tables[-1] if self._tables else None
        return self._writer.flush if grid is None else grid.end_group

    def _open_cell(self, element: Any) -> _Close:
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

    def _open_caption(self, element: Any) -> _Close:
        self._writer.begin_capture()
        return self._close_caption

    def _close_caption(self) -> None:
        self._writer.add("\n".join(self._writer.end_capture()), BlockKind.CAPTION)

    # Inline elements

    def _open_inline(self, element: Any) -> _Close | None:
        if element is not None and element.get("class") and _is_second_formula(element):
            return None
        self._line.open_inline(is_verbatim=element is not None and html.local_tag(element) in html.VERBATIM)
        return self._line.close_inline

    def _open_link(self, element: Any) -> _Close | None:
        is_inside = str(element.get("href") or "").startswith("#")
        if is_inside or element in self._notes.back_links:
            words = html.words_in(element)
            # signs that lead to the heading they stand behind, or back to the text
            is_mark = len(words) <= _LONGEST_MARK and not any(each.isalnum() for each in words)
            if (is_mark and next(element.iter("img"), None) is None) or self._repeats_label(element, words):
                return None
        return self._open_inline(element)

    def _repeats_label(self, link: Any, words: str) -> bool:
        if link not in self._notes.back_links:
            return False
        label = words.strip("[]()^. ")
        return any(label == self._notes.notes.get(above) for above in link.iterancestors())

    def _break_line(self, element: Any) -> None:
        if self._writer.verbatim_depth:
            self._line.write_verbatim("\n")
        elif self._line.ends_line or self._writer.holds_values:
            self._writer.flush()
        elif not self._line.is_empty:
            self._line.break_line()

    def _end_block(self, element: Any) -> None:
        self._writer.flush()

    def _open_embedded(self, element: Any) -> _Close | None:
        """To libxml2 it holds what stands behind it."""
        self._lose("embedded objects", element.get("title") or element.get("src"))
        return self._open_inline(element)

    def _open_raised(self, element: Any) -> _Close | None:
        return self._open_changed(element, raised)

    def _open_lowered(self, element: Any) -> _Close | None:
        return self._open_changed(element, lowered)

    def _open_struck(self, element: Any) -> _Close | None:
        return self._open_changed(element, "~~{}~~".format)

    def _open_ruby_text(self, element: Any) -> _Close | None:
        return self._open_changed(element, "({})".format)

    def _open_changed(self, element: Any, change: Callable[[str], str]) -> _Close | None:
        if self._changes == _MOST_CHANGES:
            return self._open_inline(element)
        self._changes += 1
        return partial(self._close_changed, self._line.mark(), change)

    def _close_changed(self, mark: tuple[int, int], change: Callable[[str], str]) -> None:
        """Write again what was written since ``mark``, its spaces outside."""
        self._changes -= 1
        text = self._line.cut(mark)
        words = text.strip()
        if not words:
            self._line.write_verbatim(text)
            return
        if text[0].isspace():
            self._line.set_apart()
        self._line.write_verbatim(change(words))
        if text[-1].isspace():
            self._line.set_apart()

    def _open_quote(self, element: Any) -> _Close:
        self._line.write_verbatim("“")
        return partial(self._line.write_verbatim, "”")

    def _open_button(self, element: Any) -> _Close:
        self._line.set_apart()
        return self._line.set_apart

    def _add_input(self, element: Any) -> None:
        kind = str(element.get("type") or "text").lower()
        value = str(element.get("value") or "")
        if kind in ("checkbox", "radio"):
            marks = "☐☑" if kind == "checkbox" else "○◉"
            self._line.set_apart()
            self._line.write_verbatim(f"{marks[element.get('checked') is not None]} ")
        elif kind in ("submit", "button", "reset", "image"):
            self._line.set_apart()
            self._line.write(value or str(element.get("alt") or ""))
            self._line.set_apart()
        elif kind not in ("hidden", "password"):
            self._writer.write_value(value or str(element.get("placeholder") or ""))

    def _add_select(self, element: Any) -> None:
        options: list[str] = []
        for option in element.iter("option"):
            text = html.words_in(option) or str(option.get("label") or "")
            options.append(f"◉ {text}" if text and option.get("selected") is not None else text)
        self._writer.write_value(" / ".join(filter(None, options)))

    def _add_text_area(self, element: Any) -> None:
        self._writer.write_value(html.words_in(element) or str(element.get("placeholder") or ""))

    def _add_picture(self, element: Any) -> None:
        """The words for a picture are no part of the page, but those of a formula, a sign, or a link that has no others."""
        alternative = str(element.get("alt") or "").strip()
        above = element.getparent()
        is_link = above is not None and above.tag == "a" and not html.words_in(above)
        is_sign = 0 < len(alternative) <= _LONGEST_MARK and not alternative.isalnum()
        if alternative and (is_link or is_sign or html.has_class(element, "math", "tex", "latex", "mwe-math-fallback-image-inline")):
            if not is_sign:
                self._line.set_apart()
            self._line.write(alternative)
        else:
            self._lose("pictures", alternative or element.get("src"))
        if not is_sign and not self._writer.verbatim_depth:
            self._line.set_apart()

    def _add_formula(self, element: Any) -> None:
        if element.get("display") == "block":
            self._writer.flush()
            self._writer.add(formula_text(element))
        else:
            self._line.write_verbatim(formula_text(element))

    def _add_drawing(self, element: Any) -> None:
        texts = [html.words_in(each) for each in element.iter() if html.local_tag(each) in ("text", "foreignObject", "foreignobject")]
        texts = [text for text in texts if text]
        self._line.set_apart()
        if len(texts) > 1 and not self._writer.verbatim_depth:
            self._writer.flush()
            self._writer.add("\n".join(texts))
        elif texts:
            self._line.write(" ".join(texts))
            self._line.set_apart()


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


def _is_second_formula(element: Any) -> bool:
    """What KaTeX and MathJax draw of a formula that stands in the page as MathML or TeX too."""
    if html.has_class(element, "katex-html"):
        return True
    if not html.has_class(element, "MathJax", "MathJax_Display", "MathJax_Preview", "MathJax_SVG", "MathJax_CHTML"):
        return False
    return any(
        each.tag == "script" and str(each.get("type") or "").startswith("math/tex")
        for _, each in zip(range(3), element.itersiblings(), strict=False)
    )


_OPENINGS: dict[str, Callable[[Walk, Any], _Close | None]] = {
    **dict.fromkeys(html.HEADINGS, Walk._open_heading),
    **dict.fromkeys(("pre", "xmp", "listing", "plaintext"), Walk._open_pre),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), Walk._open_list),
    "li": Walk._open_item,
    **dict.fromkeys(("dl", "details"), Walk._open_definitions),
    **dict.fromkeys(("dt", "summary"), Walk._open_term),
    "dd": Walk._open_description,
    "table": Walk._open_table,
    "tr": Walk._open_row,
    **dict.fromkeys(("thead", "tbody", "tfoot"), Walk._open_row_group),
    **dict.fromkeys(("td", "th"), Walk._open_cell),
    "caption": Walk._open_caption,
    "a": Walk._open_link,
    "br": Walk._break_line,
    "hr": Walk._end_block,
    "embed": Walk._open_embedded,
    "sup": Walk._open_raised,
    "sub": Walk._open_lowered,
    **dict.fromkeys(("del", "s", "strike"), Walk._open_struck),
    **dict.fromkeys(("rt", "rtc"), Walk._open_ruby_text),
    "q": Walk._open_quote,
    "button": Walk._open_button,
    "input": Walk._add_input,
    "select": Walk._add_select,
    "textarea": Walk._add_text_area,
    **dict.fromkeys(("img", "image"), Walk._add_picture),
    "math": Walk._add_formula,
    "svg": Walk._add_drawing,
}
