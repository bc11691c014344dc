"""A home with an embedding model of its own, in a folder: a small one, written here, that knows German words which mean the same."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from embedding_api import vector_of
from small_onnx import SPECIAL, embedding_model, word_tokenizer

from ascertain import Ascertain, Settings
from ascertain.app.health import examine_health
from ascertain.core.settings import ModelSettings

GERMAN = """# Die Brücke von Falkenau

Die Brücke von Falkenau wurde für eine Wiedereröffnungsfeier im Jahre 1950 von einem Maler aus der Stadt gestrichen. Die Brücke von Falkenau wurde nach
langer Zeit des Wartens und vieler Sorgen am Ende im Jahre 1902 von dem Grafen dem Verkehr übergeben.
"""
OTHERS = {
    "Wetter": "Das Wetter im Tal ist im Frühling wechselhaft und der Regen fällt oft mehrere Tage lang auf die Felder.",
    "Schule": "Die Schule hat zwölf Zimmer und einen Garten, in dem die Kinder in der großen Pause spielen.",
    "Markt": "Auf dem Markt verkaufen die Bauern jeden Samstag Gemüse, Käse und frisches Brot aus dem Ofen.",
    "Mühle": "Die Mühle am Bach mahlt seit vielen Jahren kein Korn mehr, denn das Rad ist zerbrochen.",
    "Wald": "Im Wald hinter dem Dorf wachsen Fichten und Buchen, unter denen man im Herbst Pilze findet.",
    "Bahn": "Die Bahn fährt dreimal am Tag hinunter in die Stadt und am Abend einmal wieder zurück.",
    "Kirche": "Die Kirche hat einen spitzen Turm, auf dem ein goldener Hahn im Wind sich dreht.",
    "Teich": "Der Teich friert im Winter zu, und dann laufen die jungen Leute darauf Schlittschuh.",
}
ENGLISH = "The stone bridge of Oakford was opened on 3 June 1911. It was built by the engineer Mary Holt after a long dispute."
SAME = {"übergeben": "eröffnet", "bridge": "Brücke"}
QUESTION = "Wann wurde die Brücke von Falkenau eröffnet?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("own")
    (made / "docs").mkdir()
    (made / "docs" / "Brücke.md").write_text(GERMAN, "utf-8")
    (made / "docs" / "bridge.md").write_text(ENGLISH, "utf-8")
    for title, text in OTHERS.items():
        (made / "docs" / f"{title}.md").write_text(f"# {title}\n\n{text}\n", "utf-8")
    words = sorted(set(re.findall(r"\w+|[^\w\s]+", " ".join([GERMAN, ENGLISH, QUESTION, *OTHERS, *OTHERS.values()]))))
    rows = [[0.001] * 64] * len(SPECIAL) + [vector_of(SAME.get(word, word)) for word in words]
    # words that stand everywhere say little, as a real model has learnt
    weights = [1] * len(SPECIAL) + [0.1 if len(word) < 6 or word == "Falkenau" else 1 for word in words]
    (made / "deutsch").mkdir()
    (made / "deutsch" / "model.onnx").write_bytes(
        embedding_model(np.array(rows, np.float32) * np.array(weights)[:, None])
    )
    (made / "deutsch" / "tokenizer.json").write_text(word_tokenizer(words), "utf-8")
    return made


@pytest.fixture(scope="module")
def knowledge(folder):
    models = ModelSettings(embedder=str(folder / "deutsch"), threads=1, reader="none")
    with Ascertain(Settings(home=folder / "kb", models=models)) as opened:
        opened.add([folder / "docs"])
        yield opened


def compared(answer) -> list[str]:
    return [each.outcome for each in answer.decisions if each.outcome.startswith("sentences compared")]


def test_sentences_in_another_language_are_compared_by_the_model_of_the_home(knowledge):
    answer = knowledge.ask(QUESTION)
    assert "1902" in answer.sentences[0].text
    assert compared(answer) == ["sentences compared by deutsch"]


def test_english_sentences_are_compared_by_the_model_that_the_weights_were_fitted_to(knowledge):
    answer = knowledge.ask("When was the stone bridge of Oakford opened?")
    assert "3 June 1911" in answer.sentences[0].text
    assert compared(answer) == []


def test_doctor_says_which_model_compares_sentences(knowledge, folder):
    told = examine_health(knowledge).facts["sentences"]
    assert told == "compared by all-MiniLM-L6-v2 in English, by deutsch in other languages"
    with Ascertain(Settings(home=folder / "none", models=ModelSettings(embedder=str(folder / "deutsch")))) as empty:
        told = examine_health(empty).facts["sentences"]
    assert told.startswith(
        "compared by all-MiniLM-L6-v2, poorly in other languages than English: deutsch: its scale is not known"
    )
    with Ascertain(Settings(home=folder / "none")) as plain:
        told = examine_health(plain).facts["sentences"]
    assert (
        told
        == "compared by all-MiniLM-L6-v2, poorly in other languages than English: all-MiniLM-L6-v2 was made for English"
    )


def test_the_trace_says_that_only_the_english_model_compares(folder):
    with Ascertain(Settings(home=folder / "english_kb", models=ModelSettings(threads=1, reader="none"))) as opened:
        opened.add([folder / "docs"])
        answer = opened.ask(QUESTION)
        assert "1950" in answer.sentences[0].text, "the English model is taken in, which the test above is about"
        assert compared(answer) == ["sentences compared by all-MiniLM-L6-v2, which reads English"]
