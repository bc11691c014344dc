"""Escapes of roff as the characters that they stand for (groff_char(7), roff(7)); what only sets type is dropped."""

import re
import unicodedata
from collections.abc import Mapping

_CHARACTERS = {
    "em": "—", "en": "–", "hy": "-", "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "aq": "'", "dq": '"', "Bq": "„", "bq": "‚",
    "Fo": "«", "Fc": "»", "fo": "‹", "fc": "›", "bu": "•", "co": "©", "rg": "®", "tm": "™", "<-": "←", "->": "→", "ua": "↑",
    "da": "↓", "<>": "↔", "lA": "⇐", "rA": "⇒", "hA": "⇔", "<=": "≤", ">=": "≥", "!=": "≠", "==": "≡", "=~": "≅", "~~": "≈",
    "+-": "±", "-+": "∓", "mu": "×", "di": "÷", "de": "°", "ti": "~", "ha": "^", "ga": "`", "aa": "´", "rs": "\\", "at": "@",
    "sh": "#", "Do": "$", "ul": "_", "ru": "_", "ba": "|", "br": "│", "bv": "│", "sl": "/", "f/": "⁄", "fm": "′", "sd": "″",
    "sc": "§", "ps": "¶", "dg": "†", "dd": "‡", "lB": "[", "rB": "]", "lC": "{", "rC": "}", "la": "⟨", "ra": "⟩", "pl": "+",
    "mi": "−", "eq": "=", "pc": "·", "md": "⋅", "sq": "□", "ci": "○", "no": "¬", "tno": "¬", "if": "∞", "pd": "∂", "sr": "√",
    "is": "∫", "sum": "∑", "product": "∏", "mo": "∈", "nm": "∉", "cu": "∪", "ca": "∩", "es": "∅", "fa": "∀", "te": "∃",
    "AN": "∧", "OR": "∨", "ap": "∼", "pt": "∝", "gr": "∇", "12": "½", "14": "¼", "34": "¾", "S1": "¹", "S2": "²", "S3": "³",
    "ct": "¢", "Eu": "€", "eu": "€", "Ye": "¥", "Po": "£", "Cs": "¤", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
    "/o": "ø", "/O": "Ø", "/l": "ł", "/L": "Ł", "-D": "Ð", "Sd": "ð", "TP": "Þ", "Tp": "þ", "oa": "å", "oA": "Å", ".i": "ı",
    "r!": "¡", "r?": "¿", "OK": "✓", "ff": "ff", "fi": "fi", "fl": "fl", "Fi": "ffi", "Fl": "ffl", "Of": "ª", "Om": "º",
    "lh": "☜", "rh": "☞", "CL": "♣", "SP": "♠", "HE": "♥", "DI": "♦", "nb": "⊄", "sb": "⊂", "sp": "⊃", "ib": "⊆", "ip": "⊇",
    "R": "®", "Tm": "™", "L\"": "“", "R\"": "”", "C+": "C++", "PI": "π", "--": "—", "S": "", "q": '"',
    "a-": "¯", "ho": "˛", "a^": "^", "a~": "~", "ao": "˚", "ac": "¸", "ad": "¨", "ah": "ˇ", "wp": "℘", "-h": "ℏ", "Ah": "ℵ",
}  # fmt: skip
"""By the names of groff_char(7), and the strings that man(7) and pod2man define."""
_ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    ":": "\u0308",
    "~": "\u0303",
    ",": "\u0327",
    "v": "\u030c",
    "o": "\u030a",
}
_GREEK = dict(
    zip(
        "abgdezyhiklmncoprstufxqwABGDEZYHIKLMNCOPRSTUFXQW",
        "αβγδεζηθικλμνξοπρστυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ",
        strict=True,
    )
)
_ESCAPE = re.compile(
    r"\\(?:"
    r"(?P<font>[fFmMRY])(?:\[[^\]\n]{0,80}\]|\(..|.)"
    r"|s(?:\[[^\]\n]{0,20}\]|\([-+]?\d\d|[-+]?'[^'\n]{0,20}'|[-+]?[1-3]\d|[-+]?\d)"
    r"|(?P<register>[n])[-+]?(?:\[(?P<long>[^\]\n]{0,80})\]|\((?P<two>..)|(?P<one>.))"
    r"|\*(?:\[(?P<string>[^\]\n]{0,80})\]|\((?P<pair>..)|(?P<single>.))"
    r"|\[(?P<name>[^\]\n]{1,80})\]"
    r"|\((?P<char>..)"
    r"|C'(?P<named>[^'\n]{1,80})'"
    r"|N'(?P<code>\d{1,4})'"
    r"|o(?P<quote>[^\w\s])(?P<over>[^\n]{1,20}?)(?P=quote)"
    r"|[hvwlLDbxXAZBHS](?:'[^'\n]{0,200}'|\"[^\"\n]{0,200}\")"
    r"|[kgVz](?:\[[^\]\n]{0,80}\]|\(..|(?<=[kgV]).|)"
    r"|\$(?:\[[^\]\n]{0,20}\]|\(..|.)"
    r"|(?P<plain>[^\n])|$)"
)  # fmt: skip
_SIGNS = {
    "-": "-", "e": "\\", "\\": "\\", " ": " ", "~": " ", "0": " ", "t": "\t", "'": "´", "`": "`", ".": ".", "_": "_", "E": "\\",
    "|": "", "^": "", "&": "", ")": "", "/": "", ",": "", ":": "", "%": "", "{": "", "}": "", "a": "", "d": "", "u": "", "r": "",
    "p": "", "!": "", "c": "",
}  # fmt: skip


