"""What is done at the end of a run of writes so that searches stay quick."""

from __future__ import annotations

from ascertain.stores.generations import Generation
from ascertain.stores.postgres import graph
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dialect import vector_table
from ascertain.stores.postgres.lexical_leg import settle
from ascertain.stores.postgres.text import statement

# The server looks for tables that have changed once a minute; the plans for one that has grown by half may be far off until
# then. Smaller tables are read whole whatever the plan.
_CHANGED_ROWS = 1_000
_CHANGED_SHARE = 0.5


def finish_run(connections: Connections, generation: Generation) -> None:
    """Bring up the index of words, the planner's statistics, and the graph over the vectors once there are enough for one.

    Whoever else builds the graph is not waited for.
    """
    connections.change(settle)
    with connections.read() as db:
        tables = _changed_tables(db, generation)
        is_due = graph.is_due(db, generation, connections.settings)
    if tables:
        with connections.alone() as db:
            db.execute(statement(f"ANALYZE (SKIP_LOCKED) {', '.join(tables)}"))
    if is_due:
        graph.build(connections, generation)


def _changed_tables(db: Connection, generation: Generation) -> list[str]:
    found = db.execute(
        """SELECT s.relname::text FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
           WHERE s.schemaname = current_schema() AND s.relname = ANY(%s)
             AND s.n_mod_since_analyze > greatest(%s, %s * c.reltuples) ORDER BY s.relname""",
        (["documents", "chunks", vector_table(generation)], _CHANGED_ROWS, _CHANGED_SHARE),
    )
    return [name for (name,) in found]
