"""Filters in combination: every store selects what a plain reading of the conditions selects."""

# pyright: basic

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.documents import DocumentKind
from ascertain.testing.store_documents import a_document, found_by_meaning, found_by_words, utc_moment

SOURCES = (
    "/in/a.md",
    "/in/b.md",
    "/in/deep/er/c.md",
    "/in",
    "/inside.md",
    "/in#1",
    "/table.csv#1",
    "/table.csv#22",
    "/table.csv.md",
    "/Ünï/cödé 数/é.md",
    "/50%_off/x.md",
    "/50x-off/x.md",
    "C:\\in\\a.md",
    "https://example.org/in/?a=b#c",
    "\U0001f600/smile.md",
    "lone\udc80surrogate/x.md",
)

PATTERNS = (
    *SOURCES[:8],
    "/in/",
    "/in/*",
    "/in*",
    "/in/deep",
    "/table.csv",
    "/table.csv#*",
    "/Ünï",
    "/Ünï/cödé 数/*",
    "/50%_off",
    "https://example.org/in",
    "\U0001f600*",
    "lone\udc80surrogate",
    "*",
    "/nowhere",
)

TAGS = ("red", "blue", "数学", "with space", "Red", "lone\udc80")

TOPICS = ("bitcoin", "release notes", "數據", "it's", "Bitcoin", "lone\udc80")

LANGUAGES = ("en", "de", "zh")

PROFILES = ("docs", "papers", "news")

CONVERSATIONS = (None, None, "", "talk", "Talk", "другой", "lone\udc80", "lone\udc81")

VISIBLE = (OWN, OWN, "talk", "Talk", "lone\udc80", "none such")

TENANTS = ("default", "acme", "Acme")

DAY = utc_moment("2024-02-29")
DAYS = timedelta(days=7)


def random_corpus(seed):
    """Documents of three tenants, whose conditions overlap in many ways."""
    choose = random.Random(seed)
    documents = []
    for number, source in enumerate(SOURCES * 2):
        published = DAY + timedelta(days=choose.randint(-3, 3), microseconds=choose.choice((0, 1, 999_999)))
        documents.append(
            a_document(
                source,
                (f"words {number}", f"words and more {number}"),
                kind=choose.choice(list(DocumentKind)),
                tags=tuple(choose.sample(TAGS, choose.randint(0, 3))),
                profile=choose.choice(PROFILES),
                language=choose.choice((None, *LANGUAGES)),
                published_at=choose.choice((None, published)),
                conversation_id=choose.choice(CONVERSATIONS),
                tenant=choose.choice(TENANTS),
                with_parent=choose.random() < 0.3,
                topics=[choose.sample(TOPICS, choose.randint(0, 2)) for _ in range(2)],
            )
        )
    return list({document.document.id: document for document in documents}.values())


def random_filter(choose, documents):
    """One to four conditions at once."""
    ids = [document.document.id for document in documents]
    chunks = [chunk.id for document in documents for chunk in document.chunks]
    start, end = sorted(
        DAY + timedelta(days=choose.randint(-4, 4), microseconds=choose.choice((0, 1, -1))) for _ in range(2)
    )
    choices = {
        "document_ids": lambda: (*choose.sample(ids, 8), "no such document"),
        "chunk_ids": lambda: (*choose.sample(chunks, 12), "no such chunk"),
        "kinds": lambda: tuple(choose.sample(list(DocumentKind), choose.randint(1, 2))),
        "sources": lambda: tuple(choose.sample(PATTERNS, choose.randint(1, 3))),
        "tags": lambda: tuple(choose.sample(TAGS, choose.randint(1, 2))),
        "topics": lambda: tuple(choose.sample(TOPICS, choose.randint(1, 2))),
        "languages": lambda: tuple(choose.sample(LANGUAGES, choose.randint(1, 2))),
        "profiles": lambda: tuple(choose.sample(PROFILES, choose.randint(1, 2))),
        "published_from": lambda: start,
        "published_before": lambda: end,
        "conversation_id": lambda: choose.choice(("talk", "Talk", "другой", "", "none such")),
        "within": lambda: tuple(choose.sample(VISIBLE, choose.randint(0, 3))),
    }
    fields = choose.sample(sorted(choices), choose.randint(1, 4))
    return Filter(tenant=choose.choice(TENANTS), **{field: choices[field]() for field in fields})


def matches_source(pattern, source):
    if pattern.endswith("*"):
        return source == pattern or source.startswith(pattern[:-1])
    if source == pattern:
        return True
    if pattern.endswith(("/", "#")):
        return source.startswith(pattern)
    return source.startswith((pattern + "/", pattern + "#"))


def is_named(filter, chunk):
    """Whether a chunk is among those that the filter names, or about one of its topics."""
    return (not filter.chunk_ids or chunk.id in filter.chunk_ids) and (
        not filter.topics or bool(set(filter.topics) & set(chunk.topics))
    )


