import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.language.scripts import UNSPACED_RUN, estimate_words, pair_characters, split_units
from ascertain.language.tokens import WORD, content_terms, fold_words

UNSPACED_TEXT = st.text(st.sampled_from("仓库管理员是谁的灯台守の名前は何ですか등대지기의이름은ภาษาไทย。、 ab1'"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("仓库管理员是谁", ["仓库管理员", "是谁"]),
        ("灯台守の名前は何ですか", ["灯台守", "の", "名前", "は", "何ですか"]),
        ("등대지기의 이름은 무엇입니까", ["등대지기", "의", "이름", "은", "무엇입니까"]),
        ("版本v1.10", ["版本", "v1", "10"]),
        ("l'huile don’t", ["l'huile", "don’t"]),
    ],
)
def test_words_of_grammar_part_what_is_written_without_spaces(text, words):
    assert WORD.findall(text) == words


@pytest.mark.parametrize(
    ("language", "question", "passage"),
    [
        ("zh", "仓库管理员是谁", "码头仓库位于青岛市，仓库管理员是王小明。"),
        ("ja", "灯台守の名前は何ですか", "灯台守の名前は田中花子です。"),
        ("ko", "등대지기의 이름은 무엇입니까", "등대지기의 이름은 김민수입니다."),
    ],
)
def test_a_passage_in_the_words_of_a_question_holds_all_its_terms(language, question, passage):
    asked = content_terms(question, language)
    assert asked
    assert set(asked) <= set(content_terms(passage, language))


def test_syllables_stay_whole_when_words_are_folded():
    assert fold_words("등대ガラス") == "등대ガラス"
    assert fold_words("Ｖ１ Émile") == "v1 emile"


@pytest.mark.parametrize(("text", "count"), [("", 0), ("two words", 2), ("仓库管理员是王小明", 5), ("v1 仓库", 2)])
def test_a_run_without_spaces_counts_a_word_for_each_two_characters(text, count):
    assert estimate_words(text) == count


@given(UNSPACED_TEXT)
def test_words_hold_every_letter_once_and_units_come_from_their_words(text):
    words = WORD.findall(text)
    assert "".join(words).replace("'", "") == "".join(c for c in text if c.isalnum())
    for word in words:
        assert all(unit in word for unit in split_units(word))


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x4EFF), min_size=1))
def test_pairs_cover_a_run(run):
    pairs = list(pair_characters(run))
    assert pairs[0][0] + "".join(pair[1:] for pair in pairs) == run
    assert UNSPACED_RUN.fullmatch(run)
