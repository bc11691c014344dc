"""A home with an embedding model on a server: switched to, interrupted, changed behind its back. The server is real, on loopback."""

from __future__ import annotations

from pathlib import Path

import pytest
from embedding_api import embeds
from scripted_chat_server import fails

from ascertain import Ascertain, Settings
from ascertain.app.health import examine_health
from ascertain.core.errors import EmbeddingMismatch, ModelError
from ascertain.core.settings import ModelSettings

QUESTION = "Who wrote the first program?"
TEXTS = {
    "ada": "Ada Lovelace wrote the first program, for the Analytical Engine of Charles Babbage.",
    "rain": "Rain fell on the harbour for three days, and the tram did not run.",
    "prices": "Prices of wheat rose by three percent in the spring of 1847.",
    **{
        f"note{n}": f"Note number {n} tells of the {word} of the valley."
        for n, word in enumerate("meadow quarry chapel mill orchard weir bridge".split())
    },
}


@pytest.fixture
def server(scripted_chat_server):
    scripted_chat_server.reply_by(embeds())
    return scripted_chat_server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / f"{name}.md").write_text(text, "utf-8")
    return tmp_path


def opened(folder: Path, embedder: str = "all-MiniLM-L6-v2") -> Ascertain:
    return Ascertain(Settings(home=folder / "kb", models=ModelSettings(embedder=embedder, threads=1)))


def value_of(server: object, options: str = "") -> str:
    return f"openai:tiny?base_url={server.base_url}&retries=0{options}"


def first_sentence(knowledge: Ascertain) -> str:
    return knowledge.ask(QUESTION, use_cache=False).text


def reason_of_search(knowledge: Ascertain) -> str:
    found = knowledge.search(QUESTION)
    return next(decision.reason for decision in found.decisions if decision.node == "search")


def test_a_home_moves_to_a_server_and_answers_at_every_moment(folder, server):
    value = value_of(server)
    with opened(folder) as knowledge:
        knowledge.add([folder / "docs"])
        before = first_sentence(knowledge)
        assert "Ada Lovelace" in before
    # the settings name the new model first: the old vectors are searched with the old one
    with opened(folder, value) as knowledge:
        assert first_sentence(knowledge) == before
        assert "the vectors are still those of all-MiniLM-L6-v2: run `ascertain reindex`" in reason_of_search(knowledge)
        with pytest.raises(EmbeddingMismatch, match="ascertain reindex"):
            knowledge.add([folder / "docs"])
        assert knowledge.reindex() == len(TEXTS)
        assert "Ada Lovelace" in first_sentence(knowledge)
        assert "the vectors are still" not in reason_of_search(knowledge)
    # moved first, the settings still name the old model
    with opened(folder) as knowledge:
        assert "Ada Lovelace" in first_sentence(knowledge)
        assert "the vectors are still those of openai:tiny" in reason_of_search(knowledge)
    with opened(folder, value) as knowledge:
        assert "Ada Lovelace" in first_sentence(knowledge)
        assert "openai:tiny" in examine_health(knowledge).facts["embedding model"]


def test_who_has_the_home_open_while_another_process_moves_it_goes_on_with_the_model_of_the_vectors(folder, server):
    with opened(folder) as service:
        service.add([folder / "docs"])
        before = first_sentence(service)
        with opened(folder, value_of(server)) as command:
            assert command.reindex() == len(TEXTS)
        assert first_sentence(service) == before
        assert "the vectors are still those of openai:tiny" in reason_of_search(service)
        with opened(folder, value_of(server, "&revision=2")) as command:
            assert command.reindex() == len(TEXTS)
        assert first_sentence(service) == before
        assert "the vectors are still those of openai:tiny?revision=2" in reason_of_search(service)
        with opened(folder) as command:
            assert command.reindex() == len(TEXTS)
        assert first_sentence(service) == before
        assert "the vectors are still" not in reason_of_search(service)


