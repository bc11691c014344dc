import pytest

from ascertain.core.documents.profiling import CorpusProfile, DocumentProfile, DocumentType, TypeGroup


def test_there_are_29_types_in_six_groups():
    assert len(DocumentType) == 29
    assert {kind.group for kind in DocumentType} == set(TypeGroup)


def test_nothing_has_no_profile():
    empty = CorpusProfile.of([])
    assert empty == CorpusProfile()
    assert (empty.documents, empty.technical_density, empty.types, empty.domains) == (0, None, {}, {})


def test_shares_are_of_documents_and_the_largest_come_first():
    corpus = CorpusProfile.of(
        [
            DocumentProfile(0.1, DocumentType.FAQ, 0.5),
            DocumentProfile(0.2, DocumentType.THESIS, 0.5, ("law", "software")),
            DocumentProfile(0.3, DocumentType.THESIS, 0.5, ("software",)),
        ]
    )
    assert corpus.documents == 3
    assert corpus.technical_density == pytest.approx(0.2)
    assert list(corpus.types.items()) == [(DocumentType.THESIS, 2 / 3), (DocumentType.FAQ, 1 / 3)]
    assert list(corpus.domains.items()) == [("software", 2 / 3), ("law", 1 / 3)]
