import pytest

from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.evaluation.golden.questions import find_quote
from ascertain.evaluation.golden.statements import propose_from, shorten_title, take_words


def questions_of(document):
    return [(proposal.kind, proposal.question, *proposal.answers) for proposal in propose_from(document)]


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        (
            "A token is valid for 90 days by default, unless it is renewed.",
            ("number", "A token is valid for how many days by default, unless it is renewed?", "90 days"),
        ),
        (
            "The plan Plus costs 5 euros a month for up to five computers.",
            ("number", "The plan Plus costs how much money a month for up to five computers?", "5 euros"),
        ),
        (
            "Tidepool warns when more than 40 percent of the files change.",
            ("number", "Tidepool warns when more than what percentage of the files change?", "40 percent"),
        ),
        (
            "Version 1.0 of the program came out on 17 August 2000 in Charlotte.",
            ("number", "Version 1.0 of the program came out on what date in Charlotte?", "17 August 2000"),
        ),
        (
            "The shortfall is put at up to $8 billion by those who know.",
            ("number", "Rules: the shortfall is put at up to how much money by those who know?", "$8 billion"),
        ),
        (
            "The NWB textbook has twelve lessons for students of biology.",
            ("number", "The NWB textbook has how many lessons for students of biology?", "twelve lessons"),
        ),
        (
            "HNSW graphs were proposed by Malkov and Yashunin in a paper.",
            ("agent", "HNSW graphs were proposed by whom in a paper?", "Malkov and Yashunin"),
        ),
        (
            "Deleting is difficult because nodes serve as bridges between the others.",
            ("cause", "Why is it that deleting is difficult?", "nodes serve as bridges between the others"),
        ),
        (
            "The ParFlow Sand Tank simulates the flow of groundwater below the surface.",
            ("action", "What does the ParFlow Sand Tank simulate?", "the flow of groundwater below the surface"),
        ),
        (
            "The National Ecological Observatory Network (NEON) asks for forecasts of lakes.",
            ("abbreviation", "What does NEON stand for?", "National Ecological Observatory Network"),
        ),
        (
            "A hot wallet is a wallet that is connected to the internet.",
            ("definition", "What is a hot wallet?", "a wallet that is connected to the internet"),
        ),
    ],
)
def test_a_statement_is_asked_for_what_it_says(a_document, text, proposed):
    assert questions_of(a_document(text)) == [proposed]


@pytest.mark.parametrize(
    "text",
    [
        "Short: 90 days.",
        "It is a program that reads the files of ninety computers.",
        "This page covers the program as of version 3 files and later.",
        "The table below lists all of the settings and what they mean.",
        "Press the button for 30 seconds until the lamp is green and",
        "At that price all of it is worth about 3 dollars for everybody.",
        "Students in the Fall 2020 class used the application and liked it.",
        "All of this was decided on the base of TLS 1.3 permits alone.",
        "Figure 1: Overview of the ten units and of what they are about.",
        "The most frequent reasons are a computer that sleeps at 02:00 and a disk.",
        "Each lesson contains objectives, tasks and a set of problems to solve.",
        "All the vectors released by Google cover words and many phrases.",
        "The vote of the five commissioners was narrow and took all day.",
        "A document that two systems both place at the end beats the others.",
        "The command verify --sample 5% restores a random five percent of the data.",
        "The coordinates admit two regions: one on the left and one below.",
        "Bitcoin rose after it was told, and passed $100,000 that night for good.",
        "On the folders of our group the files became 22 percent smaller.",
        "Vectors are bad because short ones make unrelated texts look alike.",
        "Often the reason that it takes so long is because nobody looks at it.",
        "The factors differ and priority 1 does not always come before the others.",
        "There has been no activity on this request for 5 months in a row.",
        "Since Node 6 the project uses an older engine, which needs a mend.",
        "Even more useful it creates an actual plot of all that was measured.",
        "Sometimes aggregating is a problem that can be solved by filtering.",
        "Unknown keys are an error, so that a typing mistake is seen at once.",
    ],
)
def test_what_does_not_stand_alone_or_holds_nothing_to_ask_is_passed_over(a_document, text):
    assert questions_of(a_document(text)) == []


