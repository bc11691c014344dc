import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.errors import SourceError
from ascertain.documents.sources.web.urls import canonical_url, declared_url


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("HTTP://Example.ORG:80/A?b=1#c", "http://example.org/A?b=1"),
        ("https://example.org:443", "https://example.org/"),
        ("https://example.org/a?utm_source=x&id=5&UTM_Campaign=y&fbclid=z", "https://example.org/a?id=5"),
        ("https://example.org/a?utm_source=x", "https://example.org/a"),
        ("https://example.org/a?b=2&a=1&&", "https://example.org/a?b=2&a=1"),
        ("https://example.org/a?", "https://example.org/a"),
        ("https://example.org/räk?q=å", "https://example.org/r%C3%A4k?q=%C3%A5"),
        ("https://example.org/a?source=utm_source", "https://example.org/a?source=utm_source"),
    ],
)
def test_one_spelling_for_one_page(given, canonical):
    assert canonical_url(given) == canonical
    assert canonical_url(canonical) == canonical


@given(st.text(max_size=60))
def test_is_its_own_canonical(text):
    try:
        once = canonical_url(f"https://example.org/{text}")
    except SourceError:
        return
    assert canonical_url(once) == once


@pytest.mark.parametrize(
    ("fetched_from", "declared", "canonical"),
    [
        ("https://example.org/a?x=1", "/a", "https://example.org/a"),
        ("http://www.example.org/a", "https://example.org/b?utm_medium=y#z", "https://example.org/b"),
        ("https://m.example.org/a", "https://www.example.org/a", "https://www.example.org/a"),
        ("https://amp.example.org/a", "https://example.org/a", "https://example.org/a"),
        ("https://example.org/a", None, "https://example.org/a"),
        ("https://example.org/a", " ", "https://example.org/a"),
        # another site, or somebody else's corner of one
        ("https://evil.example/a", "https://bank.example/a", "https://evil.example/a"),
        ("https://evil.host.example/a", "https://good.host.example/a", "https://evil.host.example/a"),
        ("https://evil.host.example/a", "https://host.example/a", "https://evil.host.example/a"),
        ("https://example.org/a", "https://example.org:8443/a", "https://example.org/a"),
        # the front page, by mistake, on every page
        ("https://example.org/a", "https://example.org/", "https://example.org/a"),
        ("https://example.org/", "https://example.org", "https://example.org/"),
        # no address at all
        ("https://example.org/a", "javascript:alert(1)", "https://example.org/a"),
        ("https://example.org/a", "http://[", "https://example.org/a"),
        ("https://example.org/a", "https://me:pw@example.org/b", "https://example.org/a"),
    ],
)
def test_a_page_names_itself_on_its_own_site_only(fetched_from, declared, canonical):
    assert declared_url(fetched_from, declared) == canonical
