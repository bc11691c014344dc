"""What AsciiDoc and Org have in common: paragraphs of several lines, lists by depth, boxes and notes, put into a draft line by line."""

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line, short_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.reader import Extracted

_BOX = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION): +(?=\S)")
BOXES = ("note", "tip", "important", "warning", "caution")


class MarkupPage:
    """A page that is put together line by line: lines of a paragraph wait until it ends."""

    def __init__(self, render: Callable[[str], str]) -> None:
        self.draft = Draft()
        self.facts: dict[str, str] = {}
        self.is_item = False
        self.losses = Losses()
        self.notes: list[tuple[str, str]] = []
        """Label and words of the footnotes that stand at the end."""
        self._render = render
        self._waiting: list[str] = []
        # lists that are open, each as its depth, itself and its last item
        self._lists: list[tuple[int, ExitStack, ExitStack]] = []
        self._term = ""

    @property
    def is_open(self) -> bool:
        """Whether lines wait for their paragraph to end."""
        return bool(self._waiting or self._term)

    def begin_section(self, name: str, level: int) -> None:
        """A heading."""
        self.end_lists()
        self.draft.heading(self._render(name), level)

    def begin_item(self, marker: str, depth: int, words: str) -> None:
        """An item of a list; the lines that follow go on with it."""
        self.end_paragraph()
        while self._lists and self._lists[-1][0] > depth:
            self._close_list()
        if self._lists and self._lists[-1][0] == depth:
            self._lists[-1][2].close()
            listed = self._lists.pop()[1]
        else:
            listed = ExitStack()
            listed.enter_context(self.draft.inside(BlockKind.LIST))
        item = ExitStack()
        item.enter_context(self.draft.item(marker))
        self._lists.append((depth, listed, item))
        self.is_item = True
        if words:
            self._waiting.append(words)

    def begin_term(self, term: str, words: str) -> None:
        """A term; the lines that follow say what it means."""
        self.end_lists()
        self._term = clean_line(self._render(term))
        self.is_item = True
        if words:
            self._waiting.append(words)

    def add_line(self, line: str) -> None:
        """A line of a paragraph."""
        self._waiting.append(line.strip())

    def end_paragraph(self) -> None:
        """What waits is a paragraph."""
        words = clean_line(self._render(" ".join(self._waiting)))
        self._waiting, self.is_item = [], False
        term, self._term = self._term, ""
        if term:
            with self.draft.inside(BlockKind.DEFINITION, term):
                self.draft.add(f"{term}{'' if term[-1] in '.:?!' or not words else ':'} {words}".rstrip())
        elif words:
            self.add_paragraph(words)

    def add_paragraph(self, words: str) -> None:
        """A paragraph, or a box that is written as one: ``NOTE: Mind the gap.``."""
        box = _BOX.match(words)
        if box is None:
            self.draft.add(words)
            return
        with self.draft.inside(BlockKind.ADMONITION, box[1].capitalize()):
            self.draft.add(box[1].capitalize())
            self.draft.add(words[box.end() :])

    def has_list(self, depth: int) -> bool:
        """Whether a list of this depth is open."""
        return any(each[0] == depth for each in self._lists)

    def leave_list(self) -> None:
        """Lists end before a line at the margin that begins a paragraph."""
        if not self._waiting:
            self.end_lists()

    def end_lists(self) -> None:
        """What is open ends."""
        self.end_paragraph()
        while self._lists:
            self._close_list()

    def _close_list(self) -> None:
        _, listed, item = self._lists.pop()
        item.close()
        listed.close()

    def add_block(self, lines: Sequence[str], language: str | None = None) -> None:
        """Lines that stay as they are."""
        self.end_paragraph()
        self.draft.add("\n".join(lines), kind=BlockKind.CODE, label=language)

    def add_caption(self, words: str) -> None:
        """The title of a table or of code."""
        self.end_lists()
        self.draft.add(self._render(words), kind=BlockKind.CAPTION)

    def add_rows(self, rows: Sequence[Sequence[str]], header_rows: int) -> None:
        """A table."""
        self.end_lists()
        self.draft.add_table([[self._render(cell) for cell in row] for row in rows], header_rows)

    @contextmanager
    def inside(self, kind: BlockKind, label: str | None = None) -> Generator[None]:
        """What is added within lies in a block of ``kind``; the name of a box stands first in it."""
        self.end_lists()
        with self.draft.inside(kind, label):
            self.draft.add(label or "")
            yield
            self.end_lists()

    def finish(self) -> Extracted:
        """The document."""
        self.end_lists()
        self.draft.leave_sections()
        for label, words in self.notes:
            self.draft.add(f"[{label}] {clean_line(words)}", kind=BlockKind.FOOTNOTE, label=label)
        text, blocks = self.draft.finish()
        facts = self.facts
        tags = re.split(r"[,:\s]+", facts.get("keywords") or facts.get("filetags") or "")
        return Extracted(
            text,
            title=short_line(self._render(facts.get("title", ""))),
            author=short_line(facts.get("author")),
            published_at=parse_date(facts.get("revdate") or facts.get("date", "").strip("<>[]")[:10]),
            tags=tuple(tag for name in tags if (tag := short_line(name, 60))),
            blocks=blocks,
            left_out=self.losses.left_out(),
        )
