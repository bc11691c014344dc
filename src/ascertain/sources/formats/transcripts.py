"""Subtitle cues: WebVTT and SRT.

Both are blocks of an optional identifier, a time line ``start --> end`` and text. Of the libraries for them none
keeps line numbers, which errors name, together with voice tags, so the few lines of grammar are here.
WebVTT: https://www.w3.org/TR/webvtt1/
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from ascertain.core.blocks import Block, BlockKind, Place, Span, clock_time
from ascertain.core.documents import DocumentKind, LeftOut
from ascertain.language.word_lists import load_word_set
from ascertain.sources.formats.draft import Draft, clean_line, clean_text
from ascertain.sources.formats.reader import Extracted, SourceFile, count_words, text_of

# A turn's text begins with its speaker's name (``Sam Soffes: Yeah, it was good.``), so that people can follow a
# passage of several turns and a search for a name finds what that person said. The turn's block covers both.

LONG_PAUSE = 10.0
"""Seconds of silence after which the same speaker's words have a time of their own: nobody pauses so long within a sentence."""
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


_TIMES = re.compile(r"^\s*([\d:.,]+)\s*-->\s*([\d:.,]+)(?:\s.*)?$")
# Tags end at the next bracket of either kind, so that open ones cannot make the search start over and over.
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s([^<>]*)>")
_TAG = re.compile(r"</?[a-zA-Z0-9:.][^<>]*>|\{\\[^{}]*\}")
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
        named = _NAMED.match(words)
        yield (named[1], words[named.end() :]) if named else (None, words)
    for name, said in zip(parts[1::2], parts[2::2], strict=True):
        yield clean_line(html.unescape(name)) or None, _strip_tags(said)


def _strip_tags(text: str) -> str:
    return clean_line(html.unescape(_TAG.sub("", text)))


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
    title = cast("dict[str, object]", value).get("title") if isinstance(value, dict) else None
    return build_transcript(merge_cues(turns), clean_line(title) if isinstance(title, str) else None)


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
    return next((segment[name] for name in names if segment.get(name) is not None), None)


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


# In plain text (``[hh:mm:ss] Speaker: words``) and Markdown (``**Speaker:** words``) a mark ``[mm:ss]`` or
# ``[hh:mm:ss.ff]`` (escaped in Markdown: ``\[mm:ss\]``) gives the moment from which the words after it are spoken; it
# leaves the text. A turn without a mark of its own has the last mark before it as its start and the next mark after it
# as its end, so its true time lies between the two; before the first mark no start is known. A turn with marks inside
# is cut there into parts, each with its own time. A label with nothing but marks (``**Break:** \[01:44\]``) only sets
# the time. Marks are taken as the source writes them.

_CLOCK_OF_SPOKEN_TEXT = r"\d{1,3}(?::\d{2}){1,2}(?:[.,]\d{1,3})?"
_MARK = re.compile(rf"\\?\[\s?({_CLOCK_OF_SPOKEN_TEXT})\s*\\?\]")
_BROKEN_MARK = re.compile(r"\\?\[[\d:]*:\s*\.?\d*\\?\]")
_UNHEARD = re.compile(
    rf"\\?\[(?:\\+|(?:unintelligible|inaudible|crosstalk)\s+)({_CLOCK_OF_SPOKEN_TEXT})\\?\]", re.IGNORECASE
)
_MARKDOWN_LABEL = re.compile(r"^\*\*([^*\n]{1,60}?)(?::\*\*|\*\*:)[ \t]*")
_PLAIN_LABEL = re.compile(
    rf"^(?:[\[(]?(?P<time>{_CLOCK_OF_SPOKEN_TEXT})[\])]?[ \t]*[-–—]?[ \t]*)?"
    r"(?P<name>[^\W\d_][\w.'’&-]*(?: [\w.'’&()-]+){0,4}):[ \t]+(?=\S)"
)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)(.{1,300}?)(?<=\S)\1(?![\w*])")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_NOT_SPEAKERS = load_word_set("transcripts", "no_speakers")
_MIN_LABELS = 4
_MIN_SHARE = 0.25


