"""How often words occur in the whole knowledge base, as BM25 weighs them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ascertain.stores.postgres.connections import Connection


@dataclass(frozen=True, slots=True)
class Statistics:
    """Over all searchable chunks: how many there are, their average number of words, and in how many each word asked for occurs.

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
    found = db.execute(
        """SELECT NULL, sum(chunks)::bigint, sum(length)::bigint, sum(title_length)::bigint FROM word_changes
           UNION ALL
           SELECT lexeme, sum(in_chunks)::bigint, sum(in_titles)::bigint, NULL FROM (
               SELECT lexeme, chunks, titles FROM word_counts WHERE lexeme = ANY(%s)
               UNION ALL
               SELECT changed.* FROM word_changes, unnest(lexemes, in_chunks, in_titles) AS changed (lexeme, in_chunks, in_titles)
               WHERE changed.lexeme = ANY(%s)) AS each (lexeme, in_chunks, in_titles)
           GROUP BY lexeme""",
        (wanted, wanted),
    ).fetchall()
    totals = next((row[1:] for row in found if row[0] is None and row[1]), (0, 0, 0))
    chunks, length, title_length = totals
    counts = [row for row in found if row[0] is not None]
    return Statistics(
        chunks=chunks,
        average_length=length / chunks if chunks else 0.0,
        average_title_length=title_length / chunks if chunks else 0.0,
        in_chunks={word: number for word, number, _, _ in counts if number},
        in_titles={word: number for word, _, number, _ in counts if number},
    )


def inverse_document_frequency(frequency: int, chunks: int) -> float:
    """How telling a word is that occurs in ``frequency`` of ``chunks``: ln(1 + (N - n + 0.5) / (n + 0.5)), as in Lucene and Tantivy."""
    return math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))
