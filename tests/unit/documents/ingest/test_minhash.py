from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.ingest.duplicates import (
    MINIMUM_WORDS,
    PERMUTATIONS,
    SHINGLE_WORDS,
    estimate_similarity,
    minhash_signature,
)

WORDS = [f"word{n}" for n in range(2000)]


def signed(words: list[str]) -> bytes:
    found = minhash_signature(" ".join(words))
    assert found is not None
    return found


def jaccard(one: list[str], other: list[str]) -> float:
    def shingles(words: list[str]) -> set[tuple[str, ...]]:
        return {tuple(words[i : i + SHINGLE_WORDS]) for i in range(len(words) - SHINGLE_WORDS + 1)}

    a, b = shingles(one), shingles(other)
    return len(a & b) / len(a | b)


def test_equal_texts_have_equal_signatures_whatever_their_case_and_spacing() -> None:
    text = " ".join(WORDS[:100])
    assert minhash_signature(text) == minhash_signature(text.upper().replace(" ", "\n "))
    assert len(signed(WORDS)) == 4 * PERMUTATIONS


@pytest.mark.parametrize("changed", [0, 1, 5, 20, 100, 2000])
def test_similarity_estimates_the_jaccard_similarity_of_the_shingles(changed: int) -> None:
    chance = random.Random(changed)
    other = list(WORDS)
    for place in chance.sample(range(len(WORDS)), changed):
        other[place] = f"other{place}"
    # four standard errors
    assert estimate_similarity(signed(WORDS), signed(other)) == pytest.approx(jaccard(WORDS, other), abs=0.18)


def test_estimates_are_unbiased() -> None:
    errors: list[float] = []
    for seed in range(60):
        chance = random.Random(seed)
        one = [f"w{chance.randrange(10**6)}" for _ in range(300)]
        other = one[:200] + [f"w{chance.randrange(10**6)}" for _ in range(100)]
        errors.append(estimate_similarity(signed(one), signed(other)) - jaccard(one, other))
    assert abs(sum(errors) / len(errors)) < 0.02


@given(st.text(st.sampled_from("aΣς'.İ é\n\u2028\x1c"), max_size=300), st.integers(1, 40))
def test_a_long_text_taken_in_pieces_has_the_signature_of_the_whole(text: str, piece: int) -> None:
    text += " ".join(WORDS[:MINIMUM_WORDS])
    with pytest.MonkeyPatch.context() as patch:
        whole = minhash_signature(text)
        patch.setattr("ascertain.documents.ingest.duplicates._PIECE", piece)
        assert minhash_signature(text) == whole


def test_short_texts_have_no_signature() -> None:
    assert minhash_signature(" ".join(WORDS[: MINIMUM_WORDS - 1])) is None
    assert minhash_signature(" ".join(WORDS[:MINIMUM_WORDS])) is not None


def test_signatures_never_change_because_they_are_stored() -> None:
    assert signed(WORDS)[:8].hex() == "8f7913005bde2800"
