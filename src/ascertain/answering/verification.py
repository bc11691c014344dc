"""Checks an answer claim by claim against the passages it was written from (AN-5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ascertain.answering.claims import plain_text, split_claims
from ascertain.answering.composition import Composition
from ascertain.core.answers import AnswerSentence, Citation, Decision, Verdict, VerdictLabel
from ascertain.core.documents import Document
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.judgements import CheckedClaim, Groundedness
from ascertain.core.passages import Passage
from ascertain.core.runs import Run
from ascertain.core.settings import VerificationSettings
from ascertain.core.spans import Span
from ascertain.language.instructions import without_instructions
from ascertain.language.sentences import split_sentences
from ascertain.models.ports import ClaimPair, EntailmentModel, Support

AROUND = 2
"""Sentences on either side of a quote that are read with it: they hold what its pronouns stand for."""
VERBATIM = "its words are quoted"
UNCITED = "it cites nothing"


@dataclass(frozen=True, slots=True)
class _Open:
    """A claim that is no quotation; ``cited`` are the texts around what its sentence cites."""

    text: str
    sentence: int
    cited: tuple[str, ...]


class Verifier:
    """``document`` finds a stored document by id; ``fallback`` is asked, with a note on the run, when ``entailment`` fails."""

    def __init__(
        self,
        entailment: EntailmentModel,
        document: Callable[[str], Document | None],
        settings: VerificationSettings,
        fallback: EntailmentModel | None = None,
    ) -> None:
        self._entailment = entailment
        self._document = document
        self._settings = settings
        self._fallback = fallback

    def verify(self, composition: Composition, passages: Sequence[Passage], run: Run) -> Groundedness:
        """Each claim of the answer with its verdict, in order.

        A sentence quoted word for word from what it cites is supported without a model. Other claims are read
        against the text around what they cite, and where that does not support them, against every passage. What cites nothing
        is never supported. Raises ModelError or BudgetExceeded when the model fails and there is no fallback.
        """
        citations = {citation.number: citation for citation in composition.citations}
        claims: list[CheckedClaim | _Open] = []
        for index, sentence in enumerate(composition.sentences):
            cited = [citations[number] for number in sentence.citations if number in citations]
            if any(_quotes(sentence, citation) for citation in cited):
                verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
                claims.append(CheckedClaim(sentence.text, index, verdict, VERBATIM))
            else:
                claims.extend(self._open_claims(sentence, index, cited, passages))
        open_claims = [claim for claim in claims if isinstance(claim, _Open)]
        checked = iter(self._check(open_claims, passages, run))
        return Groundedness(tuple(next(checked) if isinstance(claim, _Open) else claim for claim in claims))

    def _open_claims(
        self, sentence: AnswerSentence, index: int, cited: Sequence[Citation], passages: Sequence[Passage]
    ) -> Iterator[_Open]:
        around = tuple(dict.fromkeys(self._around(citation, passages) for citation in cited))
        for claim in split_claims(sentence.text):
            yield _Open(claim.text, index, around)

    def _check(self, claims: Sequence[_Open], passages: Sequence[Passage], run: Run) -> list[CheckedClaim]:
        best = self._best(claims, [claim.cited for claim in claims], run)
        everything = tuple(passage.chunk.text for passage in passages)
        doubtful = [i for i, support in enumerate(best) if not self._supports(support)]
        wider = self._best([claims[i] for i in doubtful], [everything] * len(doubtful), run)
        for i, support in zip(doubtful, wider, strict=True):
            if support is not None:
                best[i] = _stronger(best[i], support)
        return [self._checked(claim, support) for claim, support in zip(claims, best, strict=True)]

    def _best(
        self, claims: Sequence[_Open], texts: Sequence[Sequence[str]], run: Run
    ) -> list[Support | None]:
        """The strongest support of each claim among its texts; None where it has none."""
        pairs = [
            # an order to a model that stands in a source is evidence of nothing, least of all of what it orders
            ClaimPair(claim.text, without_instructions(text))
            for claim, own in zip(claims, texts, strict=True)
            for text in own
        ]
        supports = iter(self._ask(pairs, run))
        best: list[Support | None] = []
        for own in texts:
            strongest: Support | None = None
            for _ in own:
                strongest = _stronger(strongest, next(supports))
            best.append(strongest)
        return best

    def _ask(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        if not pairs:
            return []
        try:
            return self._entailment.check(pairs, run)
        except (ModelError, BudgetExceeded) as error:
            if self._fallback is None:
                raise
            run.note(Decision("verify", f"fell back to {self._fallback.name}", str(error)))
            return self._fallback.check(pairs, run)

    def _supports(self, support: Support | None) -> bool:
        return support is not None and support.entailed > self._settings.support

    def _checked(self, claim: _Open, support: Support | None) -> CheckedClaim:
        if support is None:
            verdict = Verdict(VerdictLabel.UNSUPPORTED, 0.0)
            return CheckedClaim(claim.text, claim.sentence, verdict, "there is no evidence")
        label = label_of(support, self._settings.support)
        if label is VerdictLabel.SUPPORTED and not claim.cited:
            verdict = Verdict(VerdictLabel.PARTLY, support.entailed)
            return CheckedClaim(claim.text, claim.sentence, verdict, UNCITED)
        verdict = Verdict(label, support.entailed)
        return CheckedClaim(claim.text, claim.sentence, verdict, support.reason)

    def _around(self, citation: Citation, passages: Sequence[Passage]) -> str:
        """The quote with the sentences around it, within the passage it stands in; the quote alone where it has none."""
        passage = next(
            (
                p.chunk
                for p in passages
                if p.chunk.document_id == citation.document_id and p.chunk.span.contains(citation.span)
            ),
            None,
        )
        if passage is not None:
            return _widened(passage.text, citation.span.shift(-passage.span.start))
        document = self._document(citation.document_id)
        if document is None or citation.span.of(document.text) != citation.quote:
            return citation.quote
        return _widened(document.text, citation.span)


def label_of(support: Support, threshold: float) -> VerdictLabel:
    """Supported above the threshold; contradicted where contradiction wins; partly from the threshold's mirror image on."""
    if support.entailed > threshold:
        return VerdictLabel.SUPPORTED
    if support.contradicted > max(support.entailed, 1 - support.entailed - support.contradicted):
        return VerdictLabel.CONTRADICTED
    return (
        VerdictLabel.PARTLY if support.entailed >= min(threshold, 1 - threshold) else VerdictLabel.UNSUPPORTED
    )


def _stronger(one: Support | None, other: Support) -> Support:
    """The one that entails more."""
    return other if one is None or other.entailed > one.entailed else one


def _quotes(sentence: AnswerSentence, citation: Citation) -> bool:
    """Whether the sentence is one or several whole sentences of the quote, up to white space and the marks of its citations.

    Whole ones only: a part of a sentence can say the reverse of it.
    """
    claimed = plain_text(sentence.text)
    pieces = [plain_text(span.of(citation.quote)) for span in split_sentences(citation.quote)]
    for start in range(len(pieces)):
        run = ""
        for piece in pieces[start:]:
            run = f"{run} {piece}".strip()
            if run == claimed:
                return True
            if len(run) > len(claimed):
                break
    return False


def _widened(text: str, span: Span) -> str:
    sentences = split_sentences(text)
    touched = [i for i, sentence in enumerate(sentences) if sentence.overlap(span)]
    if not touched:
        return span.of(text)
    first, last = max(0, touched[0] - AROUND), min(len(sentences) - 1, touched[-1] + AROUND)
    return text[sentences[first].start : sentences[last].end]
