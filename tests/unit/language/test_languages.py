"""Which language a question is in, and what follows from it: stems, stop words, sentences, what the product says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.language.languages import ENGLISH, KNOWN, detect_question_language, say_sentence
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import content_terms, stem_text
from ascertain.language.word_lists import list_names, load_pairs, load_words


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie hoch ist der Zaun?", "de"),
        ("Wer gewann?", "de"),
        ("Pourquoi les chats dorment-ils ?", "fr"),
        ("¿Quién?", "es"),
        ("cuanto cuesta el billete", "es"),
        ("Come si chiama il direttore?", "it"),
        ("Quem descobriu o Brasil?", "pt"),
        ("Hoeveel kost een kaartje?", "nl"),
        ("谁发现了美洲？", "zh"),
        ("誰がアメリカを発見しましたか", "ja"),
        ("누가 발견했습니까?", "ko"),
        ("ใครค้นพบ", "th"),
        ("Кто открыл Америку?", "ru"),
        ("AS-206试飞时有多少人在上面？", "zh"),
        ("AS-206の打ち上げはいつですか？", "ja"),
        ("AS-206은 언제 발사되었습니까?", "ko"),
        ("Когда запустили AS-206?", "ru"),
        ("Warum wurde AS-206 gestartet?", "de"),
        ("AS-206 warum?", "de"),
        ("Welche Version von Saturn IB flog bei AS-206 mit dem Apollo Command Module?", "de"),
        ("Welchen Desktop verwendet Knoppix standardmäßig?", "de"),
        ("Wo liegt die docker-compose.yml?", "de"),
        ("Darf ich pip install mit --no-deps benutzen?", "de"),
        ("¿Por qué AS-206?", "es"),
        ("¿AS-206?", "es"),
        ("¿Puedo instalar Debian en varios ordenadores?", "es"),
        ("Pourquoi AS-206 a-t-il été lancé ?", "fr"),
        ("Perché AS-206?", "it"),
        ("O que é AS-206?", "pt"),
        ("Waarom AS-206?", "nl"),
        ("Why was AS-206 launched?", "en"),
        ("AS-206", None),
        ("What does 试飞 mean?", "en"),
        ("Who was Wolfgang von der Schulenburg?", "en"),
        ("Where is the Museo de la Ciudad?", "en"),
        ('How do I set "Wer darf das?" in the config?', "en"),
        ("merci", "fr"),
        ("Guten Morgen", "de"),
        ("How tall is the fence?", "en"),
        ("Was Einstein born in Ulm?", "en"),
        ("What does Die Zeit say of the war?", "en"),
        ("Los Angeles population", None),
        ("Does it carry J&J booster shots?", "en"),
        ("wen moon", None),
        ("TP-4107", None),
        ("", None),
    ],
)
def test_a_question_is_in_the_language_of_its_little_words(question, language):
    assert detect_question_language(question) == language


@given(st.text(max_size=200))
def test_any_text_has_a_language_or_none(text):
    assert detect_question_language(text) is None or len(detect_question_language(text) or "") == 2


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Die Brücken wurden gebaut", "der Brücke"),
        ("fr", "l'huile d'olive", "les huiles"),
        ("es", "las bibliotecas", "una biblioteca"),
        ("it", "dell'acquedotto", "gli acquedotti"),
        ("pt", "as máquinas", "a máquina"),
        ("nl", "de bruggen", "een brug"),
    ],
)
def test_forms_of_a_word_meet_in_its_language(language, one, other):
    assert set(content_terms(one, language)) & set(content_terms(other, language))


@given(st.text(max_size=100))
def test_english_is_left_to_the_analysis_it_always_had(text):
    assert stem_text(text, "en") == stem_text(text, None) == text


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("de", "Das Fest findet am 19. August statt. Es kostet z. B. nichts.", 2),
        ("de", "Im 19. Jahrhundert lebte Dr. Kurz hier. Er war ca. 40 Jahre alt.", 2),
        ("de", "Das Haus hat die Nummer 19. Danach kommt der Wald.", 2),
        ("fr", "M. Dupont arrive. Il part av. J.-C. environ.", 2),
        ("es", "La Sra. Gil vive en la c. Mayor. Llegó ayer.", 2),
        ("it", "Il dott. Rossi parla. La sig.ra Bianchi ascolta.", 2),
        ("pt", "O Dr. Silva fala. A Sra. Costa ouve.", 2),
        ("nl", "Dhr. Jansen komt o.a. morgen. Hij blijft.", 2),
    ],
)
def test_abbreviations_and_ordinals_end_no_sentence(language, text, count):
    assert len(split_sentences(text, language)) == count


@given(st.text(max_size=200))
def test_a_language_without_rules_is_split_as_english_is(text):
    assert split_sentences(text, "en") == split_sentences(text) == split_sentences(text, "cs")


def test_every_language_says_the_same_things():
    said = {language: load_pairs("said", "said", language) for language in KNOWN}
    assert all(pairs.keys() == said["de"].keys() for pairs in said.values())
    for pairs in said.values():
        for english, other in pairs.items():
            assert set(_fields(other)) <= set(_fields(english))


def _fields(text):
    return [part.split("}")[0] for part in text.split("{")[1:]]


@pytest.mark.parametrize("language", KNOWN)
def test_every_language_has_the_lists_that_the_rules_ask_for(language):
    assert len(load_words("words", "months", language)) == 12
    assert len(load_words("words", "weekdays", language)) == 7
    assert {"stop_words", "negation", "never_last", "numbers", "reasons"} <= set(list_names("words", language))


def test_the_product_says_its_sentences_in_the_language_of_a_question():
    sentence = "A part of the question is not answered."
    assert say_sentence(sentence, "de") == "Ein Teil der Frage ist nicht beantwortet."
    assert say_sentence(sentence, "ja") == sentence
    assert say_sentence(sentence, ENGLISH) == sentence
