"""Questions for what is said at a time of a recording, or between two: "what does Maya say at 12:30 in episode 149?".

The time is read first and taken out; what is left must be a wording that asks for nothing else. Whether there is such a recording is
looked up (``retrieval.search.documents``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ascertain.core.asking.plans import Aspect, DocumentQuestion, Stretch
from ascertain.core.documents.blocks import Span
from ascertain.language.numbers import find_quantities
from ascertain.language.word_lists import compile_pattern, compile_patterns, load_word_set
from ascertain.questions.kinds.documents import LONGEST, drop_polite, names_document, read_name

_TOPIC = "moment_questions"
_EDGES = " \t\r\n.,;:!?-"
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}
_SIGN = re.compile(r"\d:\d\d|\b(?:hours?|hrs?|minutes?|mins?|seconds?|secs?)\b|\d ?[hms]\b", re.IGNORECASE)
"""One of these is in each of the wordings."""


def read_moment_question(question: str) -> DocumentQuestion | None:
    """What ``question`` asks of a time of a recording; None for any other."""
    text = drop_polite(" ".join(question.split()).strip(_EDGES))
    for stretch, named in _find_stretches(text):
        around = f"{text[: named.start].rstrip(_EDGES)} {text[named.end :].lstrip(_EDGES)}"
        moment_question = _read_rest(around.strip(_EDGES), stretch)
        if moment_question is not None:
            return moment_question
    return None


def shift_moment(asked: str, last: str) -> str | None:
    """The ``last`` question asked of another time, where ``asked`` is nothing but that: "at 12:30?"; None for anything else."""
    text, before = asked.strip(_EDGES), " ".join(last.split())
    other = next((named for _, named in _find_stretches(text) if named.of(text) == text), None)
    named = next((named for _, named in _find_stretches(before)), None)
    if other is None or named is None or read_moment_question(last) is None:
        return None
    return f"{before[: named.start]}{text}{before[named.end :]}"


def names_time(text: str) -> bool:
    """Whether ``text`` has words for a time of a recording."""
    return any(_find_stretches(text))


def names_recording(name: str) -> bool:
    """Whether a word of ``name`` is what recordings are called: "episode", "interview"."""
    return not _recordings().isdisjoint(name.casefold().split())


def _find_stretches(text: str) -> Iterator[tuple[Stretch, Span]]:
    """The times that ``text`` may name, and where."""
    if len(text) > LONGEST or not _SIGN.search(text):
        return
    for kind in ("between", "ends", "open", "at"):
        for pattern in _compile(kind):
            match = pattern.search(text)
            stretch = _build_stretch(kind, match) if match else None
            if match and stretch:
                yield stretch, Span(*match.span())


def _build_stretch(kind: str, found: re.Match[str]) -> Stretch | None:
    parts = found.groupdict()
    one, other, which = parts["one"], parts.get("other"), (parts.get("which") or "").casefold()
    start = _read_seconds(one)
    if kind == "between" and other is not None:
        if other.isdigit():
            other = f"minute {other}"
        if one.isdigit():
            start = _read_seconds(f"minute {one}")
        end = _read_seconds(other)
        return Stretch(start, end, one) if start < end else None
    if kind == "ends":
        is_last = which not in {"first", "opening"}
        return Stretch(start, 0.0, one, is_from_end=True) if is_last else Stretch(0.0, start, one)
    if kind == "open":
        return Stretch(start, None, one) if which in {"after", "from", "since"} else Stretch(0.0, start, one)
    return Stretch(start, start, one)


def _read_seconds(point: str) -> float:
    """Seconds of ``08:04``, ``1:02:10``, ``minute 8``, ``half an hour``, ``8 min 4 s``."""
    if ":" in point:
        seconds = 0.0
        for part in point.split(":"):
            seconds = 60 * seconds + int(part)
        return seconds
    if point.casefold().startswith("minute"):
        return 60.0 * int(point.rsplit(maxsplit=1)[-1])
    total = 0.0
    for length in _length().finditer(point):
        total += _read_number(length["number"]) * _UNITS[length["unit"][0].casefold()]
    return total


def _read_number(words: str) -> float:
    plain = words.casefold()
    if plain in {"a", "an", "one"}:
        return 1.0
    if plain == "half an":
        return 0.5
    return next((each.value for each in find_quantities(plain)), 0.0)


def _read_rest(rest: str, stretch: Stretch) -> DocumentQuestion | None:
    """What is asked of ``stretch`` by the words around it; None where they ask for something else."""
    leading = _leading().match(rest)
    named = leading["name"] if leading else ""
    rest = rest[leading.end() :] if leading else rest
    for pattern in _compile("asking"):
        match = pattern.fullmatch(rest)
        if match is None:
            continue
        parts = match.groupdict()
        name, speaker = parts.get("name") or named, parts.get("speaker") or ""
        if names_document(speaker) and not name:
            name, speaker = speaker, ""
        is_bare = match.start("name") == 0 if parts.get("name") else False
        if is_bare and not names_recording(name):
            continue
        return DocumentQuestion(
            Aspect.MOMENT, _name_recording(name), is_explicit=True, stretch=stretch, speaker=_name_speaker(speaker)
        )
    return None


def _name_recording(words: str) -> str:
    """What ``words`` call a recording; "" where they say only that: "the episode", "it"."""
    name = read_name(words) if words else ""
    return "" if set(name.casefold().split()) <= _recordings() else name


def _name_speaker(words: str) -> str:
    """Who is named; "" for anyone, for someone mentioned before, and for a description: "they", "she", "the host"."""
    return "" if _anybody().fullmatch(words) or _nobody().match(words) else words


@cache
def _compile(name: str) -> tuple[re.Pattern[str], ...]:
    return compile_patterns(_TOPIC, name)


@cache
def _recordings() -> frozenset[str]:
    return load_word_set("speaker_questions", "episode_word")


@cache
def _leading() -> re.Pattern[str]:
    return compile_pattern(_TOPIC, "leading")


@cache
def _length() -> re.Pattern[str]:
    number, unit = compile_pattern(_TOPIC, "number").pattern, compile_pattern(_TOPIC, "unit").pattern
    return re.compile(rf"(?P<number>{number})[ -]?(?P<unit>{unit})", re.IGNORECASE)


@cache
def _anybody() -> re.Pattern[str]:
    return compile_pattern("speaker_questions", "anybody")


@cache
def _nobody() -> re.Pattern[str]:
    return compile_pattern("speaker_questions", "no_speaker")
