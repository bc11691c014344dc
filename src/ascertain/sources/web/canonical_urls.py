"""One spelling for the many URLs of one page, so that it is one document however it was found."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import httpx

from ascertain.core.errors import SourceError
from ascertain.sources.web.request_urls import requestable

_TRACKING = re.compile(
    # Parameters that say where a reader came from and never what the page is: those that Firefox and Brave strip.
    r"utm_[a-z_]+|[fg]bclid|gclsrc|dclid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id|mkt_tok|wickedid|_hsenc|_hsmi"
    r"|__hss?[a-z]*|vero_(?:id|conv)|oly_(?:anon|enc)_id|s_cid|rb_clickid|at_(?:medium|campaign)",
    re.IGNORECASE,
)
_SAME_SITE_PREFIXES = ("www.", "m.", "mobile.", "amp.")


def canonical_url(text: str) -> str:
    """``text`` with scheme and host in lower case, without fragment, the scheme's own port and tracking parameters.

    The order of the other parameters stays: some servers mind it. Raises SourceError as ``requestable`` does.
    """
    url = requestable(text)
    # httpx says "/" for a path that is not there, and then leaves it out again.
    url = url.copy_with(path="/") if url.path == "/" else url
    name, mark, query = str(url).partition("?")
    kept = "&".join(
        part for part in query.split("&") if part and not _TRACKING.fullmatch(part.partition("=")[0])
    )
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
    is_same_site = _site(own_url) == _site(claimed_url)
    return claimed if is_same_site and not is_front_page else own


def _site(url: httpx.URL) -> tuple[str, int | None]:
    """Host without the labels that sites put before their own name, and port. Other subdomains may belong to other people."""
    host = url.host.lower().rstrip(".")
    prefix = next((prefix for prefix in _SAME_SITE_PREFIXES if host.startswith(prefix)), "")
    return host[len(prefix) :], url.port
