"""Characters of the fonts Symbol and Wingdings, which Word stores by their places in the font.

Symbol as in Adobe's encoding (PDF 32000-1, annex D.6); of Wingdings the signs that mean something in a text.
"""

import re

_PRIVATE = 0xF000
"""Where Word puts places of such a font (ECMA-376 part 1, 17.3.3.30)."""
_SYMBOL_LOW = " !∀#∃%&∍()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_SYMBOL_HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
_SYMBOL = {
    **{0x20 + place: sign for place, sign in enumerate(_SYMBOL_LOW)},
    **{0xA0 + place: sign for place, sign in enumerate(_SYMBOL_HIGH) if sign != "\0"},
}
_WINGDINGS = {
    0x21: "✏", 0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x4A: "☺", 0x4B: "😐", 0x4C: "☹", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "☐",
    0x71: "❑", 0x72: "❒", 0x74: "⬧", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x9F: "•", 0xA7: "▪", 0xA8: "☐", 0xD8: "➢", 0xDF: "←",
    0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xF3: "⇔", 0xFB: "✗", 0xFC: "✓",
    0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2 = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0xA3: "☐"}
_PLACES = re.compile("[\uf020-\uf0ff]")
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}


def symbol_sign(font: str | None, code: int) -> str | None:
    """The sign at ``code`` of a font of signs; None where it is not known which that is."""
    place = code - _PRIVATE if _PRIVATE <= code <= _PRIVATE + 0xFF else code
    signs = _FONTS.get((font or "symbol").lower())
    if signs is None:
        # another font: what is written by its character is that character
        return chr(code) if 0x20 <= code < 0xD800 else None
    return signs.get(place)


def read_signs(text: str, font: str | None) -> str:
    """``text`` with characters that are places of a font of signs as the signs; unknown ones are left out."""
    if not _PLACES.search(text):
        return text
    return "".join(
        (symbol_sign(font if (font or "").lower() in _FONTS else "symbol", ord(character)) or "")
        if "\uf020" <= character <= "\uf0ff"
        else character
        for character in text
    )
