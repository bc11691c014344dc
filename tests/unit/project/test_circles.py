"""No module imports itself through others, whatever kind of import it is: at the top, in a function, or for types alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import ascertain

PACKAGE = Path(ascertain.__file__).parent


def test_imports_run_in_no_circle() -> None:
    files = {_name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
    graph = {name: set(_list_imports(path, set(files))) - {name} for name, path in files.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which shows the circle


def _name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def _list_imports(path: Path, modules: set[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                imported = f"{node.module}.{alias.name}"
                yield from {imported if imported in modules else node.module} & modules
        elif isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & modules
