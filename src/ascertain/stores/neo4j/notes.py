"""What somebody decided about names, and what was written about communities."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ascertain.core.graph import Pin
from ascertain.stores.escaping import escaped, unescaped
from ascertain.stores.neo4j.connection import Work, rows, run, value
from ascertain.stores.neo4j.scopes import Scope
from ascertain.stores.rows import microseconds, moment_of


def pin(tx: Work, scope: Scope, made: Pin) -> None:
    """Keep a decision in place of an earlier one about the same two names."""
    run(
        tx,
        """MERGE (p:AscertainPin {uid: $uid})
           SET p.scope = $scope, p.left = $left, p.right = $right, p.same = $same, p.reason = $reason, p.made = $made""",
        uid=_pair(scope, made.left, made.right),
        scope=scope.id,
        left=escaped(made.left),
        right=escaped(made.right),
        same=made.same,
        reason=escaped(made.reason),
        made=microseconds(made.made_at),
    )


def is_pinned(tx: Work, scope: Scope, left: str, right: str) -> bool:
    """Whether something was decided about two names."""
    finding = "MATCH (p:AscertainPin {uid: $uid}) WHERE p.scope = $scope RETURN count(p) AS n"
    return bool(value(tx, finding, uid=_pair(scope, left, right), scope=scope.id))


def unpin(tx: Work, scope: Scope, left: str, right: str) -> None:
    """Take a decision back."""
    removing = "MATCH (p:AscertainPin {uid: $uid}) WHERE p.scope = $scope DELETE p"
    run(tx, removing, uid=_pair(scope, left, right), scope=scope.id)


def pins(tx: Work, scope: Scope) -> list[Pin]:
    """All decisions, in order."""
    found = rows(
        tx,
        "MATCH (p:AscertainPin {scope: $scope}) RETURN p.left, p.right, p.same, p.reason, p.made",
        scope=scope.id,
    )
    decided = [
        Pin(unescaped(left), unescaped(right), same, unescaped(reason), moment_of(made))
        for left, right, same, reason, made in found
    ]
    return sorted(decided, key=lambda made: (made.left, made.right))


def summaries(tx: Work, scope: Scope, wanted: Collection[str]) -> dict[str, str]:
    """Texts by their digests."""
    found = rows(
        tx,
        """UNWIND $uids AS uid MATCH (s:AscertainSummary {uid: uid}) WHERE s.scope = $scope
           RETURN s.digest, s.text""",
        uids=sorted({_summary(scope, name) for name in wanted}),
        scope=scope.id,
    )
    return {unescaped(name): unescaped(text) for name, text in found}


def keep_summaries(tx: Work, scope: Scope, texts: Mapping[str, str]) -> None:
    """Keep texts over those of the same digests."""
    run(
        tx,
        """UNWIND $rows AS row MERGE (s:AscertainSummary {uid: row.uid})
           SET s.scope = $scope, s.digest = row.digest, s.text = row.text""",
        scope=scope.id,
        rows=[
            {"uid": _summary(scope, name), "digest": escaped(name), "text": escaped(text)}
            for name, text in texts.items()
        ],
    )


def forget_summaries(tx: Work, scope: Scope, keep: Collection[str]) -> int:
    """Remove all texts but those under the digests in ``keep``."""
    stored = rows(tx, "MATCH (s:AscertainSummary {scope: $scope}) RETURN s.uid", scope=scope.id)
    gone = {uid for (uid,) in stored} - {_summary(scope, name) for name in keep}
    run(
        tx,
        "UNWIND $uids AS uid MATCH (s:AscertainSummary {uid: uid}) WHERE s.scope = $scope DELETE s",
        uids=sorted(gone),
        scope=scope.id,
    )
    return len(gone)


def _pair(scope: Scope, left: str, right: str) -> str:
    return scope.uid("pin", *sorted((left, right)))


def _summary(scope: Scope, name: str) -> str:
    return scope.uid("summary", name)
