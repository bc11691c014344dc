import pytest

STATED = [
    ("We saw that Steve Jobs founded Apple.", ("steve jobs", "founded", "apple")),
    ("They say Pixar was acquired by Disney.", ("disney", "acquired", "pixar")),
    ("A film directed by Delbert Mann.", None),
    ("He likes Psycho, directed by Alfred Hitchcock.", ("alfred hitchcock", "directed", "psycho")),
    ("Here Tim Cook, chief executive of Apple, spoke.", ("tim cook", "is chief executive of", "apple")),
    ("Here Apple's chief executive, Tim Cook, spoke.", ("tim cook", "is chief executive of", "apple")),
    ("Paris is the capital of France.", ("paris", "is capital of", "france")),
    ("They say WhatsApp is part of Meta.", ("whatsapp", "is part of", "meta")),
    ("We know Ada Lovelace was born on 10 December 1815 in London.", ("ada lovelace", "born in", "london")),
    ("They live in Antwerp, Belgium now.", ("antwerp", "is in", "belgium")),
    ("They say Stripe is based in Dublin.", ("stripe", "is based in", "dublin")),
    ("They say Jane Goodall studied at Cambridge.", ("jane goodall", "studied at", "cambridge")),
    ("They know Metallica, an American band from Oakland.", ("metallica", "is american band from", "oakland")),
]


@pytest.mark.parametrize(("text", "relation"), STATED)
def test_a_sentence_states_how_two_names_are_related(relations, text, relation):
    assert relations(text) == ([relation] if relation else [])


@pytest.mark.parametrize(
    "text",
    [
        "Apple and Google met.",
        "They like Apple. Google founded it.",
        "He likes Apple; Google bought it.",
        "They say Apple, which he thought was old when Google came.",
        "They say Apple is not Google.",
        "Apple's new plans for old Google phones.",
    ],
)
def test_nothing_is_stated_where_no_verb_or_apposition_joins_the_names(relations, text):
    assert relations(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "In May Chrome, according to StatCounter, had most users.",
        "They used Chrome, thanks to Google, for years.",
        "They use Redis, due to Amazon, a lot.",
        "They closed Nokia, prior to Microsoft, for a year.",
        "They chose Berlin, instead of Paris, for it.",
        "They say Kotlin, depending on Gradle, is slow.",
        "They sailed around Africa to India, arriving in Calicut in May.",
        "They left the European Union, instead choosing closer ties to Russia.",
        "They saw Robert Angier, mostly in London, at work.",
        "They know Japan, the latter briefly aided by Thailand.",
        "They lived in Ohio, establishing a government in Geneva.",
        "They know Aquarium, all from Leningrad.",
        "They saw Rory Williams, whilst out-of-sync meetings with River Song.",
        "They say Firefox is up to Mozilla.",
    ],
)
def test_what_only_looks_like_an_apposition_states_nothing(relations, text):
    assert relations(text) == []


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("They met Tim Cook, acting director of Apple, there.", ("tim cook", "is acting director of", "apple")),
        ("They know Pixar, a leading studio of Disney.", ("pixar", "is leading studio of", "disney")),
        (
            "They saw Inlow Hall, the administration building at Oregon.",
            ("inlow hall", "is administration building at", "oregon"),
        ),
        ("They like Bonn, close to Cologne.", ("bonn", "is close to", "cologne")),
        ("They met Lee, chairman and a director of Dell.", ("lee", "is chairman and a director of", "dell")),
    ],
)
def test_an_apposition_may_hold_a_word_that_looks_like_a_verb(relations, text, relation):
    assert relations(text) == [relation]


def test_what_is_said_of_joined_names_is_said_of_each(relations):
    assert relations(
        "Here Bill Gates and Paul Allen founded Microsoft. Microsoft bought GitHub, LinkedIn and Nuance."
    ) == [
        ("bill gates", "founded", "microsoft"),
        ("paul allen", "founded", "microsoft"),
        ("microsoft", "bought", "github"),
        ("microsoft", "bought", "linkedin"),
        ("microsoft", "bought", "nuance"),
    ]


def test_a_joined_name_with_a_verb_of_its_own_is_no_object(relations):
    assert relations("Once Google bought YouTube and Amazon bought Twitch.") == [
        ("google", "bought", "youtube"),
        ("amazon", "bought", "twitch"),
    ]


def test_a_verb_after_an_apposition_belongs_to_the_name_before_it(relations):
    assert relations("Tim Cook, chief executive of Apple, spoke in Cupertino, California.") == [
        ("tim cook", "is chief executive of", "apple"),
        ("tim cook", "spoke in", "cupertino"),
        ("cupertino", "is in", "california"),
    ]


def test_a_pronoun_stands_for_what_the_document_is_about_while_that_is_talked_of(relations):
    title = "Hank Snow"
    text = "Hank Snow was a Canadian singer. He joined RCA Victor. Rain fell on Oakland. He joined Decca."
    assert relations(text, title=title) == [("hank snow", "joined", "rca victor")]


def test_a_relation_knows_its_sentence_and_chunk(read):
    text = "It rained. We saw that Steve Jobs founded Apple. It rained."
    (relation,) = read(text, start=50, id="c9").relations
    assert relation.chunk_id == "c9"
    assert relation.origin == "pattern"
    sentence = relation.sentence
    assert text[sentence.start - 50 : sentence.end - 50] == "We saw that Steve Jobs founded Apple."


def test_a_question_states_nothing(relations):
    assert relations("Did Steve Jobs found Apple?") == []
    assert relations("So Steve Jobs founded Apple, right?") == []
