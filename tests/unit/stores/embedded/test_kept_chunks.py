from dataclasses import replace

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded import record
from ascertain.stores.embedded.record import KeptChunks
from ascertain.stores.registry import open_store
from ascertain.testing.store_documents import a_document, found_by_words

TEXT = "twenty characters do"
CHUNK = Chunk("a", "d", 0, Span(0, len(TEXT)), TEXT, "", "title", DocumentKind.PROSE, "/a.md")


def open_home(home):
    return open_store(StoreSettings(), home, "model-a", 8, create=True)


def test_keeps_chunks_as_long_as_nothing_changes():
    kept = KeptChunks()
    kept.keep(7, {"a": CHUNK})
    assert kept.find(7, ["a", "b"]) == {"a": CHUNK}
    assert kept.find(8, ["a"]) == {}
    kept.keep(8, {"b": replace(CHUNK, id="b")})
    assert list(kept.find(8, ["a", "b"])) == ["b"]


def test_the_oldest_chunks_go_where_texts_are_too_long_together(monkeypatch):
    monkeypatch.setattr(record, "_KEPT_CHARACTERS", 2 * len(TEXT))
    kept = KeptChunks()
    for name in "abab":  # what is kept already counts once
        kept.keep(1, {name: replace(CHUNK, id=name)})
    assert list(kept.find(1, ["a", "b"])) == ["a", "b"]
    kept.keep(1, {"c": replace(CHUNK, id="c")})
    assert list(kept.find(1, ["a", "b", "c"])) == ["b", "c"]


def test_what_another_process_wrote_is_read_at_once(tmp_path):
    reader = open_home(tmp_path / "home")
    writer = open_home(tmp_path / "home")
    try:
        writer.upsert([a_document("/a.md", ("word first",)), a_document("/b.md", ("word other",))])
        ids = sorted(found_by_words(reader, "word", Filter()))
        assert {chunk.text for chunk in reader.get(ids)} == {"word first", "word other"}
        writer.upsert([a_document("/a.md", ("word second",))])
        ids = [*ids, *found_by_words(reader, "word", Filter())]
        assert sorted({chunk.text for chunk in reader.get(ids)}) == ["word other", "word second"]
        writer.delete(Filter(sources=("/b.md",)))
        assert [chunk.text for chunk in reader.get(list(dict.fromkeys(ids)))] == ["word second"]
        assert reader.vectors(list(found_by_words(reader, "word", Filter()))).shape == (1, 8)
    finally:
        reader.close()
        writer.close()
