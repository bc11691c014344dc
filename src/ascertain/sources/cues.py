"""Subtitle cues: WebVTT and SRT.

Both are blocks of an optional identifier, a time line ``start --> end`` and text. Of the libraries for them none
keeps line numbers, which errors name, together with voice tags, so the few lines of grammar are here.
WebVTT: https://www.w3.org/TR/webvtt1/
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from ascertain.core.documents import clock_time
from ascertain.sources.cleaning import clean_line, clean_text
from ascertain.sources.decoding import text_of
from ascertain.sources.extraction import Extracted, SourceFile
from ascertain.sources.turns import Turn, merge_cues, parse_clock, transcript

_TIMES = re.compile(r"^\s*([\d:.,]+)\s*-->\s*([\d:.,]+)(?:\s.*)?$")
# Tags end at the next bracket of either kind, so that open ones cannot make the search start over and over.
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s([^<>]*)>")
_TAG = re.compile(r"</?[a-zA-Z0-9:.][^<>]*>|\{\\[^{}]*\}")
_NAMED = re.compile(r"^(?:-\s*)?([A-Z][\w.'’]*(?:[ -][A-Z][\w.'’]*){0,3}):\s+(?=\S)")
_NON_CUES = ("NOTE", "STYLE", "REGION")


def read_cues(file: SourceFile) -> Iterator[Extracted]:
    """The transcript in a WebVTT or SRT file. Raises SourceError naming the line of a bad cue."""
    cues = list(_cues(file, clean_text(text_of(file)).split("\n")))
    if not any(cue.text for cue in cues):
        raise file.error("no cues with text in it; check that the file is complete")
    yield transcript(merge_cues(cues))


def _cues(file: SourceFile, lines: list[str]) -> Iterator[Turn]:
    number = 0
    speaker: str | None = None
    while number < len(lines):
        line = lines[number]
        if line.split(" ", 1)[0] in _NON_CUES:
            number = _end_of_block(lines, number)
            continue
        if "-->" not in line:
            number += 1
            continue
        start, end = _times(file, line, number + 1)
        stop = _end_of_block(lines, number + 1)
        for voice, words in _voices(" ".join(lines[number + 1 : stop])):
            speaker = voice or speaker
            if words:
                yield Turn(speaker, start, end, words)
        number = stop


def _end_of_block(lines: list[str], number: int) -> int:
    """Index of the blank line, or of the next time line where the blank one is missing."""
    while number < len(lines) and lines[number].strip() and "-->" not in lines[number]:
        number += 1
    if number < len(lines) and "-->" in lines[number] and lines[number - 1].strip().isdigit():
        return number - 1
    return number


def _times(file: SourceFile, line: str, number: int) -> tuple[float, float]:
    match = _TIMES.match(line)
    start, end = (parse_clock(match[1]), parse_clock(match[2])) if match else (None, None)
    if start is None or end is None:
        raise file.error(
            f"not a time line: {clean_line(line)[:60]!r}; expected hh:mm:ss.mmm --> hh:mm:ss.mmm", number
        )
    if end < start:
        raise file.error(f"cue ends before it starts ({clock_time(end)} < {clock_time(start)})", number)
    return start, end


def _voices(text: str) -> Iterator[tuple[str | None, str]]:
    """The speakers and words of one cue: by voice tags, else by a ``Name:`` before the words."""
    parts = _VOICE.split(text)
    words = _plain(parts[0])
    if words:
        named = _NAMED.match(words)
        yield (named[1], words[named.end() :]) if named else (None, words)
    for name, said in zip(parts[1::2], parts[2::2], strict=True):
        yield clean_line(html.unescape(name)) or None, _plain(said)


def _plain(text: str) -> str:
    return clean_line(html.unescape(_TAG.sub("", text)))
