import asyncio
from datetime import UTC, datetime

import pytest

from ascertain.core.errors import StoreError
from ascertain.interfaces.server import event_streams
from ascertain.interfaces.server.event_streams import EventStreams, StreamEnded


class Log:
    """Stands for the log of all replicas."""

    def __init__(self):
        self.events = self
        self.kept = {}
        self.is_away = False

    def append(self, stream_id, events, moment, tenant="default", *, user="", about=""):
        if self.is_away:
            raise StoreError("away")
        self.kept.setdefault((tenant, stream_id), []).extend(events)

    def after(self, stream_id, number, tenant="default", user=None):
        kept = self.kept.get((tenant, stream_id))
        return None if kept is None else [event for event in kept if event.number > number]


@pytest.fixture
def log():
    return Log()


@pytest.fixture
def replicas(log):
    """Two processes over one log."""
    made = [EventStreams(lambda: log, lambda: datetime.now(UTC)) for _ in range(2)]
    yield made
    for streams in made:
        streams.close()


def heard(streams, number=0, tenant="t"):
    async def listen():
        events = await streams.after("a", tenant, number)
        return None if events is None else [(event.number, event.kind) async for event in events]

    return asyncio.run(asyncio.wait_for(listen(), 30))


def told(streams):
    stream = streams.begin("a", "t", ("started", {}))
    stream.tell("text", {"text": "b"})
    stream.tell("answer", {}, is_last=True)
    streams.end(stream)
    return stream


def test_every_replica_tells_all_events_from_any_on(replicas):
    told(replicas[0])
    for streams in replicas:
        assert heard(streams) == [(1, "started"), (2, "text"), (3, "answer")]
        assert heard(streams, 2) == [(3, "answer")]


def test_a_number_that_was_never_told_is_taken_for_the_last(replicas):
    stream = replicas[0].begin("a", "t", ("started", {}))

    async def listen():
        events = await replicas[0].after("a", "t", 50)
        stream.tell("answer", {}, is_last=True)
        return [event.number async for event in events]

    assert asyncio.run(listen()) == [2]


@pytest.mark.parametrize("number", [3, 4, 1000])
def test_after_the_last_event_nothing_comes(replicas, number):
    told(replicas[0])
    for streams in replicas:
        with pytest.raises(StreamEnded):
            heard(streams, number)


def test_nothing_is_told_twice_by_a_replica_whose_log_lags(replicas, log):
    stream = replicas[0].begin("a", "t", ("started", {}))
    log.is_away = True
    stream.tell("text", {"text": "b"})
    # a listener of the first replica heard the second event, which is not in the log yet, and comes back to the other

    async def listen():
        asked = asyncio.create_task(replicas[1].after("a", "t", 2))
        await asyncio.sleep(0.05)
        assert not asked.done()
        log.is_away = False
        stream.tell("answer", {}, is_last=True)
        return [event.number async for event in await asked]

    assert asyncio.run(asyncio.wait_for(listen(), 30)) == [3]


def test_another_tenant_knows_nothing_of_it(replicas):
    told(replicas[0])
    assert heard(replicas[0], tenant="u") is None
    assert heard(replicas[1], tenant="u") is None


def test_nothing_is_told_after_the_last_event(replicas):
    stream = told(replicas[0])
    stream.tell("text", {})
    assert heard(replicas[0])[-1] == (3, "answer")


def test_an_answer_whose_process_is_gone_ends_in_an_error(replicas, log, monkeypatch):
    monkeypatch.setattr(event_streams, "DEAD_SECONDS", 0.5)
    replicas[0].begin("a", "t", ("started", {}))
    kept = dict(log.kept)
    replicas[0].close()
    log.kept = kept
    assert heard(replicas[1]) == [(1, "started"), (2, "error")]


def test_a_run_that_works_in_silence_leaves_signs_of_life(replicas, monkeypatch):
    monkeypatch.setattr(event_streams, "ALIVE_SECONDS", 0.05)
    monkeypatch.setattr(event_streams, "DEAD_SECONDS", 1.0)
    stream = replicas[0].begin("a", "t", ("started", {}))

    async def listen():
        events = await replicas[1].after("a", "t", 0)
        kinds = []
        async for event in events:
            kinds.append(event.kind)
            if len(kinds) == 6:
                stream.tell("answer", {}, is_last=True)
        return kinds

    kinds = asyncio.run(asyncio.wait_for(listen(), 30))
    assert (kinds[0], kinds[1], kinds[-1]) == ("started", "alive", "answer")


def test_listeners_here_are_told_even_while_the_log_is_away(replicas, log):
    stream = replicas[0].begin("a", "t", ("started", {}))
    log.is_away = True
    stream.tell("answer", {}, is_last=True)
    assert heard(replicas[0]) == [(1, "started"), (2, "answer")]
