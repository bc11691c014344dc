"""Searching by words: BM25 over text vectors, as SQL. No text of a user is syntax: every word is quoted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ascertain.core.asking.passages import Filter, Hit
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.words.texts import SHORT, STRONG, quote_lexeme
from ascertain.stores.records.text_analysis import (
    K1,
    B,
    QueryTerm,
    build_analyzer,
    compute_idf,
    query_terms,
    weighted_terms,
)
from ascertain.stores.records.vectors import top_hits
from ascertain.stores.relational.database import Condition, select_chunks, select_documents
from ascertain.stores.relational.reads import simplify_filter


@dataclass(frozen=True, slots=True)
class Statistics:
    """How many searchable chunks there are, of how many words on average, and in how many each word occurs.

    The words of titles are counted by themselves; words that never occur are not in the mappings.
    """

    chunks: int
    average_length: float
    average_title_length: float
    in_chunks: Mapping[str, int]
    in_titles: Mapping[str, int]


def read_statistics(db: Connection, words: Iterable[str]) -> Statistics:
    """The statistics that weigh ``words``, as of the caller's transaction."""
    wanted = sorted(set(words))
    found = db.fetch_rows(
        """SELECT NULL, sum(chunks)::bigint, sum(length)::bigint, sum(title_length)::bigint FROM word_changes
           UNION ALL
           SELECT lexeme, sum(in_chunks)::bigint, sum(in_titles)::bigint, NULL FROM (
               SELECT lexeme, chunks, titles FROM word_counts WHERE lexeme = ANY(?)
               UNION ALL
               SELECT changed.* FROM word_changes,
                   unnest(lexemes, in_chunks, in_titles) AS changed (lexeme, in_chunks, in_titles)
               WHERE changed.lexeme = ANY(?)) AS each (lexeme, in_chunks, in_titles)
           GROUP BY lexeme""",
        *(wanted, wanted),
    )
    # The row of totals has no word, and no number where nothing is stored.
    totals = [(chunks, length, title_length) for word, chunks, length, title_length in found if word is None and chunks]
    chunks, length, title_length = totals[0] if totals else (0, 0, 0)
    counts = [(word, in_chunks, in_titles) for word, in_chunks, in_titles, _ in found if word is not None]
    return Statistics(
        chunks=chunks,
        average_length=length / chunks if chunks else 0.0,
        average_title_length=title_length / chunks if chunks else 0.0,
        in_chunks={word: in_chunks for word, in_chunks, _ in counts if in_chunks},
        in_titles={word: in_titles for word, _, in_titles in counts if in_titles},
    )


_MOST_PARTS = 48
"""Parts of a condition on candidates. Each costs every chunk looked at; more of them shut out few chunks."""
_COMBINED = 10
"""Units whose combinations are looked through in guessing a score."""

_ROUNDING = 1e-9
"""A bound and a score that are equal in theory may differ by so much of their size."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of a query. It adds ``weight * tf / (tf + norm)`` to a score for the text, and so for the title."""

    term: QueryTerm
    weight: float
    title_weight: float
    share: float
    """Of the chunks, that contain it."""

    @property
    def in_text(self) -> str:
        """Chunks whose heading or text contain it."""
        return self._phrase_query("BC")

    @property
    def in_title(self) -> str:
        """Chunks whose title contains it."""
        return self._phrase_query("A")

    @property
    def anywhere(self) -> str:
        """Chunks that may contain it; the index knows no positions and no weights."""
        return _join_tokens(self.term.tokens)

    @property
    def strong(self) -> str:
        """Chunks that may contain it several times, or that are short."""
        return _join_tokens([token + STRONG for token in self.term.tokens])

    @property
    def most(self) -> float:
        """What it can add to a score at most."""
        return self.weight + self.title_weight

    def _phrase_query(self, weights: str) -> str:
        return f"({' <-> '.join(f'{quote_lexeme(token)}:{weights}' for token in self.term.tokens)})"


def weigh_units(terms: Mapping[QueryTerm, float], statistics: Statistics, title_boost: float) -> tuple[Unit, ...]:
    """The units that occur in the knowledge base. A phrase is as telling as its words together, as in Tantivy."""
    units: list[Unit] = []
    for term, weight in terms.items():
        text = _weigh_term(term, statistics.in_chunks, statistics.chunks)
        title = _weigh_term(term, statistics.in_titles, statistics.chunks) if title_boost > 0 else 0.0
        if text or title:
            share = min(
                statistics.in_chunks.get(token, 0) + (statistics.in_titles.get(token, 0) if title else 0)
                for token in term.tokens
            ) / max(1, statistics.chunks)
            factor = weight * (K1 + 1)
            units.append(Unit(term, factor * text, factor * title_boost * title, min(1.0, share)))
    return tuple(units)


