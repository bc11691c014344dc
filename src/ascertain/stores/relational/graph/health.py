"""Whether the tables of the graph agree with each other."""

from __future__ import annotations

from ascertain.stores.graph_checks import claimed, described
from ascertain.stores.ports import HealthReport
from ascertain.stores.relational.database import Session

_LOST = {
    "mentions belong to no document": """graph_mentions m WHERE NOT EXISTS
        (SELECT 1 FROM graph_documents d WHERE d.number = m.document)""",
    "mentions have lost their name": """graph_mentions m WHERE NOT EXISTS
        (SELECT 1 FROM graph_names n WHERE n.number = m.name)""",
    "names are mentioned nowhere": """graph_names n WHERE NOT EXISTS
        (SELECT 1 FROM graph_mentions m WHERE m.name = n.number)""",
    "documents belong to nobody": """graph_documents d WHERE NOT EXISTS
        (SELECT 1 FROM graph_tenants t WHERE t.number = d.tenant)""",
}


def report(db: Session) -> HealthReport:
    """What there is of all tenants, and what does not fit together."""
    columns = ("chunks", "mentions", "relations", "aliases")
    sums = ", ".join(f"coalesce(sum({column}), 0)" for column in columns)
    documents, *claims = map(int, db.fetch_rows(f"SELECT count(*), {sums} FROM graph_documents")[0])
    stored = dict(zip(columns, claims, strict=True))
    problems = [
        claimed(name, stored[name], count)
        for name in columns[1:]
        if (count := _count(db, f"graph_{name}")) != stored[name]
    ]
    for what, where in _LOST.items():
        count = _count(db, where)
        if count:
            problems.append(f"{count} {what}")
    names = _count(db, "(SELECT DISTINCT tenant, key FROM graph_names) AS k")
    return HealthReport(tuple(problems), described(documents, names, stored["mentions"], stored["relations"]))


def _count(db: Session, what: str) -> int:
    return int(db.fetch_rows(f"SELECT count(*) FROM {what}")[0][0])
