"""Source code as it stands, with the number of each line and the function or class that it is part of.

Python is parsed by Python; of other languages a line that begins a definition is recognised by its first words, and where it ends by its
indentation, which formatters have made reliable.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of

_PYTHON = (".py", ".pyi")
_LANGUAGES = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "ts": "typescript",
    "h": "c", "cc": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "cs": "csharp", "rb": "ruby", "rs": "rust", "kt": "kotlin",
    "pl": "perl", "sh": "bash",
}  # fmt: skip
"""What a language is called where its suffix is not its name."""
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|sealed|partial|open|"
    r"data|inline|unsafe|extern|pub(?:\([\w ]+\))?|const|local|suspend|case|implicit|readonly|declare)\s+)*"
)
_DEFINITIONS = (
    # class, interface, module and the like, by what introduces them
    re.compile(
        rf"{_MODIFIERS}(?:class|interface|trait|struct|enum|union|record|object|module|namespace|package(?=.*\{{)|protocol|extension|"
        r"actor|mod|type(?=\s+\w+\s+(?:struct|interface))|impl(?:<[^>]*>)?)\s+(?P<name>[\w:.$]+(?:\s+for\s+[\w:.]+)?)"
    ),
    # functions, by what introduces them
    re.compile(
        rf"{_MODIFIERS}(?:function\s*\*?|func|fn|fun|def|sub|proc)\s+(?:\((?:\w+\s+)?\*?(?P<receiver>\w+)[^)]*\)\s*)?(?P<name>[\w.:$?!=]+)"
    ),
    re.compile(r"(?:export\s+)?(?:const|let|var)\s+(?P<name>[\w$]+)\s*(?::[^=]{1,300})?=\s*+(?:async\s*+)?(?:function\b|\([^()]{0,300}\)\s*+(?::\s*+[\w<>\[\]|. ]{1,300})?\s*=>|\w+\s*=>)"),
    re.compile(r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+)?(?:TABLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|INDEX|TYPE)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[\w.\"`]+)", re.IGNORECASE),
    re.compile(r"(?P<name>[\w$-]+)\s*<-\s*function\b"),
    re.compile(r"(?P<name>[\w-]+)\s*\(\)\s*\{"),
    # methods and functions of the family of C: a type or modifiers, a name, parameters, and no end of a statement
    re.compile(r"(?!(?:return|else|if|for|while|switch|catch|new|throw|case|do|typedef|using|import|await|yield|delete)\b)"
               r"(?:[\w:<>,\[\]*&?~]+\s+)+[*&]*(?P<name>~?[\w:]+)\s*\([^;{}=]{0,500}\)?\s*[^;={}]{0,200}(?:\{\s*\}?|,|\()?$"),
    re.compile(r"(?!(?:if|for|while|switch|catch|function|return|super|constructor\s*$)\b)(?:(?:static|async|get|set)\s+)*(?P<name>[\w$#]+)\s*\([^;{}]{0,300}\)\s*(?::[^{;]{1,100})?\{$"),
)  # fmt: skip
_LONGEST_LINE = 2000
"""Characters; a longer line was written by a program."""
_LONGEST_DEFINITION = 400
"""Characters of a line that begins a definition."""
_COMMENT = re.compile(r"\s*(?://|#|/?\*|--|;|%|@|\[)")


def read_code(file: SourceFile) -> Iterator[Extracted]:
    """The file as it stands. Raises SourceError for one that no person wrote: packed into lines that are far too long."""
    # cleaned a line at a time: empty lines count
    lines = text_of(file).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    longest = max(map(len, lines))
    if longest > _LONGEST_LINE and sum(map(len, lines)) > _LONGEST_LINE * len(lines) / 10:
        raise file.error("minified source code, which no one reads; add the original files")
    sections = _python_sections(lines) if file.path.suffix.lower() in _PYTHON else None
    if sections is None:
        sections = _indented_sections(lines)
    draft = Draft()
    language = _LANGUAGES.get(suffix := file.path.suffix.lower().removeprefix("."), suffix) or None
    empty = 0
    for number, (line, section) in enumerate(zip(lines, sections, strict=True), 1):
        if not line.strip():
            empty += 1
            continue
        draft.part, draft.section = f"line {number}", section
        draft.add(line, "\n\n" if empty else "\n", kind=BlockKind.CODE, label=language)
        empty = 0
    text, blocks = draft.finish()
    yield Extracted(text, title=file.path.name, blocks=blocks)


def _python_sections(lines: Sequence[str]) -> list[tuple[str, ...]] | None:
    """The classes and functions around each line; None for what Python does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    sections: list[tuple[str, ...]] = [()] * len(lines)
    waiting: list[tuple[ast.AST, tuple[str, ...]]] = [(tree, ())]
    while waiting:
        node, path = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            path = (*path, node.name)
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            for number in range(first - 1, min(node.end_lineno or first, len(lines))):
                sections[number] = path
        waiting += [(child, path) for child in reversed(list(ast.iter_child_nodes(node)))]
    return sections


def _indented_sections(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """The definitions around each line, by indentation; comments right above one belong to it."""
    sections: list[tuple[str, ...]] = []
    opened: list[tuple[int, str]] = []
    for line in lines:
        stripped = line.strip()
        indent = len(line) - len(line.lstrip())
        if stripped and not _is_ending(stripped):
            opened = [(depth, name) for depth, name in opened if depth < indent]
            name = None if len(line) > 300 or _COMMENT.match(line) else _find_name(stripped)
            if name:
                opened.append((indent, name))
        sections.append(tuple(name for _, name in opened))
    for number in range(len(lines) - 2, -1, -1):
        below = sections[number + 1]
        if _COMMENT.match(lines[number]) and len(below) > len(sections[number]):
            sections[number] = below
    return sections


def _is_ending(stripped: str) -> bool:
    """Whether a line ends what its indentation would seem to be next to: a bracket, ``end``, ``begin`` on a line of its own."""
    return stripped[0] in "})]{" or stripped.rstrip(";") in ("end", "fi", "done", "esac", "begin")


def _find_name(stripped: str) -> str | None:
    if len(stripped) > _LONGEST_DEFINITION:
        return None
    for pattern in _DEFINITIONS:
        if match := pattern.match(stripped):
            receiver = match.groupdict().get("receiver")
            name = match["name"].strip('"`')
            return f"{receiver}.{name}" if receiver else name
    return None
