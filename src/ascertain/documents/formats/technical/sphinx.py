"""Directives and roles of Sphinx for docutils, which knows only its own: each keeps the words that Sphinx shows of it.

Nothing is read or run: what stands in other files, or is made by running code, is named as left out.
"""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles
from docutils.statemachine import StringList

from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.technical.versions import VERSIONS

_LOCK = RLock()
_CODE = frozenset(
    "code code-block sourcecode prompt ipython testcode testsetup testoutput doctest productionlist click:example click:run "
    "jupyter-execute code-tab highlight-block graphviz digraph graph mermaid uml plantuml command-output".split()
)
_HIDDEN = frozenset(
    "contents sectnum section-numbering index meta raw highlight default-role currentmodule module py:module py:currentmodule "
    "tabularcolumns target-notes testcleanup title header footer sectionauthor codeauthor restructuredtext-test-directive "
    "cssclass rst-class class c:namespace cpp:namespace default-domain js:module".split()
)
"""Directives that say nothing to a reader, or whose words stand elsewhere."""
_ELSEWHERE = {
    "include": "included files", "literalinclude": "included files", "toctree": "pages of a table of contents",
    "automodule": "documentation made from code", "autosummary": "documentation made from code", "jinja": "included files",
}  # fmt: skip
_PLAIN = frozenset(
    "only container tabs tab-set grid hlist glossary compound ifconfig grid-item toggle details div html_only".split()
)
"""Directives that only hold others."""
_TITLED = frozenset(
    "tab tab-item group-tab grid-item-card card dropdown centered rubric epigraph sphinx-tabs collapse".split()
)
_ADMONITIONS = frozenset("seealso todo versionnote deprecation".split())
_PLUMBING = frozenset(
    "members undoc-members private-members special-members show-inheritance inherited-members noindex no-index nosignatures "
    "exclude-members linenos lineno-start lines emphasize-lines class name align width widths header-rows stub-columns height "
    "scale target figwidth figclass dedent force encoding start-after end-before start-at end-at pyobject language module nested "
    "maxdepth hidden caption glob alt number-lines canonical file url delim member-order async staticmethod classmethod".split()
)
"""Options about how something is shown."""


def _any_value(value: str | None) -> str:
    return value or ""


class _AnyOption(dict[str, Any]):
    """The options of a directive that is not known: any."""

    def __missing__(self, name: str) -> Any:
        return _any_value


