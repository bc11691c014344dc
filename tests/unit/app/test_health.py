from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

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
    assert examine_health(Ascertain(settings)).facts["chat models"] == f"{at} is asked"
    (breaker,) = find_breakers(chat)
    breaker.record_failure("no complete reply within 8 s", 1.0, 60)
    told = examine_health(Ascertain(settings)).facts["chat models"]
    assert told.startswith(f"{at} is left alone (no complete reply within 8 s); the rules answer until ")


def test_a_key_of_a_chat_model_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    chat = ChatSettings(model="tiny", base_url="http://127.0.0.1:9/v1", api_key_variable="NO_SUCH_KEY")
    health = examine_health(Ascertain(Settings(home=tmp_path / "kb", models=ModelSettings(chat=chat))))
    (problem,) = health.problems
    assert "models.chat.api_key_variable = 'NO_SUCH_KEY'" in problem
    assert "chat models" not in examine_health(Ascertain(Settings(home=tmp_path / "kb"))).facts


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
