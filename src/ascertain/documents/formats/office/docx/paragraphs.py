"""The words of one paragraph of Word as it shows them, with what hangs on it: notes, comments, boxes, fields of forms.

Runs, hyperlinks, insertions, content controls, fields and formulas are read in order; what was deleted or moved away is counted and
left out. A field (17.16) is code, then its result, and may reach over several paragraphs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.office.docx.styles import Styles, is_on, read_look, read_number
from ascertain.documents.formats.office.drawings import drawn_lines
from ascertain.documents.formats.office.formulas import word_formula
from ascertain.documents.formats.office.packages import attribute_of, child_of, child_value, iter_named, local_name
from ascertain.documents.formats.office.stories import FormField, Line, Look
from ascertain.documents.formats.office.symbol_fonts import read_signs, symbol_sign

DELETED = frozenset({"del", "moveFrom"})
"""What tracked changes take out (17.13.5)."""
_SKIPPED = frozenset(
    {"pPr", "rPr", "sdtPr", "sdtEndPr", "customXmlPr", "smartTagPr", "rubyPr", "instrText", "delInstrText"}
)
_SPACES = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_DRAWINGS = frozenset({"drawing", "pict", "object"})
_NOTES = frozenset({"footnoteReference", "endnoteReference"})
_BOXES = ("☐", "☒")
"""A box of a form that is empty, and one that is ticked."""
_TEXTLESS_FIELDS = frozenset({"LISTNUM", "AUTONUM", "AUTONUMLGL", "AUTONUMOUT", "EQ"})
"""Those that Word works out when it shows them, and saves no result of."""


class Hanging(NamedTuple):
    """A thing that is anchored in a paragraph and stands behind it: ``kind`` is box, chart, diagram, comment, lines, picture."""

    kind: str
    content: Any


@dataclass(slots=True)
class _Field:
    """A field that has begun. ``result`` is the number of pieces of its line when its result began, None while it is code."""

    form: Any
    code: list[str] = field(default_factory=list[str])
    result: int | None = None


class ParagraphReader:
    """Reads the paragraphs of one story (the body, a note, a header) in order, since fields go on over their ends."""

    def __init__(self, styles: Styles, losses: Losses, mark_note: Callable[[str, str], str]) -> None:
        """``mark_note`` gives the mark of a reference by its kind, ``footnote`` or ``endnote``, and the id of the note."""
        self._styles = styles
        self._losses = losses
        self._mark_note = mark_note
        self._fields: list[_Field] = []
        self._codes = 0

    def read(self, paragraph: Any, look: Look, line: Line | None = None) -> Line:
        """The line of a paragraph whose style looks like ``look``, behind those of ``line``."""
        line = line or Line()
        if self._codes and next(iter_named(paragraph, "fldChar", "instrText"), None) is None:
            # the end of a field is missing: what follows is no code
            self._fields.clear()
            self._codes = 0
        self._read_children(paragraph, line, look)
        return line

    def read_piece(self, element: Any, line: Line, look: Look) -> None:
        """Add what an element in a paragraph shows."""
        name = local_name(element)
        if name == "r":
            self._read_run(element, line, look)
        elif name in DELETED:
            self.lose_deleted(element)
        elif name in ("oMath", "oMathPara"):
            self._add(line, word_formula(element), Look())
        elif name == "fldSimple":
            self._read_simple_field(element, line, look)
        elif name == "sdt":
            before = len(line.pieces)
            self._read_children(child_of(element, "sdtContent"), line, look)
            found = control_field(element, "".join(text for text, _ in line.pieces[before:]))
            if found is not None:
                line.fields.append(found)
        elif name == "AlternateContent":
            self._read_children(choose_branch(element), line, look)
        elif name not in _SKIPPED:
            self._read_children(element, line, look)

    def lose_deleted(self, element: Any) -> None:
        """Count what was deleted or moved away."""
        words = " ".join(str(each.text or "") for each in iter_named(element, "t", "delText"))
        if words.strip():
            self._losses.add("deleted passages", words, is_shown=False)

    def _read_children(self, element: Any, line: Line, look: Look) -> None:
        for child in () if element is None else element:
            self.read_piece(child, line, look)

    def _add(self, line: Line, text: str, look: Look) -> None:
        if text and not self._codes:
            line.pieces.append((text, look))

    def _read_run(self, run: Any, line: Line, look: Look) -> None:
        for child in run:
            name = local_name(child)
            if name == "t":
                self._add_text(str(child.text or ""), line, look)
            elif name == "rPr":
                look = read_look(child).over(self._styles.look_of(child_value(child, "rStyle"))).over(look)
            elif name in _SPACES:
                self._add(line, _SPACES[name], look)
            elif name in _DRAWINGS:
                self._read_drawing(child, line)
            elif name == "AlternateContent":
                branch = choose_branch(child)
                self._read_run(() if branch is None else branch, line, look)
            else:
                self._read_mark(child, line, look)

    def _read_mark(self, element: Any, line: Line, look: Look) -> None:
        """What a run holds beside text: ends of fields, references, signs."""
        name = local_name(element)
        if name == "fldChar":
            self._turn_field(element, line, look)
        elif name == "instrText":
            if self._fields and self._fields[-1].result is None:
                self._fields[-1].code.append(str(element.text or ""))
        elif name in _NOTES:
            mark = self._mark_note(name.removesuffix("Reference"), attribute_of(element, "id") or "")
            self._add(line, f"[{mark}]" if mark and not is_marked(element) else "", Look())
        elif name == "commentReference":
            line.hanging.append(Hanging("comment", attribute_of(element, "id") or ""))
        elif name == "sym":
            self._add_symbol(element, line, look)
        elif name == "ruby":
            base, reading = (self._inner_text(element, part, look) for part in ("rubyBase", "rt"))
            self._add(line, f"{base}({reading})" if reading else base, look)
        elif name == "delText":
            self._losses.add("deleted passages", str(element.text or ""), is_shown=False)

    def _inner_text(self, element: Any, name: str, look: Look) -> str:
        inner = Line()
        self._read_children(child_of(element, name), inner, look._replace(raised=None))
        return inner.text()

    def _add_text(self, text: str, line: Line, look: Look) -> None:
        signs = read_signs(text, look.font)
        if len(signs) < len(text):
            self._losses.add("signs of fonts of their own", count=len(text) - len(signs))
        self._add(line, signs, look)

    def _add_symbol(self, element: Any, line: Line, look: Look) -> None:
        code = attribute_of(element, "char") or ""
        try:
            sign = symbol_sign(attribute_of(element, "font"), int(code[:8], 16))
        except ValueError:
            sign = None
        if sign is None:
            self._losses.add("signs of fonts of their own", name=attribute_of(element, "font"))
        self._add(line, sign or "", look)

    def _turn_field(self, element: Any, line: Line, look: Look) -> None:
        kind = attribute_of(element, "fldCharType")
        if kind == "begin":
            self._fields.append(_Field(child_of(element, "ffData")))
            self._codes += 1
        elif not self._fields:
            return
        elif kind == "separate" and self._fields[-1].result is None:
            self._fields[-1].result = len(line.pieces)
            self._codes -= 1
        elif kind == "end":
            ended = self._fields.pop()
            self._codes -= ended.result is None
            self._end_field(ended, line, look)

    def _end_field(self, ended: _Field, line: Line, look: Look) -> None:
        code = "".join(ended.code).split(None, 2)
        name = code[0].upper() if code else ""
        if name == "FORMCHECKBOX" and ended.form is not None:
            self._add(line, _BOXES[is_ticked(ended.form)], look)
        elif ended.result is None and name == "FORMDROPDOWN" and ended.form is not None:
            self._add(line, chosen_entry(ended.form), look)
        elif ended.result is None and name in ("MACROBUTTON", "GOTOBUTTON") and len(code) > 2:
            self._add(line, code[2], look)
        elif ended.result is None and name in _TEXTLESS_FIELDS:
            self._losses.add("fields without a result", " ".join(code), name=" ".join(code))
        if ended.form is not None and not self._codes:
            value = "".join(text for text, _ in line.pieces[ended.result or 0 :])
            found = _legacy_field(ended.form, name, value)
            if found is not None:
                line.fields.append(found)

    def _read_simple_field(self, element: Any, line: Line, look: Look) -> None:
        before = len(line.pieces)
        self._read_children(element, line, look)
        form = next(iter_named(element, "ffData"), None)
        code = (attribute_of(element, "instr") or "").split(None, 2)
        if form is not None:
            self._end_field(_Field(form, code, before), line, look)
        elif len(line.pieces) == before and code and code[0].upper() in _TEXTLESS_FIELDS:
            self._losses.add("fields without a result", " ".join(code), name=" ".join(code))

    def _read_drawing(self, drawing: Any, line: Line) -> None:
        """What a drawing holds: boxes of text, charts and diagrams wait behind the paragraph; pictures and objects are counted."""
        is_object = local_name(drawing) == "object"
        alt_text = None
        for element in _iter_drawing(drawing):
            name = local_name(element)
            if name == "txbxContent":
                line.hanging.append(Hanging("box", element))
            elif name == "txBody":
                line.hanging.append(Hanging("lines", drawn_lines(element)))
            elif name == "textpath":
                line.hanging.append(Hanging("lines", [clean_line(attribute_of(element, "string") or "")]))
            elif name in ("docPr", "cNvPr"):
                alt_text = attribute_of(element, "descr") or attribute_of(element, "title") or alt_text
            elif name == "shape":
                alt_text = attribute_of(element, "alt") or alt_text
            elif name in ("blip", "imagedata") and not is_object:
                title = alt_text or attribute_of(element, "title")
                self._losses.add("pictures", name=title)
                relation = attribute_of(element, "embed") or attribute_of(element, "id") or ""
                line.hanging.append(Hanging("picture", (relation, title)))
                alt_text = None
            elif name == "chart":
                line.hanging.append(Hanging("chart", attribute_of(element, "id") or ""))
            elif name == "relIds":
                line.hanging.append(Hanging("diagram", attribute_of(element, "dm") or ""))
            elif name in ("OLEObject", "objectEmbed", "control"):
                self._losses.add(
                    "embedded objects", name=attribute_of(element, "ProgID") or attribute_of(element, "name")
                )


def _iter_drawing(drawing: Any) -> Iterator[Any]:
    """The elements of a drawing in order, one branch of each alternative, nothing inside of what has text."""
    waiting = [drawing]
    while waiting:
        element = waiting.pop()
        name = local_name(element)
        if name == "AlternateContent":
            branch = choose_branch(element)
            waiting += [] if branch is None else [branch]
            continue
        yield element
        if name not in ("txbxContent", "txBody"):
            waiting += reversed(element)


def choose_branch(element: Any) -> Any:
    """The branch of an ``AlternateContent`` that Word shows: the first choice, the fallback where that is empty (part 3, 7.2)."""
    branches = [each for each in element if local_name(each) in ("Choice", "Fallback")]
    return next((each for each in branches if len(each)), None)


def is_marked(reference: Any) -> bool:
    """Whether a note's mark stands in the text by itself."""
    return (attribute_of(reference, "customMarkFollows") or "0") not in ("0", "false", "off")


