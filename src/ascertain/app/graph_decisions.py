"""What somebody decides about names: that two are of one thing, or that they are not. It overrules every rule and can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from ascertain.app.graph_view import GraphView, written
from ascertain.core.errors import UsageError
from ascertain.core.graph import Pin
from ascertain.core.graph_results import Decided, Merged, Merges
from ascertain.graph.keys import key_of
from ascertain.graph.resolution import Ground, Merge
from ascertain.graph.snapshot import Snapshot
from ascertain.stores.graph_ports import GraphStore

BY_HAND = "decided by hand"


def decide(
    view: Callable[[], GraphView],
    store: GraphStore,
    tenant: str,
    names: tuple[str, str],
    *,
    same: bool,
    reason: str,
    now: datetime,
) -> Decided:
    """Keep the decision; ``view`` gives the graph as it is before and after."""
    seen = view()
    left, right = (_key(seen, name) for name in names)
    if left == right:
        raise UsageError(
            f"{names[0]!r} and {names[1]!r} are one name to the graph, which cannot be told apart"
        )
    pin = Pin(left, right, same, reason or BY_HAND, now)
    store.pin(tenant, pin)
    return _decided(view().snapshot, pin)


def undo(store: GraphStore, tenant: str, left: str, right: str) -> bool:
    """Take back what was decided about two names, in either order; whether anything was."""
    return store.unpin(tenant, key_of(left) or left, key_of(right) or right)


def merges(view: GraphView, store: GraphStore, tenant: str) -> Merges:
    """All decisions, and what rules make of names that some visible document has."""
    snapshot = view.snapshot
    decided = tuple(_decided(snapshot, pin) for pin in store.pins(tenant))
    merged = [
        _merged(view, merge, is_refused=is_refused)
        for some, is_refused in ((snapshot.merges, False), (snapshot.refused, True))
        for merge in some
        if merge.ground is not Ground.PIN and view.shows_merge(merge)
    ]
    return Merges(decided, tuple(merged))


def _key(view: GraphView, name: str) -> str:
    """The key of a name that some document has; UnknownEntity otherwise."""
    view.place(name)
    key = key_of(name)
    return name if name in view.snapshot.names or key not in view.snapshot.names else key


def _decided(snapshot: Snapshot, pin: Pin) -> Decided:
    are_same = snapshot.names.get(pin.left, pin.left) == snapshot.names.get(pin.right, pin.right)
    names = written(snapshot, pin.left), written(snapshot, pin.right)
    return Decided(*names, pin.same, pin.reason, pin.made_at, are_same == pin.same)


def _merged(view: GraphView, merge: Merge, *, is_refused: bool) -> Merged:
    snapshot = view.snapshot
    title = view.title_of(merge.document_id) if merge.document_id else ""
    return Merged(
        written(snapshot, merge.left), written(snapshot, merge.right), merge.reason, title, is_refused
    )