def test_rows_of_tables_are_asked_by_their_name_and_column(a_document):
    text = "Rules.\n\nSetting | Default | Meaning\nretention.daily | 7 | the last snapshot of a day\nretention.yearly | 3 | of a year\n"
    assert questions_of(a_document(text))[:3] == [
        ("table", "Rules: what is the default of retention.daily?", "7"),
        ("table", "Rules: what is the meaning of retention.daily?", "the last snapshot of a day"),
        ("table", "Rules: what is the default of retention.yearly?", "3"),
    ]


def test_of_cells_that_several_rows_have_none_is_asked_for(a_document):
    text = "Course.\n\nUnit | Material | Minutes\nL1: Setup | Slides | 40\nL2: Docking | Slides | 50\nL2: Docking | Notebook | 60\n"
    assert questions_of(a_document(text)) == [("table", "Rules: what are the minutes of L1: Setup?", "40")]


def test_a_table_is_not_asked_where_its_columns_are_no_names_or_its_rows_have_no_kind(a_document):
    text = "Modes.\n\n | quick | deep\nsearches | 2 | 3\nclaims of a page | 6 | 12\n\nText.\n\nSign | speaks | take it for | Looks up the sign\nlength | late | truth | tall\n"
    assert questions_of(a_document(text)) == []


def test_a_row_that_a_number_names_is_not_asked_for(a_document):
    text = "Halvings.\n\nHalving | Date\nSecond | 9 July 2016\nLast | 20 April 2024\n"
    assert [question for _, question, _ in questions_of(a_document(text))] == ["Rules: what is the date of Last?"]


def test_what_a_turn_of_a_few_words_says_is_not_asked_for(a_document):
    text = "Aroha Tamihana: Monday, 7 April 2014, Heartbleed."
    place = Place(speaker="Aroha Tamihana")
    assert questions_of(a_document(text, blocks=(Block(BlockKind.TURN, Span(0, len(text)), place),))) == []


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("Rules: what they are", "Rules: what they are"),
        ("Can you predict the future? A tutorial for the National Network", "Can you predict the future"),
        ("A course: " + "very " * 20 + "long", "A course"),
        ("very " * 20, "very very very very very very very very very very very very …"),
    ],
)
def test_a_long_title_is_named_without_its_subtitle(title, short):
    assert shorten_title(title) == short


def test_an_answer_ends_with_a_word_that_may_be_the_last():
    assert (
        take_words("an open source application designed to allow the") == "an open source application designed to allow"
    )


def test_what_a_speaker_said_is_asked_with_the_name(a_document):
    text = "Ana Berg: The reflog keeps where a branch was for 90 days."
    place = Place(speaker="Ana Berg")
    document = a_document(text, blocks=(Block(BlockKind.TURN, Span(0, len(text)), place),))
    assert questions_of(document) == [
        ("speaker", "According to Ana Berg: The reflog keeps where a branch was for how many days?", "90 days")
    ]


@pytest.mark.parametrize(
    "said",
    [
        "I have been writing parsers for 24 years now and still like it.",
        "You can see that we have 50 devices at each of the sites today.",
        "That company has been in business now for 24 years or even more.",
        "Ansible is nice because you get a lot done without knowing much.",
    ],
)
def test_what_points_at_people_in_the_room_or_at_what_was_said_before_is_not_asked(a_document, said):
    text = f"Ana Berg: {said}"
    place = Place(speaker="Ana Berg")
    assert questions_of(a_document(text, blocks=(Block(BlockKind.TURN, Span(0, len(text)), place),))) == []


def test_a_title_that_is_a_question_is_taken_as_it_is(a_document):
    document = a_document("The plan Plus is for people with several computers at home.", title="How much does it cost?")
    (proposal,) = propose_from(document)
    assert (proposal.kind, proposal.question, proposal.answers) == ("heading", "How much does it cost?", ())


def test_every_quote_stands_in_its_document(a_document):
    text = "# Rules\n\nA token is valid for 90\ndays by default, unless it is renewed.\n\nSnapshots are kept for 72 hours after they are removed."
    document = a_document(text)
    proposals = list(propose_from(document))
    assert len(proposals) == 2
    assert all(find_quote(proposal.quote, document.text) for proposal in proposals)