def match_any_unit(units: Sequence[Unit]) -> str:
    """Chunks that may contain one of the units."""
    return " | ".join(unit.anywhere for unit in units)


def length_norm(length: float, average_length: float) -> float:
    """How many occurrences of a word in a text of ``length`` words have half of the greatest effect."""
    relative = length / average_length if average_length else 1.0
    return K1 * (1 - B + B * relative)


def likely_score(units: Sequence[Unit], chunks: int, wanted: float) -> float:
    """A score that about ``wanted`` chunks reach if words are independent and once in each; 0 when fewer do."""
    best = sorted(units, key=lambda unit: -unit.most)[:_COMBINED]
    combinations = [(0.0, float(chunks))]
    for unit in best:
        effect = unit.weight / (1 + K1) + unit.title_weight / (1 + K1)
        combinations = [(score, number * (1 - unit.share)) for score, number in combinations] + [
            (score + effect, number * unit.share) for score, number in combinations
        ]
    reached = 0.0
    for score, number in sorted(combinations, reverse=True):
        reached += number
        if reached >= wanted:
            return score
    return 0.0


def reaching_query(units: Sequence[Unit], statistics: Statistics, floor: float) -> str:
    """Chunks whose score may be ``floor`` or more; every chunk that scores so much is among them.

    Turtle & Flood's MaxScore (1995), as a condition that the index can look up: a chunk must contain so many of the
    units that what these can add at most reaches the floor. A unit that is not marked as strong adds at most what one
    occurrence in a text of SHORT words does.
    """
    if floor <= 0:
        return match_any_unit(units)
    floor *= 1 - _ROUNDING
    once = 1 / (1 + length_norm(SHORT, statistics.average_length))
    bounds = sorted((_build_bound(unit, once) for unit in units), key=lambda bound: -bound.most)
    # The least telling are taken as given when a condition with all of them would be too long.
    for number in range(len(bounds), 0, -1):
        given = sum(bound.most for bound in bounds[number:])
        condition = _Condition(bounds[:number])
        found = condition.reaching(0, floor - given)
        if found is not None and condition.parts <= _MOST_PARTS:
            return found or match_any_unit(units)
    return match_any_unit(units)


@dataclass(frozen=True, slots=True)
class _Bound:
    present: str
    strong: str
    once: float
    most: float


class _Condition:
    """Puts together which of ``bounds`` must be met; gives up beyond _MOST_PARTS."""

    def __init__(self, bounds: Sequence[_Bound]) -> None:
        self._bounds = bounds
        self._rest = [sum(bound.most for bound in bounds[start:]) for start in range(len(bounds) + 1)]
        self.parts = 0

    def reaching(self, start: int, floor: float) -> str | None:
        """What the bounds from ``start`` on must meet to reach ``floor``: empty for nothing, None if they cannot."""
        if floor <= 0:
            return ""
        if self._rest[start] < floor or self.parts > _MOST_PARTS:
            return None
        bound = self._bounds[start]
        without = self.reaching(start + 1, floor)
        if without == "":
            return ""
        once = self.reaching(start + 1, floor - bound.once)
        choices = [without]
        if once != without:
            choices.append(self._join_both(bound.present, once))
        if once != "":
            strong = self.reaching(start + 1, floor - bound.most)
            if strong != once:
                choices.append(self._join_both(bound.strong, strong))
        found = [choice for choice in choices if choice is not None]
        return " | ".join(found) if found else None

    def _join_both(self, present: str, rest: str | None) -> str | None:
        if rest is None:
            return None
        self.parts += 1
        return f"{present} & ({rest})" if rest else present


def _build_bound(unit: Unit, once: float) -> _Bound:
    return _Bound(unit.anywhere, unit.strong, unit.weight * once + unit.title_weight, unit.most)


def _weigh_term(term: QueryTerm, frequencies: Mapping[str, int], chunks: int) -> float:
    if any(token not in frequencies for token in term.tokens):
        return 0.0
    return sum(compute_idf(chunks, frequencies[token]) for token in term.tokens)


def _join_tokens(tokens: Sequence[str]) -> str:
    return f"({' & '.join(map(quote_lexeme, tokens))})"


