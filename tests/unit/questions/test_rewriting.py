import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import Turn
from ascertain.core.asking.runs import Budget, Run
from ascertain.language.languages import ENGLISH
from ascertain.questions.conversation.follow_ups import content_stems, names_thing
from ascertain.questions.conversation.rewriting import RuleRewriter

LONG = [
    "it " * 3400,
    "how does " * 1200,
    "(" * 10_000,
    "a" * 10_000,
    "that's fine. " * 800,
    "is it " * 1700,
    "thanks, " * 1300,
    " " * 10_000 + "x",
    "A-" * 5000,
    "ʼ'" * 5000,
]


def a_run() -> Run:
    return Run(Budget(calls=0, tokens=0, seconds=60, usd=0))


def asked(question: str, *turns: str) -> str:
    roles = ("user", "assistant")
    history = [Turn(roles[at % 2], text) for at, text in enumerate(turns)]  # type: ignore[arg-type]
    return RuleRewriter().standalone(question, ENGLISH, history, a_run()).text


TRANSFORMER = (
    "What is the transformer architecture?",
    "The transformer architecture is a neural network built on attention.",
)


@pytest.mark.parametrize(
    ("question", "turns", "expected"),
    [
        ("How does it work?", TRANSFORMER, "How does the transformer architecture work"),
        (
            "What is its price?",
            ("Tell me about the Nikon Z8.", "I do not have that information."),
            "What is the Nikon Z8’s price",
        ),
        (
            "Where was he born?",
            ("Who was Andrew Carnegie?", "Andrew Carnegie was an industrialist."),
            "Where was Andrew Carnegie born",
        ),
        (
            "What does that mean?",
            ("What is gradient descent?", "I do not know."),
            "What does the gradient descent mean",
        ),
    ],
)
def test_a_pronoun_gives_way_to_its_only_antecedent(question: str, turns: tuple[str, ...], expected: str) -> None:
    assert asked(question, *turns).startswith(expected)


def test_a_fragment_names_what_it_continues() -> None:
    assert asked("What about pricing?", "What is IBM Cloud Satellite?", "A managed cloud.") == (
        "What about pricing? (about: IBM Cloud Satellite)"
    )


def test_the_latest_topic_comes_before_earlier_ones() -> None:
    text = asked("And the cost?", "What is a webhook?", "A callback.", "What is a load balancer?", "It spreads.")
    assert "load balancer" in text
    assert text.index("load balancer") < text.find("webhook") or "webhook" not in text


@pytest.mark.parametrize(
    "question",
    [
        "Which country won the football championship in South Africa?",
        "How are quarterly revenue figures for subsidiaries consolidated?",
        "Thank you so much!",
        "hello, who are you?",
        "2 + 2",
    ],
)
def test_what_needs_no_conversation_is_left_as_asked(question: str) -> None:
    assert asked(question, *TRANSFORMER) == question


NVIDIA = ("What was Nvidia's revenue in 2024?", "Nvidia's revenue was $60.9 billion in fiscal 2024.")


@pytest.mark.parametrize(
    "question",
    [
        "And what did Ungar hope?",
        "and until when do I have to hand in receipts?",
        "what is the oven temperature for the lasagne?",
        "And in structlog, what is a wrapped logger?",
        "Another thing: what did Mark Ericksen do before Elixir?",
        "different topic: how does it feel to bake bread?",
        "What is a misdemeanor?",
        "Does FEMA depend on donations?",
        "Does Apple publish its accounts?",
        "Which plan has a trial and how long is it?",
        "How long does the Always cache compute-intensive stay?",
        "What about the rent-to-buy option?",
    ],
)
def test_a_complete_question_inherits_nothing(question: str) -> None:
    assert asked(question, *NVIDIA) == question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("And what about Brazil?", "What was Brazil's revenue in 2024?"),
        ("And AMD?", "What was AMD's revenue in 2024?"),
        ("and in 2023?", "What was Nvidia's revenue in 2023?"),
        ("Is there a dividend?", "Is there a dividend? (about: Nvidia)"),
        ("Is its revenue for the year above that of Intel?", "Is Nvidia’s revenue for the year above that of Intel?"),
    ],
)
def test_another_name_takes_the_place_of_the_one_before(question: str, expected: str) -> None:
    assert asked(question, *NVIDIA) == expected


