from datetime import UTC, datetime

import pytest
from feeds_written import atom, rss
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import DocumentKind, LeftOut
from ascertain.core.errors import SourceError
from ascertain.documents.formats.feeds import parse_feed
from ascertain.documents.formats.files.sniffing import looks_like_feed
from ascertain.documents.sources.files import ReadOptions, read_path
from ascertain.testing.documents import check_document

BRIDGE = {
    "title": "Bridge & tunnel",
    "link": "https://herald.example/bridge",
    "guid": "tag:herald#1",
    "description": "<p>The bridge is closed…</p>",
    "content": "<p>The bridge is closed until May.</p><p>A ferry runs every hour.</p>",
    "pubDate": "Wed, 04 Mar 2026 10:00:00 +0200",
    "category": "transport",
}
FERRY = {"title": "Ferry", "link": "https://herald.example/ferry", "description": "It runs every hour. Read more"}


def test_an_rss_feed_file_is_an_article_for_each_entry(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_bytes(rss(BRIDGE, FERRY))
    bridge, ferry = read_path(path, ReadOptions(tags=("news",)))
    assert bridge.text == "Bridge & tunnel\n\nThe bridge is closed until May.\n\nA ferry runs every hour."
    assert (bridge.kind, bridge.title, bridge.url) == (
        DocumentKind.ARTICLE,
        "Bridge & tunnel",
        "https://herald.example/bridge",
    )
    assert bridge.published_at == datetime(2026, 3, 4, 8, tzinfo=UTC)
    assert bridge.tags == ("news", "transport")
    assert bridge.author == "The Herald"
    assert bridge.source == f"{path}#tag:herald%231"
    assert ferry.source == f"{path}#https://herald.example/ferry"


def test_an_atom_feed_file_is_read_alike(tmp_path):
    path = tmp_path / "anything.bin"
    path.write_bytes(
        atom(
            {"title": "Old", "id": "urn:1", "content": "First <em>words</em>.", "updated": "2026-01-01T00:00:00Z"},
            {
                "title": "New",
                "id": "urn:2",
                "link": "https://herald.example/new",
                "summary": "In short.",
                "published": "2026-02-01T09:30:00+01:00",
                "updated": "2026-02-02T00:00:00Z",
                "author": "Ada",
            },
        )
    )
    new, old = read_path(path)
    assert (new.text, new.author) == ("New\n\nIn short.", "Ada")
    assert new.published_at == datetime(2026, 2, 1, 8, 30, tzinfo=UTC)
    assert (old.text, old.published_at) == ("Old\n\nFirst words.", datetime(2026, 1, 1, tzinfo=UTC))


def test_an_entry_without_text_is_told_and_the_others_are_read(tmp_path):
    path = tmp_path / "feed.rss"
    path.write_bytes(rss({"title": "Only a title", "guid": "7"}, FERRY))
    told = []
    (ferry,) = read_path(path, ReadOptions(on_bad_row=lambda *row: told.append(row)))
    assert ferry.title == "Ferry"
    assert told == [(f"{path}#7", "neither a text nor a summary in it")]


@pytest.mark.parametrize("data", [b"<feed>pigs</feed>", b"not xml at all", rss()])
def test_what_is_no_feed_is_told_so(tmp_path, data):
    path = tmp_path / "feed.atom"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=r"feed.atom: (neither an RSS nor an Atom feed|the feed has no entry)"):
        list(read_path(path))


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (rss(), True),
        (atom(), True),
        (b"\xef\xbb\xbf<?xml version='1.0'?><!-- c --><rss>", True),
        (b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", True),
        (b"<!DOCTYPE rss [<!ENTITY x 'y'>]><rss>", True),
        (b"<?xml version='1.0'?><project><rss/></project>", False),
        (b"<html><body><rss></body></html>", False),
        (b"<feed><pig/></feed>", False),
        (b"text about <rss>", False),
        (b"<!---->" * 500 + b"<p>", False),
        (b"<!DOCTYPE " * 400, False),
        (b"\x00\x01\x02" * 30, False),
    ],
)
def test_feeds_are_known_by_their_first_words(head, expected):
    assert looks_like_feed(head) is expected


@pytest.mark.parametrize(
    ("entry", "is_whole"),
    [
        ({"content": "<p>All of it is here, in a few words.</p>"}, True),
        ({"content": "<p>The beginning of it [...]</p>"}, False),
        ({"content": "<p>The beginning of it…</p>"}, False),
        ({"description": "A teaser."}, False),
        ({"description": "Words " * 400 + "end."}, True),
        ({"description": "Words " * 400 + "<a>Read more →</a>"}, False),
        ({"description": "Words " * 400 + "continue reading The Herald"}, False),
    ],
)
def test_knows_whether_the_feed_holds_the_text(entry, is_whole):
    (found,) = parse_feed(rss({"title": "T", **entry})).entries
    assert found.is_whole is is_whole


def test_an_entry_keeps_its_key_when_its_text_changes():
    before, after = (parse_feed(rss({**BRIDGE, "title": title})).entries[0].key for title in ("Before", "After"))
    assert before == after
    (nameless,) = parse_feed(rss({"title": "T", "description": "d"})).entries
    assert len(nameless.key) == 20
    (long,) = parse_feed(rss({"title": "T", "guid": "x" * 900})).entries
    assert len(long.key) == 32


