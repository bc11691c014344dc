"""Transcripts as programs write them: JSON with a segment for each stretch of speech."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.reader import Extracted, SourceFile
from ascertain.documents.formats.speech.turns import Turn, build_transcript, merge_cues, parse_clock

_LISTS = ("segments", "turns", "utterances", "transcript", "results")
_TEXT = ("text", "words", "content", "body", "transcript")
_SPEAKER = ("speaker", "speaker_name", "speaker_label", "name", "voice")
_START = ("start", "start_time", "begin", "offset", "time", "timestamp")
_END = ("end", "end_time", "stop")


def find_segments(value: object) -> list[Mapping[str, object]] | None:
    """The segments in a parsed JSON value, or None when it is something else (articles, say)."""
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return next((found for name in _LISTS if (found := find_segments(table.get(name)))), None)
    if not isinstance(value, list):
        return None
    segments = [cast("Mapping[str, object]", item) for item in cast("list[object]", value) if isinstance(item, dict)]
    if not segments:
        return None
    timed = sum(_first_value(segment, _TEXT) is not None and _is_spoken(segment) for segment in segments)
    return segments if timed >= 0.5 * len(segments) else None


def read_segments(file: SourceFile, value: object, segments: Sequence[Mapping[str, object]]) -> Extracted:
    """The transcript in ``segments``; the surrounding object may name a title."""
    turns = [turn for number, segment in enumerate(segments, 1) if (turn := _read_turn(file, number, segment))]
    if not turns:
        raise file.error("no segment has text; expected speaker, start, end and text in each")
    around = cast("dict[str, object]", value) if isinstance(value, dict) else dict[str, object]()
    title = around.get("title")
    extracted = build_transcript(merge_cues(turns), clean_line(title) if isinstance(title, str) else None)
    losses = Losses()
    said = set(clean_line(extracted.text).split())
    for fields in (around, *segments):
        read = (
            {_first_name(fields, names) for names in (_TEXT, _SPEAKER, _START, _END)}
            if fields is not around
            else {"title"}
        )
        for name, each in fields.items():
            # the whole text stands beside its segments in most of these files
            if name not in read and isinstance(each, str) and not said.issuperset(each.split()):
                losses.add("other fields of the transcript", each, name)
    return replace(extracted, left_out=losses.left_out())


def _read_turn(file: SourceFile, number: int, segment: Mapping[str, object]) -> Turn | None:
    text = _first_value(segment, _TEXT)
    if not isinstance(text, str) or not clean_line(text):
        return None
    speaker = _first_value(segment, _SPEAKER)
    start, end = _read_seconds(_first_value(segment, _START)), _read_seconds(_first_value(segment, _END))
    if start is not None and end is not None and end < start:
        raise file.error(f"segment {number} ends before it starts ({end:g} < {start:g} seconds)")
    name = clean_line(str(speaker)) if isinstance(speaker, str | int) else None
    return Turn(name or None, start, end, clean_line(text))


def _is_spoken(segment: Mapping[str, object]) -> bool:
    return any(name in segment for name in ("start", "start_time", "speaker", "speaker_name", "speaker_label"))


def _first_value(segment: Mapping[str, object], names: Sequence[str]) -> object:
    return segment.get(_first_name(segment, names))


def _first_name(segment: Mapping[str, object], names: Sequence[str]) -> str:
    return next((name for name in names if segment.get(name) is not None), "")


def _read_seconds(value: object) -> float | None:
    if isinstance(value, str):
        try:
            seconds = float(value.strip().removesuffix("s"))
        except ValueError:
            return parse_clock(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = float(value)
    else:
        return None
    return seconds if 0 <= seconds < 1e7 else None
