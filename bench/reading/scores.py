"""How complete a reading is, and how well in order.

With the words of the reference r and of the text that is stored t (multisets where it says so):
    recall = Σ_w min(r(w), t(w)) / |r|        order = LCS(r, t) / Σ_w min(r(w), t(w))
The longest common subsequence is exact, by the bit-parallel algorithm of Hyyrö (AWOCA 2004): one addition of integers as
wide as the reference for each word of the text, 100,000 words beside 100,000 in seconds.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

RAISED = re.compile(r"([\u00b2\u00b3\u00b9\u2070-\u209c]+)")
UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Kana and Han: written without spaces, so that each character is a word here."""
WORDS = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])[^\W_])+")
CUT = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad]\n\s*(?=[^\W\d_])")
SOFT = re.compile("[\u00ad\u200b\u200c\u2060\ufeff]")
LEAST_RECALL = 0.97


@dataclass(frozen=True, slots=True)
class Score:
    """One file; ``lost`` are runs of words with what stands before and after, the longest first."""

    words: int
    recall: float
    order: float
    fused: tuple[str, ...]
    lost: tuple[str, ...]


def score_text(references: Sequence[str], stored: str) -> Score:
    """``references``: the first is asked for word by word; the order is the best of all."""
    found = split_words(stored)
    vocabulary = set(found)
    readings = [split_words(join_cut_words(text, vocabulary)) for text in references]
    asked, counts = readings[0], Counter(found)
    matched = (Counter(asked) & counts).total()
    orders = [count_in_order(each, found) / max(1, (Counter(each) & counts).total()) for each in readings]
    return Score(
        words=len(asked),
        recall=matched / len(asked) if asked else 1.0,
        order=max(orders) if matched else 1.0,
        fused=find_fused(asked, found),
        lost=find_lost(asked, found),
    )


def split_words(text: str) -> list[str]:
    """Runs of letters and digits, casefolded in NFKC. Raised and lowered figures are words: 10⁶ is 10 and 6."""
    apart = RAISED.sub(r" \1 ", SOFT.sub("", text))
    return WORDS.findall(unicodedata.normalize("NFKC", apart).casefold())


def join_cut_words(text: str, vocabulary: set[str]) -> str:
    """Words cut at the end of a line are whole where the other text has them whole."""

    def join(cut: re.Match[str]) -> str:
        before = re.search(r"[^\W_]+$", text[max(0, cut.start() - 50) : cut.start()])
        after = re.match(r"[^\W_]+", text[cut.end() : cut.end() + 50])
        whole = unicodedata.normalize("NFKC", before[0] + after[0]).casefold() if before and after else ""
        return "" if whole in vocabulary else cut[0]

    return CUT.sub(join, text)


def count_in_order(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    common = set(first) & set(second)
    left, right = [word for word in first if word in common], [word for word in second if word in common]
    places: dict[str, list[int]] = {}
    for place, word in enumerate(left):
        places.setdefault(word, []).append(place)
    masks = {word: _set_bits(where) for word, where in places.items()}
    everything = (1 << len(left)) - 1
    row = everything
    for word in right:
        matches = row & masks[word]
        row = ((row + matches) | (row - matches)) & everything
    return len(left) - row.bit_count()


def _set_bits(places: Sequence[int]) -> int:
    bits = bytearray(places[-1] // 8 + 1)
    for place in places:
        bits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(bits, "little")


def find_fused(asked: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """Words of the text that the reference lacks and that are two of its neighbours in one."""
    known = set(asked)
    pairs = {before + after: f"{before}|{after}" for before, after in pairwise(asked)}
    return tuple(pairs[word] for word in found if word not in known and word in pairs)


def find_lost(asked: Sequence[str], found: Sequence[str], around: int = 5) -> tuple[str, ...]:
    """Runs of words that are in no three words of the text and that it has too few of, longest first."""
    lacking = Counter(asked) - Counter(found)
    triples = set(zip(found, found[1:], found[2:], strict=False))
    covered = bytearray(len(asked))
    for place in range(len(asked) - 2):
        if (asked[place], asked[place + 1], asked[place + 2]) in triples:
            covered[place] = covered[place + 1] = covered[place + 2] = 1
    runs: list[tuple[int, int]] = []
    place = 0
    while place < len(asked):
        start = place
        while place < len(asked) and not covered[place]:
            place += 1
        if place > start and any(lacking[word] for word in asked[start:place]):
            runs.append((start, place))
        place = max(place, start + 1)
    runs.sort(key=lambda run: run[0] - run[1])
    return tuple(
        f"{' '.join(asked[max(0, start - around) : start])} [[{' '.join(asked[start:end])}]] "
        f"{' '.join(asked[end : end + around])}"
        for start, end in runs
    )
