"""What speaks against a sentence, in words: the reason for which a model's yes is not enough.

Each rule looks for one kind of thing that the evidence lacks or denies, and names it. Without a name there is no objection.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ascertain.answering.checking.evidence import Evidence, Statement
from ascertain.answering.checking.figures import Figure, find_figures
from ascertain.core.asking.answers import Verdict, VerdictLabel
from ascertain.core.asking.judgements import CheckedClaim
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import is_foreign


@dataclass(frozen=True, slots=True)
class Objection:
    """``label`` is one of the two verdicts that are not shown; ``reason`` a line for people and for the model that writes again."""

    label: VerdictLabel
    reason: str

    def check(self, statement: Statement) -> CheckedClaim:
        """The resulting verdict."""
        return CheckedClaim(statement.text, statement.sentence, Verdict(self.label, 0.0), self.reason)


@dataclass(frozen=True)
class Case:
    """A statement with the evidence that the rules compare it with."""

    statement: Statement

    @property
    def text(self) -> str:
        """What is claimed; of a row its cells."""
        return self.statement.cells or self.statement.text

    @property
    def language(self) -> str:
        """That of the question."""
        return self.statement.language

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Everything it cites."""
        return self.statement.evidence

    @cached_property
    def quotes(self) -> tuple[str, ...]:
        """The quotations without their surroundings."""
        return tuple(dict.fromkeys(each.quote for each in self.evidence))

    @cached_property
    def sources(self) -> str:
        """Everything its reader can see: the passages, titles, sections, speakers, dates."""
        parts = (part for each in self.evidence for part in (each.context, each.passage or each.text))
        return "\n".join(dict.fromkeys(parts))

    @cached_property
    def known(self) -> str:
        """The same with the question: a word from it is not new in the answer."""
        return f"{self.sources}\n{self.statement.question}"

    @cached_property
    def shown(self) -> str:
        """Everything the answer was written from, cited here or not."""
        return "\n".join((self.sources, *self.statement.shown))

    @cached_property
    def everywhere(self) -> str:
        """The same with the question."""
        return f"{self.shown}\n{self.statement.question}"

    @cached_property
    def shown_sentences(self) -> tuple[str, ...]:
        """The sentences of everything the answer was written from."""
        return tuple(
            dict.fromkeys((*self.sentences, *(s.of(t) for t in self.statement.shown for s in split_sentences(t))))
        )

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the texts and their titles."""
        texts = dict.fromkeys(part for each in self.evidence for part in (each.text, each.title))
        return tuple(dict.fromkeys(span.of(text) for text in texts for span in split_sentences(text)))

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Of the claim."""
        return tuple(find_figures(self.text))

    @cached_property
    def source_figures(self) -> tuple[Figure, ...]:
        """Of everything its reader sees."""
        return tuple(find_figures(self.sources))

    @cached_property
    def is_comparable(self) -> bool:
        """Whether the words of claim and sources are in one language, and the rules know it."""
        return not is_foreign(self.text) and not any(is_foreign(each.text) for each in self.evidence)
