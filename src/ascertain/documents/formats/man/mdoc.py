"""Pages in the macros of mdoc(7), as those of BSD are: what a word is, and macros that call each other on one line."""

import re
from collections.abc import Callable

from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.man.page import Page
from ascertain.documents.formats.man.roff import Call, Roff, split_arguments

_AROUND = {
    "Op": "[]", "Bq": "[]", "Brq": "{}", "Pq": "()", "Aq": "⟨⟩", "Dq": "“”", "Sq": "‘’", "Qq": '""', "Ql": "‘’", "Oo": "[]", "Bo": "[]",
    "Bro": "{}", "Po": "()", "Ao": "⟨⟩", "Do": "“”", "So": "‘’", "Qo": '""', "En": "  ", "Eo": "  ",
}  # fmt: skip
"""What an enclosure is shown with; those in the second half reach to a macro that ends them."""
_ENDS = {
    "Oc": "]",
    "Bc": "]",
    "Brc": "}",
    "Pc": ")",
    "Ac": "⟩",
    "Dc": "”",
    "Sc": "’",
    "Qc": '"',
    "Ec": "",
    "Xc": "",
    "Fc": ")",
}
_OPENERS = frozenset(["Oo", "Bo", "Bro", "Po", "Ao", "Do", "So", "Qo"])
_WORDS = frozenset("Ar Cm Pa Ev Dv Er Em Sy Li Ic Va Vt Ad An Cd Fa Ms No Tn Lb Sx Fr Hf Ft Me Mt Lk Ta Xo Nd".split())
_SYSTEMS = {
    "Bx": "BSD",
    "Fx": "FreeBSD",
    "Nx": "NetBSD",
    "Ox": "OpenBSD",
    "Bsx": "BSD/OS",
    "Dx": "DragonFly",
    "Ux": "UNIX",
    "At": "AT&T UNIX",
}
_CALLABLE = (
    frozenset(_AROUND)
    | frozenset(_ENDS)
    | _WORDS
    | frozenset(_SYSTEMS)
    | frozenset("Fl Nm Xr Fn In Ns Ap Pf Fo".split())
)
_CLOSING = frozenset(".,:;)]?!")
_OPENING = frozenset("([")
_REFERENCE_PARTS = frozenset("%A %B %C %D %I %J %N %O %P %Q %R %T %U %V".split())
_EXITS = "The {} utility exits 0 on success, and >0 if an error occurs."
_RETURNS = "The {} function returns the value 0 if successful; otherwise the value -1 is returned and the global variable errno is set to indicate the error."


