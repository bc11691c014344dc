"""Ascertain: answers from your own documents, with the exact words each sentence rests on."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain as Ascertain
    from ascertain.core.asking.answers import Answer as Answer
    from ascertain.core.asking.passages import Filter as Filter
    from ascertain.core.asking.passages import Strategy as Strategy
    from ascertain.core.documents.documents import Document as Document
    from ascertain.core.errors import AscertainError as AscertainError
    from ascertain.core.settings import Settings as Settings

__version__ = "0.1.0"

_HOMES = {
    "Answer": "ascertain.core.asking.answers",
    "Ascertain": "ascertain.app.ascertain",
    "AscertainError": "ascertain.core.errors",
    "Document": "ascertain.core.documents.documents",
    "Filter": "ascertain.core.asking.passages",
    "Settings": "ascertain.core.settings",
    "Strategy": "ascertain.core.asking.passages",
}

__all__ = ["Answer", "Ascertain", "AscertainError", "Document", "Filter", "Settings", "Strategy", "__version__"]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that ``ascertain --help`` loads nothing it does not need."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'ascertain' has no attribute {name!r}")
