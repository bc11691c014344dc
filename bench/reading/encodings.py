"""How often the encoding of a text without a declaration is recognised: single lines and texts of forty.

    python -m bench.reading.encodings [--lines 40]

The lines are messages of the programs on this machine (``/usr/share/locale``), 30 to 200 characters with three or more beyond ASCII, in the encodings that
were usual for their languages. Right is a text that is the same, character by character. The other detectors of docs/formats.md were given the same lines, each
by its own function, their names of encodings taken for what browsers take them for.
"""

from __future__ import annotations

import argparse
import gettext
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

from ascertain.documents.formats.files.encodings import decode_text

LOCALES = Path("/usr/share/locale")
ENCODINGS = {
    **dict.fromkeys("de fr es sv pt it da nl fi nb".split(), ("cp1252",)),
    **dict.fromkeys("pl cs hu".split(), ("iso8859-2", "cp1250")),
    **dict.fromkeys("sk sl hr".split(), ("cp1250",)),
    **dict.fromkeys("lt lv et".split(), ("cp1257",)),
    "ru": ("cp1251", "koi8-r", "iso8859-5", "cp866"),
    "uk": ("cp1251", "koi8-u"),
    "bg": ("cp1251",),
    "sr": ("cp1251",),
    "ro": ("iso8859-2",),
    "el": ("cp1253",),
    "he": ("cp1255",),
    "ar": ("cp1256",),
    "tr": ("cp1254",),
    "vi": ("cp1258",),
    "th": ("cp874",),
    "zh_CN": ("gb18030",),
    "zh_TW": ("big5",),
    "ja": ("cp932", "euc-jp", "iso2022_jp"),
    "ko": ("cp949",),
}


def list_messages(language: str) -> list[str]:
    """The messages in a language, in the same order each time."""
    found: set[str] = set()
    for path in LOCALES.glob(f"{language}/LC_MESSAGES/*.mo"):
        try:
            with path.open("rb") as file:
                catalogue = gettext.GNUTranslations(file)._catalog  # pyright: ignore
        except UnicodeDecodeError:
            continue
        for name, message in catalogue.items():
            if not name:
                continue
            line = re.sub(r"\s+", " ", re.sub(r"%[-0-9.l]*[a-zA-Z]", "", str(message))).strip()
            if 30 <= len(line) <= 200 and sum(not character.isascii() for character in line) >= 3:
                found.add(line)
    lines = sorted(found)
    random.Random(3).shuffle(lines)
    return lines


def encode_lines(lines: list[str], encoding: str) -> Iterator[bytes]:
    """The lines that an encoding has every character of."""
    for line in lines:
        encoded = line.encode(encoding, "ignore")
        if encoded.decode(encoding) == line:
            yield encoded


def main() -> None:
    """Print the share of texts that were read right, for each encoding and for all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=40)
    count = parser.parse_args().lines
    totals = {1: [0, 0], 40: [0, 0]}
    begun = time.process_time()
    for language, encodings in ENCODINGS.items():
        messages = list_messages(language)
        for encoding in encodings:
            encoded = list(encode_lines(messages, encoding))
            shares: list[str] = []
            for size, total in totals.items():
                texts = [b"\n".join(encoded[at : at + size]) for at in range(0, min(len(encoded), count * size), size)]
                right = sum(decode_text(text).text == text.decode(encoding) for text in texts)
                total[0] += right
                total[1] += len(texts)
                shares.append(f"{100 * right / max(1, len(texts)):.0f}")
            print(language, encoding, *shares)
    for size, (right, texts) in totals.items():
        print(f"{size} lines: {right} of {texts}, {100 * right / max(1, texts):.1f} %")
    print(f"{time.process_time() - begun:.1f} s")


if __name__ == "__main__":
    main()
