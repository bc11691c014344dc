"""A manual page that is put together: words are filled into paragraphs, under the terms and items that are open."""

import re
from contextlib import ExitStack
from dataclasses import dataclass, field

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line

_DEEPEST = 16
_OPTION = re.compile(r"(?:--?[\w?#][\w-]*(?:\[?[ =][^\s,]*)?(?:, |$))+")
_LONGEST_TERM = 120
"""Characters of what stands alone before an indent up to which it may be a term."""
_SENTENCE = re.compile(r"[.:;,?!…»]$|[.:;?!]\s")
"""Of what introduces something that is indented, and is no term."""


@dataclass(slots=True)
class _Level:
    """What is open between an indent and its end: a list, and in it an item, or a term."""

    entry: ExitStack = field(default_factory=ExitStack)
    listed: ExitStack = field(default_factory=ExitStack)
    is_list: bool = False
    ends_with_indent: bool = False
    """Whether the open entry is a term that is explained by one indent."""


class Page:
    """Adds the blocks of a manual page to a draft."""

    def __init__(self) -> None:
        self.draft = Draft()
        self.verbatim: list[str] | None = None
        """Lines of text that is not filled, where it has begun."""
        self._levels = [_Level()]
        self._skipped_levels = 0
        self._words: list[str] = []
        self._is_joined = False
        self._lead = ""

    def add_words(self, text: str, *, goes_on: bool = False) -> None:
        """Words of a paragraph, or a line of text that is not filled; ``goes_on`` where the next follow without a space."""
        if self.verbatim is not None:
            if self._is_joined and self.verbatim:
                self.verbatim[-1] += text
            else:
                self.verbatim.append(text)
        elif text.strip():
            if self._words and not self._is_joined and self._words[-1] != "\n":
                self._words.append(" ")
            self._words.append(text.strip() if not goes_on else text.lstrip())
        self._is_joined = goes_on

    def break_line(self) -> None:
        """What follows stands on the next line."""
        if self._words and self.verbatim is None:
            self._words.append("\n")

    def end_paragraph(self) -> None:
        """What was added is a paragraph of its own."""
        if self.verbatim is not None:
            self.verbatim.append("")
            return
        lines = (clean_line(line) for line in "".join(self._words).split("\n"))
        text = "\n".join(line for line in lines if line)
        self._words = []
        if text or self._lead:
            lead = self._lead and (
                self._lead if self._lead[-1] in ".:;?!" else f"{self._lead}:" if text else self._lead
            )
            self._lead = ""
            self.draft.add(f"{lead} {text}".strip())

    def begin_verbatim(self) -> None:
        """Lines stay as they are from here on."""
        if self.verbatim is None:
            self.end_paragraph()
            self.verbatim = []

    def end_verbatim(self) -> None:
        """Lines are filled again."""
        if self.verbatim is not None:
            lines, self.verbatim = self.verbatim, None
            self.draft.add("\n".join(lines), kind=BlockKind.CODE)

    def begin_section(self, name: str, level: int) -> None:
        """A heading; whatever is open ends."""
        self.end_verbatim()
        self.end_all()
        self.draft.heading(name, level)

    def begin_paragraph(self) -> None:
        """A paragraph beside the terms and items of its level."""
        if self.verbatim is not None:
            self.end_paragraph()
            return
        self.end_paragraph()
        self._end_entry()
        self._end_list()

    def begin_term(self, term: str) -> None:
        """A term; what follows says what it means."""
        self._end_code()
        self.end_paragraph()
        self._end_entry()
        self._end_list()
        term = clean_line(term)
        if term:
            self._levels[-1].entry.enter_context(
                self.draft.inside(BlockKind.DEFINITION, label=term.rstrip(":") or term)
            )
            self._lead = term

    def take_back_term(self) -> str:
        """The term that nothing was said of yet, which then has not begun; empty where there is none."""
        if not self._lead or self._words:
            return ""
        term, self._lead = self._lead, ""
        self._end_entry()
        return term

    def take_back_option(self) -> str:
        """The words of the paragraph that has begun, which then has not, where they are an option and no more: generators of pages write
        it so, and what it does behind a tab on the next line.
        """
        said = clean_line("".join(self._words))
        if not _OPTION.fullmatch(said):
            return ""
        self._words = []
        return said

    def _take_back_alone(self) -> str:
        """The words of the paragraph that has begun, which then has not, where they are no sentence."""
        said = clean_line(" ".join("".join(self._words).split()))
        if self._lead or not said or len(said) > _LONGEST_TERM or _SENTENCE.search(said):
            return ""
        self._words = []
        return said

    def begin_item(self, marker: str) -> None:
        """An item of a list."""
        self._end_code()
        self.end_paragraph()
        self._end_entry()
        level = self._levels[-1]
        if not level.is_list:
            level.listed.enter_context(self.draft.inside(BlockKind.LIST))
            level.is_list = True
        level.entry.enter_context(self.draft.item(marker))

    def indent(self) -> None:
        """What follows lies in what is open now, up to the end of the indent; what stands alone before it is its term, as DocBook and
        Asciidoctor write definitions.
        """
        self._end_code()
        if term := self._take_back_alone():
            self.begin_term(term)
            self._levels[-1].ends_with_indent = True
        else:
            self.end_paragraph()
        if len(self._levels) >= _DEEPEST:
            self._skipped_levels += 1
        else:
            self._levels.append(_Level())

    def unindent(self) -> None:
        """The end of an indent."""
        self._end_code()
        self.end_paragraph()
        if self._skipped_levels:
            self._skipped_levels -= 1
        elif len(self._levels) > 1:
            self._end_entry()
            self._end_list()
            self._levels.pop()
            if self._levels[-1].ends_with_indent:
                self._levels[-1].ends_with_indent = False
                self._end_entry()

    def end_all(self) -> None:
        """Everything that is open ends."""
        self.end_verbatim()
        self.end_paragraph()
        while len(self._levels) > 1:
            self.unindent()
        self._end_entry()
        self._end_list()

    def _end_code(self) -> None:
        if self.verbatim:
            self.end_verbatim()
            self.verbatim = []

    def _end_entry(self) -> None:
        self._levels[-1].entry.close()
        self._levels[-1].entry = ExitStack()

    def _end_list(self) -> None:
        level = self._levels[-1]
        level.listed.close()
        level.listed = ExitStack()
        level.is_list = False
