import pytest

from ascertain.core.documents.documents import DocumentKind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He studied at the University of Vienna in 1921.", ["University of Vienna"]),
        ("It was William Kahan of Berkeley who wrote it.", ["William Kahan", "Berkeley"]),
        ("It was Harris W. Fawell and J.R.R. Tolkien.", ["Harris W. Fawell", "J.R.R. Tolkien"]),
        ("The 1920 Summer Olympics in Antwerp were won.", ["1920 Summer Olympics", "Antwerp"]),
        ("In 2023 Chrome shipped it.", ["Chrome"]),
        ("In July 1996 Unicode 2.0 came out on Monday.", ["Unicode 2.0"]),
        ("We met the president of France.", ["France"]),
        ("We met President Joe Biden and Dr. Jane Goodall.", ["Joe Biden", "Jane Goodall"]),
        ("The Securities and Exchange Commission sued.", ["Securities and Exchange Commission"]),
        ("He left Oxford and Cambridge.", ["Oxford", "Cambridge"]),
        ("It is made by Nintendo Co., Ltd. for the Switch.", ["Nintendo Co., Ltd", "Switch"]),
        ("I like Christopher Nolan's Batman Begins.", ["Christopher Nolan", "Batman Begins"]),
        ("He died in the Seven Years' War there.", ["Seven Years' War"]),
        ("The disk had 64 GB of it.", []),
        ("He was American and she was French-Canadian.", []),
        ("Mr. Smith went to the U.S. for us.", ["Smith", "U.S."]),
        ("She has an iPhone and knows C++ and node.js well.", ["iPhone", "C++"]),
        ("However, nothing is named here. Perhaps it is.", []),
        ("Paris is old. Running is healthy. Mozilla has it.", ["Paris", "Mozilla"]),
        ("She is the Chief Editor there.", []),
        ("It is on the National Register of Historic Places.", ["National Register of Historic Places"]),
        ("A London-based firm made a Hindi-language film.", ["London"]),
        ("In November Binance met President Yoon Suk Yeol.", ["Binance", "Yoon Suk Yeol"]),
        ("They bought NeXT and Next.", ["NeXT"]),
        ("", []),
        ("東京は日本の首都です。", []),
    ],
)
def test_names_are_runs_of_capitals_that_come_from_nothing_else(names, text, expected):
    assert names(text) == expected


def test_a_word_that_the_document_writes_small_is_no_name_where_a_sentence_opens_with_it(names):
    assert names("Engines hum. She likes engines. Mozilla hums. She likes Mozilla.") == ["Mozilla", "Mozilla"]


def test_titles_in_quotation_marks_are_names_and_quoted_sentences_are_not(names):
    text = 'He read "The Catcher in the Rye" and ``Franny and Zooey\'\'. "Yes we can!" he said. "No".'
    assert names(text) == ["The Catcher in the Rye", "Franny and Zooey"]


def test_code_is_named_with_its_marks_left_out(names):
    text = "Use `ascertain graph build` with --verbose and max_tokens, or call client.create() twice."
    assert names(text) == ["ascertain graph build", "--verbose", "max_tokens", "client.create()"]


def test_the_title_is_named_in_every_chunk_and_where_the_text_says_it(read):
    graph = read("The riemann integral was made by him. Brother! is it.", title="Riemann integral (analysis)")
    title = [m for m in graph.mentions if m.role == "title"]
    assert [(m.name.key, m.name.written, m.span) for m in title] == [("riemann integral", "Riemann integral", (0, 53))]
    assert ("riemann integral", (4, 20)) in [(m.name.key, m.span) for m in graph.mentions]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Night Moves", ["Night Moves"]),
        ("Riemann integral", ["Riemann integral"]),
        ("What Ever Happened to Baby Jane?", ["What Ever Happened to Baby Jane?"]),
        ("black_death", ["black death"]),
        ("Court approves Xaphista plan that repays most customers in cash", ["Xaphista"]),
        ("What is Xaphista good for?", ["Xaphista"]),
        ("word " * 40, []),
        ("", []),
    ],
)
def test_a_title_names_one_thing_and_a_headline_what_it_speaks_of(read, title, expected):
    graph = read("They like Xaphista.", title=title)
    assert [m.name.written for m in graph.mentions if m.role == "title"] == expected


def test_headings_and_shouting_name_what_the_rest_of_the_document_names(names):
    text = "Getting Started With Mozilla Firefox\n\nThey like Mozilla Firefox.\n\nALL PEOPLE LOVE MOZILLA FIREFOX HERE."
    assert names(text) == ["Mozilla Firefox", "Mozilla Firefox", "MOZILLA FIREFOX"]


