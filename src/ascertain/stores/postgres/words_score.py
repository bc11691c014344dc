"""BM25 as SQL over ``chunks c``, with bound parameters.

``ts_rank_cd`` of a single unit, every weight 1 and without normalisation, is how often the unit occurs.
"""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.stores.postgres.words_query import Unit, norm
from ascertain.stores.postgres.words_statistics import Statistics
from ascertain.stores.relational.database import Condition

_EVEN = "'{1,1,1,1}'"
"""Every position counts 1, whatever its weight; which weights count is said in the query."""


def scored(
    units: Sequence[Unit], statistics: Statistics, looked_at: Condition, allowed: Condition
) -> Condition:
    """A query for ``row``, ``id`` and ``score`` of chunks: of those ``looked_at``, a condition on ``chunks c`` alone, the ones ``allowed``.

    ``allowed`` is a condition on ``c`` and on ``documents d``.
    """
    score = _sum([part for unit in units for part in _parts(unit)])
    norms = [
        value
        for average in (statistics.average_length, statistics.average_title_length)
        for value in (norm(0, average), norm(1, average) - norm(0, average))
    ]
    # OFFSET 0 makes the planner find the chunks first, by what they were meant to be found by: how many documents a filter
    # selects it often does not know. And the norms are worked out once.
    sql = f"""SELECT c."row", c.id, {score.sql} AS score FROM (
            SELECT c."row", c.id, c.document, c.words, %s + %s * rounded_length(c.length) AS norm,
                %s + %s * rounded_length(c.title_length) AS title_norm
            FROM chunks c WHERE {looked_at.sql} OFFSET 0) c
        JOIN documents d ON d.number = c.document WHERE {allowed.sql}"""
    return Condition(sql, (*score.parameters, *norms, *looked_at.parameters, *allowed.parameters))


def _parts(unit: Unit) -> list[Condition]:
    parts: list[Condition] = []
    for query, weight, column in (
        (unit.in_text, unit.weight, "norm"),
        (unit.in_title, unit.title_weight, "title_norm"),
    ):
        if weight > 0:
            # weight * tf / (tf + norm), with one look at how often it occurs; looking whether it does at all is cheaper.
            rank = f"ts_rank_cd({_EVEN}, c.words, %s)"
            sql = f"CASE WHEN c.words @@ %s THEN %s * (1 - c.{column} / (c.{column} + {rank})) ELSE 0 END"
            parts.append(Condition(sql, (query, weight, query)))
    return parts


def _sum(parts: Sequence[Condition]) -> Condition:
    sql = " + ".join(part.sql for part in parts)
    return Condition(sql, tuple(value for part in parts for value in part.parameters))
