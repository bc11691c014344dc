"""SearXNG's search API on loopback, as docs.searxng.org documents it: GET /search?format=json."""

from datetime import UTC, datetime, timedelta

from news_service import NewsService, Reply, words_of

REACH = {"day": 1, "week": 7, "month": 31, "year": 366}
HTML = {"Content-Type": "text/html; charset=utf-8"}


class SearxngServer(NewsService):
    """``formats`` are those that the instance's settings.yml allows; ``silent`` are engines that did not answer."""

    def __init__(self, stories=(), now=None):
        super().__init__(stories)
        self.now = now or datetime.now(UTC)
        self.formats = {"html", "json"}
        self.silent = []

    def reply(self, request):
        if request.method != "GET" or request.path != "/search":
            return Reply(404, b"Not Found", HTML)
        asked = request.query
        if asked.get("format", "html") not in self.formats:
            return Reply(403, b"<h1>Forbidden</h1>", HTML)
        if not asked.get("q"):
            return Reply(400, {"error": "No query"})
        if asked.get("time_range", "day") not in REACH:
            return Reply(400, {"error": f"Invalid time_range {asked['time_range']}"})
        return Reply(
            200,
            {
                "query": asked["q"],
                "number_of_results": 0,
                "results": [] if self.silent else self._results(asked),
                "answers": [],
                "corrections": [],
                "infoboxes": [],
                "suggestions": [],
                "unresponsive_engines": self.silent,
            },
        )

    def _results(self, asked):
        words = words_of(asked["q"])
        since = None
        if "time_range" in asked:
            since = self.now - timedelta(days=REACH[asked["time_range"]])
        found = [s for s in self.stories if s.holds(words) and (since is None or s.published_at >= since)]
        found.sort(key=lambda story: -story.holds(words))
        return [
            {
                "title": story.title,
                "url": story.url,
                "content": story.teaser,
                "engine": "bing news",
                "engines": ["bing news"],
                "positions": [place],
                "score": 1 / place,
                "category": asked.get("categories", "general"),
                # without a time zone, as its engines give it
                "publishedDate": story.published_at.astimezone(UTC).replace(tzinfo=None).isoformat(),
            }
            for place, story in enumerate(found, 1)
        ]