FOUNDED = ("Who founded Quillon?", "Petra Lindholm founded the exchange Quillon in 2016.")


@pytest.mark.parametrize(
    ("question", "turns", "expected"),
    [
        ("When was she born?", FOUNDED, "When was Petra Lindholm born?"),
        ("how much of it does she own?", FOUNDED, "how much of Quillon does Petra Lindholm own?"),
        (
            "how much of it does she own?",
            ("Who founded Quillon?", "The founder Petra Lindholm holds 34 percent of the shares."),
            "how much of Quillon does Petra Lindholm own?",
        ),
        (
            "When was he born?",
            ("Who founded Quillon?", "Petra Lindholm and Jonas Berg founded it."),
            "When was he born? (about: Quillon)",
        ),
        (
            "How does it work?",
            ("What is a webhook?", "A callback.", "What is a load balancer?", "It spreads."),
            "How does the load balancer work?",
        ),
        (
            "how low did it go?",
            ("what happened to LSUSD in May?", "The stablecoin LSUSD of the issuer Larkspur Pay traded at 97 cents."),
            "how low did LSUSD go?",
        ),
        (
            "can I change the text it shows?",
            ("How do I make click prompt for an option?", "Click supports prompts in two different places."),
            "can I change the text the click prompt shows?",
        ),
        (
            "What is the process for applying for it?",
            ("What is Medicaid?", "A programme."),
            "What is the process for applying for Medicaid?",
        ),
    ],
)
def test_pronouns_stand_for_what_was_asked_about_last_or_for_nothing(
    question: str, turns: tuple[str, ...], expected: str
) -> None:
    assert asked(question, *turns) == expected


def test_an_answer_s_figures_and_asides_are_no_subject() -> None:
    turns = ("Which brake levers were recalled?", "The levers BR-7. Shop says 212 sold, 88 still in stock.")
    assert asked("how many had been sold?", *turns) == "how many had been sold? (about: brake levers)"


def test_without_history_nothing_changes() -> None:
    standalone = RuleRewriter().standalone("How does it work?", ENGLISH, [], a_run())
    assert (standalone.text, standalone.is_follow_up) == ("How does it work?", False)


def test_a_reply_that_knows_nothing_is_no_topic() -> None:
    text = asked("How do I apply?", "What is Medicaid?", "I do not have specific information about hospital rules.")
    assert "Medicaid" in text
    assert "hospital" not in text


def test_says_what_was_added() -> None:
    history = [Turn("user", "What is IBM Cloud Satellite?")]
    standalone = RuleRewriter().standalone("Is there a free trial?", ENGLISH, history, a_run())
    assert standalone.is_follow_up
    assert all(topic in standalone.text for topic in standalone.added)


TURNS = st.lists(
    st.builds(Turn, st.sampled_from(["user", "assistant"]), st.one_of(st.text(max_size=80), st.sampled_from(LONG))),
    max_size=6,
)


@given(question=st.one_of(st.text(max_size=120), st.sampled_from(LONG)), history=TURNS)
def test_any_text_keeps_its_words_and_is_rewritten_alike_each_time(question: str, history: list[Turn]) -> None:
    once = RuleRewriter().standalone(question, ENGLISH, history, a_run())
    assert once == RuleRewriter().standalone(question, ENGLISH, history, a_run())
    assert once.text.strip() or not question.strip()
    assert content_stems(once.text, ENGLISH) >= content_stems(question, ENGLISH) - content_stems(
        "hi hello hey there again everyone all", ENGLISH
    ) or (once.is_follow_up)


TOKENS = (
    "What does error TP-5008 mean?",
    "Error TP-5008 means that the API token has expired.",
    "How long does that take?",
    "I could not find an answer to this.",
)


def probing(answered: str):
    """Documents that answer only what speaks of ``answered``."""
    return lambda question, language, filter, told: 6.0 if answered in question else -6.0


@pytest.mark.parametrize("answered", ["TP-5008", "API token"])
def test_of_several_readings_the_documents_choose_the_one_that_they_answer(answered: str) -> None:
    history = [Turn("user", TOKENS[0]), Turn("assistant", TOKENS[1])]
    standalone = RuleRewriter(probing(answered)).standalone("For how long is it valid?", ENGLISH, history, a_run())
    assert answered in standalone.text
    assert "answer this one best" in standalone.reason


