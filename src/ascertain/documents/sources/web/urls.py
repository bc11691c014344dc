"""Which arguments of ``add`` are addresses, and of what."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx

from ascertain.core.errors import SourceError, UsageError
from ascertain.documents.formats.drafts.draft import clean_line

_LONGEST = 8000
"""Characters; RFC 9110 asks for at least 8000 octets in a request line, servers take little more."""
_SHOWN = 200
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?")
_NUMERIC_LABEL = re.compile(r"0x[0-9a-f]*|[0-9]+")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")


def parse_requestable(text: str) -> httpx.URL:
    """``text`` as a URL with scheme http or https, no user name, and a host in its plain spelling.

    Hosts that only some parsers take for an address (2130706433, 0x7f.1, 127.1, 127.0.0.01) are refused: parsers that disagree are how
    guards are passed. Raises SourceError, beginning with the address without secrets.
    """
    if len(text) > _LONGEST:
        raise SourceError(f"{hide_secrets(text)}: an address of {len(text):,} characters; {_LONGEST:,} is the most")
    if _FORBIDDEN.search(text):
        raise SourceError(f"{hide_secrets(text)}: has a space, a backslash or a control character in it")
    try:
        url = httpx.URL(text)
        host = url.raw_host.decode("ascii")
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise SourceError(f"{hide_secrets(text)}: is not a valid address") from error
    if url.scheme not in {"http", "https"}:
        raise SourceError(f"{hide_secrets(text)}: only http and https addresses are fetched")
    if url.userinfo:
        raise SourceError(f"{hide_secrets(text)}: contains a user name or password; give the address without it")
    if not _is_plain_host(host):
        raise SourceError(f"{hide_secrets(text)}: the host is not written as a name or a plain address")
    if not 0 < port_of(url) < 65536:
        raise SourceError(f"{hide_secrets(text)}: there is no port {url.port}")
    return url.copy_with(fragment=None)


def port_of(url: httpx.URL) -> int:
    """The port, that of the scheme where none is named."""
    return url.port if url.port is not None else (443 if url.scheme == "https" else 80)


def hide_secrets(url: httpx.URL | str) -> str:
    """An address for messages: without user name, password, query and fragment, which may hold keys, and on one line."""
    text = str(url)
    try:
        parts = urlsplit(text)
        place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        query = "?…" if parts.query else ""
    except ValueError:
        place, query = re.split(r"[?#]", text, maxsplit=1)[0].rpartition("@")[2], ""
    place = re.sub(r"[\x00-\x20\x7f-\x9f]+", " ", place).encode("utf-8", "replace").decode()
    return (place if len(place) <= _SHOWN else place[:_SHOWN] + "…") + query


def _is_plain_host(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        last = host.rstrip(".").rpartition(".")[2]
        return len(host) <= 253 and bool(_NAME.fullmatch(host)) and not _NUMERIC_LABEL.fullmatch(last)
    # The scope of a link-local address names an interface of this machine.
    return "%" not in host and (address.version == 6 or str(address) == host)


_TRACKING = re.compile(
    # Parameters that say where a reader came from and never what the page is: those that Firefox and Brave strip.
    r"utm_[a-z_]+|[fg]bclid|gclsrc|dclid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id|mkt_tok|wickedid|_hsenc|_hsmi"
    r"|__hss?[a-z]*|vero_(?:id|conv)|oly_(?:anon|enc)_id|s_cid|rb_clickid|at_(?:medium|campaign)",
    re.IGNORECASE,
)
_SAME_SITE_PREFIXES = ("www.", "m.", "mobile.", "amp.")


def canonical_url(text: str) -> str:
    """``text`` with scheme and host in lower case, without fragment, the scheme's own port and tracking parameters.

    The order of the other parameters stays: some servers mind it. Raises SourceError as ``parse_requestable`` does.
    """
    url = parse_requestable(text)
    # httpx says "/" for a path that is not there, and then leaves it out again.
    url = url.copy_with(path="/") if url.path == "/" else url
    name, mark, query = str(url).partition("?")
    kept = "&".join(part for part in query.split("&") if part and not _TRACKING.fullmatch(part.partition("=")[0]))
    return f"{name}{mark}{kept}" if kept else name


def declared_url(fetched_from: str, declared: str | None) -> str:
    """The canonical URL of a page: the one it declares, where that is one of the same site, else the one it was fetched from.

    A page may not take the name of another site's; and a front page declared by every page of a site names none of them.
    """
    own = canonical_url(fetched_from)
    if not declared:
        return own
    try:
        claimed = canonical_url(urljoin(fetched_from, declared.strip()))
    except (SourceError, ValueError):
        return own
    own_url, claimed_url = httpx.URL(own), httpx.URL(claimed)
    is_front_page = claimed_url.path in {"", "/"} and own_url.path not in {"", "/"}
    is_same_site = _site_of(own_url) == _site_of(claimed_url)
    return claimed if is_same_site and not is_front_page else own


def _site_of(url: httpx.URL) -> tuple[str, int | None]:
    """Host without the labels that sites put before their own name, and port. Other subdomains may belong to other people."""
    host = url.host.lower().rstrip(".")
    prefix = next((prefix for prefix in _SAME_SITE_PREFIXES if host.startswith(prefix)), "")
    return host[len(prefix) :], url.port


_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_ARXIV_ID = re.compile(
    # https://info.arxiv.org/help/arxiv_identifier.html: since April 2007, and before.
    r"(?P<id>\d{4}\.\d{4,5}|[a-z][a-z-]*(?:\.[A-Z]{2})?/\d{7})(?:v(?P<version>[1-9]\d{0,2}))?"
)
_ARXIV_URL = re.compile(
    r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/(?P<rest>[^?#]+?)(?:\.pdf)?/?(?:[?#].*)?", re.IGNORECASE
)
_HOW = "give it as arxiv:1706.03762, arxiv:1706.03762v5 or arxiv:hep-th/9901001"


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A page, a file or a feed; ``url`` is canonical."""

    url: str

    @property
    def shown(self) -> str:
        """For messages and logs, without what may be secret."""
        return hide_secrets(self.url)


