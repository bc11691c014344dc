from __future__ import annotations

import json
import shutil
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from embedding_api import predicts, reranks
from scripted_chat_server import fails
from small_onnx import SPECIAL, summing_model, word_tokenizer

from ascertain import Ascertain, Settings
from ascertain.app.health import examine_health
from ascertain.core.settings import ChatSettings, ModelSettings, StoreSettings
from ascertain.models.chat.structured import find_breakers

Usage = namedtuple("Usage", "total used free")


def test_a_model_that_is_not_there_is_a_problem_and_the_rest_is_still_checked(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "kb", models=ModelSettings(embedder="/no/such/model"))
    health = examine_health(Ascertain(settings))
    (problem,) = health.problems
    assert "/no/such/model" in problem
    assert health.facts["store"].endswith("nothing yet; 'ascertain add PATH' makes a knowledge base")
    assert health.facts["python"]


def test_a_full_disk_is_a_problem(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**9, 10**9 - 10**6, 10**6))
    problems = examine_health(Ascertain(Settings(home=tmp_path / "kb"))).problems
    assert any("only 1 MB are free" in problem for problem in problems)


def test_chat_models_are_told_with_what_this_process_knows_of_them(tmp_path: Path) -> None:
    chat = ChatSettings(model="tiny", base_url="http://127.0.0.1:9/v1")
    settings = Settings(home=tmp_path / "kb", models=ModelSettings(chat=chat))
    at = "the chat model tiny at http://127.0.0.1:9/v1"
    assert examine_health(Ascertain(settings)).facts["chat models"].startswith(f"{at} is asked; ")
    (breaker,) = find_breakers(chat)
    breaker.record_failure("no complete reply within 8 s", 1.0, 60)
    told = examine_health(Ascertain(settings)).facts["chat models"]
    assert told.startswith(f"{at} is left alone (no complete reply within 8 s); the rules answer until ")


def test_a_key_of_a_chat_model_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    chat = ChatSettings(model="tiny", base_url="http://127.0.0.1:9/v1", api_key_variable="NO_SUCH_KEY")
    health = examine_health(Ascertain(Settings(home=tmp_path / "kb", models=ModelSettings(chat=chat))))
    (problem,) = health.problems
    assert "models.chat.api_key_variable = 'NO_SUCH_KEY'" in problem
    offline = examine_health(Ascertain(Settings(home=tmp_path / "kb"))).facts
    assert offline["chat models"].startswith("none, answers are made by rules; ascertain models find")


def test_a_store_that_cannot_be_reached_is_a_problem_and_the_rest_is_still_checked(tmp_path: Path) -> None:
    store = StoreSettings(kind="postgres", url="postgresql://me:s3cret@127.0.0.1:1/docs", timeout_seconds=2)
    health = examine_health(Ascertain(Settings(home=tmp_path / "kb", store=store)))
    (problem,) = health.problems
    assert "127.0.0.1" in problem
    assert "s3cret" not in problem + str(health.facts)
    assert health.facts["store"] == "postgresql://me@127.0.0.1:1/docs#ascertain"
    assert health.facts["psycopg"]
    assert "disk" not in health.facts
    assert not (tmp_path / "kb").exists()


def test_the_reader_is_tried(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "kb")
    assert examine_health(Ascertain(settings)).facts["reader"].startswith("built-in, ready in ")
    without = Settings(home=tmp_path / "kb", models=ModelSettings(reader="none"))
    assert "reader" not in examine_health(Ascertain(without)).facts


def test_a_damaged_reader_is_a_problem_that_names_the_file_and_what_it_means(tmp_path: Path) -> None:
    path = tmp_path / "reader.onnx"
    path.write_bytes(b"no model")
    health = examine_health(Ascertain(Settings(home=tmp_path / "kb", models=ModelSettings(reader=str(path)))))
    [problem] = [each for each in health.problems if each.startswith("reader: ")]
    assert str(path) in problem
    assert problem.endswith("questions are answered by rules alone")


