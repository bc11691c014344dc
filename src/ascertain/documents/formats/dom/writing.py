"""Blocks of a page put into a draft: those that lie in each other are opened by the first words in them."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.dom.lines import Line
from ascertain.documents.formats.drafts.draft import Draft, clean_line, clean_text
from ascertain.language.tables import join_cells

_DEEPEST = 40
"""Blocks in each other that are noted; deeper ones are parts of those (by judgement: people write a dozen at most)."""
Close = Callable[[], None]
"""What ends an element; an element without it is not entered."""
_TEXT_KINDS = (BlockKind.PARAGRAPH, BlockKind.HEADING)
_PUNCTUATION = tuple(":.?!;,…：。？！")


@dataclass(slots=True, eq=False)
class Frame:
    """A block that lasts over others; ``marker`` is written before its first words."""

    kind: BlockKind | None
    label: str | None = None
    marker: str = ""
    is_hidden: bool = False
    is_open: bool = False
    contexts: ExitStack | None = None


class _Capture(NamedTuple):
    """Blocks that become part of a cell, a term or the like; ``first_frame`` is the number of frames around it."""

    lines: list[str]
    first_frame: int


class BlockWriter:
    """Adds the blocks of a page to a draft; the words of the block that is being read stand in ``line``."""

    def __init__(self, draft: Draft) -> None:
        self.line = Line()
        self.verbatim_depth = 0
        """How many elements are open in which white space counts; blocks in these are lines."""
        self._draft = draft
        self._frames: list[Frame] = []
        self._depth = 0
        self._captures: list[_Capture] = []
        self._values: list[str] = []

    @property
    def is_capturing(self) -> bool:
        """Whether blocks are becoming part of a cell or the like."""
        return bool(self._captures)

    @property
    def holds_values(self) -> bool:
        """Whether the line has what is filled into fields of a form."""
        return bool(self._values)

    @property
    def begins_admonition(self) -> bool:
        """Whether the innermost block is an admonition without words so far."""
        return bool(self._frames) and self._frames[-1].kind is BlockKind.ADMONITION and not self._frames[-1].is_open

    def begin(self, kind: BlockKind, label: str | None = None, marker: str = "", *, is_hidden: bool = False) -> Frame:
        """Begin a block that other blocks lie in."""
        self.flush()
        self._depth += 1
        is_deep = self._depth > _DEEPEST
        self._frames.append(Frame(None if is_deep else kind, label, marker, is_hidden))
        return self._frames[-1]

    def begin_sections(self) -> Frame:
        """Begin a part of the page with sections of its own."""
        self.flush()
        contexts = ExitStack()
        contexts.enter_context(self._draft.inner_sections())
        self._frames.append(Frame(None, is_open=True, contexts=contexts))
        self._depth += 1
        return self._frames[-1]

    def end(self, frame: Frame) -> None:
        """End a block, and those in it that were not ended."""
        self.flush()
        if not any(each is frame for each in reversed(self._frames)):
            return
        while True:
            last = self._frames.pop()
            self._depth -= 1
            if not last.is_open and last.kind is BlockKind.DEFINITION and last.label:
                self.add(last.label)
            if last.contexts is not None:
                last.contexts.close()
            if last is frame:
                return

    def begin_capture(self) -> None:
        """Blocks from here on become lines for ``end_capture``."""
        self.flush()
        self._captures.append(_Capture([], len(self._frames)))

    def end_capture(self) -> list[str]:
        """The lines since ``begin_capture``, none of them empty."""
        self.flush()
        lines = self._captures.pop().lines
        return [line for text in lines for each in text.split("\n") if (line := clean_line(each))]

    def write_value(self, text: str) -> None:
        """Add what is filled into a field of a form, apart from its neighbours."""
        if text.strip():
            self.line.set_apart()
            self._values.append(text.strip())
            self.line.write(text.strip())
            self.line.set_apart()

    def flush(self) -> None:
        """End the paragraph, or the line, that is being read."""
        if self.verbatim_depth:
            if not self.line.is_empty and not self.line.ends_line:
                self.line.break_line()
            return
        if self.line.is_empty:
            return
        text, values = clean_text(self.line.take()).strip(), self._values
        self._values = []
        if len(values) == 1 and text.endswith(values[0]) and not self.is_capturing:
            name = text.removesuffix(values[0]).strip().rstrip(":").rstrip()
            if name and "\n" not in name:
                self.add(f"{name}: {values[0]}", BlockKind.FIELD, label=name)
                return
        self.add(text)

    def add(
        self, text: str, kind: BlockKind = BlockKind.PARAGRAPH, *, level: int = 0, label: str | None = None
    ) -> None:
        """Add a block of text."""
        text = clean_text(text)
        if not text:
            return
        if self._captures:
            capture = self._captures[-1]
            markers = [each.marker for each in self._frames[capture.first_frame :] if not each.is_open]
            for each in self._frames[capture.first_frame :]:
                each.is_open = True
            capture.lines.append("".join(markers) + text)
            return
        self._open_frames(kind)
        self._draft.add(text, kind=kind, level=level, label=label)

    def add_heading(self, text: str, level: int) -> None:
        """Add a heading that begins a section."""
        if self._captures:
            self.add(text)
        elif text:
            self._open_frames(BlockKind.HEADING)
            self._draft.heading(text, level)

    def add_table(self, rows: list[list[str]], header_rows: int) -> None:
        """Add a table, its spans filled."""
        if self._captures:
            for row in rows:
                self.add(join_cells(row))
        elif any(any(row) for row in rows):
            self._open_frames(BlockKind.TABLE)
            self._draft.add_table(rows, header_rows)

    def add_picture(self, load: Callable[[], bytes], caption: str) -> None:
        """Note that a picture stands before the block that is being read."""
        self._draft.add_picture(load, caption)

    def add_note(self, label: str | None, text: str) -> None:
        """Add a footnote that is one paragraph."""
        frame = self.begin(BlockKind.FOOTNOTE, label, note_marker(label))
        self.add(text)
        self.end(frame)

    def add_furniture(self, lines: list[str]) -> None:
        """Add what stands around the text, where it stands and in no section."""
        text = "\n".join(lines)
        if self._captures:
            self.add(text)
        elif text:
            with self._draft.outside_sections():
                self._draft.add(text, kind=BlockKind.FURNITURE)

    def _open_frames(self, kind: BlockKind) -> None:
        """Open the blocks that a piece of ``kind`` is the first of."""
        pending = [frame for frame in self._frames if not frame.is_open]
        has_marker = False
        for number, frame in enumerate(pending, 1):
            frame.is_open = True
            if frame.kind is None:
                continue
            # a term stands before one paragraph, a number before text
            is_before_text = kind in _TEXT_KINDS and (number == len(pending) or frame.kind is not BlockKind.DEFINITION)
            marker = frame.marker.lstrip() if has_marker else frame.marker
            has_marker = has_marker or bool(marker)
            frame.contexts = ExitStack()
            frame.contexts.enter_context(self._draft.inner_sections())
            frame.contexts.enter_context(
                self._draft.inside(
                    frame.kind, frame.label, marker=marker if is_before_text else "", is_hidden=frame.is_hidden
                )
            )
            if marker.strip(" -") and not is_before_text:
                self._draft.add(frame.label if frame.kind is BlockKind.DEFINITION and frame.label else marker)
                has_marker = False


def note_marker(label: str | None) -> str:
    """What a footnote begins with."""
    return f"[{label}] " if label else ""


def term_marker(term: str) -> str:
    """A term as it stands before its description."""
    return f"{term} " if term.endswith(_PUNCTUATION) else f"{term}: "
