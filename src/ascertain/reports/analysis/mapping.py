"""Maps one document: its mood, its most informative sentences, what it names, what moved, and what somebody expects.

A pure function of the document, so that its result can be stored by the document's content hash.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from urllib.parse import urlsplit

from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.core.documents.profiling import DocumentType, TypeGroup
from ascertain.core.reports.analysis import DocumentMap, Forecast, Move, Quote, Statement
from ascertain.core.settings.profiles import Profile
from ascertain.language.languages import ENGLISH
from ascertain.language.names import names_in
from ascertain.language.sentences import is_fragment, leans_on_previous, split_sentences
from ascertain.language.tokens import content_terms, stem_word, word_informativeness
from ascertain.language.word_lists import load_word_set, load_words
from ascertain.reports.analysis.forecasts import find_forecast, is_foretold
from ascertain.reports.analysis.moods import MoodReader
from ascertain.reports.analysis.moves import Setting, find_moves
from ascertain.reports.analysis.written_names import find_whole_names, read_written_names

VERSION = "6"
"""Part of the key of a stored map; changes with what is read out of a document."""
MOST_STATEMENTS = 60
"""Sentences stored of one document, the most informative: an article has 5 to 40, and of a book these are enough to stand for it."""
MOST_KEY = 3
MOST_READ = 2_000
"""Sentences read of one document; a book's first chapters (by judgement: what is analysed is articles and papers)."""
MOST_NAMES = 40
TITLE_WEIGHT = 2.0
"""A headline says what the article says, so it counts as two of its sentences (by judgement)."""
_DAMPING = 0.3
"""What a neutral sentence, and the document itself, count for against one that takes a side: half a page of facts does not drown the
verdict (seeds that are not reported).
"""
_SHORTEST, _LONGEST = 25, 400
_WORD = re.compile(r"[a-z]+")
_DOES = re.compile(rf"\b[A-Z][\w’'-]{{0,40}} (?:{'|'.join(sorted(load_word_set('forecasts', 'events')))})\b")
_SMALL = re.compile(r"\b[a-z][\w-]*")
_OPENER = re.compile(r"[\"“‘'(]*(?P<word>[A-Z][\w-]{2,})(?=(?:['’]s)?\s+[^A-Z])")
_SUM = re.compile(rf"\b(?:{'|'.join(load_words('moves', 'currency_codes'))})\s?\d.*$")
"""A sum of money in a run of capitals: "Tarn Pay JPY 3.2"."""


_DESCRIBING = frozenset({TypeGroup.ACADEMIC, TypeGroup.EDUCATIONAL, TypeGroup.TECHNICAL, TypeGroup.LEGAL})


