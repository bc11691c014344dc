"""The word lists themselves: each says where it comes from, holds each word once and can be loaded."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from ascertain.language.instructions import instruction_patterns
from ascertain.language.languages import KNOWN
from ascertain.language.word_lists import (
    compile_pattern,
    list_names,
    load_alternatives,
    load_pairs,
    load_pattern,
    load_patterns,
    load_phrases,
    load_word_set,
    load_words,
    topic_files,
)

KINDS = {
    "words": load_words,
    "phrases": load_phrases,
    "pairs": load_pairs,
    "wordings": load_patterns,
    "patterns": load_patterns,
}
LISTS = [
    pytest.param(language, topic, id=f"{language}/{topic}")
    for language in ("en", "mul", *KNOWN)
    for topic in sorted(topic_files(language))
]


@pytest.mark.parametrize(("language", "topic"), LISTS)
def test_a_list_says_where_it_comes_from_and_holds_each_word_once(language, topic):
    for name, table in tomllib.loads(topic_files(language)[topic].read_text("utf-8")).items():
        assert len(table["source"].split()) > 2 or table["source"].startswith("ISO "), name
        (content,) = set(table) - {"source"}
        listed = list(KINDS[content](topic, name, language))
        assert listed, name
        assert len(listed) == len(set(listed)), name
        if content in {"wordings", "patterns"} and topic != "instructions":
            for entry in listed:
                re.compile(entry)


def test_words_and_phrases_are_alternatives_in_their_order():
    assert load_alternatives("quantities", "currency_codes") == "USD|EUR|GBP"
    assert load_alternatives("quantities", "percent") == "percent|per cent|percentage"
    assert load_word_set("quantities", "currency_codes") == set(load_words("quantities", "currency_codes"))


def test_comments_among_phrases_are_no_phrases():
    assert not [line for line in load_phrases("word_relations", "opposites") if "#" in line]


def test_a_list_can_hold_another_one_and_take_over_its_entries():
    months = load_patterns("months_and_days", "months")
    assert load_patterns("collection_questions", "month_or_quarter") == (*months, "q[1-4]", r"\d{4}")
    assert "|".join(months) in load_pattern("collection_questions", "when")


def test_a_space_of_a_wording_is_any_white_space():
    assert compile_pattern("question_types", "procedural").search("How \t to\ninstall it")


def test_every_pattern_of_instructions_has_cues():
    assert len(instruction_patterns()) > 50
    assert all(cue for pattern in instruction_patterns() for cue in pattern.cues)


def test_every_pattern_of_instructions_is_a_regular_expression():
    assert [pattern for pattern in instruction_patterns() if pattern.regex.search("nothing of the kind")] == []


def test_greetings_are_listed_by_language():
    assert {"en", "de", "zh"} < set(list_names("greetings", "mul"))
    assert "bonjour" in load_phrases("greetings", "fr", "mul")


def test_what_is_not_there_is_an_error():
    with pytest.raises(KeyError):
        load_words("asking", "no_such_list")


@pytest.mark.parametrize("language", ["en", "mul", *KNOWN])
def test_a_topic_has_a_name_of_its_own_in_its_language(language):
    folder = Path(str(files("ascertain.language"))) / "data" / language
    names = [file.stem for file in folder.rglob("*.toml")]
    assert names
    assert len(names) == len(set(names))
