from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.stores.qdrant.payloads import sum_of_versions, version_bytes
from ascertain.stores.records.encoding import VERSION_BYTES, digest_names, format_fingerprint, version_number

names = st.text(st.characters(codec=None), max_size=5)


@given(st.lists(st.tuples(names, names), min_size=2, max_size=2, unique=True))
def test_names_are_digested_one_by_one(pairs):
    one, other = pairs
    assert digest_names(*one) != digest_names(*other)
    assert version_number(*one) != version_number(*other)


@given(names, names)
def test_a_number_fits_every_database(document_id, content_hash):
    assert 0 <= version_number(document_id, content_hash) < 2 ** (8 * VERSION_BYTES)


def test_nothing_has_a_fingerprint_too():
    assert format_fingerprint(0) == "0"


@given(st.lists(names, max_size=6))
def test_counts_of_bytes_add_up_to_the_sum_of_the_numbers(ids):
    documents = [Document(each, "text", "", DocumentKind.PROSE, each) for each in ids]
    counts = {}
    for document in documents:
        for each in version_bytes(document):
            counts[each] = counts.get(each, 0) + 1
    numbers = [version_number(document.id, document.content_hash) for document in documents]
    assert sum_of_versions(counts) == sum(numbers)
