"""Bytes to text, by one rule everywhere.

In this order: a byte order mark; UTF-8 where the bytes are valid UTF-8, whatever is declared; what is declared, from outside (a header of
HTTP or of a mail) before the file's own words; detection by chardet (0BSD). Names of encodings mean what browsers take them for
(https://encoding.spec.whatwg.org/#names-and-labels): ``latin-1`` is windows-1252, ``gb2312`` is gb18030.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast


class Basis(StrEnum):
    """What an encoding was chosen by."""

    MARK = "mark"
    """A byte order mark."""
    VALID = "valid"
    """The bytes are valid in it, which those of other encodings are not: UTF-8, UTF-16, ISO-2022."""
    DECLARED = "declared"
    DETECTED = "detected"
    GUESSED = "guessed"
    """Detected in too little text to be sure."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, the name of the encoding it was in, and what that was chosen by. ``note`` is for the person: what may be wrong."""

    text: str
    encoding: str
    basis: Basis
    note: str | None = None


SAMPLE_BYTES = 65_536
_MARKS = (
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_CONTROL_SHARE = 0.02
_MAX_DAMAGED_SHARE = 0.05
"""Of the characters that are not ASCII: more of them unreadable, and the text is in another encoding than it says (by judgement)."""


def decode_text(data: bytes, charset: str | None = None) -> Decoded:
    """The text in ``data``, of which a header may name the ``charset``. Raises ValueError, with the reason, when it is not text."""
    if marked := _decode_marked(data):
        return marked
    declared = tuple(_find_codecs(data, charset))
    for codec in declared:
        if _has_form_of(codec, data) and (text := _decode_strictly(data, codec)) is not None:
            return Decoded(text, _label_of(codec), Basis.DECLARED)
    if unmarked := _unmarked_utf16(data):
        return unmarked
    try:
        return _decode_utf8(data, declared)
    except UnicodeDecodeError as error:
        return (
            _decode_damaged_utf8(data, error.start, _SURE_UTF8)
            or _decode_declared(data, declared)
            or _decode_damaged_utf8(data, error.start, _LIKELY_UTF8)
            or _detect_encoding(data, error.start)
        )


def decode_head(head: bytes) -> str:
    """The first bytes of a file for a look at its structure: ASCII is right, the rest may not be. Raises ValueError for what is binary."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            whole = len(head) if encoding == "utf-8-sig" else len(head) // 4 * 4
            return head[:whole].decode(encoding, "replace").removeprefix("\ufeff")
    unmarked = _unmarked_utf16(head[: len(head) // 2 * 2] or head)
    return unmarked.text if unmarked else head.decode("utf-8", "replace")


def _decode_marked(data: bytes) -> Decoded | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return Decoded(data.decode(encoding), encoding.removesuffix("-sig").upper(), Basis.MARK)
            except UnicodeDecodeError as error:
                damaged = data.decode(encoding, "replace")
                if _damaged_share(damaged) > _MAX_DAMAGED_SHARE:
                    raise ValueError(f"is not valid {encoding} although it begins with its mark") from error
                return Decoded(damaged, encoding.removesuffix("-sig").upper(), Basis.MARK, _note_damage(encoding))
    return None


def _unmarked_utf16(data: bytes) -> Decoded | None:
    """UTF-16 without a mark: nearly every second byte is zero and the text decodes. Raises ValueError for other binary data."""
    sample = data[:SAMPLE_BYTES]
    if len(_CONTROLS.findall(sample)) <= _MAX_CONTROL_SHARE * len(sample):
        return None
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[0::2])):
        if zeros and zeros.count(0) > 0.7 * len(zeros):
            text = _decode_strictly(data, encoding)
            if text is not None and text[:SAMPLE_BYTES].count("\0") == 0:
                return Decoded(text, encoding.upper(), Basis.VALID)
    raise ValueError("holds binary data, not text")


def _decode_utf8(data: bytes, declared: Sequence[str]) -> Decoded:
    text = data.decode("utf-8")
    if b"\x1b$" in data[:SAMPLE_BYTES] and text.isascii():
        for codec in _ESCAPED:
            shifted = _decode_strictly(data, codec)
            if shifted is not None and not shifted.isascii():
                return Decoded(shifted, _label_of(codec), Basis.VALID)
    return Decoded(text, "UTF-8", Basis.DECLARED if "utf-8" in declared else Basis.VALID)


_NO_CHARACTERS = {"cp932": re.compile("[\uf8f0-\uf8f3]")}
"""What Python reads bytes as that are no characters to others (https://encoding.spec.whatwg.org/#shift_jis-decoder)."""


def _decode_strictly(data: bytes, codec: str) -> str | None:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    invalid = _NO_CHARACTERS.get(codec)
    return None if invalid and invalid.search(text) else text


def _decode_damaged(data: bytes, codec: str) -> str:
    text = data.decode(codec, "replace")
    invalid = _NO_CHARACTERS.get(codec)
    return invalid.sub("\ufffd", text) if invalid else text


def _damaged_share(text: str) -> float:
    """How many of the characters that are not ASCII could not be read."""
    return text.count("\ufffd") / max(1, len(text) - len(text.encode("ascii", "ignore")))


def _note_damage(codec: str) -> str:
    return f"some characters could not be read as {_label_of(codec)}"


# UTF-8 with a few bytes that are none: a cut end, a line from elsewhere. Of 3,790 texts in 34 other encodings (one to eight messages of
# programs each) none had twice as many valid sequences of UTF-8 as invalid ones.
_LIKELY_UTF8 = (1, 2)
_SURE_UTF8 = (20, 20)
"""Valid sequences at least, and times as many as invalid ones, that speak against what is declared."""


def _decode_damaged_utf8(data: bytes, start: int, needed: tuple[int, int]) -> Decoded | None:
    """UTF-8 with some other bytes from ``start`` on, which are read as windows-1252; None when it is not mostly UTF-8."""
    around = data[max(0, start - SAMPLE_BYTES) : start + SAMPLE_BYTES].decode("utf-8", "replace")
    invalid = around.count("\ufffd")
    valid = len(around) - len(around.encode("ascii", "ignore")) - invalid
    if valid < max(needed[0], needed[1] * invalid):
        return None
    note = "some bytes are not valid UTF-8: read as windows-1252"
    return Decoded(data.decode("utf-8", "ascertain-windows-1252"), "UTF-8", Basis.VALID, note)


def _read_as_western(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("ascertain-windows-1252", _read_as_western)


class LineDecoder:
    """Decodes the lines of one file, one at a time: what those that are not UTF-8 have shown so far holds for the others."""

    def __init__(self, notes: list[str]) -> None:
        """``notes`` takes what a person should know, once."""
        self._notes = notes
        self._charset: str | None = None
        self._seen = b""

    def decode(self, line: bytes) -> str:
        """The text of a line. Raises ValueError, with the reason, when it is not text."""
        decoded = decode_text(line, self._charset)
        if decoded.basis in (Basis.DETECTED, Basis.GUESSED):
            self._seen = self._seen[-SAMPLE_BYTES:] + line[:SAMPLE_BYTES]
            found = decode_text(self._seen)
            if found.basis is Basis.DETECTED:
                self._charset = found.encoding
                if found.note:
                    self._notes.append(found.note)
            decoded = decode_text(line, found.encoding)
        elif decoded.note and decoded.note not in self._notes:
            self._notes.append(decoded.note)
        return decoded.text


# Declarations

_HEAD_BYTES = 4096
_IN_MARKUP = re.compile(
    rb"<(?:meta\s[^<>]{0,500}?charset|\?xml[^<>]{0,200}?encoding)\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w.:-]{1,40})",
    re.IGNORECASE,
)
_COOKIES = tuple(
    map(
        re.compile,
        (
            # PEP 263, which covers Emacs (-*- coding: x -*-) and Vim (fileencoding=x): in the first two lines
            rb"\A(?:[^\n]{0,300}\n)?[^\n]{0,200}coding[:=][ \t]{0,9}([\w.-]{1,40})",
            # CSS, LaTeX, AsciiDoc
            rb'\A@charset "([\w.:-]{1,40})"',
            rb"\\usepackage\[([\w.-]{1,40})\]\{inputenc\}",
            rb"(?m)^:encoding:[ \t]{1,9}([\w.-]{1,40})[ \t]{0,9}\r?$",
        ),
    )
)


def declared_names(data: bytes) -> Iterator[str]:
    """The encodings that a text names itself, as it writes them."""
    head = data[:_HEAD_BYTES]
    if head.lstrip().startswith(b"<"):
        yield from (found[1].decode("ascii", "replace") for found in _IN_MARKUP.finditer(head))
    for cookie in _COOKIES:
        if found := cookie.search(head):
            yield found[1].decode("ascii", "replace")


def _find_codecs(data: bytes, charset: str | None) -> Iterator[str]:
    """The codecs that are declared, the surest first. A text that could say so in its own bytes is not in UTF-16."""
    if charset and (codec := known_codec(charset)):
        yield codec
    for name in declared_names(data):
        codec = known_codec(name)
        if codec and not codec.startswith(("utf-16", "utf-32")):
            yield codec


# Python knows more by name than texts may come in: escapes, idna (slow by design), UTF-7 (hides markup).
_OF_TEXTS = re.compile(
    r"ascii|big5|cp\d|euc|gb|hz|iso2022|iso8859|johab|koi8|kz1048|mac_|mac-|ptcp154|shift_jis|tis-620|utf-(?:8|16|32)"
)
_BROWSERS_READ = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "cp950",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-8-sig": "utf-8",
}
_OTHER_NAMES = {
    # Names that Python does not know: of browsers (the page above), of Java, of LaTeX (inputenc) and of Vim.
    "ks_c_5601": "cp949",
    "ksc_5601": "cp949",
    "sjis-win": "cp932",
    "windows-31j": "cp932",
    "cswindows31j": "cp932",
    "ms932": "cp932",
    "ms936": "gb18030",
    "ms949": "cp949",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "dos-874": "cp874",
    "windows-874": "cp874",
    "unicode-1-1-utf-8": "utf-8",
    "utf8x": "utf-8",
    "ansinew": "cp1252",
    "ansi": "cp1252",
    "applemac": "mac-roman",
    "macintosh": "mac-roman",
    "mac-ukrainian": "mac-cyrillic",
    "latin9": "iso8859-15",
    "koi8": "koi8-r",
    "utf-8-unix": "utf-8",
    "utf-8-dos": "utf-8",
    "utf-8-emacs": "utf-8",
}
_WIDER = {
    "cp950": "big5hkscs",
    "euc_jp": "euc_jis_2004",
    "cp932": "shift_jis_2004",
    "iso2022_jp": "iso2022_jp_ext",
    "iso2022_jp_2": "iso2022_jp_ext",
}
"""What to read a text with that a codec does not have all characters of."""
_ESCAPED = ("iso2022_jp_ext", "iso2022_kr")
_LABELS = {
    "cp932": "Shift_JIS",
    "shift_jis_2004": "Shift_JIS",
    "cp949": "EUC-KR",
    "cp950": "Big5",
    "big5hkscs": "Big5",
    "euc_jp": "EUC-JP",
    "euc_jis_2004": "EUC-JP",
    "gb18030": "GB18030",
    "hz": "HZ",
    "iso2022_jp_ext": "ISO-2022-JP",
    "mac-roman": "macintosh",
    "cp874": "windows-874",
    "utf-8": "UTF-8",
}


def known_codec(name: str) -> str | None:
    """Python's codec for the name of an encoding, as browsers take it; None for one that texts do not come in."""
    label = re.sub(r"^latin-(?=\d)", "latin", name.strip(" \t\r\n\"'").lower())
    for each in (label, label.removeprefix("x-")):
        try:
            codec = codecs.lookup(_OTHER_NAMES.get(each, each)).name
        except (LookupError, ValueError):
            continue
        return _BROWSERS_READ.get(codec, codec) if _OF_TEXTS.match(codec) else None
    return None


def _label_of(codec: str) -> str:
    """The name that people know an encoding by."""
    if codec in _LABELS:
        return _LABELS[codec]
    if re.fullmatch(r"cp125\d", codec):
        return codec.replace("cp", "windows-")
    return re.sub(r"^iso(?=\d)", "iso-", codec).replace("_", "-").upper()


def _has_form_of(codec: str, data: bytes) -> bool:
    """Whether a declared codec and ``data`` have what no text in ASCII or UTF-8 has: zeros, or the escapes of seven-bit encodings."""
    sample = data[:SAMPLE_BYTES]
    if codec.startswith(("utf-16", "utf-32")):
        return b"\0" in sample
    if codec.startswith("iso2022"):
        return b"\x1b" in sample
    return codec == "hz" and b"~{" in sample


def _decode_declared(data: bytes, declared: Sequence[str]) -> Decoded | None:
    """As it is declared; a text that does not fit what it declares is left to detection, but for a few characters."""
    for codec in declared:
        if codec != "utf-8":
            for each in (codec, _WIDER.get(codec)):
                if each and (text := _decode_strictly(data, each)) is not None:
                    return Decoded(text, _label_of(each), Basis.DECLARED)
            damaged = _decode_damaged(data, codec)
            if _damaged_share(damaged) <= _MAX_DAMAGED_SHARE:
                return Decoded(damaged, _label_of(codec), Basis.DECLARED, _note_damage(codec))
    return None


# Detection

_CANDIDATES = (
    "cp1252 big5hkscs cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 cp932 cp949 euc_jis_2004 gb18030 "
    "iso8859-2 iso8859-5 iso8859-7 koi8-r koi8-u mac-roman johab"
).split()
"""Encodings in which texts without a declaration are found; with all 86 that chardet knows it is right in 94 % of single lines, not 97 %."""
_DETECTED_AS = {"big5hkscs": "cp950", "euc_jis_2004": "euc_jp"}
"""What a detected encoding is read as first: its more common part."""
# Over 3,700 texts of 33 languages (messages of programs: one, three or eight), detection was right in 93 to 99 % of those with fewer than 64
# bytes beyond ASCII, in all 1,091 with more, and in all with a confidence of .3 and more; below .05 in 58 %, where windows-1252 is as good.
_SURE_BYTES = 64
_SURE = 0.3
_NO_CONFIDENCE = 0.02
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def _detect_encoding(data: bytes, start: int) -> Decoded:
    """The text in the likeliest encoding. Raises ValueError where no encoding fits."""
    sample = _take_sample(data, start)
    ranked = _rank_encodings(sample)
    if not ranked or ranked[0][1] < _NO_CONFIDENCE:
        ranked = [("cp1252", 0.0), *ranked]
    for codec, confidence in ranked[:3]:
        usual = _DETECTED_AS.get(codec, codec)
        for each in (usual, _WIDER.get(usual, codec)):
            if (text := _decode_strictly(data, each)) is not None:
                return _name_detected(text, each, confidence, sample)
    codec, confidence = ranked[0]
    damaged = _decode_damaged(data, codec)
    if _damaged_share(damaged) > _MAX_DAMAGED_SHARE:
        raise ValueError("its characters are in no encoding that can be recognised")
    return _name_detected(damaged, codec, confidence, sample, damage=f"; {_note_damage(codec)}")


def _name_detected(text: str, codec: str, confidence: float, sample: bytes, *, damage: str = "") -> Decoded:
    is_sure = confidence >= _SURE or len(_BEYOND_ASCII.findall(sample)) >= _SURE_BYTES
    label = _label_of(codec)
    note = f"encoding not declared: read as {label}" + ("" if is_sure else ", which may be wrong") + damage
    return Decoded(text, label, Basis.DETECTED if is_sure else Basis.GUESSED, note)


def _rank_encodings(sample: bytes, candidates: Sequence[str] = _CANDIDATES) -> list[tuple[str, float]]:
    """Codecs with the confidence that chardet has in each, the likeliest first."""
    # A tenth of a second to import, so it waits for the first text that is not UTF-8.
    import chardet  # noqa: PLC0415

    found = cast(
        "list[dict[str, Any]]",
        chardet.detect_all(sample, include_encodings=candidates, compat_names=False, no_match_encoding=candidates[0]),
    )
    ranked = [(str(each["encoding"]), float(each["confidence"])) for each in found if each["encoding"]]
    return [(_codec_name(name), confidence) for name, confidence in ranked]


def _codec_name(name: str) -> str:
    codec = codecs.lookup(name).name
    return "cp1252" if codec in ("ascii", "utf-8") else codec


_PIECES = 4
_CUT = re.compile(rb"[\x00-\x2f]")
"""No part of a character of two bytes, in no encoding."""


def _take_sample(data: bytes, start: int) -> bytes:
    """Some of the text from its first byte beyond ASCII on: what is detected in a long file costs no more than in a short one."""
    if len(data) - start <= SAMPLE_BYTES:
        return data[max(0, start - 200) :]
    size = SAMPLE_BYTES // _PIECES
    pieces: list[bytes] = []
    for number in range(_PIECES):
        place = start + number * (len(data) - start - size) // (_PIECES - 1)
        first = _BEYOND_ASCII.search(data, place) if number else None
        piece = data[place : place + size] if first is None else data[max(place, first.start() - size // 2) :][:size]
        begun = _CUT.search(piece) if number else None
        pieces.append(piece[begun.end() if begun else 0 :])
    return b"\n".join(pieces)


_OF_NAMES = "cp437 cp850 cp866 cp932 cp949 big5hkscs gb18030 cp852 cp1251".split()
"""What Windows and DOS wrote the names in archives in. ZIP itself knows cp437 and UTF-8 (APPNOTE.TXT of PKWARE, appendix D)."""
_SURE_OF_NAMES = 0.05


def decode_names(names: Sequence[bytes]) -> list[str]:
    """The names of the files in one archive that says nothing of their encoding: UTF-8, or what all the others together look like."""
    others = [name for name in names if _decode_strictly(name, "utf-8") is None]
    codec, confidence = "cp437", 0.0
    if others:
        ranked = _rank_encodings(b"\n".join(others)[:SAMPLE_BYTES], _OF_NAMES)
        codec, confidence = ranked[0] if ranked else (codec, confidence)
    if confidence < _SURE_OF_NAMES:
        codec = "cp437"
    decoded = ((_decode_strictly(name, "utf-8"), _decode_strictly(name, codec), name) for name in names)
    return [utf8 or guessed or name.decode("cp437") for utf8, guessed, name in decoded]
