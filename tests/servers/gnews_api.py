"""GNews's search API on loopback, as docs.gnews.io documents it: GET /search with an API key and a query language."""

import re
from datetime import datetime

from news_service import NewsService, Reply, words_of

MOST_CHARACTERS = 200
SHOWN = 260
_TOKEN = re.compile(r'\s*(?:"([^"]*)"|(\(|\))|([^\s()"]+))')


def failure(status, *words):
    return Reply(status, {"errors": list(words)})


def bad_parameter(name, words):
    return Reply(400, {"errors": {name: words}})


QUOTA_USED_UP = failure(
    403, "You have reached your request limit for today, the next reset will be tomorrow at midnight UTC."
)
TOO_FAST = failure(429, "You have made too many requests in a short period of time, please try again later.")


class GNewsServer(NewsService):
    """``plan`` is how many articles a request gives at most; ``gives_text`` is for plans with the whole content."""

    def __init__(self, stories=(), key="gnews-secret", plan=10):
        super().__init__(stories)
        self.key = key
        self.plan = plan
        self.gives_text = False

    def reply(self, request):
        if (request.method, request.path) != ("GET", "/search"):
            return failure(404, "Not found")
        asked = request.query
        if asked.get("apikey", request.headers.get("x-api-key")) != self.key:
            return failure(401, "Your API key is invalid.")
        query = asked.get("q", "")
        if not query:
            return bad_parameter("q", "The query is required.")
        if len(query) > MOST_CHARACTERS:
            return bad_parameter("q", "The query must not exceed 200 characters.")
        try:
            matches = parsed(query)
        except ValueError:
            return bad_parameter("q", "The query has a syntax error")
        try:
            since, until = (_moment(asked[name]) if name in asked else None for name in ("from", "to"))
        except ValueError:
            return bad_parameter("from", "The date is invalid, it must be in the format YYYY-MM-DDThh:mm:ssZ")
        found = [s for s in self.stories if matches(s)]
        found = [s for s in found if (not since or s.published_at >= since) and (not until or s.published_at <= until)]
        if asked.get("sortby") != "relevance":
            found.sort(key=lambda story: story.published_at, reverse=True)
        given = found[: min(int(asked.get("max", 10)), self.plan)]
        return Reply(200, {"totalArticles": len(found), "articles": [self._article(story) for story in given]})

    def _article(self, story):
        content = story.text
        if not self.gives_text and len(content) > SHOWN:
            content = f"{content[:SHOWN]}... [{len(content) - SHOWN} chars]"
        return {
            "id": str(abs(hash(story.url))),
            "title": story.title,
            "description": story.teaser,
            "content": content,
            "url": story.url,
            "image": None,
            "publishedAt": f"{story.published_at:%Y-%m-%dT%H:%M:%SZ}",
            "lang": "en",
            "source": {"id": "1", "name": story.publisher, "url": "https://ledger.example", "country": "us"},
        }


def parsed(query):
    """A function from a story to whether it fulfils ``query``; ValueError for bad syntax. OR binds more tightly than AND."""
    tokens = []
    position = 0
    while position < len(query.rstrip()):
        match = _TOKEN.match(query, position)
        if not match:
            raise ValueError(query)
        position = match.end()
        if match[1] is not None:
            tokens.append(("phrase", match[1]))
        elif match[2]:
            tokens.append((match[2], ""))
        elif match[3] in {"AND", "OR", "NOT"}:
            tokens.append((match[3], ""))
        elif re.fullmatch(r"\w+", match[3]):
            tokens.append(("phrase", match[3]))
        else:
            # special characters stand in quotes only
            raise ValueError(match[3])
    rest, matches = _all_of(tokens)
    if rest:
        raise ValueError(query)
    return matches


def _all_of(tokens):
    tokens, first = _any_of(tokens)
    parts = [first]
    while tokens and tokens[0][0] != ")":
        tokens, part = _any_of(tokens[1:] if tokens[0][0] == "AND" else tokens)
        parts.append(part)
    return tokens, lambda story: all(part(story) for part in parts)


def _any_of(tokens):
    tokens, first = _one(tokens)
    parts = [first]
    while tokens and tokens[0][0] == "OR":
        tokens, part = _one(tokens[1:])
        parts.append(part)
    return tokens, lambda story: any(part(story) for part in parts)


def _one(tokens):
    if not tokens:
        raise ValueError("an operator without an operand")
    (kind, text), *rest = tokens
    if kind == "NOT":
        rest, part = _one(rest)
        return rest, lambda story: not part(story)
    if kind == "(":
        rest, part = _all_of(rest)
        if not rest or rest[0][0] != ")":
            raise ValueError("an open parenthesis")
        return rest[1:], part
    if kind != "phrase" or not words_of(text):
        raise ValueError(kind)
    wanted = f" {' '.join(words_of(text))} "
    return rest, lambda story: wanted in f" {' '.join(words_of(story.title + ' ' + story.text))} "


def _moment(text):
    return datetime.fromisoformat(text)
