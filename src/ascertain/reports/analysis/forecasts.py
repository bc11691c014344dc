"""Forecasts: what someone expects, and who. The product predicts nothing itself; it reports who did."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascertain.core.reports.analysis import Direction, Forecast, Horizon, Quote
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, stem_word, word_informativeness
from ascertain.language.word_lists import compile_pattern, load_alternatives, load_word_set
from ascertain.reports.analysis.moves import Canonical

_FUTURE = compile_pattern("forecasts", "future")
_NO_FORECAST = compile_pattern("forecasts", "no_forecast")
_WITHIN_MONTH, _WITHIN_YEAR = (
    re.compile(rf"\b{compile_pattern('forecasts', name).pattern}", re.IGNORECASE)
    for name in ("within_month", "within_year")
)
_SAYS = re.compile(rf"\b(?:{'|'.join(sorted(load_word_set('forecasts', 'says')))})\b", re.IGNORECASE)
_FORECASTING = re.compile(rf"\b(?:{'|'.join(sorted(load_word_set('forecasts', 'forecasting')))})\b", re.IGNORECASE)
_ACCORDING = re.compile(
    r"\baccording to (?:the )?(?P<who>(?:[\w&.'’-]+\s+){0,6}?[A-Z][\w&.'’-]*(?:\s+[A-Z][\w&.'’-]*)*)"
)
_SAID_NAME = re.compile(
    r"\b(?:said|says|wrote|predicted|predicts|warned|warns|argued|told)\s+(?:(?:the\s+)?(?:[a-z]+\s+){0,3})(?P<who>(?:[A-Z][\w&.'’-]*\s*){1,4})"
)
_RULE = re.compile(r"\b(?:will|can|could|should|may) (?:never|always|only)\b", re.IGNORECASE)
"""What is never a forecast: "the number of coins will never exceed 21 million"."""
_GOAL_UP = re.compile(r"\b(?:reach|hit|top|exceed|pass|break above|outperform|return to growth|grow)\b", re.IGNORECASE)
_UP = re.compile(
    r"\b(?:rise|climb|surge|rally|rebound|increase|recover|advance|soar|double|triple|gain|grow|jump|higher|up(?! to))\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:fall|drop|decline|slide|slip|sink|tumble|plunge|crash|slump|decrease|shrink|retreat|halve|lose|dip|lower|correction|down|weaken)\b",
    re.IGNORECASE,
)
_MODAL = re.compile(r"\b(?:will|would|could|(?-i:may)|might|should|likely|unlikely)\b", re.IGNORECASE)
_PASSIVE = frozenset({"is", "are", "was", "were", "been", "be", "being"})
LONGEST_SPEAKER = 10
"""Words before a verb of saying that are still who says it: "Elena Brandt, chief analyst at Halden Markets,"."""
_LOOKED_AT = 400
"""Characters before a verb of saying that are looked at: more than so many words have."""
_UNLIKELY = re.compile(r"\b(?:not|never|unlikely|n['’]t|no longer)\b", re.IGNORECASE)


def find_forecast(
    quote: Quote, subjects: Sequence[str], publisher: str, canonical: Canonical, *, title: str = ""
) -> Forecast | None:
    """The statement about the future that a sentence makes; None for any other.

    ``subjects`` are whom a sentence without a name may be about, the likeliest first, ``publisher`` is who makes it where
    no one is named. ``title`` says which prices "prices" are.
    """
    text = quote.text
    if not _FUTURE.search(text) or _NO_FORECAST.search(text) or _RULE.search(text) or text.rstrip().endswith("?"):
        return None
    direction = _read_direction(text)
    speaker, attribution = find_speaker(text)
    verb = _FORECASTING.search(text)
    # who sees himself as something foretells nothing, and "Earlier models predicted" names no one
    is_named = verb is not None and verb[0].lower() != "sees" and _names_somebody(speaker, text)
    if direction is None and not is_named and not (verb and any(map(str.isdigit, text))):
        return None
    others = (each for each in subjects if each and each not in attribution and (not speaker or speaker not in each))
    about = canonical(
        _find_subject(text, attribution) or _read_plain_subject(text, attribution, title, canonical) or next(others, "")
    )
    return Forecast(quote, speaker or publisher, bool(speaker), about, direction)


def _names_somebody(speaker: str, text: str) -> bool:
    opening, *others = speaker.split() or [""]
    is_rare = bool(opening) and word_informativeness(stem_word(opening.lower(), ENGLISH), ENGLISH) >= 1.0
    return (
        is_rare or any(word[0].isupper() for word in others) or (opening[:1].isupper() and not text.startswith(opening))
    )


def is_foretold(text: str) -> bool:
    """Whether a sentence says by its verb that somebody expects something, as a manual that says what may be does not."""
    return _FORECASTING.search(text) is not None


def find_horizon(text: str) -> Horizon:
    """By when what a sentence expects is to come, as far as it says so."""
    if _WITHIN_MONTH.search(text):
        return Horizon.MONTH
    return Horizon.YEAR if _WITHIN_YEAR.search(text) else Horizon.OPEN


def find_speaker(text: str) -> tuple[str, str]:
    """The speaker of ``text``, and the words that name and describe them; empty where no one is named."""
    according = _ACCORDING.search(text)
    if according is not None:
        return according["who"].strip(" .,"), according["who"]
    for match in _SAYS.finditer(text):
        before = re.split(
            r"[.;:\"“”]\s*|\b(?:but|while|and|after|as|because|when|although|since)\s+",
            text[max(0, match.start() - _LOOKED_AT) : match.start()],
        )[-1].strip(" ,")
        if _MODAL.search(before) and ", " in before:
            # "It may fall, Ada Lovelace said"
            before = before.rsplit(", ", maxsplit=1)[1]
        words = before.split()
        if not 0 < len(words) <= LONGEST_SPEAKER or _MODAL.search(before) or words[-1].lower() in _PASSIVE:
            continue
        has_name = any(word[0].isupper() and word.lower() not in STOP_WORDS for word in words)
        if has_name:
            # who is described behind the name is named by the name
            return before.split(",")[0].strip(), before
    said = _SAID_NAME.search(text)
    return (said["who"].strip(" .,"), said["who"]) if said else ("", "")


def _read_direction(text: str) -> Direction | None:
    modal = _FUTURE.search(text)
    expectation = text[modal.start() :] if modal else text
    cue, is_up = _find_way(expectation)
    if cue is None:
        return None
    is_denied = _UNLIKELY.search(expectation[: cue.start()]) is not None
    return Direction.UP if is_up != is_denied else Direction.DOWN


def _find_way(expectation: str) -> tuple[re.Match[str] | None, bool]:
    """The first word of a direction, and whether it is up."""
    up = _UP.search(expectation) or _GOAL_UP.search(expectation)
    down = _DOWN.search(expectation)
    is_up = down is None or (up is not None and up.start() < down.start())
    return (up if is_up else down), is_up


def _find_modal(text: str) -> re.Match[str] | None:
    """The words about the future that the direction belongs to: the last ones before it."""
    first = _FUTURE.search(text)
    if first is None:
        return None
    cue, _ = _find_way(text[first.start() :])
    last = first.start() + cue.start() if cue else first.start()
    return [match for match in _FUTURE.finditer(text, first.start()) if match.start() <= last][-1]


def _find_subject(text: str, attribution: str) -> str:
    """The last name before the words about the future outside ``attribution``, or the first behind."""
    rest = text.replace(attribution, " " * len(attribution)) if attribution else text
    modal = _find_modal(rest)
    place = modal.start() if modal else len(rest)
    names = list(re.finditer(r"\b[A-Z][\w&’'-]*(?:\s+[A-Z][\w&’'-]*)*", rest))
    named = [match for match in names if match[0].lower() not in STOP_WORDS and not _is_calendar(match[0])]
    # the first word of a sentence is written large whatever it is
    placed = _PLACED.search(rest, 0, place)
    named = [each for each in named if placed is None or each.end() < placed.start() or each.start() >= place]
    named = [
        each
        for each in named
        if each.start() or word_informativeness(stem_word(each[0].lower(), ENGLISH), ENGLISH) >= 1.0
    ]
    # the one named before "that" says it
    that = rest.rfind(" that ", 0, place)
    if that >= 0:
        named = [match for match in named if match.start() > that]
    said = text.find(attribution) + len(attribution) if attribution else 0
    before = [match[0] for match in named if match.end() <= place + 1]
    behind = [match[0] for match in named if match.start() >= place]
    own = [match[0] for match in named if said <= match.start() and match.end() <= place + 1]
    if attribution and said <= place:
        # what is said stands behind who says it
        chosen = next(iter((*own[-1:], *behind, *before[-1:])), "")
    else:
        chosen = next(iter((*before[-1:], *behind)), "")
    return re.sub(r"['’]s$", "", chosen)


_BEHIND = re.compile(
    r"(?:the |its |their |his |her |an? )?(?P<what>(?:[a-z][\w-]+ ){1,3}?)(?:to|will|would|could|might)\b"
)
"""What is expected: "expects revenue to grow"."""
_STANDING_IN = frozenset("price prices value shares stock token coin market others people".split())
"""Said of the subject of the text, and of no one in particular."""


def _read_plain_subject(text: str, attribution: str, title: str, canonical: Canonical) -> str:
    """The common noun that is to move, in small letters: "volatility", "house prices"; empty where it stands for something named."""
    kept = _find_plain_words(text, attribution)
    if not kept or kept[-1] not in _STANDING_IN:
        return " ".join(kept)
    if len(kept) == 1:
        match = re.search(rf"\b([a-z]{{3,30}}) {kept[0]}\b", title, re.IGNORECASE)
        kept = [match[1].lower(), *kept] if match and match[1].lower() not in STOP_WORDS else kept
    # the price that a thing is known by is said of that thing
    return "" if len(kept) == 1 or canonical(kept[0]) != kept[0] else " ".join(kept)


def _find_plain_words(text: str, attribution: str) -> list[str]:
    rest = text.replace(attribution, " " * len(attribution)) if attribution else text
    modal = _find_modal(rest)
    if modal is None:
        return []
    behind = _BEHIND.match(rest[modal.end() :].lstrip()) if _EXPECTING.match(modal[0]) else None
    before = re.split(r"[,;:.\"“”]|\b(?:that|and|but|while|says?|said|warned|warns)\s", rest[: modal.start()])[-1]
    plain_words: list[str] = []
    for word in reversed((behind["what"] if behind else _PLACED.sub("", before)).split()):
        if word.lower() in {"this", "next", "last"}:
            return []
        if word.lower() in STOP_WORDS or not word.replace("-", "").isalpha() or len(plain_words) == _LONGEST_SUBJECT:
            break
        plain_words.insert(0, word.lower())
    return plain_words


_EXPECTING = re.compile(r"(?:expect|predict|forecast|anticipate|foresee|project|see)", re.IGNORECASE)
_PLACED = re.compile(
    r"(?<=[a-z])(?<!hares)(?<!tock) (?:in|at|near|across|from) (?:the )?(?:[A-Z][\w’'-]{0,40} ?){1,4}$"
)
"""Where something is that is to move: "house prices in Larkford"."""
_LONGEST_SUBJECT = 2
"""Words of a common noun that moves."""
_CALENDAR = re.compile(
    rf"(?:{load_alternatives('months_and_days', 'months')}|{load_alternatives('months_and_days', 'weekdays')}|Q[1-4])",
    re.IGNORECASE,
)


def _is_calendar(name: str) -> bool:
    return _CALENDAR.fullmatch(name.split(maxsplit=1)[0]) is not None
