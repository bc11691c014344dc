"""The language of a text, when it is plain."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

_SAMPLE = 1000
_MIN_LETTERS = 20
_MIN_PROBABILITY = 0.6
"""py3langid gives under 0.1 on code and tickers, 0.75 and more on a sentence of a language it knows."""


def detect_language(text: str) -> str | None:
    """ISO 639-1 code of a sample from the middle of ``text``; None when it is short or the guess is weak."""
    start = max(0, len(text) // 2 - _SAMPLE // 2)
    sample = text[start : start + _SAMPLE]
    if sum(character.isalpha() for character in sample) < _MIN_LETTERS:
        return None
    code, probability = cast("tuple[str, float]", _identifier().classify(sample))
    return code if probability >= _MIN_PROBABILITY and len(code) == 2 else None


@cache
def _identifier() -> Any:
    # Loading takes most of a second, so it waits for the first text.
    from py3langid import langid  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    return cast("Any", langid).LanguageIdentifier.from_model_file(
        cast("Any", langid).MODEL_FILE, norm_probs=True
    )
