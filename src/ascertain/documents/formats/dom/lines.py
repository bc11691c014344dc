"""The words of one block, put together as a browser does: white space collapses, and neighbours touch only where they are shown so."""

import re

_SPACES = re.compile(r"[ \t\r\n\f]+")
_STOPS = ":,;!?"


class Line:
    """Grows by the texts of a block and of the inline elements in it.

    Two elements that follow each other without white space are set apart where their words or numbers would become one:
    pages set such apart by their style sheets (``<span>Weight</span><span>12 kg</span>``). A word that begins in the text and
    goes on in an element touches, and so does all that lies in code.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._end = ""
        """The last two characters or fewer."""
        self._depth = self._last_depth = self._lowest = 0
        self._code_depth: int | None = None
        self._epoch = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written."""
        return not self._pieces

    @property
    def ends_line(self) -> bool:
        """Whether what comes next stands at the beginning of a line."""
        return self._end.endswith("\n")

    def write(self, text: str) -> None:
        """Add text as it stands between two tags."""
        text = _SPACES.sub(" ", text)
        if not self._end or self._end[-1] in " \n":
            text = text.removeprefix(" ")
        if text:
            if text[0].isalnum() and self._end and self._is_neighbour() and _joins_words(self._end, text[0]):
                self._pieces.append(" ")
            self._append(text)

    def write_verbatim(self, text: str) -> None:
        """Add text with its white space."""
        if text:
            self._append(text)

    def set_apart(self) -> None:
        """What comes next does not touch what stands here."""
        if self._end and not self._end[-1].isspace():
            self._append(" ")

    def break_line(self) -> None:
        """What comes next stands on the next line."""
        self._append("\n")

    def open_inline(self, *, is_verbatim: bool = False) -> None:
        """An inline element begins."""
        self._depth += 1
        if is_verbatim and self._code_depth is None:
            self._code_depth = self._depth

    def close_inline(self) -> None:
        """The inline element ends that was opened last."""
        if self._code_depth == self._depth:
            self._code_depth = None
        self._depth -= 1
        self._lowest = min(self._lowest, self._depth)

    def mark(self) -> tuple[int, int]:
        """Give this place, for ``cut``."""
        return self._epoch, len(self._pieces)

    def cut(self, mark: tuple[int, int]) -> str:
        """Take out what was written since ``mark``; nothing where a new block has begun since."""
        epoch, length = mark
        if epoch != self._epoch:
            return ""
        text = "".join(self._pieces[length:])
        del self._pieces[length:]
        self._end = "".join(self._pieces[-2:])[-2:]
        return text

    def drop_space(self) -> None:
        """What comes next stands right behind the last word."""
        while self._pieces and not self._pieces[-1].rstrip(" \n"):
            self._pieces.pop()
        if self._pieces:
            self._pieces[-1] = self._pieces[-1].rstrip(" \n")
        self._end = "".join(self._pieces[-2:])[-2:]

    def take(self) -> str:
        """All of it; the line is empty then."""
        text = "".join(self._pieces)
        self._pieces.clear()
        self._end = ""
        self._lowest = self._last_depth = self._depth
        self._epoch += 1
        return text

    def _append(self, text: str) -> None:
        self._pieces.append(text)
        self._end = text[-2:] if len(text) > 1 else (self._end + text)[-2:]
        self._last_depth = self._lowest = self._depth

    def _is_neighbour(self) -> bool:
        """Whether the last text and the next one lie in elements that follow each other, and not in the same code."""
        if self._code_depth is not None and self._lowest >= self._code_depth:
            return False
        return self._lowest < min(self._last_depth, self._depth)


def _joins_words(end: str, first: str) -> bool:
    """Whether ``first`` would go on with the word or number that ends in ``end``."""
    last = end[-1]
    if last in _STOPS:
        return not (len(end) > 1 and (end[-2] == last or (end[-2].isdigit() and first.isdigit())))
    if not last.isalnum() or _is_unspaced(last) or _is_unspaced(first):
        return False
    # a large first letter: <span>O</span><span>nce</span>
    is_initial = len(end) == 1 and last.isupper() and first.islower()
    return not is_initial


def _is_unspaced(character: str) -> bool:
    """Whether it is of a script without spaces: Thai and its neighbours, Chinese, Japanese."""
    return "\u0e00" <= character <= "\u0eff" or "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff"
