"""The Python API over the real store, with an embedder that hashes words instead of a model."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest
from small_knowledge import WordHashes, a_document, opened

import ascertain
from ascertain import Ascertain, Filter, Settings, Strategy
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.passages import Level
from ascertain.core.asking.requests import AskRequest
from ascertain.core.errors import ConfigurationError, EmbeddingMismatch, UsageError
from ascertain.core.settings import ModelSettings


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three documents, one of them for a conversation."""
    path = tmp_path / "kb"
    with opened(path) as knowledge:
        knowledge.add_documents(
            [
                a_document("bridge", "The harbour bridge is closed for repairs that take six weeks."),
                a_document("bread", "A sourdough starter is fed twice a day.", tags=("food",)),
                a_document("tram", "The tram to the harbour runs every ten minutes.", conversation_id="c1"),
            ]
        )
    return path


def test_looking_at_documents_and_numbers_loads_no_model(home: Path) -> None:
    settings = Settings(home=home, models=ModelSettings(embedder="/no/such/model"))
    with Ascertain(settings) as knowledge:
        assert [record.title for record in knowledge.documents()] == ["bread", "bridge", "tram"]
        assert knowledge.stats().embedding_model == "hashes"
        assert knowledge.check().problems == ()
        assert knowledge.delete(Filter(tags=("food",))) == 1


def test_another_model_than_the_one_it_was_built_with_is_refused(home: Path) -> None:
    other = WordHashes("other", 32)
    with opened(home, other) as knowledge, pytest.raises(EmbeddingMismatch, match="reindex"):
        knowledge.search("harbour")


def test_a_knowledge_base_is_usable_again_after_it_was_closed(home: Path) -> None:
    knowledge = opened(home)
    assert knowledge.search("harbour bridge").passages
    knowledge.close()
    assert knowledge.search("harbour bridge").passages[0].chunk.title == "bridge"
    knowledge.close()


def test_a_closed_knowledge_base_does_not_keep_its_model(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ascertain.models.registry.open_embedder", lambda _: WordHashes())
    with Ascertain(Settings(home=home)) as knowledge:
        assert knowledge.search("harbour").passages
        assert knowledge.ask("When does the tram to the harbour run?")
        model = weakref.ref(knowledge.embedder)
        gc.collect()
        gc.disable()
    gc.enable()
    assert model() is None
    assert knowledge.search("harbour").passages
    knowledge.close()


def test_a_conversation_sees_only_its_own_material(home: Path) -> None:
    with opened(home) as knowledge:
        found = knowledge.search("harbour", filter=Filter(conversation_id="c1"))
        assert {passage.chunk.title for passage in found.passages} == {"tram"}


def test_the_answer_quotes_the_document(home: Path) -> None:
    with opened(home) as knowledge:
        answer = knowledge.ask("How long do the repairs of the harbour bridge take?", conversation_id="c9")
        for citation in answer.citations:
            document = knowledge.document(citation.document_id)
            assert document is not None
            assert citation.span.of(document.text) == citation.quote
        assert answer.conversation_id == "c9"


def test_added_files_are_found_and_unchanged_ones_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Bridge\n\nThe harbour bridge is closed.\n", encoding="utf-8")
    with opened(tmp_path / "kb") as knowledge:
        assert knowledge.add([tmp_path / "a.md"], profile="news", tags=["x"]).added == 1
        assert knowledge.add([str(tmp_path / "a.md")], profile="news", tags=["x"]).unchanged == 1
        (record,) = knowledge.documents(Filter(tags=("x",)))
        assert record.profile == "news"


def test_profiles_of_the_documents_expand_slang_in_the_question(tmp_path: Path) -> None:
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document("n", "The price of Bitcoin rose.", profile="news")])
        decisions = knowledge.search("what about btc").decisions
        assert any("Bitcoin" in decision.reason for decision in decisions)


def test_documents_added_later_bring_their_slang(home: Path) -> None:
    with opened(home) as knowledge:
        before = knowledge.search("what about btc and harbours").decisions
        assert not any("Bitcoin" in decision.reason for decision in before)
        knowledge.add_documents([a_document("n", "The price of Bitcoin rose.", profile="news")])
        after = knowledge.search("what about btc").decisions
        assert any("Bitcoin" in decision.reason for decision in after)


def test_a_profile_that_is_gone_does_not_stop_a_search(tmp_path: Path) -> None:
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document("n", "The price of Bitcoin rose.", profile="mine")])
        assert knowledge.search("Bitcoin").passages


