"""Calling a provider: the meaning of its refusals, and its answer as JSON objects. Every failure is one ProviderError.

The client retries temporary failures, within its time limit (Retry-After included).
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ascertain.core.errors import SourceError
from ascertain.documents.formats.drafts.draft import clean_text, short_line
from ascertain.documents.sources.news.ports import ProviderError
from ascertain.documents.sources.web.fetching import Fetched, FetchError
from ascertain.documents.sources.web.urls import canonical_url
from ascertain.language.tokens import STOP_WORDS
from ascertain.language.word_lists import load_words

Json = Mapping[str, object]

_SAID = 200
"""Characters of a provider's own words about a bad request that are passed on."""


def answer_of(
    name: str, request: Callable[[], Fetched], meanings: Mapping[int, str], explain: Callable[[Json], object]
) -> Json:
    """The JSON object that ``request`` is answered with.

    ``meanings`` says for a status what it means and what to do. For one that it does not name, ``explain`` finds the provider's own
    words in the error's JSON. Raises ProviderError, beginning with ``name``.
    """
    try:
        fetched = request()
    except FetchError as error:
        reason = meanings.get(error.status or 0)
        if reason is None:
            said = short_line(explain(_parse_json(error.body) or {}), _SAID) if error.status else None
            reason = f"{error}{f': {said}' if said else ''}"
        raise ProviderError(f"{name}: {reason}", retry_after=error.retry_after, is_passing=error.is_passing) from error
    except SourceError as error:
        raise ProviderError(f"{name}: {error}") from error
    answer = _parse_json(fetched.body)
    if answer is None:
        raise ProviderError(f"{name}: {fetched.url.partition('?')[0]} does not answer with a JSON object")
    return answer


def read_objects(answer: Json, key: str) -> list[Json]:
    """The JSON objects in the list under ``key``; none where it is missing or something else."""
    return [cast(Json, each) for each in read_items(answer.get(key)) if isinstance(each, dict)]


def read_items(value: object) -> list[object]:
    """The elements of a JSON list; none of what is something else."""
    return cast("list[object]", value) if isinstance(value, list) else []


def read_nested(answer: Json, key: str) -> Json:
    """The JSON object under ``key``; an empty one where it is missing or something else."""
    found = answer.get(key)
    return cast(Json, found) if isinstance(found, dict) else {}


def read_text(value: object) -> str:
    """Cleaned text; empty for everything that is none."""
    return clean_text(value) if isinstance(value, str) else ""


def web_address(value: object) -> str | None:
    """A link in its canonical spelling; None for everything that cannot be fetched and cited."""
    try:
        return canonical_url(value.strip()) if isinstance(value, str) else None
    except SourceError:
        return None


def _parse_json(body: bytes) -> Json | None:
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return cast(Json, value) if isinstance(value, dict) else None


_PHRASE = re.compile(r"[\"“”„]([^\"“”„]{1,200})[\"“”„]")
_WORD = re.compile(r"[^\W_]+(?:[.'’&+-][^\W_]+)*[+#]*")
_ASKING = frozenset(word for name in ("asking", "keywords", "news") for word in load_words("asking", name))
"""Words that ask for news; an article about the subject need not hold them."""
_READ = 4000
"""Characters of a query that are read for its words; what is asked about stands before."""


@dataclass(frozen=True, slots=True)
class QueryWords:
    """Each in order and as written: phrases that were quoted, names (runs of words with capitals or digits), the other content words."""

    phrases: tuple[str, ...]
    names: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """The most telling first."""
        return (*self.phrases, *self.names, *self.others)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    rank: int
    """0 for what must be kept, 1 for a content word, 2 for the rest."""
    is_phrase: bool = False


def query_words(text: str) -> QueryWords:
    """The words of ``text`` that an article about the same would hold; repeats are left out."""
    phrases: list[str] = []
    names: list[list[str]] = []
    others: list[str] = []
    follows_name = False
    for token in _iterate_tokens(text[:_READ]):
        is_name = token.rank == 0 and not token.is_phrase
        if token.is_phrase:
            phrases.append(" ".join(token.text.strip('"').split()))
        elif is_name and follows_name:
            names[-1].append(token.text)
        elif is_name:
            names.append([token.text])
        elif token.rank == 1:
            others.append(token.text)
        follows_name = is_name
    return QueryWords(
        _drop_repeats(iter(phrases)), _drop_repeats(" ".join(name) for name in names), _drop_repeats(iter(others))
    )


def word_query(text: str, about: Sequence[str] = ()) -> str:
    """What a person would type to look for what ``text`` asks: its phrases, names and content words in their order, and behind them the
    names (or where it has none the words) of each of ``about``, what the conversation speaks of, that are not among them.
    """
    words = [token.text for token in _iterate_tokens(text[:_READ]) if token.rank < 2]
    known = {word.casefold() for word in words}
    for topic in map(query_words, about):
        more = " ".join(topic.names or topic.others).split()
        words += [word for word in more if word.casefold() not in known]
    return " ".join(words) or text


def shorten_query(text: str, limit: int) -> str:
    """``text`` on one line in at most ``limit`` characters, cut between words.

    Quoted phrases and names stay first, then content words, then the rest, each in its order; what is kept keeps its place.
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    tokens = list(_iterate_tokens(line[:_READ]))
    kept: set[int] = set()
    length = -1
    for index in sorted(range(len(tokens)), key=lambda i: (tokens[i].rank, i)):
        if length + 1 + len(tokens[index].text) <= limit:
            kept.add(index)
            length += 1 + len(tokens[index].text)
    return " ".join(tokens[index].text for index in sorted(kept)) or line[:limit].rstrip()


def _iterate_tokens(text: str) -> Iterator[_Token]:
    shouted = text.isupper()
    end = 0
    for match in _PHRASE.finditer(text):
        yield from _iterate_words(text[end : match.start()], shouted)
        if _WORD.search(match[1]):
            yield _Token(f'"{match[1].strip()}"', 0, is_phrase=True)
        end = match.end()
    yield from _iterate_words(text[end:], shouted)


def _iterate_words(text: str, shouted: bool) -> Iterator[_Token]:
    for match in _WORD.finditer(text):
        word = match[0]
        plain = word.lower().replace("’", "'")
        if plain in STOP_WORDS or plain in _ASKING:
            yield _Token(word, 2)
        else:
            is_name = any(c.isdigit() for c in word) or (not shouted and any(c.isupper() or c.istitle() for c in word))
            yield _Token(word, 0 if is_name else 1)


def _drop_repeats(words: Iterator[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for word in words:
        found.setdefault(word.casefold(), word)
    return tuple(found.values())
