"""Bytes to text: byte order marks, UTF-8, then Windows-1252; what looks binary is refused."""

from __future__ import annotations

import codecs
import re

from ascertain.core.errors import SourceError
from ascertain.sources.extraction import SourceFile

_MARKS = (
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE = 65_536
_MAX_CONTROL_SHARE = 0.02
# A character takes at most four bytes, so a longer file cannot be within the limit of characters.
_MAX_BYTES_PER_CHARACTER = 4


def decode(data: bytes) -> str:
    """The text in ``data``. Raises ValueError, with the reason, when it is not text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise ValueError(f"is not valid {encoding} although it begins with its mark") from error
    sample = data[:_SAMPLE]
    if len(_CONTROLS.findall(sample)) > _MAX_CONTROL_SHARE * len(sample):
        unmarked = _unmarked_utf16(data)
        if unmarked is None:
            raise ValueError("holds binary data, not text")
        return unmarked
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        # Latin-1 maps the five bytes that Windows-1252 leaves undefined to controls, which cleaning removes.
        return data.decode("cp1252", errors="replace")


def text_of(file: SourceFile) -> str:
    """The text of a whole file. Raises SourceError when it is not text or surely over the limit."""
    data = file.data()
    limit = file.options.max_characters
    if len(data) > _MAX_BYTES_PER_CHARACTER * limit:
        raise too_long(file)
    try:
        return decode(data)
    except ValueError as error:
        raise file.error(f"{error}; save it as UTF-8 text or give the original file") from error


def too_long(file: SourceFile) -> SourceError:
    """The error for a text over the limit of characters."""
    limit = file.options.max_characters
    return file.error(f"longer than {limit:,} characters; split it")


def _unmarked_utf16(data: bytes) -> str | None:
    """UTF-16 without a mark: nearly every second byte is zero and the text decodes."""
    sample = data[:_SAMPLE]
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[0::2])):
        if zeros and zeros.count(0) > 0.7 * len(zeros):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            if text[:_SAMPLE].count("\0") == 0:
                return text
    return None
