"""Subtitle cues: WebVTT and SRT.

Both are blocks of an optional identifier, a time line ``start --> end`` and text. Of the libraries for them none
keeps line numbers, which errors name, together with voice tags, so the few lines of grammar are here.
WebVTT: https://www.w3.org/TR/webvtt1/
"""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ascertain.core.documents.blocks import clock_time
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.drafts.draft import clean_line, clean_text
from ascertain.documents.formats.reader import Extracted, SourceFile, count_words, text_of
from ascertain.documents.formats.speech.turns import Turn, build_transcript, merge_cues, parse_clock

_TIMES = re.compile(r"^\s*([\d:.,]+)\s*-->\s*([\d:.,]+)(?:\s.*)?$")
# Tags end at the next bracket of either kind, so that open ones cannot make the search start over and over.
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s([^<>]*)>")
_TAG = re.compile(r"</?[a-zA-Z0-9:.][^<>]*>|\{\\[^{}]*\}")
_READING = re.compile(r"<rt>([^<>]*)</rt>")
"""How the letters before it are read (WebVTT, 5.1)."""
_NAMED = re.compile(r"^(?:-\s*)?([A-Z][\w.'’]*(?:[ -][A-Z][\w.'’]*){0,3}):\s+(?=\S)")
_NON_CUES = ("NOTE", "STYLE", "REGION")


def read_cues(file: SourceFile) -> Iterator[Extracted]:
    """The transcript in a WebVTT or SRT file, its remarks behind it. Raises SourceError naming the line of a bad cue."""
    lines = clean_text(text_of(file)).split("\n")
    around = _Around()
    cues = list(_read_cues(file, lines, around))
    if not any(cue.text for cue in cues):
        raise file.error("no cues with text in it; check that the file is complete")
    # "WEBVTT - Board meeting": what stands behind the mark is a heading (WebVTT, 4.1)
    header = lines[0].removeprefix("WEBVTT").strip(" \t-–") if lines[0].startswith("WEBVTT") else ""
    extracted = build_transcript(merge_cues(cues), clean_line(header) or None, around.remarks)
    words = sum(map(count_words, around.stray))
    left_out = (LeftOut("lines outside of cues", len(around.stray), words),) if words else ()
    yield replace(extracted, left_out=left_out)


@dataclass(slots=True)
class _Around:
    """What a file of cues holds besides: remarks, and lines of which it does not tell when they are said."""

    remarks: list[str] = field(default_factory=list[str])
    stray: list[str] = field(default_factory=list[str])


def _read_cues(file: SourceFile, lines: list[str], around: _Around) -> Iterator[Turn]:
    number = 0
    speaker: str | None = None
    while number < len(lines):
        line = lines[number]
        if number == 0 and line.startswith("WEBVTT"):
            # settings may follow in the header: "Kind: captions"
            number = _end_of_block(lines, number + 1)
            continue
        if line.split(" ", 1)[0] in _NON_CUES:
            end = _end_of_block(lines, number + 1)
            remark = clean_line(" ".join(lines[number:end]).removeprefix("NOTE"))
            if line.startswith("NOTE") and remark:
                around.remarks.append(remark)
            number = end
            continue
        if "-->" not in line:
            is_name = number + 1 < len(lines) and "-->" in lines[number + 1]
            if line.strip() and not is_name:
                around.stray.append(line)
            number += 1
            continue
        start, end = _read_times(file, line, number + 1)
        stop = _end_of_block(lines, number + 1)
        for voice, words in _split_voices(" ".join(lines[number + 1 : stop])):
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


def _read_times(file: SourceFile, line: str, number: int) -> tuple[float, float]:
    match = _TIMES.match(line)
    start, end = (parse_clock(match[1]), parse_clock(match[2])) if match else (None, None)
    if start is None or end is None:
        raise file.error(f"not a time line: {clean_line(line)[:60]!r}; expected hh:mm:ss.mmm --> hh:mm:ss.mmm", number)
    if end < start:
        raise file.error(f"cue ends before it starts ({clock_time(end)} < {clock_time(start)})", number)
    return start, end


def _split_voices(text: str) -> Iterator[tuple[str | None, str]]:
    """The speakers and words of one cue: by voice tags, else by a ``Name:`` before the words."""
    parts = _VOICE.split(text)
    words = _strip_tags(parts[0])
    if words:
        match = _NAMED.match(words)
        yield (match[1], words[match.end() :]) if match else (None, words)
    for name, said in zip(parts[1::2], parts[2::2], strict=True):
        yield clean_line(html.unescape(name)) or None, _strip_tags(said)


def _strip_tags(text: str) -> str:
    return clean_line(html.unescape(_TAG.sub("", _READING.sub(r"(\1)", text))))


def write_cues(turns: Iterable[Turn], note: str = "") -> str:
    """A WebVTT file of the turns that have times, which ``read_cues`` reads again; ``note`` stands in it as a remark."""
    remark = f"NOTE {clean_line(note).replace('-->', '->')}\n\n" if note else ""
    cues = "".join(
        f"{_write_time(turn.start)} --> {_write_time(turn.end)}\n{html.escape(clean_line(turn.text), quote=False)}\n\n"
        for turn in turns
        if turn.start is not None and turn.end is not None
    )
    return f"WEBVTT\n\n{remark}{cues}"


def _write_time(seconds: float) -> str:
    thousandths = round(seconds * 1000)
    minutes, rest = divmod(thousandths, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"
