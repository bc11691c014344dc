import gzip
import socket
import threading
import zlib

import pytest
from tls_certificates import contexts
from web_site import Reply, WebSite, article, gzipped, in_turn, redirect, with_etag

from ascertain.core.errors import SourceError
from ascertain.documents.sources.web import guarded_client
from ascertain.documents.sources.web.fetching import FetchError

PAGE = article("Bridges", "The harbour bridge is closed until May.")


def test_fetches_a_page_with_its_type_and_charset(site, client):
    site.pages["/a"] = Reply(PAGE, media_type="Text/HTML; Charset=ISO-8859-1")
    fetched = client.get(f"{site.url}/a?q=1#part")
    assert fetched.body == PAGE
    assert (fetched.status, fetched.media_type, fetched.charset) == (200, "text/html", "ISO-8859-1")
    assert fetched.url == f"{site.url}/a?q=1"
    assert site.asked[0].headers["user-agent"].startswith("ascertain/")
    assert site.asked[0].headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(PAGE)),
        ("gzip", gzip.compress(PAGE[:40]) + gzip.compress(PAGE[40:])),
        ("x-gzip", gzip.compress(PAGE) + bytes(8)),
        ("deflate", zlib.compress(PAGE)),
        ("deflate", zlib.compress(PAGE)[2:-4]),
        ("identity", PAGE),
    ],
)
def test_unpacks_what_servers_send(site, client, encoding, packed):
    site.pages["/"] = Reply(packed, headers={"Content-Encoding": encoding})
    assert client.get(f"{site.url}/").body == PAGE


@pytest.mark.parametrize(
    ("encoding", "packed", "reason"),
    [
        ("gzip", gzip.compress(PAGE)[:-20], "cut short"),
        ("gzip", b"plain", "damaged"),
        ("br", b"\x0b", "compressed as 'br'"),
        ("gzip, gzip", gzip.compress(gzip.compress(PAGE)), "compressed as 'gzip, gzip'"),
    ],
)
def test_refuses_what_cannot_be_unpacked(site, client, encoding, packed, reason):
    site.pages["/"] = Reply(packed, headers={"Content-Encoding": encoding})
    with pytest.raises(FetchError, match=reason):
        client.get(f"{site.url}/")


def test_a_bomb_is_not_unpacked_to_its_end(site, client_for):
    site.pages["/"] = gzipped(bytes(30_000_000))
    with pytest.raises(FetchError, match=r"larger than 1 MB once unpacked; raise web.max_megabytes"):
        client_for(site.host, max_megabytes=1).get(f"{site.url}/")


def test_an_endless_answer_is_not_read_to_its_end(site, client_for):
    def endless():
        while True:
            yield bytes(100_000)

    site.pages["/"] = lambda asked: Reply(endless())
    with pytest.raises(FetchError, match="larger than 1 MB"):
        client_for(site.host, max_megabytes=1).get(f"{site.url}/")


def test_an_answer_that_says_it_is_too_large_is_not_read_at_all(site, client_for):
    site.pages["/"] = Reply(iter(()), headers={"Content-Length": "2000000"})
    with pytest.raises(FetchError, match="larger than 1 MB"):
        client_for(site.host, max_megabytes=1).get(f"{site.url}/")


def test_a_server_that_drips_is_left_in_time(site, client_for):
    def dripping():
        while True:
            site.wait(0.05)
            yield b"x"

    site.pages["/"] = lambda asked: Reply(dripping())
    with pytest.raises(FetchError, match=r"no whole answer within 0.5 s") as caught:
        client_for(site.host, timeout_seconds=0.5, retries=0).get(f"{site.url}/")
    assert caught.value.is_passing


def test_the_time_holds_over_all_redirects(site, client_for, monkeypatch):
    def slow(asked):
        site.wait(0.2)
        return redirect("/")

    site.pages["/"] = slow
    monkeypatch.setattr(guarded_client, "MAX_REDIRECTS", 20)
    client = client_for(site.host, timeout_seconds=0.5, retries=0)
    with pytest.raises(FetchError, match=r"within 0.5 s"):
        client.get(f"{site.url}/")


def test_a_shorter_time_can_be_asked_for(site, client):
    site.pages["/"] = lambda asked: site.wait(3) or PAGE
    with pytest.raises(FetchError, match=r"within 0.2 s"):
        client.get(f"{site.url}/", seconds=0.2)


def test_follows_redirects_to_the_end(site, client):
    site.pages.update({"/1": redirect("2?x=1"), "/2": redirect(f"{site.url}/3", 308), "/3": PAGE})
    assert client.get(f"{site.url}/1").url == f"{site.url}/3"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("http://127.0.0.1:1/", "127.0.0.1 is a loopback address"),
        ("http://169.254.169.254/latest/meta-data", "a link-local address"),
        ("http://10.1.2.3/", "a private address"),
        ("http://[::1]/", "a loopback address"),
        ("http://[::ffff:10.0.0.1]/", "a private address"),
        ("http://2130706433/", "not written as a name or a plain address"),
        ("http://0x7f.1/", "not written as a name or a plain address"),
        ("file:///etc/passwd", "only http and https"),
        ("gopher://host/", "only http and https"),
        ("http://me:pass@host/", "user name or password"),
        ("", "redirect to nowhere"),
        ("http://[", "redirects to an address that is not fetched"),
    ],
)
def test_a_redirect_is_checked_as_the_first_address_was(site, client, target, reason):
    site.pages["/"] = redirect(target)
    with pytest.raises(SourceError, match=reason) as caught:
        client.get(f"{site.url}/")
    assert "pass@" not in str(caught.value)
    assert len(site.asked) == 1


