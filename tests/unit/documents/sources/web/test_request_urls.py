import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.errors import SourceError
from ascertain.documents.sources.web.urls import hide_secrets, parse_requestable, port_of

REFUSED = (
    "ftp://host/x",
    "file:///etc/passwd",
    "gopher://host:70/1",
    "javascript:alert(1)",
    "data:text/html,hi",
    "//host/x",
    "host/x",
    "",
    "http://",
    "http:///x",
    "http:host",
    "http://user@host/",
    "http://user:password@host/",
    "http://host@127.0.0.1/",
    "http://2130706433/",
    "http://017700000001/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.0.0.01/",
    "http://127.0.0.0x1/",
    "http://0177.0.0.1/",
    "http://1.1.1.1.1/",
    "http://127.0.0.1.2/",
    "http://127%2e0%2e0%2e1/",
    "http://１２７.0.0.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://[fe80::1%25eth0]/",
    "http://[::1/",
    "http://[::ffff:127.0.0.1/",
    "http://host:0/",
    "http://host:65536/",
    "http://host:-1/",
    "http://host:8x/",
    "http://ho st/",
    "http://host/a b",
    "http://host/\r\nX: y",
    "http://host\\@other/",
    "http:\\\\host/",
    "http://host\t/",
    "http://-host-/",
    "http://a..b/",
    "http://host/" + "x" * 9000,
)


@pytest.mark.parametrize("url", REFUSED)
def test_refuses_what_is_no_plain_web_address(url):
    with pytest.raises(SourceError):
        parse_requestable(url)


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://host/x", "host", 80),
        ("HTTPS://Host.Example./x", "host.example.", 443),
        ("http://host:8080/x?q=1#f", "host", 8080),
        ("http://127.0.0.1/", "127.0.0.1", 80),
        ("http://[::1]:9/", "::1", 9),
        ("http://bücher.example/", "xn--bcher-kva.example", 80),
        ("http://my_host.example/", "my_host.example", 80),
        ("http://3com.example/", "3com.example", 80),
    ],
)
def test_takes_plain_web_addresses(url, host, port):
    found = parse_requestable(url)
    assert (found.raw_host.decode(), port_of(found)) == (host, port)
    assert found.fragment == ""


@given(st.text(alphabet="0123456789abcdefx.[]:%@/\\?#-_ \t\u3002\uff0e\uff11\u2460é", max_size=40))
def test_a_host_that_passes_is_a_name_or_a_plain_address(text):
    try:
        url = parse_requestable(f"http://{text}")
    except SourceError:
        return
    host = url.raw_host.decode("ascii")
    assert url.userinfo == b""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        # no resolver takes it for a number
        assert not host.rstrip(".").rpartition(".")[2].isdecimal()
        assert not set(host) & set("/\\@?#[]:% ")
    else:
        assert address.version == 6 or str(address) == host


@given(st.text())
def test_any_text_is_a_url_or_a_clear_error(text):
    try:
        parse_requestable(text)
    except SourceError as error:
        assert "\n" not in str(error)
        str(error).encode()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://host/path?apikey=secret#part", "https://host/path?…"),
        ("https://user:secret@host/path", "https://host/path"),
        ("https://host/" + "x" * 500, "https://host/" + "x" * 187 + "…"),
        ("http://host/\r\nSecond: line", "http://host/Second: line"),
        ("http://[::1", "http://[::1"),
    ],
)
def test_shows_addresses_without_what_may_be_secret(url, said):
    assert hide_secrets(url) == said
