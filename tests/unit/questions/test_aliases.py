import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.settings.profiles import AliasTable, Profile, load_profile, profile_names
from ascertain.questions.aliases import expand_aliases, read_as_asked

ALL = [load_profile(name) for name in profile_names()]
BY_NAME = {profile.name: profile for profile in ALL}
ALIASES = [a for p in ALL for t in p.aliases.values() for a in (*t.strong, *t.ambiguous, *t.context)]


def news(question: str) -> str:
    return expand_aliases(question, [BY_NAME["news"]]).text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how is crypt doing today?", "how is cryptocurrency doing today?"),
        ("BTC vs eth", "Bitcoin vs Ethereum"),
        ("what’s BTC’s hashrate, and ETH's?", "what’s Bitcoin’s hashrate, and Ethereum's?"),
        ("will sol dump like eth did", "will Solana price decrease like Ethereum did"),
        ("is btc mooning?", "is Bitcoin price increase?"),
        ("should I hodl $BTC (or #eth)?", "should I hold investment Bitcoin (or Ethereum)?"),
        ("will this coin go to the moon", "will this coin go price increase"),
        ("are gas  fees on ethereum high", "are transaction fees on ethereum high"),
        ("Will the Fed cut rates?", "Will the Federal Reserve cut rates?"),
        ("cpi yoy", "consumer price index (CPI) year over year"),
        ("did sol dump after the outage?", "did Solana price decrease after the outage?"),
        ("is doge mooning", "is Dogecoin price increase"),
        ("ADA has been pumping", "Cardano has been price increase"),
        ("why are sol whales nervous", "why are Solana large holders nervous"),
    ],
)
def test_writes_out_short_forms(question: str, expected: str):
    assert news(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "how do I dump a database table?",
        "when did people land on the moon?",
        "a dead whale on the beach near the pump",
        "gas prices in Europe",
        "children fed by the food bank",
        "where is ETH Zurich?",
        'what does "btc" mean in “hodl btc”?',
        "open btc.txt, eth/readme, pre-crypto and mail crypto@example.org",
        "cryptography, cryptic, ether, solar, dumpling, bitcoins",
        "don't link dots",
        "how do I dump the sol database?",
        "link to the dump of the database",
        "Ada dumped the boxes",
        "pump and link the pipes at the dex site",
        "a dump from ETH Zurich",
        "did Sol Campbell play?",
        "5 sats",
        "",
    ],
)
def test_leaves_ordinary_words_alone(question: str):
    normalised = expand_aliases(question, [BY_NAME["news"]])
    assert normalised.text == question
    assert normalised.expansions == {}


def test_unit_after_a_number_is_not_an_alias():
    assert news("a yield of 20 bps on bonds") == "a yield of 20 bps on bonds"
    assert news("what are bps on bonds") == "what are basis points on bonds"


def test_each_domain_has_its_own_aliases():
    assert (
        expand_aliases("dump the db of the btc server", [BY_NAME["docs"]]).text == "dump the database of the btc server"
    )
    assert expand_aliases("dump the db of the btc server", [BY_NAME["podcasts"]]).expansions == {}


def test_short_form_stays_where_papers_go_on_to_use_it():
    assert expand_aliases("what is an LLM?", [BY_NAME["papers"]]).text == "what is an large language model (LLM)?"


def test_expansions_tell_what_was_written_out():
    assert expand_aliases("BTC or btc or Eth", ALL).expansions == {
        "BTC": "Bitcoin",
        "btc": "Bitcoin",
        "Eth": "Ethereum",
    }


def test_there_are_plenty_of_aliases_for_news():
    tables = BY_NAME["news"].aliases.values()
    assert sum(len(table.strong) + len(table.ambiguous) for table in tables) > 100


def test_tables_that_name_each_other_do_not_loop():
    tables = {"a": AliasTable(strong={"x": "y z"}), "b": AliasTable(strong={"y": "x w"})}
    profile = Profile(name="p", aliases=tables)
    assert expand_aliases("x and y", [profile]).text == "y z and x w"


def test_word_written_out_by_one_table_is_context_for_another():
    tables = {
        "a": AliasTable(context=("bitcoin",), ambiguous={"moon": "rise"}),
        "b": AliasTable(strong={"btc": "Bitcoin"}),
    }
    assert expand_aliases("btc moon", [Profile(name="p", aliases=tables)]).text == "Bitcoin rise"


WORDS = st.sampled_from([*ALIASES, "the", "is", "database", '"', "(", "?", "5", "ETH Zurich", "price"])


@given(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=60))
def test_doing_it_twice_changes_nothing_more(question: str):
    once = expand_aliases(question, ALL).text
    assert expand_aliases(once, ALL).text == once


@given(st.lists(WORDS, max_size=8).map(" ".join))
def test_quoted_text_is_kept_to_the_letter(inside: str):
    quoted = '"' + inside.replace('"', "") + '"'
    assert quoted in expand_aliases(f"btc {quoted} eth", ALL).text


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("What does OLS stand for?", "What does OLS mean?"),
        ("what do the letters in MLE stand for", "what do the letters in MLE mean"),
        ("What is OLS short for?", "What does OLS mean?"),
        ("What is OLS an abbreviation of?", "What does OLS mean?"),
        ("Where does the band stand for the picture?", "Where does the band stand for the picture?"),
        ("What is the stand for?", "What is the stand for?"),
    ],
)
def test_what_asks_for_a_meaning_is_read_as_such(question, read):
    assert read_as_asked(question, []) == read
