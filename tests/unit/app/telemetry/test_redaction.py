import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.app.telemetry.logs import HIDDEN, Redaction

TOKEN = st.text(string.ascii_letters + string.digits + "-_.~", min_size=8, max_size=60)
WORDS = st.text(max_size=80)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer ***"),
        ("'authorization': 'Basic dXNlcjpwYXNz'", "'authorization': 'Basic ***'"),
        ("X-API-Key: 8f14e45f", "X-API-Key: ***"),
        ('{"api_key": "8f14e45f"}', '{"api_key": "***"}'),
        (
            "https://gnews.io/api/v4/search?q=ether&apikey=8f14e45f&max=5",
            "https://gnews.io/api/v4/search?q=ether&apikey=***&max=5",
        ),
        ("postgresql://me:pa/ss@wo@db.example.org/knowledge", "postgresql://***@db.example.org/knowledge"),
        ("password=hunter2 user=me", "password=*** user=me"),
        ("refused: sk-proj-abcdefgh1234", "refused: ***"),
        ("tvly-dev-abcdefgh1234 is not valid", "*** is not valid"),
        (f"key ask_{'aB3-_' * 8}xyz of acme", "key *** of acme"),
        ("ask_stream ended", "ask_stream ended"),
        ("the key of http://db:6333 travels unencrypted", "the key of http://db:6333 travels unencrypted"),
        ("3 documents added in 0.2 s", "3 documents added in 0.2 s"),
        ("1,400 tokens of the budget", "1,400 tokens of the budget"),
    ],
)
def test_replaces_what_looks_like_a_secret_and_nothing_else(text, told):
    assert Redaction()(text) == told


@given(before=WORDS, token=TOKEN, after=WORDS)
def test_values_of_secret_variables_are_never_told(before, token, after):
    redact = Redaction.of({"TAVILY_API_KEY": token})
    assert token not in redact(f"{before}{token}{after}").replace(HIDDEN, " ")


@given(before=WORDS, token=TOKEN, after=WORDS)
def test_bearer_tokens_are_never_told(before, token, after):
    assert f"earer {token}" not in Redaction()(f"{before} Authorization: Bearer {token} {after}")


@given(
    password=st.text(string.printable.strip(), min_size=1, max_size=30).filter(
        lambda text: not set(text) & set("\"'<>@ ")
    )
)
def test_passwords_in_addresses_are_never_told(password):
    told = Redaction()(f"cannot connect to postgresql://me:{password}@db.example.org/knowledge")
    assert told == "cannot connect to postgresql://***@db.example.org/knowledge"


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("OPENAI_API_KEY", True),
        ("ASCERTAIN_STORE_KEY", True),
        ("GITHUB_TOKEN", True),
        ("DB_PASSWORD", True),
        ("OTEL_EXPORTER_OTLP_HEADERS", True),
        ("HOME", False),
        ("ASCERTAIN_UI__KEY_VARIABLE", False),
        ("LANG", False),
    ],
)
def test_variables_are_known_as_secret_by_their_names(name, is_secret):
    assert (Redaction.of({name: "C.UTF-8 value"})("it is C.UTF-8 value") == "it is ***") is is_secret


def test_short_values_are_left_alone():
    assert Redaction.of({"API_KEY": "on"})("on and on") == "on and on"
