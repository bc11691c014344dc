"""Tavily's search API on loopback, as docs.tavily.com documents it: POST /search with a bearer key."""

from datetime import date
from email.utils import format_datetime

from news_service import NewsService, Reply, words_of

MOST_CHARACTERS = 400


def failure(status, words):
    return Reply(status, {"detail": {"error": words}})


RATE_LIMITED = failure(429, "Your request has been blocked due to excessive requests. Please reduce rate of requests.")
PLAN_USED_UP = failure(432, "This request exceeds your plan's set usage limit.")
PAY_LIMIT = failure(433, "This request exceeds the pay-as-you-go limit.")


class TavilyServer(NewsService):
    """``gives_text`` is whether results carry ``raw_content``: the service has it of most pages, not of all. ``least`` is the share of the
    query's longer words that a result must hold.
    """

    def __init__(self, stories=(), key="tvly-secret"):
        super().__init__(stories)
        self.key = key
        self.gives_text = True
        self.least = 0.0

    def reply(self, request):
        if (request.method, request.path) != ("POST", "/search"):
            return failure(404, "Not Found")
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return failure(401, "Unauthorized: missing or invalid API key.")
        asked = request.json
        problem = _problem(asked)
        if problem:
            return failure(400, problem)
        return Reply(
            200,
            {
                "query": asked["query"],
                "answer": None,
                "images": [],
                "results": self._results(asked),
                "response_time": 0.7,
                "request_id": "123e4567-e89b-12d3-a456-426614174111",
            },
        )

    def _results(self, asked):
        words = words_of(asked["query"])
        telling = [word for word in words if len(word) > 3]
        start, end = (date.fromisoformat(asked[k]) if asked.get(k) else None for k in ("start_date", "end_date"))
        found = []
        for story in self.stories:
            day = story.published_at.date()
            if (start and day < start) or (end and day > end) or not story.holds(words):
                continue
            if story.holds(telling) < self.least * len(telling):
                continue
            result = {
                "title": story.title,
                "url": story.url,
                "content": story.teaser,
                "score": story.holds(words) / max(1, len(words)),
                "raw_content": story.text if asked.get("include_raw_content") and self.gives_text else None,
            }
            if asked.get("topic") == "news":
                result["published_date"] = format_datetime(story.published_at, usegmt=True)
            found.append(result)
        found.sort(key=lambda result: -result["score"])
        return found[: asked.get("max_results", 5)]


def _problem(asked):
    query = asked.get("query")
    if not isinstance(query, str) or not query.strip():
        return "Query is missing."
    if len(query) > MOST_CHARACTERS:
        return "Query is too long. Max query length is 400 characters."
    if asked.get("topic", "general") not in {"general", "news", "finance"}:
        return "Invalid topic. Must be 'general' or 'news'."
    if not 0 <= asked.get("max_results", 5) <= 20:
        return "Invalid max_results. Must be between 0 and 20."
    if asked.get("include_raw_content") not in {None, False, True, "markdown", "text"}:
        return "Invalid include_raw_content."
    try:
        start, end = (date.fromisoformat(asked[k]) if asked.get(k) else None for k in ("start_date", "end_date"))
    except ValueError:
        return "Invalid date format. Use YYYY-MM-DD."
    if start and end and start >= end:
        return "start_date must be before end_date."
    return None
