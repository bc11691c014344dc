"""What every reader of a file format and every news provider does."""

# pyright: basic

from __future__ import annotations

import pytest

from ascertain.core.errors import SourceError
from ascertain.sources.extraction import ReadOptions
from ascertain.sources.files import read
from ascertain.sources.news.ports import NewsQuery

CUTS = (0.1, 0.5, 0.9)


class FormatContract:
    """Subclass it in a module of tests and give it a fixture ``file``: a file of the format, of a suffix that is installed."""

    def test_has_text_and_regions_in_it(self, file):
        documents = list(read(file))
        assert documents
        for document in documents:
            assert document.text.strip()
            for region in document.regions:
                assert 0 <= region.span.start < region.span.end <= len(document.text)

    def test_reads_the_same_again(self, file):
        assert list(read(file)) == list(read(file))

    def test_a_document_is_whose_the_options_say(self, file):
        for document in read(file, ReadOptions(tenant="acme", tags=("red",))):
            assert document.tenant == "acme"
            assert "red" in document.tags

    @pytest.mark.parametrize("share", CUTS)
    def test_a_damaged_file_is_read_or_refused_with_its_name(self, file, tmp_path, share):
        data = file.read_bytes()
        damaged = tmp_path / f"damaged{file.suffix}"
        damaged.write_bytes(data[: int(share * len(data))] + b"\xff\x00" * 20)
        try:
            assert all(document.text.strip() for document in read(damaged))
        except SourceError as error:
            assert str(error).startswith(damaged.name)


class NewsProviderContract:
    """Subclass it in a module of tests and give it fixtures ``provider``, and ``query`` for something that it finds more than once."""

    def test_finds_articles_that_can_be_cited(self, provider, query):
        found = provider.search(query, 30)
        assert 0 < len(found) <= query.limit
        for article in found:
            assert article.url.startswith(("http://", "https://"))
            assert article.title.strip()
            assert article.provider == provider.name
            assert article.published_at is None or article.published_at.tzinfo is not None

    def test_finds_no_more_than_is_asked_for(self, provider, query):
        assert len(provider.search(NewsQuery(query.text, 1, language=query.language), 30)) == 1
