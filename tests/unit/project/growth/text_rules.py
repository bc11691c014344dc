"""Every rule about texts that the package has: its regular expressions with the way each is used, its functions of a text."""

import ast
import dataclasses
import importlib
import inspect
import itertools
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import ascertain
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.language.word_lists import list_names, load_patterns, topic_files

PACKAGE = Path(ascertain.__path__[0])
UNIMPORTABLE = ("__main__", "ui.script", "ui.pages")
"""Scripts, which run when they are imported."""
ANCHORED = {"match", "fullmatch"}
"""Methods that begin at one place; all others try each."""
ELSEWHERE = {"search", "finditer", "findall", "sub", "subn", "split"}


@dataclasses.dataclass(frozen=True)
class Rule:
    """A regular expression as the package uses it."""

    where: str
    pattern: re.Pattern[str]
    method: str

    def apply(self, text: str) -> None:
        """Use it on a text, to its end."""
        if self.method in ANCHORED:
            getattr(self.pattern, self.method)(text)
        else:
            for _ in self.pattern.finditer(text):
                pass


@cache
def import_package() -> dict[str, ModuleType]:
    """Each module of the package by its path within it."""
    modules: dict[str, ModuleType] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        if not any(part in name for part in UNIMPORTABLE):
            modules[str(path.relative_to(PACKAGE))] = importlib.import_module(
                f"ascertain.{name}" if name != "__init__" else "ascertain"
            )
    return modules


def list_rules() -> list[Rule]:
    """All rules, each once."""
    rules: dict[tuple[re.Pattern[str], bool], Rule] = {}
    for rule in itertools.chain(_list_used(), _list_held(), _list_worded()):
        if _REPEATS.search(rule.pattern.pattern):
            rules.setdefault((rule.pattern, rule.method in ANCHORED), rule)
    return list(rules.values())


_REPEATS = re.compile(r"[*+]|\{\d*,\d*\}")
"""A pattern that repeats nothing has a constant of work for each character."""


def _list_used() -> Iterator[Rule]:
    """Where the code says ``re.METHOD(PATTERN, …)`` or ``NAME.METHOD``."""
    for path, module in import_package().items():
        for node in ast.walk(ast.parse(Path(module.__file__ or "").read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and ast.unparse(node.func.value) == "re"
            ):
                yield from _rules_of_call(path, module, node)
            elif isinstance(node, ast.Attribute) and node.attr in ANCHORED | ELSEWHERE:
                for each in _patterns_in(_evaluate(node.value, module)):
                    yield Rule(f"{path}:{node.lineno}", each, node.attr)


def _rules_of_call(path: str, module: ModuleType, node: ast.Call) -> Iterator[Rule]:
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr not in ANCHORED | ELSEWHERE:
        return
    pattern = _evaluate(node.args[0], module)
    flags = [word.value for word in node.keywords if word.arg == "flags"]
    at = {"sub": 4, "subn": 4, "split": 3}.get(node.func.attr, 2)
    flags += node.args[at : at + 1]
    bits = _evaluate(flags[0], module) if flags else 0
    if isinstance(pattern, str) and isinstance(bits, int):
        yield Rule(f"{path}:{node.lineno}", re.compile(pattern, bits), node.func.attr)


def _list_held() -> Iterator[Rule]:
    """What modules hold and no call in sight uses: taken for used everywhere in a text."""
    used = {rule.pattern for rule in _list_used()}
    for path, module in import_package().items():
        for name, value in vars(module).items():
            for pattern in _patterns_in(value):
                if pattern not in used:
                    yield Rule(f"{path}:{name}", pattern, "search")


def _list_worded() -> Iterator[Rule]:
    """The patterns of the word lists."""
    folders = (PACKAGE / "language" / "data").iterdir()
    for language in sorted(folder.name for folder in folders if folder.is_dir()):
        for topic in topic_files(language):
            for name in list_names(topic, language):
                try:
                    entries = load_patterns(topic, name, language)
                except (KeyError, TypeError, ValueError):
                    continue
                for line in entries:
                    entry = line.partition(" => ")[2] or line
                    yield Rule(f"{language}/{topic}:{name}", re.compile(entry, re.IGNORECASE), "search")


def _evaluate(node: ast.expr, module: ModuleType) -> object:
    """The value of an expression of names of the module and constants; None where it takes more."""
    if not all(isinstance(each, _PLAIN) for each in ast.walk(node)):
        return None
    try:
        return eval(compile(ast.Expression(node), "rule", "eval"), dict(vars(module)))
    except Exception:
        return None


_PLAIN = (
    ast.Name, ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Attribute, ast.BinOp, ast.operator, ast.expr_context, ast.Subscript,
)  # fmt: skip


def _patterns_in(value: object, depth: int = 3) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth:
        yield from (found for part in _parts_of(value) for found in _patterns_in(part, depth - 1))


def _parts_of(value: object) -> list[object]:
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name, None) for field in dataclasses.fields(value)]
    return []