def test_redirects_in_a_circle_end(site, client_for, monkeypatch):
    monkeypatch.setattr(guarded_client, "MAX_REDIRECTS", 3)
    site.pages["/"] = redirect("/")
    with pytest.raises(FetchError, match="more than 3 redirects"):
        client_for(site.host).get(f"{site.url}/")
    assert len(site.asked) == 4


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"])
def test_this_machine_is_not_reached(site, client_for, host):
    with pytest.raises(SourceError, match=r"a loopback address; .*web\.allowed_hosts"):
        client_for().get(f"http://{host}:{site.port}/")
    assert not site.asked


def test_an_allowed_port_does_not_allow_another(site, client_for):
    with pytest.raises(SourceError, match="loopback"):
        client_for("127.0.0.1:1").get(f"{site.url}/")


def test_a_name_that_leads_inside_is_not_reached(site, client_for):
    client = client_for(resolver=lambda host, port: ["127.0.0.1"])
    with pytest.raises(FetchError, match=r"evil.example leads to a loopback address") as caught:
        client.get(f"http://evil.example:{site.port}/")
    assert "127.0.0.1" not in str(caught.value)


def test_one_private_address_among_public_ones_is_enough(client_for):
    client = client_for(resolver=lambda host, port: ["93.184.216.34", "10.0.0.1"])
    with pytest.raises(FetchError, match="leads to a private address"):
        client.get("http://evil.example/")


def test_the_connection_goes_to_the_address_that_was_checked(site, client_for):
    """A name that changes its address between two look-ups: there is no second look-up."""
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    site.pages["/"] = PAGE
    client = client_for("rebinding.example", resolver=lambda host, port: next(answers))
    assert client.get(f"http://rebinding.example:{site.port}/").body == PAGE
    assert site.asked[0].headers["host"] == f"rebinding.example:{site.port}"


def test_a_name_that_turns_private_for_the_redirect_is_refused(site, client_for):
    answers = {"first.example": ["127.0.0.1"], "second.example": ["127.0.0.1"]}
    site.pages["/"] = redirect(f"http://second.example:{site.port}/")
    client = client_for("first.example", resolver=lambda host, port: answers[host])
    with pytest.raises(FetchError, match=r"second.example leads to a loopback address"):
        client.get(f"http://first.example:{site.port}/")
    assert len(site.asked) == 1


def test_the_next_address_is_tried_where_one_does_not_answer(site, client_for):
    site.pages["/"] = PAGE
    client = client_for("two.example", resolver=lambda host, port: ["::1", "127.0.0.1"])
    assert client.get(f"http://two.example:{site.port}/").body == PAGE


def test_a_resolver_that_does_not_answer_is_left_in_time(client_for):
    stuck = threading.Event()
    client = client_for(resolver=lambda host, port: stuck.wait(5) and [], timeout_seconds=0.2, retries=0)
    with pytest.raises(FetchError, match=r"within 0.2 s"):
        client.get("http://slow.example/")
    stuck.set()


def test_a_name_without_an_address_is_told_so(client_for):
    with pytest.raises(FetchError, match=r"http://nowhere.invalid/: the name has no address"):
        client_for().get("http://nowhere.invalid/")


def test_the_certificate_is_that_of_the_name_not_of_the_address(tmp_path, client_for):
    server, trusting = contexts("secure.example", tmp_path)
    site = WebSite(server)
    site.pages["/"] = PAGE
    try:
        client = client_for("secure.example", "other.example", resolver=lambda *_: ["127.0.0.1"], tls=trusting)
        assert client.get(f"https://secure.example:{site.port}/").body == PAGE
        with pytest.raises(FetchError, match="its certificate is not trusted"):
            client.get(f"https://other.example:{site.port}/")
    finally:
        site.close()


def test_a_handshake_that_never_ends_is_left_in_time(client_for):
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    with pytest.raises(FetchError, match=r"within 0.3 s"):
        client_for("127.0.0.1", timeout_seconds=0.3, retries=0).get(f"https://127.0.0.1:{port}/")
    silent.close()


def test_the_media_type_is_checked_before_the_body(site, client):
    site.pages["/"] = Reply(b"\x89PNG", media_type="image/png")
    with pytest.raises(FetchError, match="answers with image/png, not with text/ or application/pdf"):
        client.get(f"{site.url}/", accept=("text/", "application/pdf"))
    assert site.asked[0].headers["accept"] == "text/*, application/pdf"


