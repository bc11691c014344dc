"""Text inside a source that reads like orders to a language model: found, named for people, kept out of prompts.

Finding it is no defence by itself: the best detectors miss half of what people write (see ``docs/untrusted-text.md``).
Sources are data in every prompt whether anything is found or not. What is found is not offered as evidence, and a
citation of a passage that holds it carries a warning.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, takewhile

from ascertain.core.documents.blocks import Span
from ascertain.language.folding import FoldedText, fold_text, folded_text
from ascertain.language.remembering import remember_texts
from ascertain.language.sentences import split_sentences
from ascertain.language.word_lists import load_patterns

LEFT_OUT = "[…]"
"""Stands in a prompt for what reads like instructions."""

_HIDDEN = "characters that a reader cannot see"
_HIDDEN_CHARACTERS = re.compile(
    r"(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007e]{2,}"  # tags that spell text
    r"|\U0001f3f4[\U000e0020-\U000e007e]{7,}"  # three flags use up to five of them rightly
    r"|[\u202d\u202e][^\n\u202c]{2,}"  # text forced to run the other way
    r"|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}"  # selectors of variants, in a row: bytes in disguise
    r"|[\u200b-\u200d\u2060-\u2064\ufeff]{8,}"  # nothing but zero-width characters
    r"|(?:\x1b[\[\]]|\x9b)[0-?]*[ -/]*[@-~]"  # codes that steer a terminal
    r"|\[\d{1,3}(?:;\d{1,3}){0,4}m"  # and what is left of them where the first character was removed
)
_SHOWN = 80

_KINDS = {
    "order": "an order to set other instructions aside",
    "order_in_another_language": "an order to set other instructions aside, in another language",
    "chat_template": "a turn or a token of a chat template",
    "giveaway": "a request to give something away",
    "verification_claim": "a claim about its own verification or citation",
    "address_to_model": "words addressed to an AI model",
}
"""Lists of ``data/en/documents/instructions.toml`` and what their patterns find, in words."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """``kind`` is in words; everything that ``regex`` matches has one of ``cues``, which are quick to look for."""

    kind: str
    cues: tuple[str, ...]
    source: str

    @property
    def regex(self) -> re.Pattern[str]:
        """Compiled when a cue is first met: most texts have none, and all of them take 10 ms."""
        return _compile_regex(self.source)


@cache
def instruction_patterns() -> tuple[Pattern, ...]:
    """What gives orders, over folded text; cues over the same with line breaks as spaces."""
    return tuple(
        _pattern_of(kind, line) for name, kind in _KINDS.items() for line in load_patterns("instructions", name)
    )


def _pattern_of(kind: str, line: str) -> Pattern:
    cues, _, regex = line.partition(" => ")
    return Pattern(kind, tuple(cues.split(", ")), regex)


@cache
def _compile_regex(source: str) -> re.Pattern[str]:
    return re.compile(source)


@dataclass(frozen=True, slots=True)
class Finding:
    """A stretch of text that reads like instructions, and what ``kind`` of them, in words."""

    span: Span
    kind: str


@remember_texts(1_000)
def find_instructions(text: str) -> tuple[Finding, ...]:
    """What in ``text`` reads like instructions to a model, in order; each span covers whole sentences."""
    marks = sorted(_find_marks(text), key=lambda finding: finding.span)
    if not marks:
        return ()
    sentences = split_sentences(text)
    instructions: list[Finding] = []
    for mark in marks:
        span = _widen_to_sentences(mark.span, sentences)
        if instructions and span.start <= instructions[-1].span.end:
            last = instructions[-1]
            instructions[-1] = Finding(Span(last.span.start, max(last.span.end, span.end)), last.kind)
        else:
            instructions.append(Finding(span, mark.kind))
    return tuple(instructions)


def instruction_spans(text: str) -> tuple[Span, ...]:
    """Where ``text`` reads like instructions to a model: whole sentences, in order, none touching another."""
    return tuple(finding.span for finding in find_instructions(text))


def instruction_warning(text: str) -> str | None:
    """A line for people on the first thing in ``text`` that reads like instructions; None when nothing does."""
    found = find_instructions(text)
    if not found:
        return None
    shown = "".join(c for c in " ".join(found[0].span.of(text).split()) if c.isprintable())
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
    quoted = f": “{shown}”" if shown else ""
    reads = f"This source holds text that reads like instructions to a model ({found[0].kind}){quoted}."
    return f"{reads} It was not followed."


def without_instructions(text: str) -> str:
    """``text`` with ``LEFT_OUT`` in place of what reads like instructions."""
    pieces: list[str] = []
    position = 0
    for span in instruction_spans(text):
        pieces += (text[position : span.start], LEFT_OUT)
        position = span.end
    return "".join((*pieces, text[position:]))


def _find_marks(text: str) -> Iterator[Finding]:
    for match in () if text.isascii() and "[" not in text else _HIDDEN_CHARACTERS.finditer(text):
        yield Finding(Span(*match.span()), _HIDDEN)
    folded = folded_text(text)
    on_one_line = folded.replace("\n", " ")
    origins: FoldedText | None = None
    for pattern in instruction_patterns():
        if any(cue in on_one_line for cue in pattern.cues):
            for match in pattern.regex.finditer(folded):
                origins = origins or fold_text(text)
                yield Finding(origins.original(Span(*match.span())), pattern.kind)


def _widen_to_sentences(span: Span, sentences: list[Span]) -> Span:
    """``span`` widened to the sentences that it touches."""
    first = bisect_right(sentences, span.start, key=lambda sentence: sentence.end)
    touched = list(takewhile(span.overlap, islice(sentences, first, None)))
    return Span(min(span.start, touched[0].start), max(span.end, touched[-1].end)) if touched else span
