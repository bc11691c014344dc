"""Questions in other languages than English, through the whole product."""

import pytest

from ascertain import Ascertain
from ascertain.core.asking.answers import AnswerType

GERMAN = """# Die Brücken von Falkenau

Die Steinerne Brücke wurde am 14. Mai 1902 eröffnet. Gebaut hat sie der Ingenieur Arnold Pfeiffer aus Jena. Die Fußgängerbrücken am Hafen sind
jünger und bestehen aus Holz. Im Winter werden sie gesperrt, weil die Bohlen dann vereisen. Die Stadt zahlt jedes Jahr 40.000 Euro für ihre Pflege.
"""
ENGLISH = """# The bridges of Oakford

The stone bridge was opened on 3 June 1911. It was built by the engineer Mary Holt. The wooden footbridges at the harbour are younger.
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("languages")
    (folder / "bruecken.md").write_text(GERMAN, "utf-8")
    (folder / "bridges.md").write_text(ENGLISH, "utf-8")
    with Ascertain.open(folder / "kb", environ={}) as opened:
        opened.add([folder / "bruecken.md", folder / "bridges.md"])
        yield opened


def test_documents_say_their_language(knowledge):
    assert {record.language for record in knowledge.documents()} == {"de", "en"}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Wann wurde die Steinerne Brücke eröffnet?", "14. Mai 1902"),
        ("Warum werden die Fußgängerbrücken im Winter gesperrt?", "vereisen"),
        ("When was the stone bridge opened?", "3 June 1911"),
    ],
)
def test_the_first_sentence_answers_and_is_whole(knowledge, question, told):
    answer = knowledge.ask(question)
    assert told in answer.sentences[0].text


def test_another_form_of_a_word_finds_its_passage(knowledge):
    found = knowledge.search("Welches Fußgängerbrückchen und welcher Ingenieure?", strategy="keyword").passages
    assert found
    assert found[0].chunk.language == "de"


def test_a_rejection_is_in_the_language_of_the_question(knowledge):
    answer = knowledge.ask("Wer gewann 1987 die Meisterschaft im Rudern?")
    assert answer.type is AnswerType.REJECTION
    assert "konnte ich nicht" in answer.text
    assert "could not" not in answer.text
    assert answer.confidence.caveat == "Nichts von dem, was gefunden wurde, beantwortet das."


def test_a_greeting_is_answered_in_its_language(knowledge):
    assert knowledge.ask("Guten Morgen").text.startswith("Hallo! Ich beantworte")
    assert knowledge.ask("Good morning").text.startswith("Hello! I answer")


def test_the_trace_says_which_rules_stand_aside(knowledge):
    german = [each for each in _decisions(knowledge, "Wann wurde die Brücke eröffnet?") if each.node == "language"]
    assert [each.outcome for each in german] == ["de"]
    assert "English only and are skipped" in german[0].reason
    assert not [each for each in _decisions(knowledge, "When was the bridge opened?") if each.node == "language"]


def _decisions(knowledge, question):
    answer = knowledge.ask(question)
    return answer.decisions


UNSPACED = {
    "zh.txt": "码头仓库位于青岛市，仓库管理员是王小明。每周三下午盘点库存，盘点结果报送港务局备案。仓库的编号是七号，面积为一千二百平方米。",
    "ja.txt": "灯台は一九〇五年に建てられました。灯台守の名前は田中花子です。毎日午前六時に掃除をします。",
    "ko.txt": "등대는 1905년에 지어졌습니다. 등대지기의 이름은 김민수입니다. 매일 오전 여섯 시에 청소를 합니다.",
}


@pytest.fixture(scope="module")
def unspaced(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unspaced")
    for name, text in UNSPACED.items():
        (folder / name).write_text(text, "utf-8")
    with Ascertain.open(folder / "kb", environ={}) as opened:
        opened.add([folder / name for name in UNSPACED])
        yield opened


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("仓库管理员是谁", "王小明"),
        ("仓库的面积是多少", "一千二百平方米"),
        ("盘点结果报送哪里", "港务局"),
        ("灯台守の名前は何ですか", "田中花子"),
        ("灯台はいつ建てられましたか", "一九〇五年"),
        ("등대지기의 이름은 무엇입니까", "김민수"),
        ("등대는 언제 지어졌습니까", "1905년"),
    ],
)
def test_a_question_without_spaces_is_answered_by_the_sentence_that_holds_its_words(unspaced, question, told):
    answer = unspaced.ask(question)
    assert told in answer.sentences[0].text
    assert answer.confidence.score >= 90


@pytest.mark.parametrize(
    ("question", "absent"),
    [("仓库的租金是多少", "租金"), ("灯台の高さは何メートルですか", "高さ"), ("등대의 높이는 얼마입니까", "높이")],
)
def test_what_no_passage_mentions_is_named_and_never_answered_surely(unspaced, question, absent):
    answer = unspaced.ask(question)
    assert answer.confidence.score < 70
    assert absent in (answer.confidence.caveat or "")