def test_what_the_words_make_sure_is_not_asked_of_the_documents() -> None:
    def probe(question: str, language: str, filter: Filter) -> float:
        raise AssertionError("nothing has to be asked")

    history = [Turn("user", "What did Trump say?"), Turn("assistant", "He congratulated the holders.")]
    assert RuleRewriter(probe).standalone("And Powell?", ENGLISH, history, a_run()).text == "What did Powell say?"


@pytest.mark.parametrize(
    ("question", "last", "expected"),
    [
        ("And k1?", "What does the parameter b do?", "What does the parameter k1 do?"),
        ("And in 3.0.0?", "What was removed in Tidepool 3.2.0?", "What was removed in 3.0.0?"),
        ("And at most?", "For how long is a token valid?", "For how long is a token valid at most?"),
        ("and the day before?", "What happened on 5 December 2024?", "What happened on 4 December 2024?"),
        ("And the next month?", "What happened in December 2024?", "What happened in January 2025?"),
        ("and on the 3rd?", "What happened on 5 December 2024?", "What happened on 3 December 2024?"),
        ("and in 2023?", "What happened in 2024?", "What happened in 2023?"),
    ],
)
def test_a_fragment_is_put_into_the_last_question(question: str, last: str, expected: str) -> None:
    assert asked(question, last, "Something.") == expected


@pytest.mark.parametrize(
    ("question", "last", "expected"),
    [
        ("Until when?", "How many days can I carry over?", "How many days can I carry over until when?"),
        ("By whom?", "Which cipher was chosen?", "Which cipher was chosen by whom?"),
    ],
)
def test_a_fragment_that_asks_goes_on_with_the_last_question(question: str, last: str, expected: str) -> None:
    assert asked(question, last, "So it is.") == expected


@pytest.mark.parametrize(
    ("question", "last", "expected"),
    [
        # neither the verb nor the adjective is a part of what is spoken of
        ("Who wrote it?", "How much does the handbook cost?", "Who wrote the handbook?"),
        ("How fast is it?", "Is Postgres free?", "How fast is Postgres?"),
        # and what people do is nothing that is spoken of
        ("What does it hold?", "Where do I keep the archive?", "What does the archive hold?"),
    ],
)
def test_what_is_said_of_a_subject_is_no_part_of_it(question: str, last: str, expected: str) -> None:
    assert asked(question, last, "So it is.") == expected


def test_the_two_are_what_was_named_last_past_questions_that_name_nothing() -> None:
    history = ("How tall is Skerra Light?", "So tall.", "How tall is Gannet Point?", "So tall.")
    told = (*history, "which of them is taller?", "I could not find it.")
    assert asked("Compare the two", *told) == "What is the difference between Skerra Light and Gannet Point?"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does E4 mean?", True),
        ("How tall is Gannet Point lighthouse?", True),
        ("and retry.limit?", True),
        ("What is an embedding?", True),
        ("What are the key components?", False),
        ("How is the grade made up?", False),
        ("Was anyone killed?", False),
    ],
)
def test_a_question_that_names_its_own_thing_is_told(question: str, names: bool) -> None:
    assert names_thing(question) is names


def test_a_question_that_was_understood_is_continued_as_it_was_understood() -> None:
    history = [
        Turn("user", "Who designed the Domain Name System?"),
        Turn("assistant", "Paul Mockapetris did."),
        Turn("user", "When was that?", "When was the Domain Name System designed?"),
        Turn("assistant", "In 1983."),
    ]
    standalone = RuleRewriter().standalone("And in which RFC?", ENGLISH, history, a_run())
    assert "Domain Name System" in standalone.text


def test_the_two_are_what_the_last_questions_were_about() -> None:
    history = ("What is BM25?", "A ranking function.", "What is HNSW?", "A graph.")
    assert asked("Compare the two", *history) == "What is the difference between BM25 and HNSW?"
    assert asked("how do they differ?", *history) == "What is the difference between BM25 and HNSW?"


def test_what_is_asked_of_an_answer_is_no_subject_of_the_conversation() -> None:
    turns = ("What is HNSW?", "A graph of vectors.", "shorter please", "A graph.", "thanks", "You are welcome.")
    assert "HNSW" in asked("How does it work?", *turns)
