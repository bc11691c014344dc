import pytest
from datasketch import MinHash

from ascertain.core.errors import StoreError
from ascertain.stores.records.documents import BANDS, estimate_jaccard, signature_bands


def signature(words):
    minhash = MinHash(128)
    minhash.update_batch([str(word).encode() for word in words])
    return minhash


def test_the_estimate_is_that_of_datasketch():
    one, other = signature(range(100)), signature(range(20, 130))
    assert estimate_jaccard(one.hashvalues.tobytes(), other.hashvalues.tobytes()) == pytest.approx(one.jaccard(other))


def test_alike_signatures_share_bands_and_unlike_ones_do_not():
    one, close, far = (signature(words).hashvalues.tobytes() for words in (range(100), range(10, 100), range(500, 600)))
    assert len(signature_bands(one)) == BANDS
    assert set(signature_bands(one)) & set(signature_bands(close))
    assert not set(signature_bands(one)) & set(signature_bands(far))


@pytest.mark.parametrize("length", [0, 100, 128, 3 * 128, 16 * 128])
def test_a_signature_of_another_length_is_refused(length):
    with pytest.raises(StoreError, match="128 values"):
        signature_bands(b"x" * length)