TEXT_PACKAGES = (
    "core", "language", "models", "documents/formats", "documents/sources/web/urls", "graph", "documents/ingest", "questions", "retrieval", "answering",
    "reports/analysis", "reports/research", "workflow",
)  # fmt: skip
"""Packages whose functions are about texts; the others store, show or send what these make."""
NO_TEXTS = ("workflow/deferred_packages", "core/settings/profiles")
"""Modules of theirs whose functions take names of the program's own, or the settings of whoever runs it."""


@dataclasses.dataclass(frozen=True)
class TextFunction:
    """A public function that takes a text, or a document, and nothing else that it must be given."""

    where: str
    call: Callable[[str], object]


def list_functions() -> list[TextFunction]:
    """All such functions of ``TEXT_PACKAGES``."""
    functions: list[TextFunction] = []
    for path, module in import_package().items():
        if not path.startswith(TEXT_PACKAGES) or path.startswith(NO_TEXTS):
            continue
        for name, function in vars(module).items():
            is_own = inspect.isfunction(function) and function.__module__ == module.__name__
            if not is_own or name.startswith("_") or inspect.isgeneratorfunction(inspect.unwrap(function)) is None:
                continue
            makers = _makers_of(function)
            if makers:
                functions.append(TextFunction(f"{path}:{name}", _bind(function, makers)))
    return functions


def _bind(function: Callable[..., object], makers: dict[str, Callable[[str], object]]) -> Callable[[str], object]:
    def call(text: str) -> object:
        result = function(**{name: make(text) for name, make in makers.items()})
        return list(result) if isinstance(result, Iterator) else result

    return call


def _makers_of(function: Callable[..., object]) -> dict[str, Callable[[str], object]] | None:
    """What makes each argument of a text; None where one is needed that is nothing of a text."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return None
    makers: dict[str, Callable[[str], object]] = {}
    for parameter in signature.parameters.values():
        if parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            return None
        named = (
            parameter.annotation
            if isinstance(parameter.annotation, str)
            else getattr(parameter.annotation, "__name__", str(parameter.annotation))
        )
        make = _BY_NAME.get(parameter.name) or _BY_ANNOTATION.get(str(parameter.annotation), _BY_ANNOTATION.get(named))
        if make is None:
            return None
        grows = any(each in _OF_TEXT for each in makers.values())
        makers[parameter.name] = _SECOND.get(make, make) if grows else make
    return makers if any(make in _OF_TEXT for make in makers.values()) else None


def a_document(text: str) -> Document:
    return Document(
        id="d", text=text, title="A title", kind=DocumentKind.PROSE, source="s", profile="docs", language="en"
    )


def _the_text(text: str) -> str:
    return text


def _a_name(text: str) -> str:
    """A second text beside the one that grows."""
    return "TP-4107 of Ada Flores"


def _the_lines(text: str) -> list[str]:
    return text.split("\n")


_BY_NAME: dict[str, Callable[[str], object]] = {
    "language": lambda text: "en",
    "most": lambda text: 100,
    "limit": lambda text: 100,
}
_BY_ANNOTATION: dict[str, Callable[[str], object]] = {
    "str": _the_text,
    "str | None": _the_text,
    "Document": a_document,
    "Sequence[str]": _the_lines,
    "Iterable[str]": _the_lines,
    "list[str]": _the_lines,
    "collections.abc.Sequence[str]": _the_lines,
    "collections.abc.Iterable[str]": _the_lines,
    "bytes": lambda text: text.encode("utf-8", "surrogatepass"),
    "datetime": lambda text: __import__("datetime").datetime(2026, 11, 27, tzinfo=__import__("datetime").UTC),
}
_SECOND = {_the_text: _a_name, _the_lines: lambda text: ["TP-4107", "Ada Flores"]}
_OF_TEXT = {_the_text, _the_lines, a_document, _BY_ANNOTATION["bytes"]}
