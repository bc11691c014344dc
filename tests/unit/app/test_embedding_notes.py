"""What a home knows of the scale of an embedding model's cosines."""

from small_knowledge import WordHashes, a_document, opened

from ascertain import Filter
from ascertain.app.container.embedding_notes import EmbeddingNotes

SUBJECTS = (
    "harbour bridge bakery glacier orchestra vineyard observatory lighthouse quarry monastery tramway cannery".split()
)


def fill(knowledge, texts):
    knowledge.add_documents([a_document(f"d{number}", text) for number, text in enumerate(texts)])


def test_passages_that_say_much_the_same_tell_nothing_of_a_model(tmp_path):
    with opened(tmp_path / "kb") as knowledge:
        fill(knowledge, [f"The long river turns mill number {number} of the valley." for number in range(20)])
        scale = EmbeddingNotes(tmp_path).choose_scale(WordHashes(), knowledge.container.store())
        assert (scale.slope, scale.intercept) == (1.0, 0.0)
        assert "too few" in scale.describe()
        assert len(knowledge.search("river mill", strategy="semantic").passages) > 1


def test_a_passage_that_goes_while_the_scale_is_estimated_is_no_error_and_nothing_is_noted(tmp_path, monkeypatch):
    with opened(tmp_path / "kb") as knowledge:
        fill(
            knowledge,
            [f"The {subject} of {subject}ville is {subject} number {n}." for n, subject in enumerate(SUBJECTS)],
        )
        store, notes = knowledge.container.store(), EmbeddingNotes(tmp_path)
        read_vectors = store.vectors

        def delete_first(chunk_ids):
            knowledge.delete(Filter(sources=("d3",)))
            return read_vectors(chunk_ids)

        with monkeypatch.context() as patched:
            patched.setattr(store, "vectors", delete_first)
            assert "deleted meanwhile" in notes.choose_scale(WordHashes(), store).describe()
        assert "estimated from 11" in notes.choose_scale(WordHashes(), store).describe()