def test_links_are_those_of_the_feeds_own_place():
    (entry,) = parse_feed(
        rss({"title": "T", "link": "/a", "description": "d"}), "https://herald.example/feeds/all.xml"
    ).entries
    assert entry.link == "https://herald.example/a"
    (local,) = parse_feed(rss({"title": "T", "link": "javascript:x", "description": "d"})).entries
    assert local.link is None


def test_entities_are_not_expanded_without_end():
    bomb = (
        b'<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa">'
        + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(8))
        + b"]><rss version='2.0'><channel><title>t</title><item><title>x</title><description>&i;</description></item></channel></rss>"
    )
    feed = parse_feed(bomb)
    assert all(len(entry.summary) < 1000 for entry in feed.entries)


def test_files_named_in_entities_are_not_read(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    data = (
        f'<!DOCTYPE rss [<!ENTITY s SYSTEM "file://{secret}">]><rss version="2.0"><channel><title>t</title>'
        "<item><title>x</title><description>found: &s;</description></item></channel></rss>"
    ).encode()
    assert "the secret" not in repr(parse_feed(data))


def test_the_name_of_a_file_is_not_taken_for_one(tmp_path):
    path = tmp_path / "feed.xml"
    path.write_bytes(rss(BRIDGE))
    with pytest.raises(ValueError, match="neither"):
        parse_feed(str(path).encode())


@given(st.integers(0, 400), st.binary(min_size=1, max_size=8))
def test_a_damaged_feed_is_read_or_refused(place, noise):
    data = rss(BRIDGE, FERRY)
    place %= len(data)
    try:
        parse_feed(data[:place] + noise + data[place + len(noise) :])
    except ValueError as error:
        assert str(error)


def test_entries_of_one_key_are_both_read_and_what_is_there_twice_once(tmp_path):
    path = tmp_path / "dup.xml"
    first = {"title": "One", "guid": "x", "description": "The dredger is red."}
    second = {"title": "Two", "guid": "x", "description": "The lock is shut."}
    path.write_bytes(rss(first, second, first))
    one, two = read_path(path)
    assert ("red" in one.text, "shut" in two.text) == (True, True)
    assert one.source == f"{path}#x"
    assert two.source.startswith(f"{path}#x (")
    assert one.id != two.id


def test_the_description_of_a_feed_is_stored_and_enclosures_are_named(tmp_path):
    path = tmp_path / "feed.rss"
    feed = rss({**FERRY, "content": "<p>A longer text.</p>"}).replace(
        b"<item>", b"<description>News of the harbour</description><item>", 1
    )
    path.write_bytes(
        feed.replace(b"</item>", b'<enclosure url="https://herald.example/1.mp3" type="audio/mpeg" length="9"/></item>')
    )
    entry, about = read_path(path)
    assert entry.text == "Ferry\n\nIt runs every hour. Read more\n\nA longer text."
    assert entry.completeness.left_out == (LeftOut("enclosures", 1, names=("https://herald.example/1.mp3",)),)
    assert (about.title, about.text) == ("The Herald", "The Herald\n\nNews of the harbour")


LISTED = {
    "title": "Timetable",
    "guid": "1",
    "description": "<p>In short: it <em>runs</em>.</p>",
    "content": "<h2>Ferries</h2><table><tr><th>Port</th><th>Time</th></tr><tr><td>Bergen<br>Quay 2</td><td>04:10</td></tr></table>"
    "<ul><li>Bring a ticket</li><li>Be early<ol><li>By an hour</li></ol></li></ul><img src='a.png' alt='A ship'>",
}


def test_the_content_of_an_entry_is_blocks(tmp_path):
    path = tmp_path / "feed.rss"
    path.write_bytes(rss(LISTED))
    (document,) = read_path(path)
    check_document(document)
    assert document.text == (
        "Timetable\n\nIn short: it runs.\n\nFerries\n\nPort | Time\nBergen / Quay 2 | 04:10\n\n"
        "- Bring a ticket\n- Be early\n  1. By an hour"
    )
    heading, summary, _, table, items, *_ = document.tree.content()
    assert (heading.kind, heading.level, summary.kind) == (BlockKind.HEADING, 0, BlockKind.PARAGRAPH)
    assert (table.kind, table.header_rows, items.kind) == (BlockKind.TABLE, 1, BlockKind.LIST)
    assert [block.place.section for block in document.blocks_of(BlockKind.SECTION)] == [("Ferries",)]
    assert document.completeness.left_out == (LeftOut("pictures", 1, names=("A ship",)),)


def test_a_doubt_about_the_encoding_of_a_feed_is_noted(tmp_path):
    path = tmp_path / "feed.rss"
    path.write_bytes(rss({**FERRY, "description": "caf\u00e9"}).decode().replace("utf-8", "x").encode("latin-1"))
    (document,) = read_path(path)
    assert "café" in document.text
    assert any("may be wrong" in note for note in document.completeness.notes)
