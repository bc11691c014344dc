from datetime import UTC, datetime

import pytest
from small_pdf import small_pdf
from web_site import article

from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import SourceError
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.web.fetching import Fetched
from ascertain.documents.sources.web.pages import documents_of

WORDS = [
    "The harbour bridge is closed to all traffic until the end of May, the city said on Wednesday.",
    "A ferry takes passengers across every half hour, and bicycles go free for as long as the repairs last.",
    "Engineers found cracks in two of the nine piers when they inspected them in the autumn of last year.",
]
URL = "https://herald.example/2026/bridge?utm_source=feed"
HEAD = (
    '<link rel="canonical" href="/2026/bridge"><meta name="author" content="Ada Lovelace">'
    '<meta property="article:published_time" content="2026-03-04T10:22:00+02:00">'
)


def fetched(body, media_type="text/html", url=URL, charset=None):
    return Fetched(url, 200, body, media_type, charset)


def the_document(answer, **options):
    (document,) = documents_of(answer, ReadOptions(**options))
    return document


def test_a_page_of_news_is_its_article_with_its_canonical_address():
    page = the_document(
        fetched(article("Bridge closed", *WORDS, head=HEAD)),
        profile="news",
        tags=("city",),
        tenant="acme",
        conversation_id="c1",
    )
    assert page.text.endswith("\n\n".join(WORDS))
    assert "mattress" not in page.text
    assert "About us" not in page.text
    assert (page.source, page.url) == ("https://herald.example/2026/bridge",) * 2
    assert (page.title, page.author, page.language) == ("Bridge closed", "Ada Lovelace", "en")
    assert page.published_at == datetime.fromisoformat("2026-03-04T10:22:00+02:00")
    assert page.kind is DocumentKind.ARTICLE
    assert (page.tenant, page.conversation_id) == ("acme", "c1")
    assert "city" in page.tags


def test_a_page_without_a_date_is_prose_from_where_it_was_fetched():
    page = the_document(fetched(article("Guide", *WORDS)))
    assert (page.kind, page.published_at) == (DocumentKind.PROSE, None)
    assert page.source == "https://herald.example/2026/bridge"


def test_a_page_cannot_take_the_place_of_another_sites():
    page = the_document(fetched(article("Bridge", *WORDS, head='<link rel=canonical href="https://bank.example/">')))
    assert page.source == page.url == "https://herald.example/2026/bridge"


def test_a_source_that_is_given_is_kept_and_the_page_named_by_its_url():
    page = the_document(fetched(article("Bridge", *WORDS, head=HEAD)), source="https://herald.example/feed#1")
    assert page.source == "https://herald.example/feed#1"
    assert page.url == "https://herald.example/2026/bridge"


@pytest.mark.parametrize(
    ("encoding", "charset", "head"),
    [
        ("cp1252", "iso-8859-1", ""),
        ("cp1252", None, '<meta charset="windows-1252">'),
        ("utf-16", None, ""),
        ("utf-8", "utf-8", '<meta charset="shift_jis">'),
    ],
)
def test_umlauts_survive_whatever_the_encoding(encoding, charset, head):
    words = [f"{line} Größe und Übermaß, naïve façade." for line in WORDS]
    page = article("Brücke", *words, head=head).decode().encode(encoding)
    assert "Größe und Übermaß, naïve façade." in the_document(fetched(page, charset=charset)).text


@pytest.mark.parametrize(
    ("body", "media_type", "url", "title"),
    [
        (b"Line one.\n\nLine two.", "text/plain", "https://x.example/notes/read-me.txt", "Read Me"),
        (b"Line one.", "text/plain", "https://x.example/", "X.example"),
        (b"# The guide\n\nWords.", "text/markdown", "https://x.example/guide", "The guide"),
        (b"# The guide\n\nWords.", "text/plain", "https://x.example/guide.md", "The guide"),
        (b"# The guide\n\nWords.", "application/octet-stream", "https://x.example/guide.md?v=2", "The guide"),
        (article("Bridge", *WORDS), "", "https://x.example/b", "Bridge"),
        (article("Bridge", *WORDS), "text/plain", "https://x.example/b.txt", "Bridge"),
        (article("Bridge", *WORDS), "application/xhtml+xml", "https://x.example/b.pdf", "Bridge"),
        (b"WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ada>Hello there", "text/vtt", "https://x.example/talk.vtt", "Talk"),
    ],
)
def test_other_formats_go_to_their_readers(body, media_type, url, title):
    document = the_document(fetched(body, media_type, url))
    assert (document.title, document.source) == (title, url.partition("?")[0] + ("?v=2" if "?" in url else ""))


def test_a_pdf_has_its_pages():
    pdf = small_pdf(
        [[(60, 700, 10, "plain", "First page.")], [(60, 700, 10, "plain", "Second page.")]], title="Two pages"
    )
    document = the_document(fetched(pdf, "application/pdf", "https://x.example/download?id=7"))
    assert (document.title, document.url) == ("Two pages", "https://x.example/download?id=7")
    assert [block.place.page for block in document.blocks if block.place.page] == [1, 2]


def test_a_table_is_a_document_for_each_row():
    table = b"title,content,url\nOne,First words.,https://x.example/1\nTwo,More words.,\n"
    one, two = documents_of(fetched(table, "text/csv", "https://x.example/t.csv"), ReadOptions())
    assert (one.source, one.url) == ("https://x.example/t.csv#2", "https://x.example/1")
    assert (two.source, two.url) == ("https://x.example/t.csv#3", "https://x.example/t.csv")


@pytest.mark.parametrize(
    ("body", "media_type", "reason"),
    [
        (b"", "text/html", "the file is empty"),
        (b"<html><body><div></div></body></html>", "text/html", "no text found"),
        (b"<html>" + b"<p>" * 200_000, "text/html", "more than 200,000 tags"),
        (b"\x89PNG\r\n", "application/octet-stream", "the picture is damaged"),
        (b"%PDF-1.4\nrubbish", "application/pdf", "PDF"),
        (b"\x00\x01\x02\x03" * 50, "text/html", "binary data"),
    ],
)
def test_what_cannot_be_read_is_told_by_its_address(body, media_type, reason):
    with pytest.raises(SourceError, match=rf"^https://herald.example/2026/bridge\?…: .*{reason}"):
        list(documents_of(fetched(body, media_type), ReadOptions()))


def test_a_page_over_the_limit_is_refused():
    with pytest.raises(SourceError, match="longer than 100 characters"):
        list(documents_of(fetched(article("Bridge", *WORDS)), ReadOptions(max_characters=100)))


@pytest.mark.parametrize(
    ("declared", "moment"),
    [
        ("2026-03-04T10:22:00Z", datetime(2026, 3, 4, 10, 22, tzinfo=UTC)),
        ("4 March 2026", datetime(2026, 3, 4, tzinfo=UTC)),
        ("soon", None),
    ],
)
def test_the_page_says_when_to_the_minute(declared, moment):
    head = f'<meta property="article:published_time" content="{declared}">'
    assert the_document(fetched(article("B", *WORDS, head=head))).published_at == moment
