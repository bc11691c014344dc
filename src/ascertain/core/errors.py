"""Errors a caller can act on. Messages say what happened, to which input, and what to do."""

import difflib
from collections.abc import Iterable

from ascertain.core.system.extras import install_command


class AscertainError(Exception):
    """Root of every error Ascertain raises on purpose."""


class UsageError(AscertainError):
    """The request itself is wrong: an empty question, a missing path, an unknown option."""


class UnknownEntity(UsageError):
    """The knowledge graph has no such name; ``suggestions`` are similar names."""

    def __init__(self, name: str, suggestions: tuple[str, ...] = ()) -> None:
        *most, last = suggestions or ("",)
        near = f"; did you mean {', '.join(most)}{' or ' if most else ''}{last}?" if last else ""
        super().__init__(f"nothing is called {name!r} in the knowledge graph{near}")
        self.name = name
        self.suggestions = suggestions


class NotYours(UsageError):
    """Something belongs to another user of the tenant."""


class NameTaken(UsageError):
    """A file with this name was uploaded by someone else, and would be replaced."""


class NoGraph(UsageError):
    """There is no knowledge graph, because it is switched off."""


class JobNotFailed(UsageError):
    """A job cannot be retried, because it has not failed or its files are no longer stored."""


class ConfigurationError(AscertainError):
    """A setting is unknown, out of range or contradicts another."""


class MissingExtra(AscertainError):
    """An optional part is not installed; ``others`` are further missing extras, so that one command installs them all."""

    def __init__(self, feature: str, extra: str, others: Iterable[str] = ()) -> None:
        also = [each for each in others if each != extra]
        settings = f", and the settings need {', '.join(also)}" if also else ""
        super().__init__(f"{feature} needs the extra {extra}{settings}: {install_command(extra, *also)}")
        self.feature = feature
        self.extra = extra


class SourceError(AscertainError):
    """A file, page or feed could not be read; the message begins with its name."""


class StoreError(AscertainError):
    """The knowledge base could not be read or written."""


class StoreDamaged(StoreError):
    """What is stored is not what was written; only a backup or adding the documents again helps."""


class StoreBusy(StoreError):
    """Another process is writing and did not finish within the time allowed."""


class EmbeddingMismatch(StoreError):
    """The knowledge base was built with another embedding model or dimension."""


class SchemaMismatch(StoreError):
    """The knowledge base was written by a version of Ascertain that stores it in another form."""

    def __init__(self, place: str, stored: int, known: int) -> None:
        super().__init__(
            f"the knowledge base in {place} was written by another version of Ascertain (schema {stored}, this one has {known}): "
            "use that version, or build it anew with `ascertain add` in another home or under another store.name"
        )


class ModelError(AscertainError):
    """A model could not be loaded or did not answer."""


class ModelLeftAlone(ModelError):
    """A model is not called, because its server failed a while ago; it is retried in ``seconds``."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class TooMuchWork(AscertainError):
    """A text or a request exceeded its limit of processor time, and was stopped."""


class TextRefused(ModelError):
    """A model rejects one text; it may accept others."""


class BudgetExceeded(AscertainError):
    """A question has used up what it may spend on model calls."""


class CitationError(AscertainError):
    """A quote does not match the stored text it points at."""


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """``; did you mean top_k?`` for the closest valid name, or a list of them when none is close.

    The last part of a dotted name counts too, so that ``top_k`` finds ``retrieval.top_k``.
    """
    names = list(valid)
    close = difflib.get_close_matches(name.lower(), [each.lower() for each in names], n=1, cutoff=0.6)
    if close:
        return f"; did you mean {next(each for each in names if each.lower() == close[0])}?"
    last_parts = {each.rpartition(".")[2].lower(): each for each in reversed(names)}
    close = difflib.get_close_matches(name.rpartition(".")[2].lower(), last_parts, n=1, cutoff=0.7)
    if close:
        return f"; did you mean {last_parts[close[0]]}?"
    return f"; known are {', '.join(names)}" if len(names) <= 12 else "; see ascertain config show for all of them"
