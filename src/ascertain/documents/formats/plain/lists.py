"""The lists of a plain text that are open while its lines are read, nested by their indentation and by their numbers."""

from contextlib import ExitStack
from dataclasses import dataclass

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft
from ascertain.documents.formats.plain.marks import Mark, begins_list, follows

_DEEPEST_LIST = 12


@dataclass(slots=True)
class _Open:
    """A list that is open with its last item."""

    mark: Mark
    list_stack: ExitStack
    item_stack: ExitStack


class OpenLists:
    """The lists that are open, the innermost last, each with its last item."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._open: list[_Open] = []

    @property
    def last(self) -> Mark | None:
        """The marker of the innermost item."""
        return self._open[-1].mark if self._open else None

    def at(self, indent: int) -> Mark | None:
        """The marker of the open item that begins in this column, the innermost of them."""
        return next((each.mark for each in reversed(self._open) if each.mark.indent == indent), None)

    def goes_on(self, mark: Mark) -> bool:
        """Whether a marker is the next one of a list that is open."""
        return any(follows(each.mark, mark) for each in self._open)

    def holds_number(self, mark: Mark) -> bool:
        """Whether a number is below that of an open item: ``2.1`` below ``2.``."""
        return any(mark.number.startswith(f"{each.mark.number}.") for each in self._open if each.mark.number)

    def begin_item(self, mark: Mark, *, is_announced: bool) -> None:
        """Begin an item in the list that it goes on with, or in a new one; ``is_announced`` where the line above ends in a colon."""
        while self._open and not self._takes(self._open[-1], mark, is_announced=is_announced):
            self._close_last()
        top = self._open[-1] if self._open else None
        if top is not None and self._is_sibling(top.mark, mark):
            top.item_stack.close()
            top.mark = mark
        else:
            stack = ExitStack()
            stack.enter_context(self._draft.inside(BlockKind.LIST))
            top = _Open(mark, stack, ExitStack())
            self._open.append(top)
        top.item_stack = ExitStack()
        top.item_stack.enter_context(self._draft.item("-" if mark.is_bullet else mark.shown))

    def _takes(self, opened: _Open, mark: Mark, *, is_announced: bool) -> bool:
        """Whether an item may stand in an open list, or in its last item."""
        if self._is_sibling(opened.mark, mark):
            return True
        if len(self._open) >= _DEEPEST_LIST:
            return False
        if mark.indent > opened.mark.indent + (1 if opened.mark.is_bullet == mark.is_bullet else 0):
            return True
        above = opened.mark.number
        if mark.number.startswith(f"{above}."):
            return True
        if mark.indent != opened.mark.indent or mark.style == opened.mark.style or not begins_list(mark):
            return False
        # "(a)" below "1." lies in it wherever it stands
        is_below = is_announced or (opened.mark.number[-1:].isdigit() and mark.number.isalpha())
        return is_below and not self.goes_on(mark)

    def _is_sibling(self, opened: Mark, mark: Mark) -> bool:
        if abs(opened.indent - mark.indent) > (0 if mark.is_bullet else 2):
            return False
        if mark.is_bullet or opened.is_bullet:
            return mark.shown == opened.shown
        if "." in mark.number or "." in opened.number:
            return mark.number.count(".") == opened.number.count(".")
        return follows(opened, mark) or (mark.style == opened.style and mark.number.isdigit())

    def _close_last(self) -> None:
        last = self._open.pop()
        last.item_stack.close()
        last.list_stack.close()

    def close(self, indent: int) -> None:
        """Close the lists that a block at ``indent`` stands outside of."""
        while self._open and indent <= self._open[-1].mark.indent:
            self._close_last()