_EVEN = "'{1,1,1,1}'"
"""Every position counts 1, whatever its weight: ``ts_rank_cd`` of a single unit is then how often it occurs."""


def build_score_query(
    units: Sequence[Unit], statistics: Statistics, looked_at: Condition, allowed: Condition
) -> Condition:
    """A query for ``row``, ``id`` and ``score`` of the chunks ``looked_at``, a condition on ``chunks c`` alone.

    ``allowed``, on ``c`` and on ``documents d``, says which of them count.
    """
    score = _sum_parts([part for unit in units for part in _score_parts(unit)])
    norms = [
        value
        for average in (statistics.average_length, statistics.average_title_length)
        for value in (length_norm(0, average), length_norm(1, average) - length_norm(0, average))
    ]
    # OFFSET 0 makes the planner find the chunks first, by what they were meant to be found by: how many documents a
    # filter selects it often does not know. And the norms are worked out once.
    sql = f"""SELECT c."row", c.id, {score.sql} AS score FROM (
            SELECT c."row", c.id, c.document, c.words, ? + ? * rounded_length(c.length) AS norm,
                ? + ? * rounded_length(c.title_length) AS title_norm
            FROM chunks c WHERE {looked_at.sql} OFFSET 0) c
        JOIN documents d ON d.number = c.document WHERE {allowed.sql}"""
    return Condition(sql, (*score.parameters, *norms, *looked_at.parameters, *allowed.parameters))


def _score_parts(unit: Unit) -> list[Condition]:
    parts: list[Condition] = []
    for query, weight, column in (
        (unit.in_text, unit.weight, "norm"),
        (unit.in_title, unit.title_weight, "title_norm"),
    ):
        if weight > 0:
            # weight * tf / (tf + norm), with one look at how often it occurs; looking whether it does at all is
            # cheaper.
            rank = f"ts_rank_cd({_EVEN}, c.words, ?)"
            sql = f"CASE WHEN c.words @@ ? THEN ? * (1 - c.{column} / (c.{column} + {rank})) ELSE 0 END"
            parts.append(Condition(sql, (query, weight, query)))
    return parts


def _sum_parts(parts: Sequence[Condition]) -> Condition:
    sql = " + ".join(part.sql for part in parts)
    return Condition(sql, tuple(value for part in parts for value in part.parameters))


Scored = tuple[int, str, float]
"""Row, id and score of a chunk."""

# Chunks that a guessed score should be reached by, for each one needed. Words that go together come together more often
# than the guess assumes, so more reach it.
_MARGIN = 0.25
# How many times more chunks the next guess is for, at least.
_WIDENING = 8
# A filter that selects no more than this is narrow: scoring all of its chunks is quicker than looking for the best.
_FEW_DOCUMENTS, _FEW_CHUNKS = 200, 3_000


class Search:
    """Looks for the best chunks among those a filter allows, within one read transaction."""

    def __init__(self, db: Connection, units: Sequence[Unit], statistics: Statistics, filter: Filter) -> None:
        self._db = db
        self._units = units
        self._statistics = statistics
        effective = simplify_filter(db, filter)
        self._documents = select_documents(effective, db.dialect)
        self._allowed = select_chunks(effective, db.dialect)

    def best(self, limit: int) -> list[Scored]:
        """The ``limit`` best chunks, exactly, best first.

        The score of the last one is guessed, and chunks that cannot reach it are not looked at. When fewer reach it,
        the next guess is lower; at the end every chunk with one of the units is looked at.
        """
        if not self._units:
            return []
        if self._few_documents is not None:
            return self._run_query(
                Condition("c.document = ANY(?) AND c.words IS NOT NULL", (self._few_documents,)), limit
            )
        wanted = _MARGIN * limit
        floor = likely_score(self._units, self._statistics.chunks, wanted)
        while True:
            found = self._run_query(self._reaching_condition(floor), limit)
            reached = sum(score >= floor for _, _, score in found)
            if floor <= 0 or reached >= limit:
                return found
            if len(found) >= limit:
                # So much is reached for sure.
                floor = found[limit - 1][2]
            else:
                wanted *= max(_WIDENING, limit / max(1, reached))
                floor = likely_score(self._units, self._statistics.chunks, wanted)

    @cached_property
    def _few_documents(self) -> list[int] | None:
        """The numbers of the documents that the filter selects, if it is narrow."""
        found = self._db.fetch_rows(
            f"SELECT d.number, d.chunks FROM documents d WHERE {self._documents.sql} LIMIT ?",
            *(*self._documents.parameters, _FEW_DOCUMENTS + 1),
        )
        is_narrow = len(found) <= _FEW_DOCUMENTS and sum(chunks for _, chunks in found) <= _FEW_CHUNKS
        return [number for number, _ in found] if is_narrow else None

    def _reaching_condition(self, floor: float) -> Condition:
        condition = reaching_query(self._units, self._statistics, floor) if floor > 0 else match_any_unit(self._units)
        return Condition("c.words @@ ?", (condition,))

    def _run_query(self, looked_at: Condition, limit: int) -> list[Scored]:
        return fetch_best(self._db, build_score_query(self._units, self._statistics, looked_at, self._allowed), limit)


