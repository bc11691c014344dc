from __future__ import annotations

import pytest

from ascertain.core.errors import EmbeddingMismatch, MissingExtra, ModelError, StoreBusy, StoreError
from ascertain.documents.ingest.cluster.batches import Outcome, Trouble
from ascertain.documents.ingest.cluster.stages import retry_patiently


class Store:
    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    def write(self) -> Outcome:
        if self.errors:
            raise self.errors.pop(0)
        return Outcome()


def test_a_store_that_is_away_is_asked_again_after_growing_pauses() -> None:
    pauses: list[float] = []
    store = Store(*(StoreError("away") for _ in range(7)))
    assert retry_patiently(store.write, 60, pauses.append) == Outcome()
    assert pauses == [0.25, 0.5, 1, 2, 4, 8, 8]


def test_its_error_comes_out_once_that_has_lasted_too_long() -> None:
    pauses: list[float] = []
    with pytest.raises(StoreError, match="away"):
        retry_patiently(Store(*(StoreError("away") for _ in range(99))).write, 10, pauses.append)
    assert 10 <= sum(pauses) < 20


def test_another_model_is_not_waited_for() -> None:
    with pytest.raises(EmbeddingMismatch):
        retry_patiently(Store(EmbeddingMismatch("another model")).write, 60, lambda seconds: pytest.fail())


@pytest.mark.parametrize("error", [ModelError("gone"), StoreBusy("busy"), EmbeddingMismatch("another")])
def test_trouble_becomes_the_same_error_again(error: Exception) -> None:
    again = Trouble.of(error).error()
    assert (type(again), str(again)) == (type(error), str(error))


def test_trouble_with_a_message_of_its_own_making_keeps_the_message() -> None:
    error = MissingExtra("embedding", "torch")
    assert str(Trouble.of(error).error()) == str(error)
