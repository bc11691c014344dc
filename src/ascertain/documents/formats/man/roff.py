"""The requests of roff that decide which lines a page has: definitions of macros and strings, conditions, includes (roff(7)).

What they may grow to is bounded: a page can define macros that call each other without an end.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ascertain.documents.formats.man.escapes import render_escapes

_MOST_LINES = 20_000
"""Lines that macros may make besides ten times those of the page; none that people wrote come near."""
_DEEPEST_CALL = 20
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)\\[\"#](?s:.)*$")
_REQUEST = re.compile(r"[.'][ \t]*([^\s\\]{1,40}|\\\")?[ \t]*(.*)$", re.DOTALL)
_ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|((?:\\[^\n]|[^\s\\])+|\\$)')
_PARAMETER = re.compile(r"(?<!\\)\\++\$(?:(\d)|\((\d\d)|\[(\d{1,2})\]|([*@]))")
_LONGEST_STRING = 10_000


_BEGINNING = re.compile(r"\.\s*(?:TH|Dd|Dt|so)[ \t]+\S")
_BESIDE = re.compile(r"""(?:[.'][ \t]*)?\\["#]|\.\s*$|\s*$""")
_ANY_REQUEST = re.compile(r"[.'][ \t]*[A-Za-z\\{]")


def is_man(head: str) -> bool:
    """Whether a text begins as a page of a manual: with its title, comments and definitions of macros before it at most."""
    lines = head.split("\n")
    requests = 0
    for line in lines:
        if _BEGINNING.match(line):
            return True
        if _BESIDE.match(line[:200]):
            continue
        if not _ANY_REQUEST.match(line) and not requests:
            return False
        requests += 1
    # the definitions that pod2man puts first are longer than what is looked at
    return requests > 20 and lines[0].startswith(('.\\"', "'\\\""))


class Call(NamedTuple):
    """A line of a page: a request or macro with its arguments, or text, for which ``name`` is empty."""

    name: str
    arguments: str


def split_arguments(text: str) -> list[str]:
    """The arguments of a macro: words, or more of them in double quotes."""
    return [match[1].replace('""', '"') if match[1] is not None else match[2] for match in _ARGUMENT.finditer(text)]


class Roff:
    """Goes through the lines of a page as roff would, with its macros carried out."""

    def __init__(self, source: str) -> None:
        self.strings: dict[str, str] = {}
        self.registers: dict[str, int] = {".g": 1, ".x": 1, ".H": 24, ".V": 40, "F": 0, "rF": 0, ".$": 0}
        self.included: list[str] = []
        self._macros: dict[str, list[str]] = {}
        # lines that wait, the next one last, each with the depth of the call that it comes from
        self._waiting = [(line, 0) for line in reversed(_join_lines(source))]
        self._left = _MOST_LINES + 10 * len(self._waiting)
        self._else: list[bool] = []

    def render(self, text: str) -> str:
        """A text as it is shown."""
        return render_escapes(text, self.strings, self.registers)

    def calls(self) -> Iterator[Call]:
        """The lines that show something, in order."""
        while self._waiting and self._left > 0:
            self._left -= 1
            line, depth = self._waiting.pop()
            line = _COMMENT.sub(r"\1", line)
            if line[:1] not in (".", "'"):
                yield Call("", line)
                continue
            match = _REQUEST.match(line)
            name, rest = (match[1] or "", match[2]) if match else ("", "")
            if name and not self._take(name, rest, depth):
                yield Call(name, rest)

    def take_raw(self, ending: str) -> list[str]:
        """The lines up to the request ``ending``, as they stand, as of a table."""
        lines: list[str] = []
        while self._waiting:
            line, _ = self._waiting.pop()
            if line[:1] in (".", "'") and line[1:].strip().split(" ")[0] == ending:
                break
            lines.append(line)
        return lines

    def _take(self, name: str, rest: str, depth: int) -> bool:
        """Carry out a request of roff itself; whether it was one."""
        if name in ("de", "de1", "dei", "am", "am1"):
            self._define(rest, is_more=name.startswith("am"))
        elif name in ("ds", "as", "ds1", "as1"):
            self._set_string(rest, is_more=name.startswith("as"))
        elif name == "ig":
            self._read_body(rest.strip() or ".")
        elif name in ("if", "ie", "while"):
            holds, then = self._test(rest)
            if name == "ie":
                self._else.append(not holds)
            self._branch(holds, then, depth)
        elif name == "el":
            self._branch(self._else.pop() if self._else else False, rest, depth)
        elif name == "nr":
            self._set_register(rest)
        elif name == "so":
            self.included.append(rest.strip()[:300])
        elif name in self._macros:
            if depth < _DEEPEST_CALL:
                self._call(self._macros[name], rest, depth + 1)
        else:
            return name in ("rm", "rn", "als")
        return True

    def _read_body(self, ending: str) -> list[str]:
        body: list[str] = []
        while self._waiting:
            line, _ = self._waiting.pop()
            if line[:1] == "." and line[1:].strip() == ending:
                break
            body.append(line)
        return body

    def _define(self, rest: str, *, is_more: bool) -> None:
        names = rest.split()
        body = self._read_body(names[1] if len(names) > 1 else ".")
        if names:
            lines = [line.replace("\\\\", "\\") for line in body]
            # an own definition of a macro that is known here says how it looks, not what it means
            if names[0] not in _KNOWN:
                self._macros[names[0]] = [*self._macros.get(names[0], []), *lines] if is_more else lines

    def _call(self, body: Sequence[str], rest: str, depth: int) -> None:
        arguments = split_arguments(rest)

        def fill(match: re.Match[str]) -> str:
            if match[4]:
                return " ".join(arguments)
            number = int(match[1] or match[2] or match[3])
            return arguments[number - 1] if 0 < number <= len(arguments) else ""

        self._waiting += [(_PARAMETER.sub(fill, line), depth) for line in reversed(body)]
        self._left -= len(body)

    def _set_string(self, rest: str, *, is_more: bool) -> None:
        name, _, value = rest.partition(" ")
        value = value.lstrip().removeprefix('"')
        before = self.strings.get(name, "") if is_more else ""
        self.strings[name] = (before + self.render(value))[:_LONGEST_STRING]

    def _set_register(self, rest: str) -> None:
        parts = rest.split()
        if len(parts) > 1 and (value := re.fullmatch(r"([-+]?)(\d{1,9})[a-z]?", parts[1])):
            number = int(value[2])
            before = self.registers.get(parts[0], 0)
            self.registers[parts[0]] = {"+": before + number, "-": before - number}.get(value[1], number)

    def _branch(self, holds: bool, then: str, depth: int) -> None:
        """Go on with what stands behind a condition, or skip it; it may be a block in braces over many lines."""
        then = then.lstrip()
        if not then.startswith("\\{"):
            if holds and then:
                self._waiting.append((then, depth))
            return
        first = then[2:].lstrip().removeprefix("\\").lstrip()
        if holds:
            # the brace that ends the block shows nothing
            self._waiting += [(first, depth)] if first else []
            return
        level = 1 + first.count("\\{") - first.count("\\}")
        while level > 0 and self._waiting:
            line, _ = self._waiting.pop()
            level += line.count("\\{") - line.count("\\}")

    def _test(self, rest: str) -> tuple[bool, str]:
        """Whether a condition holds on a terminal, and what stands behind it."""
        rest = rest.lstrip()
        is_not = rest.startswith("!")
        rest = rest.lstrip("!")
        if match := re.match(r"(['\"\x07])(.*?)\1(.*?)\1", rest):
            holds, end = self.render(match[2]) == self.render(match[3]), match.end()
        elif known := re.match(r"([drcmv]) ?(\S+)", rest) if not rest.startswith("\\") else None:
            found = (
                known[2] in self.registers if known[1] == "r" else known[2] in self.strings or known[2] in self._macros
            )
            holds, end = found, known.end()
        elif sign := re.match(r"[nteo](?=[ \\.])", rest):
            holds, end = sign[0] in "no", sign.end()
        else:
            condition = re.match(
                r"\([^\n]{0,200}?\)(?= |\\\{)|(?:\\.\(..|\\.\[[^\]]{0,200}\]|\\n.|\S)*?(?=\s|\\\{|$)", rest
            )
            end = condition.end() if condition else len(rest)
            holds = _is_positive(self.render(rest[:end]))
        return holds != is_not, rest[end:]


_COMPARISON = re.compile(r"\(?(-?\d{1,9})[a-z]?(?:(>=|<=|==?|<|>)(-?\d{1,9})[a-z]?)?\)?")


def _is_positive(expression: str) -> bool:
    """Whether a number or a comparison of two holds; what is more than that is taken not to."""
    match = _COMPARISON.fullmatch(expression.replace(" ", ""))
    if match is None:
        return False
    left, right = int(match[1]), int(match[3] or 0)
    return {">=": left >= right, "<=": left <= right, "=": left == right, "==": left == right, "<": left < right}.get(
        match[2] or ">", left > right
    )


def _join_lines(source: str) -> list[str]:
    """The lines of a page; one that ends in a single backslash goes on below."""
    lines: list[str] = []
    parts: list[str] = []
    for line in source.split("\n"):
        is_open = (
            line.endswith("\\")
            and (len(line) - len(line.rstrip("\\"))) % 2 == 1
            and not line.lstrip(".'").startswith('\\"')
        )
        if is_open and not line.endswith("{\\"):
            parts.append(line[:-1])
            continue
        lines.append("".join([*parts, line]))
        parts = []
    return [*lines, "".join(parts)] if parts else lines


_KNOWN = frozenset(
    "TH SH SS PP LP P TP TQ IP HP RS RE B I R BI BR IB IR RB RI SM SB EX EE UR UE MT ME MTO SY YS OP URL TS TE EQ EN "
    "br sp nf fi in ti ce".split()
)
"""Macros whose meaning is fixed (man(7)), however a page defines them for a system that lacks them."""