def is_ticked(form: Any) -> bool:
    """Whether the box of an ``ffData`` is ticked."""
    box = child_of(form, "checkBox")
    state = child_of(box, "checked")
    state = child_of(box, "default") if state is None else state
    return state is not None and is_on(state)


def chosen_entry(form: Any) -> str:
    """What is chosen in the list of an ``ffData``."""
    choices = child_of(form, "ddList")
    listed = () if choices is None else choices
    entries = [attribute_of(each, "val") or "" for each in listed if local_name(each) == "listEntry"]
    place = read_number(child_value(choices, "result")) or read_number(child_value(choices, "default")) or 0
    return entries[place] if 0 <= place < len(entries) else ""


def _legacy_field(form: Any, kind: str, value: str) -> FormField | None:
    name = clean_line(child_value(form, "name") or "")
    if kind == "FORMCHECKBOX":
        value = "yes" if is_ticked(form) else "no"
    elif kind == "FORMDROPDOWN":
        value = chosen_entry(form)
    value = clean_line(value)
    return FormField(name, value) if name and value else None


_FILLED = frozenset({"dropDownList", "comboBox", "date", "text"})


def control_field(control: Any, value: str) -> FormField | None:
    """The field of a form that a content control is (17.5.2); None for one that holds text of the document, or nothing yet."""
    properties = child_of(control, "sdtPr")
    names = {local_name(each) for each in properties} if properties is not None else set[str]()
    name = clean_line(child_value(properties, "alias") or child_value(properties, "tag") or "")
    if "checkbox" in names:
        state = child_of(child_of(properties, "checkbox"), "checked")
        return FormField(name, "yes" if state is not None and is_on(state) else "no") if name else None
    value = clean_line(value)
    if not names & _FILLED or "dataBinding" in names or "showingPlcHdr" in names or not name or not value:
        return None
    return FormField(name, value)
