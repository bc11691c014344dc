"""Pages in the macros of man(7), as most programs have them."""

import re

from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.man.page import Page
from ascertain.documents.formats.man.roff import Call, Roff, split_arguments
from ascertain.documents.formats.man.tables import read_tbl

_FONTS = frozenset("B I R SM SB BI BR IB IR RB RI CW CB CI".split())
_MARKER = re.compile(r"[•‣⁃◦○●∙▪▫■□◆*o·+–—−-]|\(?\d{1,3}[.)]?|\(?[a-z][.)]|\[\d{1,3}\]")


class ManReader:
    """Adds a page in man(7) to a draft."""

    def __init__(self, roff: Roff, page: Page) -> None:
        self._roff = roff
        self._page = page
        self._waits_for = ""
        """``tag``, ``SH`` or ``SS`` where the next line of text is the tag of a paragraph or a heading."""
        self._tag = ""
        self._is_close = False
        """Whether paragraphs follow without space: a term behind one of which nothing was said is another form of it."""
        self.header: list[str] = []
        self.equations: list[str] = []
        self._link = ""

    def take(self, call: Call) -> None:
        """Take the next line of the page."""
        name, rest = call
        if not name:
            self._take_text(rest)
        elif name in _FONTS:
            self._take_fonts(name, rest)
        elif name in ("TP", "TQ"):
            self._begin_tag(is_next=name == "TQ")
        elif name in ("SH", "SS"):
            words = self._words(rest)
            if words:
                self._page.begin_section(words, 1 if name == "SH" else 2)
            else:
                self._waits_for = name
        elif name in ("PP", "LP", "P", "HP", "SP", "Sp") or name in ("sp", "Ip"):
            if name in ("sp", "Sp", "SP"):
                self._page.end_paragraph()
            else:
                self._page.begin_paragraph()
        elif name == "IP":
            self._begin_entry(rest)
        elif name in ("RS", "RE"):
            (self._page.indent if name == "RS" else self._page.unindent)()
        else:
            self._take_other(name, rest)

    def _take_other(self, name: str, rest: str) -> None:
        page = self._page
        if name in ("nf", "EX", "Vb", "DS"):
            page.begin_verbatim()
        elif name in ("fi", "EE", "Ve", "DE"):
            page.end_verbatim()
        elif name in ("br", "ti", "ce"):
            page.break_line()
        elif name == "PD":
            self._is_close = rest.strip().startswith("0")
        elif name == "TH":
            self.header = [self._roff.render(each) for each in split_arguments(rest)]
        elif name == "TS":
            self._add_table()
        elif name == "EQ":
            self.equations += self._roff.take_raw("EN")
        elif name in ("UR", "MT", "URL", "MTO"):
            self._begin_link(name, rest)
        elif name in ("UE", "ME"):
            page.add_words(f"⟨{self._link}⟩{self._words(rest)}" if self._link else self._words(rest))
            self._link = ""
        elif name == "SY":
            page.begin_paragraph()
            page.add_words(self._words(rest))
        elif name == "YS":
            page.begin_paragraph()
        elif name == "OP":
            page.add_words(f"[{self._words(rest)}]")

    def _words(self, rest: str) -> str:
        return clean_line(self._roff.render(" ".join(split_arguments(rest))))

    def _take_text(self, text: str) -> None:
        page = self._page
        if not text.strip():
            page.end_paragraph()
            return
        if text[0] in " \t" and page.verbatim is None and not self._waits_for:
            if text[0] == "\t" and (option := page.take_back_option()):
                page.begin_term(option)
            page.break_line()
        self._add(self._roff.render(text), goes_on=text.rstrip().endswith("\\c"))

    def _add(self, words: str, *, goes_on: bool = False) -> None:
        if self._waits_for == "tag":
            self._tag += f" {words}"
            if not goes_on:
                self._end_tag()
        elif self._waits_for:
            level = 1 if self._waits_for == "SH" else 2
            self._waits_for = ""
            self._page.begin_section(words, level)
        else:
            self._page.add_words(words, goes_on=goes_on)

    def _take_fonts(self, name: str, rest: str) -> None:
        arguments = split_arguments(rest)
        if not arguments:
            return
        joint = "" if len(name) == 2 and name not in ("SM", "SB", "CW", "CB", "CI") else " "
        raw = joint.join(arguments)
        self._add(self._roff.render(raw), goes_on=raw.endswith("\\c"))

    def _begin_tag(self, *, is_next: bool) -> None:
        term = self._page.take_back_term() if is_next else ""
        self._tag = f"{term}," if term else ""
        self._waits_for = "tag"

    def _end_tag(self) -> None:
        """The tag of a paragraph is whole: a term, or the marker of an item."""
        self._waits_for = ""
        tag, self._tag = clean_line(self._tag), ""
        self._begin_named(tag)

    def _begin_named(self, tag: str) -> None:
        if _MARKER.fullmatch(tag):
            self._page.begin_item("-" if not any(map(str.isalnum, tag)) or tag == "o" else tag)
        else:
            form = self._page.take_back_term() if self._is_close else ""
            self._page.begin_term(f"{form}, {tag}" if form else tag)

    def _begin_entry(self, rest: str) -> None:
        arguments = split_arguments(rest)
        tag = clean_line(self._roff.render(arguments[0])) if arguments else ""
        if tag:
            self._begin_named(tag)
        else:
            # without a tag it goes on with the entry above
            self._page.end_paragraph()

    def _begin_link(self, name: str, rest: str) -> None:
        arguments = [self._roff.render(each) for each in split_arguments(rest)]
        if name in ("URL", "MTO"):
            self._page.add_words(
                f"{' '.join(arguments[1:2])} ⟨{arguments[0] if arguments else ''}⟩{''.join(arguments[2:])}".strip()
            )
        else:
            self._link = arguments[0] if arguments else ""

    def _add_table(self) -> None:
        self._page.end_paragraph()
        rows, header_rows = read_tbl(self._roff.take_raw("TE"), self._roff.render)
        if rows:
            self._page.draft.add_table(rows, header_rows)
