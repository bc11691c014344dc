"""What a stranger meets who opens the house: sizes of modules and folders, headers, names, settings.

``python -m bench.project.house [--json] [FOLDER]`` counts the package ``src/ascertain`` of this checkout, or of the one in FOLDER, so that two
versions can be compared by one script.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import networkx

PARTICIPLES = frozenset(
    "begun bound brought built caught chosen drawn driven fallen fed felt forgotten found given gone grown heard held hidden kept known laid "
    "led lost made meant met paid said seen sent shown shut spoken stood taken taught thought told understood worn written".split()
)
"""Those of English that do not end in ``ed``, as far as variables have such names; "left", "read" and "set" are also other words."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the package; ``name`` is dotted, that of a folder for its ``__init__.py``."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """All lines of the file."""
        return len(self.text.splitlines())

    @property
    def folder(self) -> Path:
        """Where the file lies."""
        return self.path.parent


@dataclass(frozen=True, slots=True)
class House:
    """The figures, in the order they are printed."""

    modules: int
    median_lines: float
    longest: int
    """Lines of the longest module."""
    names_at_one_level: int
    """Modules and packages in the fullest folder, without ``__init__``."""
    one_importer: int
    """Modules that a single module imports, one of the same folder."""
    header_share: float
    """Lines before the first one that is neither docstring nor import, over all lines."""
    single_word_functions: float
    """Share of functions and methods (dunders aside) whose name is one word."""
    ed_functions: float
    """Share of those whose name ends in ``ed``."""
    lines: int
    code_lines: int
    """Lines that are neither empty nor a comment nor a docstring."""
    circles: int
    """Groups of modules that import each other in a circle, by whatever kind of import."""
    page_circles: int
    """The same of the page's scripts."""
    participles: float
    """Share of variables and parameters whose whole name is a participle: ``found``, ``wanted``."""
    long_signatures: int
    """Functions with more than four parameters that may be given by position."""
    settings: int | None


def main() -> None:
    """Print the figures of one checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--verbose", action="store_true", help="also name what the figures count")
    options = parser.parse_args()
    modules = read_modules(options.folder / "src")
    house = measure_house(modules, options.folder)
    if options.json:
        print(json.dumps(asdict(house), indent=2))
        return
    for name, value in asdict(house).items():
        print(f"{name:22} {value:.3f}" if isinstance(value, float) and value < 1 else f"{name:22} {value}")
    if options.verbose:
        print_details(modules)


def read_modules(source: Path) -> dict[str, Module]:
    """Every module under ``source`` by its dotted name."""
    modules: dict[str, Module] = {}
    for path in sorted(source.rglob("*.py")):
        name = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text("utf-8")
        modules[name] = Module(name, path, text, ast.parse(text))
    return modules


def measure_house(modules: dict[str, Module], folder: Path) -> House:
    """All figures of the modules of one checkout."""
    lines = [module.lines for module in modules.values()]
    functions = [function.name for module in modules.values() for function in iterate_functions(module.tree)]
    single = sum("_" not in name.strip("_") for name in functions)
    return House(
        modules=len(modules),
        median_lines=statistics.median(lines),
        longest=max(lines),
        names_at_one_level=max(count_names(modules).values()),
        one_importer=len(find_closets(modules)),
        header_share=sum(count_header(module) for module in modules.values()) / sum(lines),
        single_word_functions=single / len(functions),
        ed_functions=sum(name.strip("_").endswith("ed") for name in functions) / len(functions),
        lines=sum(lines),
        code_lines=sum(count_code(module) for module in modules.values()),
        circles=len(find_circles(read_imports(modules))),
        page_circles=len(find_circles(list_script_imports(folder / "src"))),
        participles=measure_participles(modules),
        long_signatures=len(find_long_signatures(modules)),
        settings=count_settings(folder),
    )


def iterate_functions(tree: ast.AST) -> Iterator[Function]:
    """Functions and methods at any depth, those named by Python itself (``__init__``) left out."""
    for node in ast.walk(tree):
        if isinstance(node, Function) and not node.name.startswith("__"):
            yield node


def count_names(modules: dict[str, Module]) -> Counter[Path]:
    """How many names a reader sees in each folder: its modules and its folders that hold modules."""
    names: defaultdict[Path, set[str]] = defaultdict(set)
    top = modules["ascertain"].folder
    for module in modules.values():
        if module.path.name != "__init__.py":
            names[module.folder].add(module.path.stem)
        folder = module.folder
        while folder != top:
            names[folder.parent].add(folder.name)
            folder = folder.parent
    return Counter({folder: len(found) for folder, found in names.items()})


def read_imports(modules: dict[str, Module]) -> dict[str, set[str]]:
    """The modules that each imports, at its top, in functions and for types."""
    imports: dict[str, set[str]] = {}
    for module in modules.values():
        found = imports.setdefault(module.name, set())
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    found.add(whole if whole in modules else node.module)
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
        found &= modules.keys() - {module.name}
    return imports


def find_closets(modules: dict[str, Module]) -> list[str]:
    """Modules that one module imports and no other, both in one folder."""
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for name, imported in read_imports(modules).items():
        for each in imported:
            importers[each].add(name)
    found: list[str] = []
    for name, module in modules.items():
        if module.path.name != "__init__.py" and len(importers[name]) == 1:
            (other,) = importers[name]
            if modules[other].folder == module.folder:
                found.append(name)
    return found


def count_code(module: Module) -> int:
    """Lines of statements: what is left without empty lines, comments and docstrings."""
    silent = {
        number
        for number, line in enumerate(module.text.splitlines(), 1)
        if not line.strip() or line.lstrip().startswith("#")
    }
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            silent.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return module.lines - len(silent)


def list_script_imports(source: Path) -> dict[str, set[str]]:
    """Which script of the page imports which."""
    imports: dict[str, set[str]] = {}
    for path in source.rglob("*.js"):
        if "vendor" not in path.parts:
            named = re.findall(r"""(?:from|import)\s+["'](\.[^"']+)["']""", path.read_text("utf-8"))
            imports[str(path)] = {str((path.parent / name).resolve()) for name in named}
    return imports


def find_circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """Groups in which every one reaches every other."""
    graph = networkx.DiGraph(
        [(importer, name) for importer, names in imports.items() for name in names if name in imports]
    )
    return [set(group) for group in networkx.strongly_connected_components(graph) if len(group) > 1]


def iterate_variables(tree: ast.AST) -> Iterator[str]:
    """Names that are assigned to, and parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg) and node.arg not in {"self", "cls"}:
            yield node.arg