class _Sentence:
    """Words of a line that is put together, with or without spaces between them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._is_apart = False

    def add(self, word: str) -> None:
        """A word; punctuation that closes stands at the one before it."""
        if self._is_apart and not (word and word in _CLOSING):
            self._parts.append(" ")
        self._parts.append(word)
        self._is_apart = word not in _OPENING

    def join(self) -> None:
        """The next word follows at once."""
        self._is_apart = False

    def text(self) -> str:
        """The line."""
        return "".join(self._parts).strip()


class MdocReader:
    """Adds a page in mdoc(7) to a draft."""

    def __init__(self, roff: Roff, page: Page) -> None:
        self._roff = roff
        self._page = page
        self.name = ""
        self.header: list[str] = []
        self._lists: list[str] = []
        self._rows: list[list[str]] = []
        self._section = ""
        self._reference: list[str] | None = None
        self._term: list[str] | None = None
        self._counts: list[int] = []

    def take(self, call: Call) -> None:
        """Take the next line of the page."""
        name, rest = call
        if not name:
            if rest.strip():
                self._show(self._roff.render(rest))
            else:
                self._page.end_paragraph()
            return
        block = self._blocks().get(name)
        if block is not None:
            block(rest)
        elif name in _REFERENCE_PARTS:
            words = self._line(split_arguments(rest))
            if self._reference is None:
                self._show(words)
            else:
                self._reference.append(words)
        elif name in _CALLABLE or name in ("Fd", "Ex", "Rv", "St"):
            self._take_inline(name, rest)

    def _blocks(self) -> dict[str, Callable[[str], None]]:
        return {
            "Sh": lambda rest: self._begin_section(rest, 1), "Ss": lambda rest: self._begin_section(rest, 2),
            "Pp": lambda _: self._page.begin_paragraph() if not self._lists else self._page.end_paragraph(),
            "Lp": lambda _: self._page.end_paragraph(), "sp": lambda _: self._page.end_paragraph(),
            "br": lambda _: self._page.break_line(), "Bl": self._begin_list, "El": lambda _: self._end_list(),
            "It": self._begin_item, "Bd": self._begin_display, "Ed": lambda _: self._page.end_verbatim(),
            "Dl": self._add_code, "D1": self._add_code, "nf": lambda _: self._page.begin_verbatim(),
            "fi": lambda _: self._page.end_verbatim(), "Dd": self._note_header, "Dt": self._note_header, "Os": self._note_header,
            "Rs": lambda _: self._begin_reference(), "Re": lambda _: self._end_reference(),
        }  # fmt: skip

    def _note_header(self, rest: str) -> None:
        self.header.append(clean_line(self._roff.render(rest.replace('"', ""))))

    def _begin_section(self, rest: str, level: int) -> None:
        words = self._line(split_arguments(rest))
        self._lists.clear()
        self._counts.clear()
        if level == 1:
            self._section = words.upper()
        self._page.begin_section(words, level)

    def _show(self, words: str, *, goes_on: bool = False) -> None:
        if self._lists and self._lists[-1] == "column" and self._rows:
            self._rows[-1][-1] = f"{self._rows[-1][-1]} {words}".strip()
        elif self._term is not None:
            self._term.append(words)
        else:
            self._page.add_words(words, goes_on=goes_on)

    def _take_inline(self, name: str, rest: str) -> None:
        arguments = split_arguments(rest)
        if (name == "Nm" and self._section == "SYNOPSIS") or (
            name in ("Fn", "Fo", "Ft", "In", "Fd", "Vt") and self._section == "SYNOPSIS"
        ):
            self._page.break_line()
        if name == "Nd":
            self._show("– " + self._line(arguments))
        elif name == "Ex":
            self._show(_EXITS.format(" ".join(arguments[1:]) or self.name))
        elif name == "Rv":
            self._show(_RETURNS.format(" ".join(arguments[1:]) or self.name))
        elif name in _ENDS and self._term is not None and name == "Xc":
            self._end_term(self._line(arguments))
        else:
            is_open = (bool(arguments) and arguments[-1] in ("Ns", "Ap")) or name in _OPENERS
            self._show(self._line([name, *arguments]), goes_on=is_open)

    def _line(self, arguments: list[str]) -> str:
        """The words of a line, its macros carried out from left to right."""
        sentence = _Sentence()
        closing: list[str] = []
        at = 0
        while at < len(arguments):
            word = arguments[at]
            at += 1
            if word in _CALLABLE:
                at = self._take_macro(word, arguments, at, sentence, closing)
            else:
                sentence.add(self._roff.render(word))
        tail = [word for word in closing if word]
        return _close(sentence.text(), tail)

    def _take_macro(self, name: str, arguments: list[str], at: int, sentence: _Sentence, closing: list[str]) -> int:
        """Carry out a macro inside a line; where the next begins."""
        own: list[str] = []
        while at < len(arguments) and arguments[at] not in _CALLABLE and not (own and arguments[at] in _CLOSING):
            if arguments[at] in _CLOSING and name not in ("Fl", "Ar", "Nm"):
                break
            own.append(self._roff.render(arguments[at]))
            at += 1
        if name in _AROUND:
            opening, ending = _AROUND[name][0].strip(), _AROUND[name][1].strip()
            sentence.add(opening)
            sentence.join()
            if name not in _OPENERS:
                closing.append(ending)
            for word in own:
                sentence.add(word)
        elif name in _ENDS:
            sentence.join()
            sentence.add(_ENDS[name])
            for word in own:
                sentence.add(word)
        elif name in ("Ns", "Ap", "Pf"):
            self._join(name, own, sentence)
        else:
            for word in self._shown(name, own):
                sentence.add(word)
        return at

    def _join(self, name: str, own: list[str], sentence: _Sentence) -> None:
        if name == "Pf":
            for word in own:
                sentence.add(word)
        sentence.join()
        if name == "Ap":
            sentence.add("'")
            sentence.join()
        if name != "Pf":
            for word in own:
                sentence.add(word)

    def _shown(self, name: str, own: list[str]) -> list[str]:
        """What a macro shows of its words."""
        if name == "Fl":
            return [word if word in _CLOSING or word == "|" else f"-{word}" for word in own] or ["-"]
        if name == "Ar":
            return own or ["file", "..."]
        if name == "Nm":
            if own and not self.name:
                self.name = own[0]
            return own or [self.name]
        if name == "Xr":
            return [f"{own[0]}({own[1]})" if len(own) > 1 else "".join(own), *own[2:]]
        if name == "Fn":
            return [f"{own[0]}({', '.join(own[1:])})"] if own else []
        if name == "Fo":
            return [f"{' '.join(own)}("]
        if name == "In":
            return [f"{'#include ' if self._section == 'SYNOPSIS' else ''}<{' '.join(own)}>"]
        if name in _SYSTEMS:
            is_version_first = name == "Bx" and own
            return [f"{own[0]}BSD", *own[1:]] if is_version_first else [_SYSTEMS[name], *own]
        return own

    def _begin_list(self, rest: str) -> None:
        kinds = [each[1:] for each in rest.split() if each.startswith("-")]
        known = ("bullet", "dash", "hyphen", "enum", "item", "column", "diag", "tag", "hang", "ohang", "inset")
        kind = next((each for each in kinds if each in known), "tag")
        self._page.indent()
        self._lists.append(kind)
        self._rows = [] if kind == "column" else self._rows
        self._counts.append(0)

    def _end_list(self) -> None:
        if not self._lists:
            return
        if self._lists.pop() == "column" and self._rows:
            self._page.end_paragraph()
            self._page.draft.add_table(self._rows, 0)
            self._rows = []
        self._counts.pop()
        self._page.unindent()

    def _begin_item(self, rest: str) -> None:
        kind = self._lists[-1] if self._lists else "tag"
        arguments = split_arguments(rest)
        if kind == "column":
            cells = re.split(r"\t| Ta(?: |$)", " ".join(f'"{each}"' if " " in each else each for each in arguments))
            self._rows.append([self._line(split_arguments(cell)) for cell in cells])
        elif kind in ("bullet", "dash", "hyphen", "enum"):
            if kind == "enum":
                self._counts[-1] += 1
            self._page.begin_item(f"{self._counts[-1]}." if kind == "enum" else "-")
        elif kind == "item" or not arguments:
            self._page.begin_paragraph()
        elif arguments[-1] == "Xo":
            self._term = [self._line(arguments[:-1])]
        else:
            self._page.begin_term(self._line(arguments))

    def _end_term(self, words: str) -> None:
        term = " ".join(filter(None, [*(self._term or []), words]))
        self._term = None
        self._page.begin_term(re.sub(r"([\[(⟨{]) | ([\])⟩},.])", r"\1\2", term))

    def _begin_display(self, rest: str) -> None:
        if "-literal" in rest or "-unfilled" in rest:
            self._page.begin_verbatim()
        else:
            self._page.end_paragraph()
            self._page.end_verbatim()

    def _add_code(self, rest: str) -> None:
        is_in_code = self._page.verbatim is not None
        self._page.begin_verbatim()
        self._page.add_words(self._line(split_arguments(rest)))
        if not is_in_code:
            self._page.end_verbatim()

    def _begin_reference(self) -> None:
        self._page.end_paragraph()
        self._reference = []

    def _end_reference(self) -> None:
        if self._reference:
            self._page.add_words(", ".join(self._reference) + ".")
            self._page.end_paragraph()
        self._reference = None


def _close(text: str, endings: list[str]) -> str:
    """A line with what closes its enclosures before the punctuation at its end."""
    ending = "".join(reversed(endings))
    if not ending:
        return text
    words = text.rstrip("".join(_CLOSING - {")", "]"}))
    return words + ending + text[len(words) :]