class _SphinxDirective(Directive):
    """Any directive that docutils does not know."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = _AnyOption(name=_any_value)

    def run(self) -> Sequence[nodes.Node]:
        """What the directive shows."""
        name = self.name.lower()
        argument = self.arguments[0].strip() if self.arguments else ""
        if name in _HIDDEN:
            return []
        if name in _ELSEWHERE:
            return self._leave_out(_ELSEWHERE[name], argument)
        if name in _CODE:
            return self._code(argument)
        if name in VERSIONS:
            return self._version(VERSIONS[name], argument)
        if name in _PLAIN:
            return self._content(is_glossary=name == "glossary")
        if name in _TITLED:
            return [*self._paragraph(argument), *self._content()]
        if name in _ADMONITIONS:
            return self._admonition("See also" if name == "seealso" else name.capitalize(), argument)
        return self._description(argument)

    def _leave_out(self, what: str, argument: str) -> list[nodes.Node]:
        """Name what is not here; entries of a table of contents with titles of their own are shown."""
        entries = [line.strip() for line in self.content if line.strip()]
        titled = [entry.rpartition("<")[0].strip() for entry in entries if re.fullmatch(r"[^<]+ <[^<>]+>", entry)]
        losses: Losses = self.state.document.settings.losses
        for entry in entries or [argument]:
            losses.add(what, name=entry)
        caption = self.options.get("caption", "")
        found = self._paragraph(caption)
        if titled and what == _ELSEWHERE["toctree"]:
            items = [nodes.list_item("", nodes.paragraph("", entry)) for entry in titled]
            found.append(nodes.bullet_list("", *items))
        return found

    def _inline(self, text: str) -> list[nodes.Node]:
        found, _ = self.state.inline_text(text, self.lineno)
        return found

    def _paragraph(self, text: str) -> list[nodes.Node]:
        return [nodes.paragraph(text, "", *self._inline(text))] if text.strip() else []

    def _content(self, *, is_glossary: bool = False) -> list[nodes.Node]:
        node = nodes.container()
        # a copy, as what is taken out of the content is missing from the page
        content = StringList(_join_terms(list(self.content)), self.name) if is_glossary else self.content
        self.state.nested_parse(content, self.content_offset, node)
        return list(node.children)

    def _code(self, argument: str) -> list[nodes.Node]:
        text = "\n".join(self.content) or ("" if self.name.lower() != "productionlist" else argument)
        block = nodes.literal_block(
            text, text, classes=["code", argument.split(maxsplit=1)[0]] if argument else ["code"]
        )
        caption = self.options.get("caption", "")
        captions = [nodes.caption(caption, "", *self._inline(caption))] if caption else []
        return [*captions, *([block] if text.strip() else [])]

    def _version(self, words: str, argument: str) -> list[nodes.Node]:
        version, text = [*argument.split(None, 1), "", ""][:2]
        content = self._content()
        inner = self._inline(text) if text.strip() else []
        if content and isinstance(content[0], nodes.paragraph):
            inner = [*inner, *([nodes.Text(" ")] if inner else []), *content[0].children]
            content = content[1:]
        lead = f"{words} {version}{': ' if inner else '.'}"
        return [nodes.paragraph("", "", nodes.Text(lead), *inner), *content]

    def _admonition(self, title: str, argument: str) -> list[nodes.Node]:
        return [nodes.admonition("", nodes.title("", title), *self._paragraph(argument), *self._content())]

    def _description(self, argument: str) -> list[nodes.Node]:
        """A function, a setting, anything with a name: its name stands with its options before what is said of it."""
        shown = [f"{name}: {value}" for name, value in self.options.items() if value and name not in _PLUMBING]
        names = [line.strip().replace("\\", "") for line in argument.split("\n") if line.strip()]
        name = ", ".join(names)
        term = f"{name} ({', '.join(shown)})" if name and shown else name or ", ".join(shown)
        content = self._content()
        if not term:
            return content
        words = self._inline(term) if "`" in term else [nodes.Text(term)]
        if self.name.lower().startswith("auto"):
            self.state.document.settings.losses.add("documentation made from code", name=name)
        item = nodes.definition_list_item("", nodes.term("", "", *words), nodes.definition("", *content))
        return [nodes.definition_list("", item)]


def _join_terms(lines: Sequence[str]) -> list[str]:
    """Terms of a glossary that share a description stand on lines below each other; they become one."""
    terms: list[str] = []
    for line in lines:
        is_term = line.strip() and not line[0].isspace() and not line.startswith("..")
        if is_term and terms and terms[-1].strip() and not terms[-1][0].isspace() and not terms[-1].startswith(".."):
            terms[-1] = f"{terms[-1].rstrip()}, {line}"
        else:
            terms.append(line)
    return terms


_TRACKED = frozenset("bpo bug gh issue pr pull ticket".split())
"""Roles that projects define for what they track by a number, shown as ``#12``."""
_TARGETED = re.compile(r"(?P<text>(?:[^<\s]++|\s++(?!<))*+)\s*<[^<>]*>$", re.DOTALL)


def _show_role(
    name: str, rawtext: str, text: str, *_: object, **__: object
) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """What is shown of a role: its own words, or of the target the name, the last part of it behind ``~``."""
    text = text.replace("\x00", "")
    if match := _TARGETED.fullmatch(text):
        shown = match["text"] or text.strip("<>")
    elif text.startswith("~"):
        shown = text[1:].rpartition(".")[2]
    elif name.endswith(("doc", "download")):
        shown = text.rpartition("/")[2]
    elif name.lower() in ("cve", "cwe"):
        shown = f"{name.upper()}-{text.upper().removeprefix(f'{name.upper()}-')}"
    elif name.lower() in _TRACKED and text.isdigit():
        shown = f"#{text}"
    else:
        shown = text.lstrip("!")
    return [nodes.inline(rawtext, shown)], []


@contextmanager
def know_sphinx() -> Generator[None]:
    """Let docutils take any directive and role while it parses; it looks them up in its modules, as Sphinx does it too."""
    own_directive, own_role = directives.directive, roles.role
    ours = (
        _CODE | _HIDDEN | frozenset(_ELSEWHERE) | frozenset(VERSIONS) | frozenset({"container", "compound", "rubric"})
    )

    def directive(name: str, language: Any, document: Any) -> Any:
        if name.lower() in ours:
            return _SphinxDirective, []
        found, messages = own_directive(name, language, document)
        return (found, messages) if found is not None else (_SphinxDirective, [])

    def role(name: str, language: Any, lineno: int, reporter: Any) -> Any:
        found, messages = own_role(name, language, lineno, reporter)
        return (found, messages) if found is not None else (_show_role, [])

    with _LOCK:
        directives.directive, roles.role = directive, role  # type: ignore[assignment]
        try:
            yield
        finally:
            directives.directive, roles.role = own_directive, own_role