def fetch_best(db: Connection, query: Condition, limit: int) -> list[Scored]:
    """The ``limit`` best of what ``build_score_query`` selects, best first."""
    found = db.fetch_rows(f'{query.sql} ORDER BY score DESC, "row" LIMIT ?', *query.parameters, limit)
    # Left out are chunks that have a word only in a title that does not count.
    return [(row, chunk_id, score) for row, chunk_id, score in found if score > 0]


class LexicalLeg:
    """Hits, scores and frequencies of words; every call reads one moment of the database."""

    def __init__(self, connections: Connections, title_boost: float) -> None:
        self._connections = connections
        self._title_boost = title_boost
        self._analyzer = build_analyzer()

    def hits(self, terms: Mapping[str, float], k: int, filter: Filter) -> list[Hit]:
        weighted = weighted_terms(self._analyzer, terms)
        if not weighted or k < 1:
            return []
        with self._connections.read() as db:
            units, statistics = self._weigh_units(db, weighted)
            search = Search(db, units, statistics, filter)
            ids: dict[int, str] = {}

            def fetch(limit: int) -> list[tuple[int, float]]:
                found = search.best(limit)
                ids.update((row, chunk_id) for row, chunk_id, _ in found)
                return [(row, score) for row, _, score in found]

            return top_hits(fetch, lambda rows: {row: ids[row] for row in rows}, k)

    def scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        weighted = weighted_terms(self._analyzer, terms)
        if not weighted or not chunk_ids:
            return {}
        with self._connections.read() as db:
            units, statistics = self._weigh_units(db, weighted)
            named = Condition("NOT c.is_parent AND c.id = ANY(?)", (list(chunk_ids),))
            found = (
                fetch_best(db, build_score_query(units, statistics, named, Condition("true", ())), len(chunk_ids))
                if units
                else []
            )
        return {chunk_id: score for _, chunk_id, score in found}

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each term occurs: of several units the rarest one's count, an upper bound."""
        wanted = {term: query_terms(self._analyzer, term) for term in terms}
        units = {unit for found in wanted.values() for unit in found}
        if not units:
            return dict.fromkeys(terms, 0)
        with self._connections.read() as db:
            statistics = read_statistics(db, (token for unit in units for token in unit.tokens))
            counts = {unit: statistics.in_chunks.get(unit.tokens[0], 0) for unit in units}
            # A phrase cannot occur where one of its words does not.
            phrases = [
                unit
                for unit in units
                if len(unit.tokens) > 1 and all(token in statistics.in_chunks for token in unit.tokens)
            ]
            counts |= {unit: 0 for unit in units if len(unit.tokens) > 1} | _phrase_counts(db, phrases)
        return {term: min((counts[unit] for unit in found), default=0) for term, found in wanted.items()}

    def _weigh_units(self, db: Connection, weighted: Mapping[QueryTerm, float]) -> tuple[tuple[Unit, ...], Statistics]:
        statistics = read_statistics(db, (token for unit in weighted for token in unit.tokens))
        return weigh_units(weighted, statistics, self._title_boost), statistics


def settle_words(db: Connection) -> None:
    """End a run of writes: fold what was noted of words, and bring up the indexes' lists of pending entries."""
    db.execute("SELECT settle_words()")


def _phrase_counts(db: Connection, phrases: Sequence[QueryTerm]) -> dict[QueryTerm, int]:
    if not phrases:
        return {}
    counting = ", ".join(["(SELECT count(*) FROM chunks WHERE words @@ ?)"] * len(phrases))
    wanted = [Unit(phrase, 1.0, 0.0, 0.0).in_text for phrase in phrases]
    return dict(zip(phrases, db.fetch_rows(f"SELECT {counting}", *wanted)[0], strict=True))
