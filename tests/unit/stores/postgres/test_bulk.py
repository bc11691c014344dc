import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ascertain.stores.postgres.dialect import decode_vectors


@given(st.integers(0, 5), st.integers(1, 40))
def test_vectors_come_back_to_the_bit(number, dimension):
    vectors = np.random.default_rng(number).standard_normal((number, dimension)).astype(np.float16)
    sent = [np.array([dimension, 0], ">i2").tobytes() + row.astype(">f2").tobytes() for row in vectors]
    received = decode_vectors(sent, dimension)
    assert received.shape == (number, dimension)
    assert np.array_equal(received, vectors)
