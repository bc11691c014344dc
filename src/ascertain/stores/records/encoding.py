"""How stores write names, texts, sources, answers and versions down, each the same in all of them."""

import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from pathlib import PurePosixPath


def digest_names(*names: str) -> bytes:
    """SHA-256 of names of any length and content; other names have another."""
    found = hashlib.sha256()
    for name in names:
        encoded = name.encode("utf-8", "surrogatepass")
        found.update(len(encoded).to_bytes(8, "big") + encoded)
    return found.digest()


# PostgreSQL holds neither NUL nor lone surrogates (file names that are not UTF-8), and JSON in UTF-8 no surrogates.
# They are written as an escape character and four hexadecimal digits, and so is the escape character itself: U+FDD0,
# which Unicode reserves for a program's own use, so texts hardly ever contain it. Each character is replaced by itself,
# so a prefix stays a prefix.

_ESCAPE = "\ufdd0"
_UNSTORABLE = re.compile("[\0\ud800-\udfff\ufdd0]")
_ESCAPED = re.compile("\ufdd0([0-9a-f]{4})")


def escape_text(text: str) -> str:
    """``text`` as every server can hold it."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub(lambda match: f"{_ESCAPE}{ord(match[0]):04x}", text)


def unescape_text(text: str) -> str:
    """The inverse of ``escape_text``."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if _ESCAPE in text else text


_FILE_NAME_BYTES = 200
"""File systems take 255 bytes, some less when they encrypt names."""

# Separators, what Windows does not take, controls, and what cannot be encoded.
_UNUSABLE = re.compile('[\0-\x1f\x7f<>:"|?*\ud800-\udfff]')


def as_file_name(name: str) -> str:
    """The last part of a path as a usable file name with the same ending; ``file`` when nothing of it can be used."""
    last = re.split(r"[/\\]", name)[-1]
    usable = _UNUSABLE.sub("_", last).strip()
    if usable.strip(".") == "":
        return "file"
    ending = PurePosixPath(usable).suffix
    if len(ending.encode()) > 20:
        ending = ""
    stem = usable.removesuffix(ending) if ending else usable
    kept = stem.encode()[: _FILE_NAME_BYTES - len(ending.encode())].decode(errors="ignore")
    return kept + ending


# Each version of a document counts with a number of its own, the beginning of a digest of its id and content; a set of
# documents with the sum. Every store gives the same fingerprint for the same documents. Two sets share one by chance
# once in 2^56.

VERSION_BYTES = 7
"""Of a version's number, so that it is a positive integer of every database."""


def version_number(document_id: str, content_hash: str) -> int:
    """The number of one version of a document, below 2^56."""
    return int.from_bytes(digest_names(document_id, content_hash)[:VERSION_BYTES], "big")


def format_fingerprint(total: int) -> str:
    """The sum of the numbers of some versions, as text."""
    return f"{total:x}"


def pack_answer(answer: Mapping[str, object] | None) -> bytes | None:
    """An answer as bytes."""
    # Escaped to ASCII, so that a lone surrogate in a quote survives.
    return None if answer is None else zlib.compress(json.dumps(answer, separators=(",", ":")).encode())


def unpack_answer(answer: bytes | None) -> Mapping[str, object] | None:
    """The inverse of ``pack_answer``."""
    return None if answer is None else json.loads(zlib.decompress(answer))
