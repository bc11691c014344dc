"""Lists of formats that number paragraphs and know no lists: which items lie in which, by level and indent."""

from contextlib import ExitStack
from dataclasses import dataclass, field

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft


@dataclass(slots=True)
class _OpenList:
    list_id: str
    level: int
    indent: int
    blocks: ExitStack = field(default_factory=ExitStack)
    item: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        self.item.close()
        self.blocks.close()


class OpenLists:
    """The lists of a draft that are open, the outermost first; an item stays open until what follows does not belong to it."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._open: list[_OpenList] = []

    def begin_item(self, marker: str, list_id: str, level: int, indent: int) -> None:
        """Begin an item. Of one list deeper levels lie in higher ones, of several those that are set in further."""
        if any(each.list_id == list_id and each.level <= level for each in self._open):
            while self._open[-1].list_id != list_id or self._open[-1].level > level:
                self._open.pop().close()
            is_sibling = self._open[-1].level == level
        else:
            while self._open and (self._open[-1].list_id == list_id or self._open[-1].indent >= indent):
                self._open.pop().close()
            is_sibling = False
        if not is_sibling:
            begun = _OpenList(list_id, level, indent)
            begun.blocks.enter_context(self._draft.inside(BlockKind.LIST))
            self._open.append(begun)
        last = self._open[-1]
        last.item.close()
        last.item.enter_context(self._draft.item(marker))

    def end_before(self, indent: int) -> None:
        """End the lists that a paragraph without a number, set in by ``indent``, does not go on with."""
        while self._open and (indent <= 0 or self._open[-1].indent > indent):
            self._open.pop().close()

    def close(self) -> None:
        """End all lists."""
        self.end_before(0)
