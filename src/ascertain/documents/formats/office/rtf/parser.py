"""Parses RTF into stories: one pass over its tokens, a copy of the format for each group, no recursion."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree import ElementTree

from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.numerals import write_number
from ascertain.documents.formats.office.formulas import word_formula
from ascertain.documents.formats.office.rtf.destinations import (
    FACTS,
    FURNITURE,
    READ,
    SKIPPED,
    SUB_STORIES,
    Form,
    form_field,
    form_text,
)
from ascertain.documents.formats.office.rtf.parts import Format, Note, RtfParagraph, RtfStyle, Story
from ascertain.documents.formats.office.rtf.rows import StoryBuilder
from ascertain.documents.formats.office.rtf.tokens import SIGN_CHARSET, Token, charset_page, code_page, iter_tokens
from ascertain.documents.formats.office.stories import BULLET, Look
from ascertain.documents.formats.office.symbol_fonts import read_signs, symbol_sign

MOST_GROUPS = 1000
"""Of groups in each other; programs write some twenty."""
_MOST_FORMULA_GROUPS = 60
_SIGNS = {
    "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•", "tab": "\t",
    "line": "\n", "lbr": "\n", "softline": "\n", "page": "\n", "column": "\n", "enspace": " ", "emspace": " ", "qmspace": " ", "zwj": "\u200d",
    "zwnj": "\u200c",
}  # fmt: skip
_SYMBOLS = {b"~": " ", b"_": "-", b"-": "", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n", b"\r": "\n", b"\t": "\t"}
_BREAKS = frozenset({b"\n", b"\r"})
"""A backslash before the end of a line is a paragraph mark."""
_NOTE_FORMATS = {
    "ar": "decimal",
    "alc": "lowerLetter",
    "auc": "upperLetter",
    "rlc": "lowerRoman",
    "ruc": "upperRoman",
    "chi": "chicago",
}
_KNOWN = READ.keys() | SUB_STORIES.keys() | FURNITURE | {"oMath", "moMath"}
"""Destinations that are read although a ``\\*`` lets other readers skip them."""
_LEAST_SHIFT = 4
"""Half-points from which ``\\upN`` and ``\\dnN`` make a figure an exponent or an index, and no correction of a line."""


@dataclass(slots=True)
class _Group:
    format: Format
    destination: str = "text"
    ends: str = ""
    """What ends with it: story, field, fact, name of a style ..."""
    text: list[str] = field(default_factory=list[str])
    element: ElementTree.Element | None = None
    depth: int = 0


class RtfParser:
    """The stories, styles and facts of one file, after ``parse``."""

    def __init__(self, losses: Losses) -> None:
        self.losses = losses
        self.body = Story()
        self.furniture: list[Story] = []
        self.styles: dict[int, RtfStyle] = {}
        self.facts: dict[str, str] = {}
        self.dates: dict[str, dict[str, int]] = {}
        self.is_cut_off = False
        self._groups: list[_Group] = [_Group(Format())]
        self._builders = [StoryBuilder(self.body)]
        self._notes: list[Note] = []
        self._forms: list[Form] = []
        self._bytes = bytearray()
        self._is_bare = False
        """Whether some of the bytes stand in the file as they are, which RTF does not know; programs write them all the same."""
        self._page = "cp1252"
        self._default_font = 0
        self._font_pages: dict[int, str] = {}
        self._sign_fonts: dict[int, str] = {}
        self._to_skip = 0
        self._high_unit = 0
        self._is_starred = False
        self._author = ""
        self._shape_name = ""
        self._counts = {"footnote": 0, "endnote": 0}
        self._note_formats = {"footnote": "decimal", "endnote": "decimal"}

    def parse(self, data: bytes) -> None:
        """Read a whole file. Raises ValueError where groups lie too deep in each other."""
        for token in iter_tokens(data):
            if token.kind not in ("byte", "text"):
                self._flush()
            self._read_token(token)
            if len(self._groups) == 1 and token.value == b"}":
                break
        self._flush()
        self.is_cut_off = len(self._groups) > 1
        while len(self._groups) > 1:
            self._end_group()
        self._builders[0].finish()

    def _read_token(self, token: Token) -> None:
        group = self._groups[-1]
        if token.kind == "group":
            self._to_skip = 0
            if token.value == b"{":
                self._begin_group()
            else:
                self._end_group()
        elif group.destination == "skip":
            return
        elif token.kind in ("byte", "text"):
            skipped = min(self._to_skip, len(token.value))
            self._to_skip -= skipped
            self._bytes += token.value[skipped:]
            self._is_bare = self._is_bare or (token.kind == "text" and not token.value.isascii())
        elif token.kind == "sign":
            self._read_sign(token.value)
        else:
            self._read_word(token.value.decode("ascii"), token.number)
            self._is_starred = False

    def _read_sign(self, sign: bytes) -> None:
        if sign == b"*":
            self._is_starred = True
        elif self._to_skip:
            self._to_skip -= 1
        elif sign in _BREAKS and self._groups[-1].destination == "text":
            self._builders[-1].end_paragraph()
        else:
            self._emit(_SYMBOLS.get(sign, ""))

    def _begin_group(self) -> None:
        if len(self._groups) >= MOST_GROUPS:
            raise ValueError
        above = self._groups[-1]
        self._groups.append(_Group(above.format.copy(), above.destination, depth=above.depth))
        self._is_starred = False

    def _end_group(self) -> None:
        if len(self._groups) == 1:
            return
        group = self._groups.pop()
        text = "".join(group.text)
        above = self._groups[-1]
        if group.ends == "story":
            self._builders.pop().finish()
        elif group.ends == "note":
            self._end_note()
        elif group.ends == "field":
            self._end_field()
        elif group.ends == "formula" and group.element is not None:
            self._emit(word_formula(group.element))
        elif group.ends in FACTS:
            self.facts.setdefault(group.ends, clean_line(text))
        elif group.ends == "marker":
            self._builders[-1].paragraph.marker = self._clean_marker(text)
        elif group.ends == "comment author":
            self._author = clean_line(text)
        elif group.ends == "shape name":
            self._shape_name = text.strip()
        elif group.ends == "shape value" and self._shape_name == "gtextUNICODE":
            story = Story([RtfParagraph([(clean_line(text), Look())])])
            self._builders[-1].paragraph.notes.append(Note("box", story))
        elif group.ends in ("form name", "form entry") and self._forms:
            self._forms[-1].add(group.ends, clean_line(text))
        elif group.destination == "styles" and above.destination == "styles" and text:
            self.styles.setdefault(group.format.style, RtfStyle()).name = text.partition(";")[0].strip()

    def _clean_marker(self, text: str) -> str:
        marker = " ".join(text.split())
        return marker if any(map(str.isalnum, marker)) and marker != "o" else BULLET if marker else ""

    def _end_note(self) -> None:
        note = self._notes.pop()
        self._builders.pop().finish()
        if note.kind in self._counts:
            self._counts[note.kind] += 1
            note.mark = write_number(self._counts[note.kind], self._note_formats[note.kind])
        paragraph = self._builders[-1].paragraph
        paragraph.notes.append(note)
        if note.mark and paragraph.pieces:
            paragraph.pieces.append((f"[{note.mark}]", Look()))

    def _end_field(self) -> None:
        if not self._forms:
            return
        form = self._forms.pop()
        pieces = self._builders[-1].paragraph.pieces
        if form.kind == 1 or not pieces[form.result :]:
            self._emit(form_text(form))
        found = form_field(form, "".join(text for text, _ in pieces[form.result :]))
        if found is not None:
            self._builders[-1].paragraph.fields.append(found)

    def _read_word(self, word: str, number: int | None) -> None:
        group = self._groups[-1]
        is_starred = self._is_starred
        if word == "u" and number is not None:
            self._emit_unit(number % 0x10000)
            self._to_skip = group.format.fallback
        elif word in _SIGNS:
            if self._to_skip:
                self._to_skip -= 1
            else:
                self._emit(_SIGNS[word])
        elif group.destination == "formula" and word.startswith("m") and number is None:
            self._begin_formula_part(word)
        elif self._enter(group, word, number, is_starred=is_starred):
            pass
        elif group.destination in ("fonts", "styles", "date"):
            self._read_table_word(group, word, number)
        elif not self._read_look(group.format, word, number):
            self._read_structure(group, word, number)

    def _enter(self, group: _Group, word: str, number: int | None, *, is_starred: bool) -> bool:
        """Whether ``word`` made its group a destination."""
        if word in SKIPPED or (is_starred and word not in _KNOWN):
            if word == "pict" and group.destination != "skip":
                self.losses.add("pictures")
            group.destination = "skip"
        elif word in SUB_STORIES or word in FURNITURE:
            self._begin_story(group, word)
        elif word in ("oMath", "moMath"):
            group.destination, group.ends, group.element = "formula", "formula", ElementTree.Element("oMath")
        elif word in READ:
            destination, group.ends = READ[word]
            if word == "fldrslt" and group.destination == "code":
                return True
            group.destination = destination or group.destination
            if word == "field":
                self._forms.append(Form())
            elif word == "fldrslt" and self._forms:
                self._forms[-1].result = len(self._builders[-1].paragraph.pieces)
            elif word in ("object", "objocx"):
                self.losses.add("embedded objects")
            elif group.destination == "date":
                self.dates[word] = {}
                group.ends = word
        else:
            return False
        return True

    def _begin_story(self, group: _Group, word: str) -> None:
        story = Story()
        if word in FURNITURE:
            self.furniture.append(story)
            group.ends = "story"
        else:
            author, self._author = (self._author, "") if word == "annotation" else ("", self._author)
            self._notes.append(Note(SUB_STORIES[word], story, author=author or None))
            group.ends = "note"
        self._builders.append(StoryBuilder(story))
        group.destination = "text"
        group.format = Format(font=group.format.font, fallback=group.format.fallback)

    def _begin_formula_part(self, word: str) -> None:
        group = self._groups[-1]
        parent = next((each.element for each in reversed(self._groups[:-1]) if each.element is not None), None)
        if parent is not None and group.ends != "formula" and group.depth < _MOST_FORMULA_GROUPS:
            group.element = ElementTree.SubElement(parent, word[1:])
            group.depth += 1

    def _read_table_word(self, group: _Group, word: str, number: int | None) -> None:
        """A word in the table of fonts, the style sheet or a date."""
        if group.destination == "date":
            name = next((each.ends for each in reversed(self._groups) if each.ends in self.dates), "")
            self.dates.get(name, {})[word] = number or 0
        elif group.destination == "styles":
            if word in ("cs", "ts", "ds"):
                # a style of characters, tables or sections
                group.destination = "skip"
            elif word == "s":
                group.format.style = number or 0
            elif word == "outlinelevel":
                self.styles.setdefault(group.format.style, RtfStyle()).outline_level = number
            elif word in ("li", "lin"):
                self.styles.setdefault(group.format.style, RtfStyle()).indent = number or 0
        elif word == "f":
            group.format.font = number or 0
        elif word == "cpg" and (page := code_page(number)):
            self._font_pages[group.format.font] = page
        elif word == "fcharset":
            if number == SIGN_CHARSET:
                self._sign_fonts[group.format.font] = ""
            elif page := charset_page(number):
                self._font_pages[group.format.font] = page

    def _read_look(self, form: Format, word: str, number: int | None) -> bool:
        """Whether ``word`` says how characters look."""
        is_on = number != 0
        if word == "plain":
            form.plain()
            form.font = self._default_font
        elif word == "f":
            form.font = number or 0
        elif word == "uc":
            form.fallback = max(0, min(number if number is not None else 1, 100))
        elif word in ("strike", "striked"):
            form.struck = is_on
        elif word == "v":
            form.hidden = is_on
        elif word == "deleted":
            form.deleted = is_on
        elif word in ("super", "sub"):
            form.raised = (1 if word == "super" else -1) if is_on else 0
        elif word == "nosupersub":
            form.raised = 0
        elif word in ("up", "dn"):
            shift = number if number is not None else 6
            form.raised = (1 if word == "up" else -1) if shift >= _LEAST_SHIFT else 0
        else:
            return False
        return True

    def _read_structure(self, group: _Group, word: str, number: int | None) -> None:
        builder, form = self._builders[-1], group.format
        # the definition of a row in a cell would stand for the one around it
        is_placed = group.destination == "text" or (group.destination == "row of a cell" and word == "nestrow")
        if is_placed and builder.read_word(word, number, form):
            return
        if word == "ansicpg":
            self._page = code_page(number) or self._page
        elif word in ("mac", "pc", "pca"):
            self._page = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
        elif word == "deff":
            self._default_font = form.font = number or 0
        elif word == "ftnalt" and self._notes and self._notes[-1].kind == "footnote":
            self._notes[-1].kind = "endnote"
        elif word.startswith(("ftnn", "aftnn")):
            kind = "endnote" if word.startswith("a") else "footnote"
            style = _NOTE_FORMATS.get(word.partition("ftnn")[2])
            self._note_formats[kind] = style or self._note_formats[kind]
        elif self._forms and group.destination == "form":
            self._forms[-1].set(word, number or 0)

    def _flush(self) -> None:
        """Decode the bytes that were read, in the code page of their font."""
        if not self._bytes:
            return
        data, self._bytes = bytes(self._bytes), bytearray()
        is_bare, self._is_bare = self._is_bare, False
        font = self._groups[-1].format.font
        if font in self._sign_fonts and self._groups[-1].destination != "fonts":
            name = self._sign_fonts[font] or "symbol"
            self._emit("".join(symbol_sign(name, byte) or " " for byte in data))
            return
        page = self._font_pages.get(font, self._page)
        self._emit(self._decode_bare(data, page) if is_bare else data.decode(page, "replace"))

    def _decode_bare(self, data: bytes, page: str) -> str:
        """UTF-8 where they are valid UTF-8; a font of the Western set says nothing, for it is what programs write that know of none."""
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode(self._page if page == "cp1252" else page, "replace")

    def _emit_unit(self, unit: int) -> None:
        """Emit a unit of UTF-16; the two of one character are joined."""
        if 0xD800 <= unit < 0xDC00:
            self._high_unit = unit
        elif 0xDC00 <= unit < 0xE000:
            if self._high_unit:
                self._emit(chr(0x10000 + ((self._high_unit - 0xD800) << 10) + unit - 0xDC00))
            self._high_unit = 0
        else:
            self._emit(chr(unit))

    def _emit(self, text: str) -> None:
        if not text:
            return
        group = self._groups[-1]
        if group.destination == "text":
            if group.format.deleted:
                if text.strip():
                    self.losses.add("deleted passages", text, is_shown=False)
                return
            font = self._sign_fonts.get(group.format.font)
            look = Look(group.format.raised, group.format.struck, group.format.hidden)
            self._builders[-1].add(read_signs(text, font), look, group.format)
        elif group.destination == "formula":
            self._add_formula_text(text)
        elif group.destination == "fonts":
            if group.format.font in self._sign_fonts:
                self._sign_fonts[group.format.font] += text.strip(" ;")
        elif group.destination in ("collect", "styles"):
            # what a group in it shows belongs to it
            owner = next((each for each in reversed(self._groups) if each.ends), group)
            (owner if group.destination == "collect" else group).text.append(text)

    def _add_formula_text(self, text: str) -> None:
        element = next((each.element for each in reversed(self._groups) if each.element is not None), None)
        if element is None:
            return
        if element.tag in ("r", "oMath"):
            ElementTree.SubElement(element, "t").text = text
        else:
            element.set("val", (element.get("val") or "") + text.strip())
