"""The control words, groups and characters of an RTF file, and the code pages of its fonts."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ascertain.documents.formats.files.encodings import known_codec

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]+)(?P<number>-?[0-9]{1,10})?[0-9]*[ ]?"
    rb"|\\'(?P<byte>[0-9a-fA-F]{2})"
    rb"|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<group>[{}])"
    rb"|[\r\n\0]+"
    rb"|(?P<text>[^\\{}\r\n\0]+)"
    rb"|\\",
    re.DOTALL,
)


class Token(NamedTuple):
    """One piece of a file: ``kind`` is word, byte, sign, group or text."""

    kind: str
    value: bytes
    number: int | None = None


def iter_tokens(data: bytes) -> Iterator[Token]:
    r"""The tokens in order; bytes that ``\bin`` announces are left out."""
    place = 0
    while match := _TOKEN.match(data, place):
        place = match.end()
        kind = match.lastgroup
        if kind in ("word", "number"):
            word = match["word"]
            number = int(match["number"]) if match["number"] else None
            if word == b"bin":
                place += max(0, number or 0)
            else:
                yield Token("word", word, number)
        elif kind == "byte":
            yield Token("byte", bytes.fromhex(match["byte"].decode("ascii")))
        elif kind is not None:
            yield Token(kind, match[kind])


_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 78: "cp932", 79: "cp949", 80: "cp936", 81: "cp950", 128: "cp932", 129: "cp949", 130: "johab",
    134: "cp936", 136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
"""The code page by the number of a font's character set; 1 is the one of the document, 2 is a font of signs."""
SIGN_CHARSET = 2
_CODE_PAGES = {
    708: "iso-8859-6", 10000: "macintosh", 10001: "cp932", 10006: "mac-greek", 10007: "mac-cyrillic", 10029: "mac-latin2",
    10081: "mac-turkish", 20127: "ascii", 20866: "koi8-r", 20932: "euc-jp", 21866: "koi8-u", 51932: "euc-jp", 51949: "euc-kr",
    54936: "gb18030", 65001: "utf-8", 1361: "johab",
}  # fmt: skip
"""The names of code pages beside ``cp1252`` and the like (https://learn.microsoft.com/windows/win32/intl/code-page-identifiers)."""
_ISO_8859 = range(28591, 28606)


def code_page(number: int | None) -> str | None:
    """Python's codec for a Windows code page; None where it is not known."""
    if number is None:
        return None
    iso = f"iso-8859-{number - _ISO_8859.start + 1}" if number in _ISO_8859 else f"cp{number}"
    return known_codec(_CODE_PAGES.get(number, iso))


def charset_page(number: int | None) -> str | None:
    """Python's name of the code page of a font's character set; None where the document's holds."""
    return None if number is None else _CHARSETS.get(number)