def test_wrong_use_is_said_before_anything_is_loaded(tmp_path: Path) -> None:
    embedder = WordHashes()
    with opened(tmp_path / "kb", embedder) as knowledge:
        with pytest.raises(UsageError, match="no such file or folder; nothing was added"):
            knowledge.add([tmp_path / "gone.pdf"])
        with pytest.raises(ConfigurationError, match="did you mean news"):
            knowledge.add([tmp_path], profile="newz")
        with pytest.raises(UsageError, match="ascertain add PATH --home"):
            knowledge.search("x")
        with pytest.raises(UsageError, match="1 to 365"):
            knowledge.ask("x", days_back=400)
    (tmp_path / "file").touch()
    with opened(tmp_path / "file") as knowledge, pytest.raises(UsageError, match="is a file"):
        knowledge.stats()
    assert embedder.calls == 0
    assert not (tmp_path / "kb").exists()


def test_open_takes_settings_from_every_layer(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("[answers]\nmax_sentences = 2\n", encoding="utf-8")
    knowledge = Ascertain.open(
        tmp_path / "kb", profile="news", config=tmp_path / "my.toml", environ={"ASCERTAIN_RETRIEVAL__TOP_K": "5"}
    )
    assert knowledge.settings.home == tmp_path / "kb"
    assert knowledge.settings.profile == "news"
    assert knowledge.settings.answers.max_sentences == 2
    assert knowledge.settings.retrieval.top_k == 5


def test_the_public_names_are_these() -> None:
    assert ascertain.__all__ == [
        "Answer",
        "Ascertain",
        "AscertainError",
        "Document",
        "Filter",
        "Settings",
        "Strategy",
        "__version__",
    ]
    assert all(getattr(ascertain, name) is not None for name in ascertain.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = ascertain.nothing


def test_an_empty_folder_is_not_a_knowledge_base_yet(tmp_path):
    assert not Ascertain(Settings(home=tmp_path)).exists
    assert not Ascertain(Settings(home=tmp_path / "absent")).exists


@pytest.mark.parametrize("name", ["semantic", "keyword", "hybrid"])
def test_a_strategy_may_be_given_by_its_name(home: Path, name: str) -> None:
    with opened(home) as knowledge:
        named, chosen = (knowledge.search("harbour bridge", strategy=each) for each in (name, Strategy(name)))
        assert named.strategy is Strategy(name)
        assert [(each.chunk.id, each.score, each.scores) for each in named.passages] == [
            (each.chunk.id, each.score, each.scores) for each in chosen.passages
        ]
        assert knowledge.ask("Is the bridge closed?", strategy=name).strategy is Strategy(name)
        request = AskRequest("How often is a sourdough starter fed?", strategy=name)
        assert knowledge.ask(request).strategy is Strategy(name)


def test_a_strategy_that_there_is_not_is_refused_with_those_that_there_are(home: Path) -> None:
    message = "no strategy 'fuzzy'; choose from semantic, keyword, hybrid"
    with opened(home) as knowledge:
        for refused in (
            lambda: knowledge.search("bridge", strategy="fuzzy"),
            lambda: knowledge.ask("bridge?", strategy="fuzzy"),
            lambda: list(knowledge.ask_stream("bridge?", strategy="fuzzy")),
            lambda: knowledge.ask(AskRequest("bridge?", strategy="fuzzy")),
        ):
            with pytest.raises(UsageError, match=message):
                refused()


@pytest.fixture
def results(tmp_path: Path):
    """A knowledge base about a company and a harvest, with a conversation about the company."""
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents(
            [
                a_document(
                    "nvidia", "Nvidia's revenue of 2024 was 60.9 billion dollars. And what Nvidia's revenue is about."
                ),
                a_document("coffee", "The coffee harvest of Colombia was 11.3 million bags."),
            ]
        )
        assert "60.9 billion" in knowledge.ask("What was Nvidia's revenue in 2024?", conversation_id="c").text
        yield knowledge


def test_another_name_never_gets_the_answer_of_the_one_before(results: Ascertain) -> None:
    answer = results.ask("And what about Brazil?", conversation_id="c")
    assert answer.type is AnswerType.REJECTION
    assert "Brazil" in answer.text and "60.9 billion" not in answer.text
    assert answer.confidence.level is Level.NONE


def test_a_complete_question_is_answered_as_if_nothing_had_been_said(results: Ascertain) -> None:
    question = "And how large was the coffee harvest?"
    answer, alone = results.ask(question, conversation_id="c"), results.ask(question)
    assert "11.3 million bags" in answer.text and "Nvidia" not in answer.text
    assert (answer.text, answer.standalone) == (alone.text, None)
