"""The turns of speakers with their times, and the transcript that they make."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.documents.documents import DocumentKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line
from ascertain.documents.formats.reader import Extracted

# A turn's text begins with its speaker's name (``Sam Soffes: Yeah, it was good.``), so that people can follow a
# passage of several turns and a search for a name finds what that person said. The turn's block covers both.

LONG_PAUSE = 10.0
"""Seconds of silence after which the same speaker's words have a time of their own: no one pauses this long within a sentence."""
_MAX_AUTHORS = 8
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says without a break, or a part of it with its own time; times in seconds.

    ``continues`` marks a later part of the turn before it. ``moments`` are where in ``text`` later cues begin that follow the end of a
    sentence, and when.
    """

    speaker: str | None
    start: float | None
    end: float | None
    text: str
    continues: bool = False
    moments: tuple[tuple[int, float], ...] = ()


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
    or the same length. Within a turn what follows the end of a sentence keeps the time of its cue (``moments``).
    """
    merged: list[Turn] = []
    for cue in cues:
        last = merged[-1] if merged else None
        if last is None or cue.speaker != last.speaker:
            merged.append(cue)
            continue
        pause = cue.start - last.end if cue.start is not None and last.end is not None else 0.0
        is_sentence_end = last.text.endswith(tuple('.!?…"”'))
        is_full = len(last.text) >= max_characters and is_sentence_end
        gap = max_gap if cue.speaker is None else LONG_PAUSE
        if is_full or len(last.text) >= 2 * max_characters or pause > gap:
            merged.append(replace(cue, continues=cue.speaker is not None))
        else:
            end = cue.end if last.end is None else max(last.end, cue.end or last.end)
            moments = last.moments
            if is_sentence_end and cue.start is not None:
                moments = (*moments, (len(last.text) + 1, cue.start))
            merged[-1] = replace(last, text=f"{last.text} {cue.text}", end=end, moments=moments)
    return merged


def build_transcript(turns: Sequence[Turn], title: str | None = None, comments: Sequence[str] = ()) -> Extracted:
    """The document of the turns, then comments on them; its author are the speakers in order of appearance."""
    draft = Draft()
    speakers: dict[str, None] = {}
    for turn in turns:
        name = clean_line(turn.speaker or "")[:100]
        if name:
            speakers.setdefault(name)
        draft.turn(Place(speaker=name or None, start_time=turn.start, end_time=turn.end))
        draft.add(f"{name}: {turn.text}" if name and not turn.continues else turn.text)
    text, blocks = draft.finish()
    blocks = list(_split_at_moments(blocks, turns, text))
    for comment in comments:
        blocks.append(Block(BlockKind.COMMENT, Span(len(text) + 2, len(text) + 2 + len(comment))))
        text += f"\n\n{comment}"
    blocks = tuple(blocks)
    names = list(speakers)
    author = ", ".join(names[:_MAX_AUTHORS]) + (" and others" if len(names) > _MAX_AUTHORS else "")
    return Extracted(text, title, DocumentKind.TRANSCRIPT, author=author or None, blocks=blocks)


def _split_at_moments(blocks: Sequence[Block], turns: Sequence[Turn], text: str) -> tuple[Block, ...]:
    """The blocks of the turns in parts with times of their own, so that a sentence is cited by when it is said."""
    if len(blocks) != len(turns) or any(block.kind is not BlockKind.TURN for block in blocks):
        return tuple(blocks)
    parts: list[Block] = []
    for block, turn in zip(blocks, turns, strict=True):
        first = block.span.end - len(turn.text)
        moments = turn.moments if block.span.of(text).endswith(turn.text) else ()
        starts = [block.span.start, *(first + offset for offset, _ in moments)]
        begins = [turn.start, *(start for _, start in moments)]
        ends = [*(start for _, start in moments), turn.end]
        # the space between two sentences is in neither
        stops = [*(start - 1 for start in starts[1:]), block.span.end]
        for start, end, begin, until in zip(starts, stops, begins, ends, strict=True):
            parts.append(Block(block.kind, Span(start, end), replace(block.place, start_time=begin, end_time=until)))
    return tuple(parts)