def test_an_answer_is_not_given_again_once_the_vectors_are_of_another_model(folder, server):
    with opened(folder) as service:
        service.add([folder / "docs"])
        assert not service.ask(QUESTION).is_cached
        assert service.ask(QUESTION).is_cached
        with opened(folder, value_of(server)) as command:
            command.reindex()
        assert not service.ask(QUESTION).is_cached
        assert service.ask(QUESTION).is_cached
        with opened(folder) as command:
            command.reindex()
        assert not service.ask(QUESTION).is_cached


def test_a_move_that_the_server_stops_is_taken_up_again(folder, server):
    with opened(folder) as knowledge:
        knowledge.add([folder / "docs"])
    asked: list[int] = []

    def stops_after_four(request):
        asked.append(len(request.body["input"]))
        return fails(503, "down") if sum(asked) > 5 else embeds()(request)

    server.reply_by(stops_after_four)
    settings = Settings(
        home=folder / "kb",
        models=ModelSettings(embedder=value_of(server, "&texts=1&requests=1"), threads=1),
        ingest={"embed_batch": 1},
    )
    with Ascertain(settings) as knowledge, pytest.raises(ModelError, match="HTTP 503"):
        knowledge.reindex()
    with opened(folder) as knowledge:
        assert "Ada Lovelace" in first_sentence(knowledge)
    server.reply_by(embeds())
    with Ascertain(settings) as knowledge:
        assert knowledge.reindex() < len(TEXTS)
        assert "Ada Lovelace" in first_sentence(knowledge)


def test_adding_goes_on_where_the_server_stopped_it(folder, server):
    value = value_of(server)
    with opened(folder, value) as knowledge:
        knowledge.add([folder / "docs" / "ada.md"])
        server.reply_by(lambda request: fails(500, "oops"))
        with pytest.raises(ModelError, match="HTTP 500"):
            knowledge.add([folder / "docs"])
    server.reply_by(embeds())
    with opened(folder, value) as knowledge:
        report = knowledge.add([folder / "docs"])
        assert (report.added, report.unchanged) == (len(TEXTS) - 1, 1)
        assert "Ada Lovelace" in first_sentence(knowledge)


def test_a_text_that_the_server_refuses_costs_only_its_document(folder, server):
    def picky(request):
        return (
            fails(400, "no")
            if any("wheat" in text or "heat" in text for text in request.body["input"])
            else embeds()(request)
        )

    server.reply_by(picky)
    with opened(folder, value_of(server)) as knowledge:
        report = knowledge.add([folder / "docs"])
        (failure,) = report.failures
        assert failure.source.endswith("prices.md")
        assert report.added == len(TEXTS) - 1


def test_what_adding_cost_is_told(folder, server):
    with opened(folder, value_of(server, "&usd=1000")) as knowledge:
        report = knowledge.add([folder / "docs"])
    (note,) = [note for note in report.notes if "tokens" in note]
    assert note.startswith("openai:tiny: ")
    assert "$0.1" in note


def test_a_server_with_another_model_under_the_same_name_is_told_before_anything_is_mixed(folder, server):
    with opened(folder, value_of(server)) as knowledge:
        knowledge.add([folder / "docs"])
        assert "Ada Lovelace" in first_sentence(knowledge)
    server.reply_by(embeds(seed="another model"))
    with opened(folder, value_of(server)) as knowledge:
        for use in (lambda: knowledge.ask(QUESTION), lambda: knowledge.add([folder / "docs"])):
            with pytest.raises(EmbeddingMismatch, match="another model under this name now") as caught:
                use()
        assert "`ascertain reindex 'openai:tiny?revision=2'`" in str(caught.value)
    with opened(folder, value_of(server, "&revision=2")) as knowledge:
        assert knowledge.reindex() == len(TEXTS)
        assert "Ada Lovelace" in first_sentence(knowledge)


def test_a_scale_that_is_not_known_is_estimated_once_and_said(folder, server):
    with opened(folder, value_of(server)) as knowledge:
        knowledge.add([folder / "docs"])
        assert "(estimated from 10 passages)" in reason_of_search(knowledge)
        facts = examine_health(knowledge).facts
        assert "estimated from 10 passages" in facts["nearness"]
    requests = len(server.requests)
    with opened(folder, value_of(server)) as knowledge:
        assert "(estimated from 10 passages)" in reason_of_search(knowledge)
    assert len(server.requests) - requests <= 3
