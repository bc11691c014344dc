import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.language.languages import ENGLISH
from ascertain.questions.reading.names import find_subject, fold_key, has_entry


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("what is automatic differentiation?", "automatic differentiation"),
        ("What is a processor in structlog?", "processor"),
        ("And in structlog, what is a wrapped logger?", "wrapped logger"),
        ("What does ParFlow do?", "ParFlow"),
        ("whats the rent for the warehouse", "rent"),
        ("What does clamp mean?", "clamp"),
        ("define gas fees", "gas fees"),
        ("What does --legacy-peer-deps do?", "--legacy-peer-deps"),
        ("What does the engines field do?", "engines field"),
        ("What is bundleDependencies for?", "bundleDependencies"),
        ("Conway's Law", "Conway's Law"),
        ("angry fruit salad", "angry fruit salad"),
        ("DEADBEEF meaning", "DEADBEEF"),
        ("and the other one", ""),
        ("Who is the treasurer?", ""),
        ("what happened?", ""),
        ("What is it?", ""),
        ("What is the name of the very long thing that nobody ever knows", "name"),
    ],
)
def test_what_a_question_wants_to_have_told_what_it_is(question, subject):
    assert find_subject(question) == subject


@pytest.mark.parametrize(
    ("language", "question", "subject"),
    [
        ("de", "Was ist fstab?", "fstab"),
        ("de", "Was bedeutet noauto in der fstab?", "noauto"),
        ("de", "Was macht die Option --merge von journalctl?", "Option --merge"),
        ("de", "Was ist der Preis, wenn es regnet?", ""),
        ("fr", "Que fait l'option -k de gzip ?", "option -k"),
        ("fr", "Qu'est-ce que tree ?", "tree"),
        ("es", "¿Qué significa noauto en fstab?", "noauto"),
        ("it", "Che cos'è una fattura?", "fattura"),
        ("nl", "Wat doet de optie -v van grep?", "optie -v"),
        ("pt", "O que é um contrato?", "contrato"),
        ("pl", "Co to jest fstab?", ""),
    ],
)
def test_what_a_question_in_another_language_wants_to_have_explained(language, question, subject):
    assert find_subject(question, language) == subject


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("--dry-run", "the dry-run option"),
        ("engines", "engines field"),
        ("npm ci", "npm-ci"),
        ("`python_files`", "python_files"),
    ],
)
def test_what_is_written_in_another_way_is_the_same_key(one, other):
    assert fold_key(one, ENGLISH) == fold_key(other, ENGLISH) != ()


@pytest.mark.parametrize("word", ["option", "field", "command"])
def test_a_word_for_a_kind_is_a_key_where_nothing_else_is_said(word):
    assert fold_key(f"the {word}", ENGLISH) == fold_key(word, ENGLISH) != ()


@pytest.mark.parametrize(
    ("text", "has_it"),
    [
        ("testpaths\n\nWhere tests are looked for.", True),
        ("cache_dir: Where the cache is.\ntestpaths: Where tests are looked for.", True),
        ("testpaths(paths)\nWhere tests are looked for.", True),
        ("Set testpaths to say where tests are looked for.", False),
        ("Reading testpaths\n\nThere is more to it.", False),
        ("", False),
    ],
)
def test_an_entry_is_a_line_that_is_called_so(text, has_it):
    assert has_entry(text, fold_key("testpaths", ENGLISH), ENGLISH) is has_it


@given(st.text(max_size=200))
def test_any_text_is_read(text):
    assert isinstance(has_entry(text, fold_key("testpaths", ENGLISH), ENGLISH), bool)
    assert isinstance(find_subject(text), str)
