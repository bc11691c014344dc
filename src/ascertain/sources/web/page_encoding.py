"""Bytes of a web page to text, in the order of the HTML standard: byte order mark, the server's charset, the page's own, a guess."""

from __future__ import annotations

import codecs
import re

from ascertain.sources.decoding import decode

_META = re.compile(rb"<(?:meta[^>]*?charset|\?xml[^>]*?encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META_BYTES = 2048
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Python knows more by name than pages may come in: escapes, idna (slow by design), UTF-7 (hides markup).
_OF_PAGES = re.compile(
    r"ascii|big5|cp\d|euc|gb|hz|iso2022_jp|iso8859|johab|koi8|kz1048|mac_|ptcp154|shift_jis|tis-620|utf-(?:8|16)"
)
_BROWSERS_READ = {
    # https://encoding.spec.whatwg.org/#names-and-labels: what browsers take these names for.
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    # A page that could say so in its own bytes cannot be in it.
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}


def page_text(body: bytes, charset: str | None) -> str:
    """The text; characters that the named encoding does not have become U+FFFD. Raises ValueError for what is binary."""
    if not body.startswith(_MARKS):
        declared = _META.search(body[:_META_BYTES])
        names = (charset, declared[1].decode("ascii", "replace") if declared else None)
        encoding = next(
            (found for name in names if name and (found := _known(name, is_meta=name != charset))), None
        )
        # UTF-8 is left to the guess: a page that says so and is not is mostly Windows-1252.
        if encoding is not None and encoding != "utf-8":
            return body.decode(encoding, "replace")
    return decode(body)


def _known(name: str, *, is_meta: bool) -> str | None:
    """The codec for a name, as browsers take it; None for one that pages do not come in."""
    try:
        codec = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        return None
    if not _OF_PAGES.match(codec):
        return None
    if codec.startswith("utf-16") and not is_meta:
        return codec
    return _BROWSERS_READ.get(codec, codec)
