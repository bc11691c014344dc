r"""Transcripts in plain text (``[hh:mm:ss] Speaker: words``) and in Markdown (``**Speaker:** words``).

A mark ``[mm:ss]`` or ``[hh:mm:ss.ff]`` (escaped in Markdown: ``\[mm:ss\]``) gives the moment from which the words after it are spoken;
it leaves the text. A turn without a mark of its own has the last mark before it as its start and the next mark after it as its end, so its
true time lies between the two; before the first mark no start is known. A turn with marks inside is cut there into parts, each with its own
time. A label with nothing but marks (``**Break:** [01:44]``) only sets the time. Marks are taken as the source writes them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ascertain.documents.formats.speech.turns import Turn, parse_clock
from ascertain.language.word_lists import load_word_set

_CLOCK_OF_SPOKEN_TEXT = r"\d{1,3}(?::\d{2}){1,2}(?:[.,]\d{1,3})?"
_MARK = re.compile(rf"\\?\[\s?({_CLOCK_OF_SPOKEN_TEXT})\s*\\?\]")
_BROKEN_MARK = re.compile(r"\\?\[[\d:]*:\s*\.?\d*\\?\]")
_UNHEARD = re.compile(
    rf"\\?\[(?:\\+|(?:unintelligible|inaudible|crosstalk)\s+)({_CLOCK_OF_SPOKEN_TEXT})\\?\]", re.IGNORECASE
)
_MARKDOWN_LABEL = re.compile(r"^\*\*([^*\n]{1,60}?)(?::\*\*|\*\*:)[ \t]*")
_PLAIN_LABEL = re.compile(
    rf"^(?:[\[(]?(?P<time>{_CLOCK_OF_SPOKEN_TEXT})[\])]?[ \t]*+(?:[-–—][ \t]*+)?)?"
    r"(?P<name>[^\W\d_][\w.'’&-]*(?: [\w.'’&()-]+){0,4}):[ \t]+(?=\S)"
)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)(.{1,300}?)(?<=\S)\1(?![\w*])")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^)\s]{0,2000}(?:\s+\"[^\"]*\")?\)")
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