def test_headings_alone_name_nothing(names):
    assert names("Getting Started With Good Things\n\nIt is easy.") == []


def test_speakers_are_persons_who_say_their_turns_and_their_labels_are_no_text(read):
    text = "Ann Lee: I like Rust.\n\nBob Ray: Note: I like Perl, Ann."
    graph = read(
        text, kind=DocumentKind.TRANSCRIPT, speaker="Ann Lee", author="Ann Lee, Bob Ray", profile="podcasts", start=7
    )
    said = {m.name.written: m.span for m in graph.mentions if m.role == "speaker"}
    assert {who: text[span.start - 7 : span.end - 7] for who, span in said.items()} == {
        "Ann Lee": "I like Rust.",
        "Bob Ray": "Note: I like Perl, Ann.",
    }
    assert {m.name.kind for m in graph.mentions if m.role == "speaker"} == {"Person"}
    named = [(m.name.written, m.name.key) for m in graph.mentions if m.role == "named"]
    assert named == [("Rust", "rust"), ("Perl", "perl"), ("Ann", "ann lee")]


def test_a_turn_that_goes_on_in_the_next_chunk_is_still_its_speakers(read):
    graph = read("and more of it.", kind=DocumentKind.TRANSCRIPT, speaker="Ann Lee", profile="podcasts")
    assert [(m.name.written, m.role) for m in graph.mentions] == [("Ann Lee", "speaker")]


def test_names_that_the_profile_lists_are_known_however_they_are_written(read):
    text = "The bitcoin price fell. Bitcoin fell, and bitcoins are no dumps. BITCOIN IS DEAD ALREADY."
    graph = read(text, profile="news")
    assert [(m.name.written, m.name.key, m.name.kind) for m in graph.mentions] == [
        ("bitcoin", "bitcoin", "Product/Asset"),
        ("Bitcoin", "bitcoin", "Product/Asset"),
        ("BITCOIN", "bitcoin", "Product/Asset"),
    ]
    assert read(text, profile="docs").mentions == ()


def test_a_very_long_document_is_read_in_parts_and_whole(rules, a_chunk, monkeypatch):
    said = ["Ana Flores joined Norland Lines.", "She left.", "Norland Lines sold a ship.", "Ana Flores bought it."]
    chunks = [a_chunk(text, id=f"c{place}", start=1000 * place) for place, text in enumerate(said)]
    whole = rules.read("hash", chunks)
    monkeypatch.setattr("ascertain.graph.extraction.rules.LONGEST_PART", 2)
    assert rules.read("hash", chunks) == whole
    assert whole.chunk_ids == ("c0", "c1", "c2", "c3")
    assert [mention.name.written for mention in whole.mentions if mention.chunk_id == "c3"] == ["Ana Flores"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 Rent\n\nThe rent is due in Utrecht.", ["Utrecht"]),
        ("VAT 19 % is due to Xaphista.", ["VAT", "Xaphista"]),
        ("They went to XAPHISTA 11-16 with us.", ["XAPHISTA"]),
        ("They press START and NEVER stop, and may NOT go.", []),
        ("1. Allowance: two euros\n2. Equipment: a chair", []),
        ("Tenant: Xaphista B.V. Object: a house", ["Xaphista B.V."]),
        ("Name | Role\nMaya Okonkwo | Owner\nPriya Nair | Shop manager", ["Maya Okonkwo", "Priya Nair"]),
        ("They like REST. REST is old, and they rest.", ["REST", "REST"]),
        ("Fridays are quiet, and Tuesdays are not.", []),
        ("I’ll go, and It'd be good.", []),
        ("They use SQLite - I think so. They use Elixir I think.", ["SQLite", "Elixir"]),
        ("It wants an AI-assisted editor.", ["AI"]),
        ("Hold it at 4 °C. Bake it in Bristol.", ["Bristol"]),
        ("Pos    Article     Amount\n1      Xaphista    12\n2   Xaphista  3", ["Xaphista", "Xaphista"]),
        ('text = f"{name}\\nContains: {that}"', []),
    ],
)
def test_headings_ranges_rows_and_words_in_capitals_for_weight_are_no_names(names, text, expected):
    assert names(text, profile="docs") == expected


def test_the_columns_of_a_table_are_no_names_and_identifiers_in_a_text_are(names):
    assert names("date | amount_gbp\n2 May | 12\n\nSet max_tokens there.", profile="docs") == ["max_tokens"]