class DocumentMapper:
    """Maps documents by rules. ``profiles`` give the words that their material has besides: moods and aliases."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        own = {word: value for profile in profiles for word, value in profile.moods.items()}
        self._moods = MoodReader(own)
        self._moods_of_descriptions = MoodReader(own, of_descriptions=True)
        self._aliases = _collect_aliases(profiles)
        key = repr((VERSION, sorted(own.items()), sorted(self._aliases.items())))
        self.version = hashlib.sha256(key.encode()).hexdigest()[:16]
        """Equal where the same document gives the same map."""

    def canonical_name(self, name: str) -> str:
        """``name`` as it is written in full: BTC → Bitcoin."""
        return self._aliases.get(name.lower().removesuffix("'s"), name)

    def map_document(self, document: Document) -> DocumentMap:
        """The map of ``document``."""
        spans = [span for span in split_sentences(document.text)[:MOST_READ] if _is_read(span.of(document.text))]
        names = self._count_names(document)
        publisher = find_publisher(document)
        published = document.published_at.date() if document.published_at else None
        subject = self._find_subject(document.title, names)
        statements: list[Statement] = []
        moves: dict[tuple[object, ...], Move] = {}
        forecasts: dict[str, Forecast] = {}
        known = {name: _name_pattern(name) for name, _ in names}
        whole = find_whole_names(known)
        # a manual says what may be of what it describes, and a paper of what it did
        is_report = document.kind is DocumentKind.ARTICLE
        moods = self._moods_of_descriptions if _describes(document) else self._moods
        for span in spans:
            quote = Quote(document.id, span, span.of(document.text))
            found = [name for name, pattern in known.items() if pattern.search(quote.text)]
            # "Rovers", where the text names Larkford Rovers, are these
            held = tuple(dict.fromkeys((*found, *(whole[name] for name in found if name in whole))))
            setting = Setting(subject, published, self.canonical_name, held)
            for move in find_moves(quote, setting):
                _keep_fullest(moves, move)
            made_by = publisher or document.title
            forecast = find_forecast(quote, (*held, subject), made_by, self.canonical_name, title=document.title)
            is_reported = forecast is not None and (is_report or forecast.is_named or is_foretold(quote.text))
            if forecast is not None and is_reported:
                forecasts.setdefault(" ".join(quote.text.lower().split()), forecast)
            mood = 0.0 if quote.text.rstrip().endswith("?") else moods.score_sentence(quote.text)
            terms = frozenset(content_terms(quote.text, ENGLISH))
            statements.append(Statement(quote, mood, held, terms, _is_event(quote.text)))
        # where the text begins with its title, that is a sentence of it already
        is_first = bool(statements) and statements[0].quote.text.strip() == document.title.strip()
        title_mood = moods.score_sentence(document.title) if _is_headline(document.title) else None
        title_weight = TITLE_WEIGHT - 1.0 if is_first else TITLE_WEIGHT
        key = _choose_key(statements)
        kept = sorted({*key, *_most_telling(statements)})
        places = {old: new for new, old in enumerate(kept)}
        return DocumentMap(
            document.id,
            document.content_hash,
            document.title,
            publisher,
            document.published_at,
            round(weigh_moods(title_mood, [each.mood for each in statements], title_weight), 4),
            tuple(statements[place] for place in kept),
            tuple(places[place] for place in key),
            tuple(names),
            tuple(moves.values()),
            tuple(forecasts.values()),
            len(document.text),
            len(spans),
        )

    def _count_names(self, document: Document) -> list[tuple[str, int]]:
        """What the document names, most often first; short forms count for what they stand for."""
        text = f"{document.title}.\n{document.text}"
        counts: dict[str, int] = {}
        found = [part for name in names_in(text).values() for part in read_written_names(name, text)]
        for each in dict.fromkeys((*found, *_find_openers(document))):
            written = _SUM.sub("", each).strip()
            if not written or written[0].isdigit() or ". " in written:
                continue
            name = self.canonical_name(re.sub(r"['’]s?$", "", written))
            counts[name] = counts.get(name, 0) + len(re.findall(rf"\b{re.escape(written)}\b", document.text))
        lower = document.text.lower()
        for alias, full in self._aliases.items():
            if full not in counts and _mentions(alias, full, document.text, lower):
                counts[full] = 1
        ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        return [(name, max(1, count)) for name, count in ranked[:MOST_NAMES]]

    def _find_subject(self, title: str, names: Sequence[tuple[str, int]]) -> str:
        """What a document is about first: the name that its title begins with, else the one it names most."""
        titled = [(match.start(), name) for name, _ in names if (match := _name_pattern(name).search(title))]
        return min(titled)[1] if titled else (names[0][0] if names else "")


def _describes(document: Document) -> bool:
    """Whether a document says how something is, as papers, manuals, laws and reference texts do, and not what somebody thinks of it."""
    if document.kind in {DocumentKind.ARTICLE, DocumentKind.TRANSCRIPT}:
        return False
    written_as = document.document_profile.type if document.document_profile else None
    return document.kind is DocumentKind.PAPER or (
        written_as is not None and (written_as.group in _DESCRIBING or written_as is DocumentType.ENCYCLOPEDIA)
    )


def weigh_moods(title: float | None, sentences: Sequence[float], title_weight: float = TITLE_WEIGHT) -> float:
    """The mood of a document, -1..1: the mean of what takes a side, the title twice; neutral sentences weigh little."""
    weights = [(title_weight, title)] if title is not None else []
    weights += [(1.0, mood) for mood in sentences]
    total = sum(weight * (1.0 if mood else _DAMPING) for weight, mood in weights)
    return sum(weight * mood for weight, mood in weights) / (total + _DAMPING) if total else 0.0


def find_publisher(document: Document) -> str:
    """Who published a document, as far as it says: its author (publishers stand there where no author does), or its host."""
    if document.author:
        return document.author
    return urlsplit(document.url or "").netloc.removeprefix("www.")


def _keep_fullest(moves: dict[tuple[object, ...], Move], move: Move) -> None:
    """A headline, a summary and the first sentence tell one move; the most detailed one stays."""
    for key, held in moves.items():
        if (held.subject, held.direction, held.day) != (move.subject, move.direction, move.day):
            continue
        is_same_size = held.percent is None or move.percent is None or held.percent == move.percent
        is_same_level = held.level is None or move.level is None or held.level == move.level
        if is_same_size and is_same_level:
            if held.quote == move.quote:
                # one sentence tells the size and then the level
                size = move.percent if held.percent is None else held.percent
                level, unit = (move.level, move.unit) if held.level is None else (held.level, held.unit)
                moves[key] = replace(held, percent=size, level=level, unit=unit)
            elif _fullness(move) > _fullness(held):
                moves[key] = move
            return
    moves[(move.subject, move.direction, move.day, move.percent, move.level)] = move


def _fullness(move: Move) -> int:
    return (move.percent is not None) + (move.level is not None)


def _is_read(text: str) -> bool:
    return len(text) >= 8 and any(character.isalpha() for character in text)


def _is_headline(title: str) -> bool:
    return " " in title.strip() and not re.search(r"\.\w{2,4}$", title)


def _is_event(text: str) -> bool:
    words = [match[0].lower() for match in _WORD.finditer(text.lower())]
    happened = load_word_set("forecasts", "events").intersection(words)
    # "files" and "signs" are verbs where a name does it: "FTX files for bankruptcy"
    return any(not each.endswith("s") or _DOES.search(text) is not None for each in happened)


def _weigh_statement(place: int, statement: Statement) -> float:
    """How much a sentence tells of its document; the first ones tell what is new."""
    text = statement.quote.text
    if not _SHORTEST <= len(text) <= _LONGEST or is_fragment(text) or leans_on_previous(text):
        return -1.0
    has_number = any(character.isdigit() for character in text)
    opening = 0.6 if place == 0 else (0.4 if place == 1 else 0.0)
    return abs(statement.mood) + 0.4 * statement.is_event + 0.3 * has_number + 0.2 * bool(statement.names) + opening


def _choose_key(statements: Sequence[Statement]) -> list[int]:
    weights = [_weigh_statement(place, each) for place, each in enumerate(statements)]
    keys: list[int] = []
    for place in sorted(range(len(statements)), key=lambda each: (-weights[each], each)):
        is_new = all(_overlap(statements[place].terms, statements[other].terms) < 0.6 for other in keys)
        if weights[place] >= 0 and is_new and len(keys) < MOST_KEY:
            keys.append(place)
    return keys


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _most_telling(statements: Sequence[Statement]) -> list[int]:
    if len(statements) <= MOST_STATEMENTS:
        return list(range(len(statements)))
    weights = [_weigh_statement(place, each) for place, each in enumerate(statements)]
    return sorted(range(len(statements)), key=lambda each: (-weights[each], each))[:MOST_STATEMENTS]


def _collect_aliases(profiles: Sequence[Profile]) -> dict[str, str]:
    """Short forms that stand for a name, in lower case, and names that are also written in lower case."""
    aliases: dict[str, str] = {}
    for profile in profiles:
        for table in profile.aliases.values():
            for alias, full in {**table.ambiguous, **table.strong}.items():
                bare = re.sub(r"(?:(?<!\s)\s+)?\(.{0,300}\)$", "", full)
                if bare[:1].isupper() and " " not in alias:
                    aliases[alias] = bare
                    aliases.setdefault(bare.lower(), bare)
            aliases |= {name.lower(): full for full, names in table.also.items() for name in names}
    return aliases


def _find_openers(document: Document) -> list[str]:
    """Rare words that open several sentences and are never written small: names, though their capital says nothing."""
    sentences = {span.of(document.text).strip() for span in split_sentences(document.text)[:MOST_READ]} | {
        document.title
    }
    opened = Counter(match["word"] for each in sentences if (match := _OPENER.match(each)))
    small = set(_SMALL.findall(document.text))
    return [
        word
        for word, count in opened.items()
        if count > 1
        and word.lower() not in small
        and word_informativeness(stem_word(word.lower(), ENGLISH), ENGLISH) >= 1.0
    ]


def _mentions(alias: str, full: str, text: str, lower: str) -> bool:
    """Whether ``text`` names what an alias stands for: by the short form in capitals, or in full, however written."""
    if alias == full.lower():
        return alias in lower and re.search(rf"\b{re.escape(alias)}\b", lower) is not None
    short = alias.upper()
    return short in text and re.search(rf"\b{re.escape(short)}\b", text) is not None


@cache
def _name_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(name)}(?:['’]s)?\b", re.IGNORECASE)
