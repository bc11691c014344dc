import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.errors import UsageError
from ascertain.documents.sources.web.urls import ArxivAddress, WebAddress, address_of


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://example.org/a?utm_source=x#y", WebAddress("https://example.org/a")),
        ("HTTP://EXAMPLE.org", WebAddress("http://example.org/")),
        ("arxiv:1706.03762", ArxivAddress("1706.03762")),
        ("arXiv: 1706.03762v5", ArxivAddress("1706.03762", 5)),
        ("arxiv:0704.0001", ArxivAddress("0704.0001")),
        ("arxiv:hep-th/9901001v2", ArxivAddress("hep-th/9901001", 2)),
        ("arxiv:math.GT/0309136", ArxivAddress("math.GT/0309136")),
        ("https://arxiv.org/abs/1706.03762", ArxivAddress("1706.03762")),
        ("http://www.arxiv.org/pdf/1706.03762v7.pdf", ArxivAddress("1706.03762", 7)),
        ("https://export.arxiv.org/pdf/1706.03762#page=3", ArxivAddress("1706.03762")),
        ("https://arxiv.org/html/1706.03762v7/", ArxivAddress("1706.03762", 7)),
        ("https://arxiv.org/abs/hep-th/9901001?context=x", ArxivAddress("hep-th/9901001")),
        ("https://arxiv.org/list/cs.CL/recent", WebAddress("https://arxiv.org/list/cs.CL/recent")),
        ("handbook/", None),
        ("notes.txt", None),
        ("C:\\notes.txt", None),
        ("./https", None),
        ("1706.03762", None),
    ],
)
def test_tells_addresses_from_paths(text, address):
    assert address_of(text) == address


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ftp://example.org/x", "ftp addresses are not read"),
        ("file:///etc/passwd", "file addresses are not read"),
        ("https://me:secret@example.org/", "user name or password"),
        ("http://", "not written as a name"),
        ("arxiv:", "not an identifier of arXiv; give it as arxiv:1706.03762"),
        ("arxiv:17.3", "not an identifier of arXiv"),
        ("arxiv:1706.03762v0", "not an identifier of arXiv"),
        ("https://arxiv.org/abs/nonsense", "not an identifier of arXiv"),
    ],
)
def test_refuses_other_addresses(text, reason):
    with pytest.raises(UsageError, match=reason) as caught:
        address_of(text)
    assert "secret" not in str(caught.value)


def test_a_paper_is_named_with_the_version_that_was_asked_for():
    assert ArxivAddress("1706.03762").url == "https://arxiv.org/abs/1706.03762"
    assert ArxivAddress("hep-th/9901001", 2).url == "https://arxiv.org/abs/hep-th/9901001v2"
    assert ArxivAddress("1706.03762", 3).shown == "arxiv:1706.03762v3"


@given(st.text(max_size=40))
def test_any_text_is_an_address_a_path_or_an_error(text):
    for named in (text, f"https://{text}", f"arxiv:{text}"):
        try:
            address_of(named)
        except UsageError as error:
            assert "\n" not in str(error)
