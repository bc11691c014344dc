import pytest
from starlette.datastructures import Headers

from ascertain.app.access.api_keys import is_loopback
from ascertain.app.access.connections import find_stranger


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.7", False),
        ("localhost.example.org", False),
        ("example.org", False),
        ("", False),
    ],
)
def test_knows_the_names_of_this_machine(host, loopback):
    assert is_loopback(host) is loopback


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({"host": "127.0.0.1:8000"}, False),
        ({"host": "[::1]:8000"}, False),
        ({"host": "user@127.0.0.1"}, False),
        ({}, True),
        ({"host": "example.org:8000"}, True),
        ({"host": "[::1"}, True),
        ({"host": "localhost:8000", "origin": "http://LOCALHOST:8000"}, False),
        ({"host": "localhost:8000", "origin": "http://localhost"}, True),
        ({"host": "localhost:8000", "origin": "null"}, True),
        ({"host": "localhost:8000", "origin": "http://[::1"}, True),
        ({"host": "localhost:8000", "origin": "https://page.example.org"}, False),
    ],
)
def test_refuses_what_a_page_of_a_stranger_sends(headers, refused):
    assert (find_stranger(Headers(headers), ("https://page.example.org",), is_open=True) is not None) is refused


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({"host": "ask.example.org"}, False),
        ({"host": "ask.example.org", "origin": "https://ask.example.org"}, False),
        ({"host": "ask.example.org", "origin": "https://evil.example.org"}, True),
        ({"host": "ask.example.org", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, True),
        ({"host": "ask.example.org", "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"}, True),
        ({"host": "ask.example.org", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, False),
        ({"host": "ask.example.org", "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}, False),
    ],
)
def test_with_keys_any_name_will_do_and_no_page_of_a_stranger(headers, refused):
    assert (find_stranger(Headers(headers), (), is_open=False) is not None) is refused