def markdown_turns(text: str) -> list[Turn] | None:
    """The turns of a Markdown transcript, or None when ``text`` is something else."""
    paragraphs = [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]
    labels = [match[1].strip() for block in paragraphs if (match := _MARKDOWN_LABEL.match(block))]
    if not _looks_spoken(labels, len(paragraphs)):
        return None
    return _time_turns(_split_label(block) for block in paragraphs if not block.startswith("# "))


def _split_label(paragraph: str) -> tuple[str | None, str]:
    label = _MARKDOWN_LABEL.match(paragraph)
    return (label[1].strip(), paragraph[label.end() :]) if label else (None, paragraph)


def plain_turns(text: str) -> list[Turn] | None:
    """The turns of a plain text transcript with times, or None when ``text`` is something else."""
    lines = [line.strip() for line in text.split("\n")]
    matches = [_PLAIN_LABEL.match(line) for line in lines]
    timed = sum(match is not None and match["time"] is not None for match in matches)
    if timed < 2 or timed < _MIN_SHARE * sum(map(bool, lines)):
        return None
    paragraphs: list[tuple[str | None, str]] = []
    after_blank = True
    for line, match in zip(lines, matches, strict=True):
        if match:
            words = line[match.end() :]
            paragraphs.append((match["name"], f"[{match['time']}] {words}" if match["time"] else words))
        elif line and (after_blank or not paragraphs):
            paragraphs.append((None, line))
        elif line:
            name, words = paragraphs[-1]
            paragraphs[-1] = (name, f"{words} {line}")
        after_blank = not line
    return _time_turns(paragraphs)


def _looks_spoken(labels: list[str], paragraphs: int) -> bool:
    names = [label for label in labels if label.lower() not in _NOT_SPEAKERS]
    repeats = len(names) - len(set(names))
    return len(names) >= _MIN_LABELS and repeats >= len(names) // 3 and len(names) >= _MIN_SHARE * paragraphs


def _time_turns(paragraphs: Iterable[tuple[str | None, str]]) -> list[Turn]:
    """Turns with times out of (label or None, words) paragraphs in order."""
    parts: list[Turn] = []
    # Each mark's time and the number of parts before it.
    marks: list[tuple[int, float]] = []
    speaker: str | None = None
    for label, words in paragraphs:
        begins = label is not None
        for time, said in _cut_at_marks(words):
            if time is not None:
                marks.append((len(parts), time))
            if not said:
                continue
            speaker = label if begins else speaker
            if begins or not parts or (marks and marks[-1][0] == len(parts)):
                start = marks[-1][1] if marks else None
                parts.append(Turn(speaker, start, None, said, continues=not begins))
            else:
                parts[-1] = replace(parts[-1], text=f"{parts[-1].text}\n\n{said}")
            begins = False
    return _with_ends(parts, marks)


def _cut_at_marks(words: str) -> Iterator[tuple[float | None, str]]:
    """(time of the mark before, clean words) for each stretch between marks."""
    words = _UNHEARD.sub("[unintelligible]", words)
    time: float | None = None
    position = 0
    for match in _MARK.finditer(words):
        if position or match.start():
            yield time, _readable_words(words[position : match.start()])
        time = parse_clock(match[1])
        position = match.end()
    yield time, _readable_words(words[position:])


def _readable_words(words: str) -> str:
    words = _BROKEN_MARK.sub(" ", words)
    words = _LINK.sub(r"\1", words)
    words = _EMPHASIS.sub(r"\2", words)
    words = re.sub(r"\s+", " ", _ESCAPED.sub(r"\1", words)).strip()
    # "Jingle: [59:10] to [59:27]": a lone "to" between marks is no speech.
    return "" if words == "to" else words


def _with_ends(parts: list[Turn], marks: list[tuple[int, float]]) -> list[Turn]:
    """Each part's end is the next mark after it, where that is later than its start."""
    ended: list[Turn] = []
    following = 0
    for number, part in enumerate(parts):
        while following < len(marks) and marks[following][0] <= number:
            following += 1
        end = marks[following][1] if following < len(marks) else None
        is_later = end is not None and (part.start is None or end >= part.start)
        ended.append(replace(part, end=end if is_later else None))
    return ended
