"""The schema of a store as numbered steps: one SQL file for each in its folder ``migrations``.

A step is never changed once released; a new one is added at the end. A step only adds, so that programs of
the version before go on working while others are already upgraded. One that must break this says so in a line
``-- needs N``: programs that know fewer than N steps refuse the schema from then on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ascertain.core.errors import StoreError

_NEEDS = re.compile(r"^-- needs (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """One step, named as its file; once it is applied, a program must know ``needs`` steps."""

    number: int
    name: str
    statements: str
    needs: int


@cache
def read_steps(package: str) -> tuple[Step, ...]:
    """Every step in the folder of a store's package, in order."""
    folder = files(package).joinpath("migrations")
    found = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    steps = tuple(_read_step(name, folder.joinpath(name).read_text("utf-8")) for name in found)
    if [step.number for step in steps] != list(range(1, len(steps) + 1)):
        raise StoreError(f"the steps of the schema are not numbered one by one: {', '.join(found)}")
    return steps


def _read_step(file: str, statements: str) -> Step:
    name = file.removesuffix(".sql")
    needs = _NEEDS.search(statements)
    return Step(int(name[:4]), name, statements, int(needs[1]) if needs else 0)