@dataclass(frozen=True, slots=True)
class ArxivAddress:
    """A paper of arXiv: its latest version, or the one named."""

    id: str
    version: int | None = None

    @property
    def name(self) -> str:
        """The identifier with the version that was asked for."""
        return self.id if self.version is None else f"{self.id}v{self.version}"

    @property
    def url(self) -> str:
        """The page of the paper, which is the source of its document."""
        return f"https://arxiv.org/abs/{self.name}"

    @property
    def shown(self) -> str:
        """For messages and logs."""
        return f"arxiv:{self.name}"


Address = WebAddress | ArxivAddress


def address_of(text: str) -> Address | None:
    """The address that ``text`` is, None when it is a path.

    Raises UsageError for an unsupported or malformed address.
    """
    text = text.strip()
    if text.lower().startswith("arxiv:"):
        return _read_arxiv_id(text[len("arxiv:") :].strip(), text)
    scheme = _SCHEME.match(text)
    if scheme is None:
        return None
    if scheme[1].lower() not in {"http", "https"}:
        raise UsageError(
            f"{hide_secrets(text)}: {scheme[1]} addresses are not read; give http, https or arxiv: ones, or a path"
        )
    paper = _ARXIV_URL.fullmatch(text)
    if paper is not None:
        return _read_arxiv_id(paper["rest"], text)
    try:
        return WebAddress(canonical_url(text))
    except SourceError as error:
        raise UsageError(str(error)) from error


def _read_arxiv_id(name: str, text: str) -> ArxivAddress:
    match = _ARXIV_ID.fullmatch(name)
    if match is None:
        named = hide_secrets(text) if "://" in text else clean_line(text)[:80]
        raise UsageError(f"{named}: not an identifier of arXiv; {_HOW}")
    return ArxivAddress(match["id"], int(match["version"]) if match["version"] else None)
