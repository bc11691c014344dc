"""Nine kinds of sources against real servers: what changes there changes here, and trouble loses nothing."""

import random

import pytest
from cloud_servers import AZURITE, CLOUD_PLACES
from small_knowledge import opened
from source_servers import PLACES

from ascertain.core.documents.sources import SourceState
from ascertain.core.errors import AscertainError
from ascertain.core.settings import IngestSettings, ReadingSettings, WebSettings

OTTERS = "Otters live in rivers and eat fish all day long."
MOLES = "Moles dig tunnels below the meadow at night."
WORDS = random.Random(7)
LONG = "Beavers build dams. " + " ".join(f"{WORDS.getrandbits(40):x}." for _ in range(30_000))
"""Which no server packs into little."""


ALL = {**PLACES, **CLOUD_PLACES}
MARKS = {
    "azure": (pytest.mark.skipif(not AZURITE.is_dir(), reason="needs Azurite: .ci/azurite"),),
    # smbprotocol closes a file once more whose line was cut
    "smb": (pytest.mark.filterwarnings("ignore:Exception ignored in. <function SMBRawIO.__del__"),),
}


def marks(name):
    return (*MARKS.get(name, ()), *(() if name in PLACES else (pytest.mark.slow,)))


@pytest.fixture(scope="module", params=[pytest.param(name, marks=marks(name)) for name in ALL])
def served(request, tmp_path_factory):
    with ALL[request.param](tmp_path_factory.mktemp(request.param)) as place:
        place.name = request.param
        yield place


@pytest.fixture
def place(served, monkeypatch):
    """With two texts."""
    monkeypatch.setenv("SOURCE_USER", served.user)
    monkeypatch.setenv("SOURCE_SECRET", served.secret)
    served.put("otters.txt", OTTERS)
    served.put("moles.txt", MOLES)
    names = {"otters.txt", "moles.txt"}
    yield served
    served.line.mode = "works"
    for name in names | {"badgers.txt", "beavers.txt"}:
        try:
            served.delete(name)
        except (LookupError, OSError):
            continue


@pytest.fixture
def knowledge(tmp_path, place):
    web = WebSettings(allowed_hosts=(f"127.0.0.1:{place.line.port}",), retries=0, timeout_seconds=8)
    ingest = IngestSettings(reading=ReadingSettings(seconds=30), sync_share=1)
    with opened(tmp_path / "kb", web=web, ingest=ingest) as base:
        base.sources.add(place.address, name="shelf", kind=place.kind, options=place.options)
        base.sources.sync("shelf")
        yield base


def texts(knowledge):
    """Every text that could be answered from."""
    return sorted(knowledge.document(each.id).text for each in knowledge.documents() if each.chunks)


def mentions(knowledge, *words):
    """Whether each word is in one text, and no other text is there."""
    found = texts(knowledge)
    return len(found) == len(words) and all(any(word in text for text in found) for word in words)


def test_follows_what_is_added_changed_renamed_and_deleted(knowledge, place):
    assert mentions(knowledge, "rivers", "tunnels")

    record, report = knowledge.sources.sync("shelf")
    assert (report.unchanged, report.added, report.changed, report.deleted) == (2, 0, 0, 0)

    place.put("badgers.txt", "Badgers sleep in setts through the winter.")
    place.put("otters.txt", f"{OTTERS} They also play on slides of snow.")
    record, report = knowledge.sources.sync("shelf")
    assert record.state is SourceState.READ
    assert mentions(knowledge, "snow", "tunnels", "setts")
    assert report.unchanged == 1

    place.rename("moles.txt", "beavers.txt")
    place.delete("badgers.txt")
    knowledge.sources.sync("shelf")
    assert mentions(knowledge, "snow", "tunnels")


@pytest.mark.parametrize("mode", ["down", "silent"])
def test_loses_nothing_while_the_server_does_not_answer(knowledge, place, mode):
    place.put("badgers.txt", "Badgers sleep in setts through the winter.")
    place.line.mode = mode
    place.line.hang_up()

    record, _ = knowledge.sources.sync("shelf")

    assert record.state is SourceState.FAILED
    assert record.reason
    assert record.failed_in_a_row == 1
    assert mentions(knowledge, "rivers", "tunnels")
    place.line.mode = "works"
    assert knowledge.sources.sync("shelf")[0].state is SourceState.READ
    assert mentions(knowledge, "rivers", "tunnels", "setts")


def test_waits_for_a_slow_server(knowledge, place):
    place.put("badgers.txt", "Badgers sleep in setts through the winter.")
    place.line.mode = "slow"

    record, report = knowledge.sources.sync("shelf")

    assert (record.state, len(report.failures)) == (SourceState.READ, 0)
    assert mentions(knowledge, "rivers", "tunnels", "setts")


def test_says_that_a_secret_is_wrong_and_never_what_it_is(knowledge, place, monkeypatch):
    if place.name == "google":
        pytest.skip("the emulator lets everybody in")
    monkeypatch.setenv("SOURCE_SECRET", place.wrong)
    if place.kind == "site":
        place.lock()

    record, _ = knowledge.sources.sync("shelf")

    assert record.state is SourceState.FAILED
    assert mentions(knowledge, "rivers", "tunnels")
    assert place.wrong not in repr(record)
    files = [path.read_bytes() for path in knowledge.settings.home.rglob("*") if path.is_file()]
    assert not [content for content in files if place.secret.encode() in content or place.wrong.encode() in content]


def test_never_answers_from_half_an_item(knowledge, place):
    place.put("otters.txt", LONG)
    place.line.mode, place.line.cut_after = "cut", 60_000

    record, report = knowledge.sources.sync("shelf")

    assert record.state is SourceState.FAILED or report.failures
    whole = {len(text) for text in texts(knowledge)}
    assert not [size for size in whole if 200 < size < 300_000]
    place.line.mode = "works"
    knowledge.sources.sync("shelf")
    assert mentions(knowledge, "dams", "tunnels")
    assert max(map(len, texts(knowledge))) > 300_000


def test_an_unknown_secret_is_refused_before_anything_is_on_record(knowledge, place, monkeypatch):
    if place.kind == "site":
        return
    monkeypatch.delenv("SOURCE_SECRET")
    with pytest.raises(AscertainError, match="SOURCE_SECRET"):
        knowledge.sources.add(place.address, name="other", kind=place.kind, options=place.options)
    assert [each.name for each in knowledge.sources.list_all()] == ["shelf"]