def matches_conditions(filter, document):
    """Whether a document meets the conditions, ``chunk_ids`` and ``topics`` left out."""
    return (
        document.tenant == filter.tenant
        and (not filter.document_ids or document.id in filter.document_ids)
        and (not filter.kinds or document.kind in filter.kinds)
        and (not filter.sources or any(matches_source(p, document.source) for p in filter.sources))
        and (not filter.tags or bool(set(filter.tags) & set(document.tags)))
        and (not filter.profiles or document.profile in filter.profiles)
        and (not filter.languages or document.language in filter.languages)
        and (
            filter.published_from is None
            or (document.published_at is not None and document.published_at >= filter.published_from)
        )
        and (
            filter.published_before is None
            or (document.published_at is not None and document.published_at < filter.published_before)
        )
        and (filter.conversation_id is None or document.conversation_id == filter.conversation_id)
        and (filter.within is None or (document.conversation_id or OWN) in filter.within)
    )


def select_ids(filter, documents):
    """Ids of the searchable chunks and of the documents that ``filter`` selects."""
    fitting = [document for document in documents if matches_conditions(filter, document.document)]
    chunks = {
        chunk.id for document in fitting for chunk in document.chunks if not chunk.is_parent and is_named(filter, chunk)
    }
    owners = {
        document.document.id
        for document in fitting
        if not (filter.chunk_ids or filter.topics) or any(is_named(filter, chunk) for chunk in document.chunks)
    }
    return chunks, owners


class FilterCombinationContract:
    """Many conditions at once."""

    @pytest.mark.parametrize("seed", range(3))
    def test_random_combinations_select_what_the_conditions_say(self, store, seed):
        documents = random_corpus(seed)
        store.upsert(documents)
        choose = random.Random(seed)
        for _ in range(60):
            filter = random_filter(choose, documents)
            chunks, owners = select_ids(filter, documents)
            assert found_by_meaning(store, filter) == chunks, filter
            assert found_by_words(store, "words", filter) == chunks, filter
            assert {record.id for record in store.documents(filter)} == owners, filter
            assert {chunk.id for chunk in store.iterate_chunks(filter)} == chunks, filter

    def test_the_first_moment_of_a_period_is_in_it_and_the_last_is_not(self, store):
        tick = timedelta(microseconds=1)
        moments = {"before": -tick, "first": timedelta(0), "last": DAYS - tick, "behind": DAYS, "later": DAYS + tick}
        for name, offset in moments.items():
            store.upsert([a_document(f"/{name}.md", published_at=DAY + offset)])
        store.upsert([a_document("/undated.md")])

        def sources(**bounds):
            found = Filter(**bounds)
            chunks = found_by_meaning(store, found)
            listed = store.documents(found)
            assert {chunk.id for chunk in store.iterate_chunks(found)} == chunks
            assert {chunk.document_id for chunk in store.get(sorted(chunks))} == {record.id for record in listed}
            return {record.source.strip("/").removesuffix(".md") for record in listed}

        assert sources(published_from=DAY) == {"first", "last", "behind", "later"}
        assert sources(published_before=DAY) == {"before"}
        assert sources(published_from=DAY, published_before=DAY + DAYS) == {"first", "last"}
        assert sources(published_from=DAY, published_before=DAY + tick) == {"first"}
        assert sources(published_from=DAY, published_before=DAY) == set()

    def test_deleting_by_random_filters_leaves_the_others(self, store):
        documents = random_corpus(7)
        store.upsert(documents)
        choose = random.Random(7)
        while documents:
            filter = random_filter(choose, random_corpus(7))
            _, owners = select_ids(filter, documents)
            assert store.delete(filter) == len(owners), filter
            documents = [document for document in documents if document.document.id not in owners]
            if choose.random() < 0.2:
                tenant = choose.choice(TENANTS)
                assert found_by_meaning(store, Filter(tenant=tenant)) == select_ids(Filter(tenant=tenant), documents)[0]
                documents = [document for document in documents if document.document.tenant != tenant]
                store.delete(Filter(tenant=tenant))
        assert store.tenants() == []

    def test_thousands_of_names_in_one_filter(self, store):
        document = a_document()
        store.upsert([document, a_document("/other.md")])
        names = tuple(f"no such {number}" for number in range(10_000))
        for filter in (
            Filter(document_ids=(*names, document.document.id)),
            Filter(chunk_ids=(*names, *(chunk.id for chunk in document.chunks))),
        ):
            wanted = {chunk.id for chunk in document.chunks}
            assert found_by_meaning(store, filter) == found_by_words(store, "part", filter) == wanted
            assert store.delete(replace(filter, tenant="someone else")) == 0

    def test_documents_come_in_order_of_source(self, store):
        documents = random_corpus(3)
        store.upsert(documents)
        for tenant in TENANTS:
            sources = [record.source for record in store.documents(Filter(tenant=tenant))]
            plain = [source for source in sources if "\udc80" not in source]
            assert plain == sorted(plain)
            assert len(sources) == sum(document.document.tenant == tenant for document in documents)