def is_participle(name: str) -> bool:
    """Whether a name is one word, a participle."""
    return name in PARTICIPLES or (
        name.endswith("ed") and not name.endswith("eed") and len(name) > 4 and name.isalpha() and name.islower()
    )


def measure_participles(modules: dict[str, Module]) -> float:
    """Share of variables that are bare participles."""
    names = [name for module in modules.values() for name in iterate_variables(module.tree)]
    return sum(map(is_participle, names)) / len(names)


def find_long_signatures(modules: dict[str, Module]) -> list[str]:
    """Functions with more than four parameters by position, the instance left out."""
    found: list[str] = []
    for module in modules.values():
        for function in iterate_functions(module.tree):
            names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
            if len([name for name in names if name not in {"self", "cls"}]) > 4:
                found.append(f"{module.name}.{function.name}")
    return found


def count_header(module: Module) -> int:
    """Lines before the first statement that is neither the docstring nor an import (nor imports for type checking)."""
    for position, statement in enumerate(module.tree.body):
        if position == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            continue
        decorators = getattr(statement, "decorator_list", [])
        return min([statement.lineno, *(decorator.lineno for decorator in decorators)]) - 1
    return module.lines


def count_settings(folder: Path) -> int | None:
    """Rows of the tables of docs/configuration.md that name a setting; None where there is no such page."""
    page = folder / "docs" / "configuration.md"
    if not page.exists():
        return None
    rows = [line for line in page.read_text("utf-8").splitlines() if line.startswith("| `")]
    return sum("." in row.split("`")[1] or len(row.split("|")) > 4 for row in rows)


def print_details(modules: dict[str, Module]) -> None:
    """The fullest folders, the longest modules, the closets and the commonest names of one word."""
    for folder, count in count_names(modules).most_common(8):
        print(f"  {count} names in {folder}")
    for module in sorted(modules.values(), key=lambda each: -each.lines)[:10]:
        print(f"  {module.lines} lines in {module.name}")
    for circle in find_circles(read_imports(modules)):
        print("  circle:", *sorted(circle), sep="\n    ")
    counted = Counter(
        name for module in modules.values() for name in iterate_variables(module.tree) if is_participle(name)
    )
    print("  participles:", ", ".join(f"{name} {count}" for name, count in counted.most_common(80)))
    print("  long signatures:", *find_long_signatures(modules), sep="\n    ")
    print("  one importer:", *find_closets(modules), sep="\n    ")
    names = Counter(function.name for module in modules.values() for function in iterate_functions(module.tree))
    common = [f"{name} {count}" for name, count in names.most_common() if "_" not in name.strip("_")]
    print("  single words:", ", ".join(common[:80]))


if __name__ == "__main__":
    main()
