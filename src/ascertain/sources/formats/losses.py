"""What a reader of an office file leaves out, counted while it reads."""

from ascertain.core.documents import LeftOut
from ascertain.sources.formats.draft import short_line
from ascertain.sources.formats.reader import count_words

_MOST_NAMES = 5


class Losses:
    """Counts by kind, in the order in which each was first met."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._names: dict[str, list[str]] = {}

    def add(self, what: str, text: str = "", name: str | None = None, count: int = 1) -> None:
        """``count`` more of ``what`` (``pictures``), with ``text`` in them, the first few by their names."""
        self._counts[what] = self._counts.get(what, 0) + count
        self._words[what] = self._words.get(what, 0) + count_words(text)
        names = self._names.setdefault(what, [])
        known = short_line(name, 60)
        if known and known not in names and len(names) < _MOST_NAMES:
            names.append(known)

    def left_out(self) -> tuple[LeftOut, ...]:
        """All that was counted."""
        return tuple(
            LeftOut(what, count, self._words[what], tuple(self._names[what])) for what, count in self._counts.items()
        )
