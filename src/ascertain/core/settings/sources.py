"""Settings of the sources outside: the web, feeds, news providers."""

from pydantic import Field

from ascertain.core.settings.section import Section

TIME_RANGE = r"^(?:any|day|week|month|year|[1-9]\d{0,2}d|[1-9]\d{0,3}h|[1-9]y)$"
"""How far back articles go: a name, or a number of days, hours or years."""
TIME_RANGES = "any, day, week, month, year, or days, hours or years such as 7d, 30d, 24h, 1y"
"""The same for people."""


class WebSettings(Section):
    """Fetching addresses. Every request goes through one guarded client, whatever the source of the address."""

    timeout_seconds: float = Field(
        default=20,
        gt=0,
        le=600,
        description="Longest time for one address, redirects and body included; longer for slow sites.",
    )
    max_megabytes: float = Field(
        default=20,
        gt=0,
        le=1000,
        description="Largest answer, as sent and as decompressed; raise it for large reports.",
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="Hosts, or host:port, that may be reached although their address is private: a SearXNG "
        "of your own, say.",
    )
    user_agent: str = Field(
        default="ascertain/0.1 (+https://pypi.org/project/ascertain/)",
        min_length=1,
        max_length=200,
        description="User agent of requests; add an address that sites can write to.",
    )
    retries: int = Field(
        default=2,
        ge=0,
        le=10,
        description="Retries after a temporary refusal; more at night, fewer where someone waits.",
    )
    fetch_pages: bool = Field(
        default=True,
        description="Read the page of a feed's entry, or of news found, where only a summary came with it; "
        "false where summaries are enough.",
    )
    arxiv_url: str = Field(
        default="https://export.arxiv.org", description="Address of arXiv's API and papers; set it to your own mirror."
    )


class SearxngSettings(Section):
    """A SearXNG of your own or one that lets programs ask for JSON."""

    url: str = Field(
        default="", description="Where it answers, for example http://localhost:8888; needed for the provider searxng."
    )


class FeedSettings(Section):
    """RSS and Atom feeds as a source of news."""

    urls: tuple[str, ...] = Field(default=(), description="Feeds that are looked through; needed for the provider rss.")


class NewsSettings(Section):
    """News and other pages from outside that answers may rest on."""

    providers: tuple[str, ...] = Field(
        default=(),
        description="Who is asked, in order: tavily, gnews, searxng, rss. The next is asked where one fails "
        "or finds too little.",
    )
    fallback: bool = Field(
        default=True,
        description="Search outside when the stored sources are not sufficient for a question, if there is a "
        "provider; false to answer from your documents alone.",
    )
    max_articles: int = Field(
        default=10,
        ge=1,
        le=100,
        description="Articles fetched for a question; fewer to be quick, more for a summary of events.",
    )
    time_range: str = Field(
        default="month",
        pattern=TIME_RANGE,
        examples=["any", "day", "week", "month", "year", "7d", "24h", "1y"],
        description="How far back articles go where the question names no dates; any for material that does not age.",
    )
    language: str = Field(
        default="en", max_length=10, description="Language asked for, ISO 639-1; that of your questions."
    )
    categories: str = Field(
        default="news",
        description="What is searched, with commas; general or science for material that is not news "
        "(tavily knows news and general).",
    )
    searxng: SearxngSettings = SearxngSettings()
    rss: FeedSettings = FeedSettings()
