"""A snapshot as a file: arrays as they are, words as JSON, so that reading it runs nothing and takes a fraction of making it."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, cast

import numpy as np

from ascertain.core.graph import Relation
from ascertain.core.spans import Span
from ascertain.graph.resolution import Ground, Merge
from ascertain.graph.snapshot import Snapshot

FORMAT = 1
"""Another one whenever the fields of a snapshot change, or what they are computed by; a file of another one is not read."""
_WORDS = "words"


def snapshot_path(folder: Path, tenant: str) -> Path:
    """Where the snapshot of a tenant is kept; the name gives nothing away of the tenant's."""
    return folder / f"{hashlib.sha256(tenant.encode()).hexdigest()[:32]}.npz"


def save(snapshot: Snapshot, path: Path) -> None:
    """Write ``snapshot`` in place of what is there, in one step; raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    words: dict[str, Any] = {"format": FORMAT}
    arrays: dict[str, Any] = {}
    for field in fields(Snapshot):
        value: Any = getattr(snapshot, field.name)
        if isinstance(value, np.ndarray):
            arrays[field.name] = value
        else:
            words[field.name] = _plain(field.name, value)
    arrays[_WORDS] = np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **arrays)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: Path, generation: str) -> Snapshot | None:
    """The snapshot of that generation; None when there is no such file, or none that can be read."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            words = json.loads(bytes(kept[_WORDS]))
            if words.pop("format") != FORMAT or words["generation"] != generation:
                return None
            arrays = {name: kept[name] for name in kept.files if name != _WORDS}
        given = {name: _restored(name, value) for name, value in words.items()}
        return Snapshot(**given, **arrays)
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None


def _plain(name: str, value: Any) -> Any:
    if name == "relations":
        return [
            (*astuple(relation)[:4], [relation.sentence.start, relation.sentence.end], relation.origin)
            for relation in value
        ]
    return [astuple(merge) for merge in value] if name in {"merges", "refused"} else value


def _restored(name: str, value: Any) -> Any:
    if name == "relations":
        return tuple(_relation(said) for said in value)
    if name in {"merges", "refused"}:
        return tuple(_merge(*made) for made in value)
    return tuple(cast(list[Any], value)) if isinstance(value, list) else value


def _relation(said: list[Any]) -> Relation:
    subject, predicate, obj, chunk_id, span, origin = said
    return Relation(subject, predicate, obj, chunk_id, Span(*span), origin)


def _merge(left: str, right: str, ground: str, reason: str, document_id: str) -> Merge:
    return Merge(left, right, Ground(ground), reason, document_id)