def a_cross_encoder(folder: Path, words: dict[str, list[float]], labels: list[str]) -> str:
    """A folder with a model in which each word of either text adds its logits."""
    rows = [[0.0] * len(labels)] * len(SPECIAL) + list(words.values())
    (folder / "model.onnx").write_bytes(summing_model(np.array(rows, np.float32)))
    (folder / "tokenizer.json").write_text(word_tokenizer(list(words)))
    (folder / "config.json").write_text(json.dumps({"id2label": dict(enumerate(labels))}))
    return str(folder)


def examined(tmp_path: Path, **models: str):
    return examine_health(Ascertain(Settings(home=tmp_path / "kb", models=ModelSettings(threads=1, **models))))


def test_nothing_is_said_of_models_that_are_not_named(tmp_path: Path) -> None:
    facts = examined(tmp_path).facts
    assert not {"reranker", "entailment model"} & facts.keys()


def test_a_reranker_in_a_folder_is_tried(tmp_path: Path) -> None:
    health = examined(tmp_path, reranker=a_cross_encoder(tmp_path, {"Lovelace": [3.0], "wheat": [-3.0]}, ["relevance"]))
    assert health.problems == ()
    assert ", ready in " in health.facts["reranker"]


def test_a_reranker_whose_order_makes_no_sense_is_a_problem(tmp_path: Path) -> None:
    (problem,) = examined(tmp_path, reranker=a_cross_encoder(tmp_path, {"wheat": [3.0]}, ["relevance"])).problems
    assert "rates a text about something else (0.95) no lower than one that answers (0.50)" in problem


@pytest.mark.parametrize("setting", ["reranker", "entailment"])
def test_a_model_that_is_not_there_is_a_problem_that_names_it(tmp_path: Path, setting: str) -> None:
    (problem,) = examined(tmp_path, **{setting: str(tmp_path / "absent")}).problems
    assert problem.startswith(f"{setting}: models.{setting} = '{tmp_path}/absent': no such folder")


def test_a_reranker_on_a_server_is_tried_and_its_trouble_told(tmp_path: Path, scripted_chat_server) -> None:
    value = f"rerank:tiny?base_url={scripted_chat_server.base_url}&usd=0.05&retries=0"
    scripted_chat_server.reply_by(reranks(lambda question, text: 0.9 if "program" in text else 0.1))
    health = examined(tmp_path, reranker=value)
    assert health.problems == ()
    assert health.facts["reranking price"] == "$0.05 a million tokens"
    scripted_chat_server.script(fails(401, "bad token"))
    (problem,) = examined(tmp_path, reranker=value).problems
    assert problem.startswith("reranker: models.reranker: tiny at http://127.0.0.1")
    assert "HTTP 401" in problem


def test_an_entailment_model_in_a_folder_is_tried(tmp_path: Path) -> None:
    labels = ["contradiction", "entailment", "neutral"]
    folder = a_cross_encoder(tmp_path, {"Babbage": [0.0, 5.0, 0.0], "wheat": [0.0, 0.0, 5.0]}, labels)
    health = examined(tmp_path, entailment=folder)
    assert health.problems == ()
    assert ", ready in " in health.facts["entailment model"]


def test_an_entailment_model_that_finds_claims_where_they_are_not_is_a_problem(tmp_path: Path) -> None:
    folder = a_cross_encoder(tmp_path, {"wheat": [5.0, 0.0]}, ["entailment", "contradiction"])
    (problem,) = examined(tmp_path, entailment=folder).problems
    assert "finds a claim in a text that does not say it (0.99) no less than in one that does (0.50)" in problem


def test_an_entailment_model_on_a_server_is_tried_and_its_trouble_told(tmp_path: Path, scripted_chat_server) -> None:
    value = f"tei:nli?base_url={scripted_chat_server.base_url.removesuffix('/v1')}&retries=0"
    scripted_chat_server.reply_by(
        predicts(lambda evidence, claim: (0.9, 0.05, 0.05) if "Babbage" in evidence else (0.1, 0.1, 0.8))
    )
    health = examined(tmp_path, entailment=value)
    assert health.problems == ()
    assert health.facts["entailment model"].startswith("tei:nli, ready in ")
    scripted_chat_server.script(fails(503, "loading"))
    (problem,) = examined(tmp_path, entailment=value).problems
    assert problem.startswith("entailment: models.entailment: nli at http://127.0.0.1")
    assert problem.endswith("claims are checked by rules")