def test_an_answer_without_a_type_is_taken(site, client):
    site.pages["/"] = Reply(PAGE, media_type=None)
    assert client.get(f"{site.url}/", accept=("text/html",)).media_type == ""


def test_not_modified_is_an_answer(site, client):
    site.pages["/"] = with_etag(PAGE, '"7"')
    assert client.get(f"{site.url}/").headers["etag"] == '"7"'
    again = client.get(f"{site.url}/", headers={"If-None-Match": '"7"'}, accept=("text/html",))
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_a_refusal_is_an_error_at_once(site, client, status):
    site.pages["/"] = Reply(b'{"detail": "no"}', status)
    with pytest.raises(FetchError, match=rf"answers with {status} \(") as caught:
        client.get(f"{site.url}/?key=secret")
    assert (caught.value.status, caught.value.body, caught.value.is_passing) == (status, b'{"detail": "no"}', False)
    assert "secret" not in str(caught.value)
    assert len(site.asked) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_refusal_that_passes_is_waited_for(site, client, status):
    site.pages["/"] = in_turn(Reply(b"", status), Reply(b"", status), PAGE)
    assert client.get(f"{site.url}/").body == PAGE
    assert len(client.slept) == 2
    assert 0.25 <= client.slept[0] <= 0.5 <= client.slept[1] <= 1.0


def test_the_server_says_how_long_to_wait(site, client):
    site.pages["/"] = in_turn(Reply(b"", 429, headers={"Retry-After": "2"}), PAGE)
    assert client.get(f"{site.url}/").body == PAGE
    assert client.slept == [2.0]


def test_a_wait_longer_than_the_time_is_not_waited(site, client):
    site.pages["/"] = Reply(b"", 503, headers={"Retry-After": "3600"})
    with pytest.raises(FetchError, match=r"503 .*asks to wait 3600 s") as caught:
        client.get(f"{site.url}/")
    assert (caught.value.retry_after, caught.value.is_passing, client.slept) == (3600, True, [])


def test_tries_end(site, client_for):
    site.pages["/"] = Reply(b"", 503)
    client = client_for(site.host, retries=2)
    with pytest.raises(FetchError, match="503"):
        client.get(f"{site.url}/")
    assert len(site.asked) == 3


def test_a_closed_port_is_told_so_after_the_tries(client_for):
    client = client_for("127.0.0.1", retries=1)
    with pytest.raises(FetchError, match="cannot be connected to: Connection refused"):
        client.get("http://127.0.0.1:1/?apikey=secret")
    assert len(client.slept) == 1


def test_posts_json_and_takes_json(site, client):
    site.pages["/"] = lambda asked: Reply(asked.body, media_type="application/json")
    assert client.post(f"{site.url}/", {"query": "räksmörgås"}).body == b'{"query": "r\\u00e4ksm\\u00f6rg\\u00e5s"}'
    assert site.asked[0].headers["content-type"] == "application/json"
    site.pages["/"] = redirect("/other")
    with pytest.raises(FetchError, match="redirect that is not followed"):
        client.post(f"{site.url}/", {})


def test_headers_do_not_follow_to_another_origin(site, client_for):
    other = WebSite()
    other.pages["/"] = PAGE
    site.pages.update({"/": redirect("/here"), "/here": redirect(other.url + "/")})
    try:
        client_for("127.0.0.1").get(f"{site.url}/", headers={"Authorization": "Bearer secret"})
    finally:
        other.close()
    assert [asked.headers.get("authorization") for asked in (*site.asked, *other.asked)] == ["Bearer secret"] * 2 + [
        None
    ]


def test_a_header_that_cannot_be_sent_is_an_error_without_its_value(site, client):
    with pytest.raises(FetchError, match="a header that cannot be sent") as caught:
        client.get(f"{site.url}/", headers={"X-Key": "secret\nHost: other"})
    assert "secret" not in str(caught.value)


def test_cookies_are_not_kept(site, client):
    site.pages["/"] = Reply(PAGE, headers={"Set-Cookie": "who=me"})
    client.get(f"{site.url}/")
    client.get(f"{site.url}/")
    assert all("cookie" not in asked.headers for asked in site.asked)


def test_no_proxy_of_the_environment_is_used(site, client, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    site.pages["/"] = PAGE
    assert client.get(f"{site.url}/").body == PAGE


def test_many_threads_share_a_client(site, client):
    site.pages["/"] = PAGE
    bodies = []
    threads = [threading.Thread(target=lambda: bodies.append(client.get(f"{site.url}/").body)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bodies == [PAGE] * 16


def test_what_is_not_http_is_told_so(client_for):
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]

    def answer():
        for _ in range(2):
            connection, _ = server.accept()
            connection.recv(1000)
            connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
            connection.close()

    thread = threading.Thread(target=answer)
    thread.start()
    with pytest.raises(FetchError, match="something that is not HTTP"):
        client_for("127.0.0.1", retries=1).get(f"http://127.0.0.1:{port}/")
    thread.join()
    server.close()
