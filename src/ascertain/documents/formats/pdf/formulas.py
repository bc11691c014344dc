"""Formulas that are set in two dimensions, written in one line: fractions as ``(a + b)/n``, limits as ``∑_{i = 1}^{n}``, which is how
people type them.

A PDF has no formulas, only letters in places. A fraction is what stands above and below each other, centred, at the height of a line
that goes on beside it with a sign of mathematics: cells of a table and lines of prose stand above each other as well, without such a sign.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ascertain.documents.formats.pdf.lines import write_run
from ascertain.documents.formats.pdf.words import Font, Word

_OPERATORS = frozenset("∑∏∐⋃⋂⋁⋀⨁⨂∫∮")
_WITH_LIMITS_BESIDE = frozenset("∫∮")
_BEFORE = re.compile(r"(?:^|.*[^\w])[=+−–·×*(\[{|‖<>≤≥≈≃∼∝∑∏±∓→⇒√-]$", re.DOTALL)
_AFTER = re.compile(r"[=+−–·×*)\]}|‖<>≤≥≈≃∼∝∑∏±∓→-]")
"""Signs beside which a fraction stands. A bare hyphen counts only apart from letters."""
_ATOM = re.compile(r"[\w.,′'⁰¹²³⁴-⁹]+")
_LONGEST = 24
"""Words above or below a line of a fraction, and between it and its formula (by judgement)."""
_APART = 0.35
_FAR = 2.6
"""Baselines of what stands above and below each other, in sizes of type (TeX's displayed fractions: 1.36; limits of a sum: 1.6)."""
_OFF_CENTRE = 0.35
"""Sizes of type by which the middles of both may differ."""
_BESIDE = 1.2
"""Sizes of type between a fraction and the sign beside it."""
_SMALLER = 0.85
_LEVEL = 0.12
"""Sizes of type within which words are on one baseline."""
_SPACED = 0.12
"""Sizes of type between a word and a fraction in small type beside it; a raised and a lowered letter stand nearer to theirs."""


def write_formulas(words: Sequence[Word]) -> list[Word]:
    """The words of a page, in the order they were written, with each fraction, and each sum with its limits, as one word on the baseline of
    its formula.
    """
    return _write_fractions(_write_limits(words))


def _write_limits(words: Sequence[Word]) -> list[Word]:
    found = list(words)
    for at, word in enumerate(words):
        if word.text not in _OPERATORS or word.font is None:
            continue
        above, below = (_find_limit(found, at, word, word.font, sign=sign) for sign in (1, -1))
        if not above and not below:
            continue
        text = word.text
        for mark, indexes in (("_", below), ("^", above)):
            if indexes:
                text += f"{mark}{{{write_run([found[i] for i in indexes])}}}"
        for index in (*above, *below):
            found[index] = replace(found[index], text="", font=None)
        found[at] = replace(word, text=text)
    return [word for word in found if word.text]


def _find_limit(words: Sequence[Word], at: int, operator: Word, font: Font, *, sign: int) -> Sequence[int]:
    """The indexes of the run of smaller words above (``sign`` 1) or below an operator, centred on it; none where there is no such run."""
    for step in (1, -1):
        other = at + step
        while 0 <= other < len(words) and abs(other - at) <= _LONGEST:
            if _is_limit(words[other], operator, font, sign):
                run = _extend_run(words, other)
                if at not in run and _stands_at(operator, font, [words[i] for i in run]):
                    return run
            other += step
    return ()


def _is_limit(word: Word, operator: Word, font: Font, sign: int) -> bool:
    if word.font is None or word.font.size > _SMALLER * font.size:
        return False
    rise = sign * (word.y - operator.y) / font.size
    return _APART < rise < _FAR and abs(_middle(word) - _middle(operator)) < 2 * font.size


def _stands_at(operator: Word, font: Font, run: Sequence[Word]) -> bool:
    drawn = [word for word in run if word.font]
    left, right = min(word.x0 for word in drawn), max(word.x1 for word in drawn)
    if operator.text in _WITH_LIMITS_BESIDE and operator.x0 < left < operator.x1 + 0.5 * font.size:
        return True
    return abs((left + right) / 2 - _middle(operator)) < _OFF_CENTRE * font.size


def _write_fractions(words: Sequence[Word]) -> list[Word]:
    found = list(words)
    at = 1
    while at < len(found):
        above = _last_drawn(found, at)
        if above is None or not _is_below(found[above], found[at]):
            at += 1
            continue
        top, bottom = _extend_run(found, above, forward=False), _extend_run(found, at, backward=False)
        fraction = _join_fraction(found, top, bottom)
        if fraction is None:
            at += 1
            continue
        found[top.start : bottom.stop] = [fraction]
        at = top.start + 1
    return found


def _is_below(above: Word, below: Word) -> bool:
    if above.font is None or below.font is None or above.font.is_turned or below.font.is_turned:
        return False
    size = max(above.font.size, below.font.size)
    return _APART * size < above.y - below.y < _FAR * size and below.x0 < above.x1


def _join_fraction(words: Sequence[Word], top: range, bottom: range) -> Word | None:
    """The fraction as one word; None for what stands above each other for another reason."""
    above, below = ([words[i] for i in run] for run in (top, bottom))
    size = max(word.font.size for word in (*above, *below) if word.font)
    left = min(word.x0 for word in (*above, *below) if word.font)
    right = max(word.x1 for word in (*above, *below) if word.font)
    middles = [(run[0].x0 + run[-1].x1) / 2 for run in (above, below)]
    if abs(middles[0] - middles[1]) > _OFF_CENTRE * size:
        return None
    for beside, is_before in ((_last_drawn(words, top.start), True), (_next_drawn(words, bottom.stop), False)):
        if beside is None:
            continue
        word = words[beside]
        font = word.font
        gap = left - word.x1 if is_before else word.x0 - right
        is_level = below[0].y < word.y < above[0].y
        if font is None or not is_level or not -_LEVEL * font.size <= gap <= _BESIDE * font.size:
            continue
        is_inline = size <= _SMALLER * font.size and gap >= _SPACED * font.size
        if not is_inline and (_BEFORE.match(word.text) if is_before else _AFTER.match(word.text)) is None:
            continue
        text = f"{_bracket(write_run(above))}/{_bracket(write_run(below))}"
        return Word(text, left, right, word.y, font)
    return None


def _bracket(part: str) -> str:
    return part if _ATOM.fullmatch(part) else f"({part})"


def _extend_run(words: Sequence[Word], at: int, *, forward: bool = True, backward: bool = True) -> range:
    """The words about ``at`` that stand on its baseline one after the other, raised and lowered small ones among them."""
    start, stop = at, at + 1
    base = _find_base(words, at)
    while backward and start > 0 and at - start < _LONGEST:
        before = _last_drawn(words, start)
        if before is None or not _goes_on(words[before], words[start], base):
            break
        start = before
    while forward and stop < len(words) and stop - at < _LONGEST:
        after = _next_drawn(words, stop)
        if after is None or not _goes_on(words[_last_drawn(words, stop) or at], words[after], base):
            break
        stop = after + 1
    return range(start, stop)


def _find_base(words: Sequence[Word], at: int) -> Word:
    """What gives the run its baseline: the word itself, or the one before of which it is a script."""
    before = _last_drawn(words, at)
    word = words[at]
    is_script = before is not None and _is_script(word, words[before]) and _goes_on(words[before], word, words[before])
    return words[before] if before is not None and is_script else word


def _goes_on(before: Word, after: Word, base: Word) -> bool:
    if before.font is None or after.font is None or base.font is None:
        return False
    size = base.font.size
    gap = after.x0 - before.x1
    if not -_APART * size <= gap <= 0.6 * size:
        return False
    if _is_level(after, base):
        return _is_level(before, base) or _is_script(before, base)
    # a fraction in small type stands farther from a word than what is raised beside it
    return _is_script(after, base) and gap < _SPACED * size


def _is_level(word: Word, base: Word) -> bool:
    return base.font is not None and abs(word.y - base.y) <= _LEVEL * base.font.size


def _is_script(word: Word, base: Word) -> bool:
    """Raised or lowered beside the base, and smaller than it."""
    if word.font is None or base.font is None:
        return False
    return word.font.size <= _SMALLER * base.font.size and abs(word.y - base.y) <= 0.5 * base.font.size


def _last_drawn(words: Sequence[Word], before: int) -> int | None:
    return next((i for i in range(before - 1, max(-1, before - 4), -1) if words[i].font), None)


def _next_drawn(words: Sequence[Word], start: int) -> int | None:
    return next((i for i in range(start, min(len(words), start + 3)) if words[i].font), None)


def _middle(word: Word) -> float:
    return (word.x0 + word.x1) / 2