def render_escapes(text: str, strings: Mapping[str, str], registers: Mapping[str, int]) -> str:
    """``text`` with its escapes as characters; strings that a page defines are looked up once, and not in each other."""
    if "\\" not in text:
        return text

    def replace(match: re.Match[str]) -> str:
        found = match.groupdict()
        if (sign := found["plain"]) is not None:
            return _SIGNS.get(sign, sign)
        if name := found["string"] or found["pair"] or found["single"]:
            return plain_string(strings.get(name), name)
        if found["register"]:
            return str(registers.get(found["long"] or found["two"] or found["one"] or "", 0))
        if name := found["name"] or found["char"] or found["named"]:
            return _character(name)
        if found["code"]:
            return chr(int(found["code"]))
        return (found["over"] or "")[:1]

    return _ESCAPE.sub(replace, text)


def plain_string(value: str | None, name: str) -> str:
    """What a string stands for: as the page defines it, else the character of that name."""
    if value is None:
        return _CHARACTERS.get(name, "")
    return _ESCAPE.sub(_sign_or_character, value) if "\\" in value else value


def _sign_or_character(match: re.Match[str]) -> str:
    name = match["name"] or match["char"]
    return _character(name) if name else _SIGNS.get(match["plain"] or "", match["plain"] or "")


def _character(name: str) -> str:
    """The character called ``name``; of one that is not known its name, so that nothing is lost."""
    if name in _CHARACTERS:
        return _CHARACTERS[name]
    if name[0] == "*" and name[1:] in _GREEK:
        return _GREEK[name[1:]]
    if len(name) == 2 and name[0] in _ACCENTS and name[1].isalpha():
        return unicodedata.normalize("NFC", name[1] + _ACCENTS[name[0]])
    points = re.fullmatch(r"u([0-9A-F]{4,6})(?:_([0-9A-F]{4,6}))*", name)
    if points:
        codes = [int(code, 16) for code in name[1:].split("_")]
        return unicodedata.normalize("NFC", "".join(chr(code) for code in codes if code < 0x110000))
    code = re.fullmatch(r"char(\d{1,3})", name)
    return chr(int(code[1])) if code else name
