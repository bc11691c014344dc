"""Speaker turns to a transcript's text.

A turn's text begins with its speaker's name (``Sam Soffes: Yeah, it was good.``), so that people can follow a
passage of several turns and a search for a name finds what that person said. The turn's region covers both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ascertain.core.documents import DocumentKind, Place
from ascertain.sources.cleaning import clean_line
from ascertain.sources.draft import Draft
from ascertain.sources.extraction import Extracted

LONG_PAUSE = 10.0
"""Seconds of silence after which the same speaker's words have a time of their own: nobody pauses so long within a sentence."""
_MAX_AUTHORS = 8
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says without a break, or a part of it with its own time; times in seconds.

    ``continues`` marks a later part of the turn before it.
    """

    speaker: str | None
    start: float | None
    end: float | None
    text: str
    continues: bool = False


def parse_clock(text: str) -> float | None:
    """``hh:mm:ss``, ``mm:ss``, with a fraction after a point or comma, in seconds; None when it is none."""
    match = _CLOCK.fullmatch(text.strip())
    if not match:
        return None
    hours, minutes, seconds, fraction = match.groups()
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return whole + (float(f"0.{fraction}") if fraction else 0.0)


def merge_cues(cues: Iterable[Turn], max_gap: float = 2.0, max_characters: int = 600) -> list[Turn]:
    """Join subtitle cues, which cut sentences anywhere, into turns.

    Cues of one named speaker make one turn with parts of at most about ``max_characters``, each with its own
    time, a new one behind a pause of more than ``LONG_PAUSE``. Cues without a speaker are joined until a pause of more than ``max_gap`` seconds
    or the same length.
    """
    merged: list[Turn] = []
    for cue in cues:
        last = merged[-1] if merged else None
        if last is None or cue.speaker != last.speaker:
            merged.append(cue)
            continue
        pause = cue.start - last.end if cue.start is not None and last.end is not None else 0.0
        is_full = len(last.text) >= max_characters and last.text[-1:] in '.!?…"”'
        gap = max_gap if cue.speaker is None else LONG_PAUSE
        if is_full or len(last.text) >= 2 * max_characters or pause > gap:
            merged.append(replace(cue, continues=cue.speaker is not None))
        else:
            end = cue.end if last.end is None else max(last.end, cue.end or last.end)
            merged[-1] = replace(last, text=f"{last.text} {cue.text}", end=end)
    return merged


def transcript(turns: Sequence[Turn], title: str | None = None) -> Extracted:
    """The document of the turns; its author are the speakers in order of appearance."""
    draft = Draft()
    speakers: dict[str, None] = {}
    for turn in turns:
        name = clean_line(turn.speaker or "")[:100]
        if name:
            speakers.setdefault(name)
        draft.turn(Place(speaker=name or None, start_time=turn.start, end_time=turn.end))
        draft.add(f"{name}: {turn.text}" if name and not turn.continues else turn.text)
    text, regions = draft.finish()
    names = list(speakers)
    author = ", ".join(names[:_MAX_AUTHORS]) + (" and others" if len(names) > _MAX_AUTHORS else "")
    return Extracted(text, title, DocumentKind.TRANSCRIPT, author=author or None, regions=regions)
