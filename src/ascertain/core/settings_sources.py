"""Where material comes from outside: the web, feeds, news providers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ascertain.core.settings_section import Section


class WebSettings(Section):
    """Fetching addresses. Every request goes through one guarded client, whoever names the address."""

    timeout_seconds: float = Field(
        default=20, gt=0, le=600, description="Longest time for one address, redirects and body included."
    )
    max_megabytes: float = Field(
        default=20, gt=0, le=1000, description="Largest answer, as sent and as decompressed."
    )
    max_redirects: int = Field(default=5, ge=0, le=20, description="Redirects followed, each checked anew.")
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="Hosts, or host:port, that may be reached although their address is private: a SearXNG of your own, say.",
    )
    user_agent: str = Field(
        default="ascertain/0.1 (+https://pypi.org/project/ascertain/)",
        min_length=1,
        max_length=200,
        description="How requests name themselves.",
    )
    retries: int = Field(default=2, ge=0, le=10, description="Further tries after a refusal that may pass.")
    feed_entries: int = Field(
        default=100, ge=1, le=10_000, description="Newest entries of a feed that are read."
    )
    fetch_feed_pages: bool = Field(
        default=True,
        description="Read the page of a feed's entry where the feed itself has only a summary.",
    )
    arxiv_url: str = Field(
        default="https://export.arxiv.org", description="Where arXiv's API and papers are asked for."
    )
    arxiv_seconds: float = Field(
        default=3, ge=0, le=60, description="Least time between two requests to arXiv, as its terms ask for."
    )


class TavilySettings(Section):
    """Tavily's search API."""

    url: str = Field(default="https://api.tavily.com", description="Where it answers.")
    key_variable: str = Field(
        default="TAVILY_API_KEY", description="Environment variable that holds the key; never the key itself."
    )
    topic: Literal["news", "general"] = Field(default="news", description="What is searched.")


class GNewsSettings(Section):
    """GNews's search API."""

    url: str = Field(default="https://gnews.io/api/v4", description="Where it answers.")
    key_variable: str = Field(
        default="GNEWS_API_KEY", description="Environment variable that holds the key; never the key itself."
    )


class SearxngSettings(Section):
    """A SearXNG of your own or one that lets programs ask for JSON."""

    url: str = Field(default="", description="Where it answers, for example http://localhost:8888.")
    categories: str = Field(default="news", description="Categories searched, with commas.")


class FeedSettings(Section):
    """RSS and Atom feeds as a source of news."""

    urls: tuple[str, ...] = Field(default=(), description="Feeds that are looked through.")


class NewsSettings(Section):
    """News and other pages from outside that answers may rest on."""

    providers: tuple[str, ...] = Field(
        default=(),
        description="Who is asked, in order: tavily, gnews, searxng, rss. The next is asked where one fails or finds too little.",
    )
    fallback: bool = Field(
        default=True,
        description="Search outside when the stored sources are not sufficient for a question, if there is a provider.",
    )
    max_articles: int = Field(default=10, ge=1, le=100, description="Articles fetched for a question.")
    time_range: Literal["day", "week", "month", "year", "any"] = Field(
        default="month", description="How far back articles go where the question names no dates."
    )
    language: str = Field(default="en", max_length=10, description="Language asked for, ISO 639-1.")
    fetch_pages: bool = Field(
        default=True, description="Read the pages found, where a provider gives less than the text."
    )
    seconds: float = Field(
        default=25, gt=0, le=600, description="Longest time for all of one search outside."
    )
    tavily: TavilySettings = TavilySettings()
    gnews: GNewsSettings = GNewsSettings()
    searxng: SearxngSettings = SearxngSettings()
    rss: FeedSettings = FeedSettings()
