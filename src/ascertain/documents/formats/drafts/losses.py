"""What a reader leaves out, counted while it reads."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.drafts.draft import short_line
from ascertain.documents.formats.reader import count_words

_MOST_NAMES = 5
_LONGEST_NAME = 80


@dataclass(slots=True)
class _Lost:
    count: int = 0
    words: int = 0
    names: dict[str, None] = field(default_factory=dict[str, None])
    is_shown: bool = True

    def add(self, count: int, words: int, names: Iterable[object]) -> None:
        self.count += count
        self.words += words
        for name in names:
            if len(self.names) < _MOST_NAMES and (line := short_line(name, _LONGEST_NAME)):
                self.names[line] = None


class Losses:
    """Counts by kind, in the order in which each was first met."""

    def __init__(self) -> None:
        self._lost: dict[str, _Lost] = {}

    def add(self, what: str, text: str = "", name: object = None, count: int = 1, *, is_shown: bool = True) -> None:
        """``count`` more of ``what`` (``pictures``), with ``text`` in them; the first few by their names, where those are strings.

        One ``what`` is always shown by the file, or never.
        """
        self._lost.setdefault(what, _Lost(is_shown=is_shown)).add(count, count_words(text) if text else 0, (name,))

    def include(self, left_out: Iterable[LeftOut]) -> None:
        """What another reader left out of a part of the same document."""
        for each in left_out:
            self._lost.setdefault(each.what, _Lost(is_shown=each.is_shown)).add(each.count, each.words, each.names)

    def left_out(self) -> tuple[LeftOut, ...]:
        """All that was counted."""
        return tuple(
            LeftOut(what, lost.count, lost.words, tuple(lost.names), lost.is_shown) for what, lost in self._lost.items()
        )
