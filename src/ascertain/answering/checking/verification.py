"""Checks an answer claim by claim against the passages it was written from (AN-5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ascertain.answering.citations import quotes_code, tells_row
from ascertain.answering.composition import Composition
from ascertain.core.answers import AnswerSentence, Citation, Decision, Form, Verdict, VerdictLabel
from ascertain.core.blocks import Span
from ascertain.core.documents import Document
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.judgements import CheckedClaim, Groundedness
from ascertain.core.passages import Passage
from ascertain.core.runs import Run
from ascertain.core.settings import VerificationSettings
from ascertain.language.instructions import without_instructions
from ascertain.language.sentences import split_sentences
from ascertain.language.word_lists import load_alternatives
from ascertain.models.ports import ClaimPair, EntailmentModel, Support

# Claims are the smallest parts of a sentence that can be true or false by themselves. Clauses are cut off only where
# what is left still says something whole: at semicolons, at ``and``/``but`` before a new subject and verb, and at ``,
# which`` before a verb. Anything in doubt stays in one piece: half a statement is checked worse than a long one.

_any_of = partial(load_alternatives, "claims")
"""A list of words as alternatives of a regular expression."""

SHORTEST = 3
"""Words that a part must have on either side of a cut; with fewer it is no statement."""

_VERB = rf"(?:{_any_of('verbs')}|\w+ed)"
_SUBJECT = rf"(?:{_any_of('subjects')}|(?:{_any_of('determiners')})(?:\s+[\w'’-]+){{1,4}}?|[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*){{0,3}})"
_CUTS = (
    re.compile(r";\s+(?:and\s+|but\s+)?"),
    re.compile(rf",?\s+(?:and|but|while|whereas)\s+(?={_SUBJECT}\s+(?:\w+ly\s+)?{_VERB}\b)"),
    re.compile(rf",\s+(?=which\s+(?:\w+ly\s+)?{_VERB}\b)"),
)
_RELATIVE = re.compile(r"which\s+")
_NAMED = re.compile(
    rf"(?:\b(?:{_any_of('relative_determiners')})(?:\s+[\w'’-]+){{1,3}}|[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*){{0,3}})$"
)
"""What a relative clause is about: the noun with its article, or the name, right before the comma."""
_MARKER = re.compile(r"(?:\s?\[\d+(?:\s?,\s?\d+)*\])+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Claim:
    """``span`` is where it stands in the sentence it was cut from.

    ``text`` is what it says by itself: without citation marks, and with what it is about in place of ``which``.
    """

    text: str
    span: Span


def split_claims(sentence: str) -> list[Claim]:
    """The claims of ``sentence`` in order. Their spans do not overlap and hold every word but the joints cut out."""
    claims: list[Claim] = []
    for whole in split_sentences(sentence):
        claims.extend(_build_claim(sentence, part) for part in _split_parts(sentence, whole))
    return [claim for claim in claims if _WORD.search(claim.text)]


def plain_text(sentence: str) -> str:
    """``sentence`` without the marks of its citations, white space folded."""
    return " ".join(_MARKER.sub("", sentence).split())


def _build_claim(sentence: str, part: Span) -> Claim:
    text = plain_text(part.of(sentence))
    relative = _RELATIVE.match(text)
    named = _NAMED.search(sentence[: part.start].rstrip(", ")) if relative else None
    return Claim(f"{named.group()} {text[relative.end() :]}" if relative and named else text, part)


def _split_parts(text: str, whole: Span) -> Iterator[Span]:
    start = whole.start
    for end, following in sorted(_find_joints(text, whole)):
        if end < start or not _stands_alone(text, Span(start, end)):
            continue
        if _stands_alone(text, Span(following, whole.end)):
            yield Span(start, end)
            start = following
    yield Span(start, whole.end)


def _find_joints(text: str, whole: Span) -> Iterator[tuple[int, int]]:
    for cut in _CUTS:
        for match in cut.finditer(text, whole.start, whole.end):
            if not _RELATIVE.match(text, match.end()) or _NAMED.search(text[whole.start : match.start()]):
                yield match.span()


def _stands_alone(text: str, part: Span) -> bool:
    """Enough words, and no bracket or quotation left open."""
    words = part.of(text)
    if len(_WORD.findall(words)) < SHORTEST or words.count('"') % 2:
        return False
    return all(words.count(opener) == words.count(closer) for opener, closer in (("(", ")"), ("[", "]"), ("“", "”")))


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
    """``document`` finds a stored document by id; ``fallback`` is asked, with a note on the run, when ``entailment``
    fails.
    """

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

        A sentence quoted word for word from what it cites is supported without a model. Other claims are read against
        the text around what they cite, and where that does not support them, against every passage. What cites nothing
        is never supported. Raises ModelError or BudgetExceeded when the model fails and there is no fallback.
        """
        citations = {citation.number: citation for citation in composition.citations}
        claims: list[CheckedClaim | _Open] = []
        for index, sentence in enumerate(composition.sentences):
            cited = [citations[number] for number in sentence.citations if number in citations]
            is_quoted = any(_quotes_whole_sentences(sentence, each) for each in cited)
            if is_quoted or tells_row(sentence.text, cited) or quotes_code(sentence, cited):
                verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
                claims.append(CheckedClaim(sentence.text, index, verdict, VERBATIM))
            else:
                claims.extend(self._open_claims(sentence, index, cited, passages))
        open_claims = [claim for claim in claims if isinstance(claim, _Open)]
        checked = iter(self._check_claims(open_claims, passages, run))
        return Groundedness(tuple(next(checked) if isinstance(claim, _Open) else claim for claim in claims))

    def _open_claims(
        self, sentence: AnswerSentence, index: int, cited: Sequence[Citation], passages: Sequence[Passage]
    ) -> Iterator[_Open]:
        around = tuple(dict.fromkeys(self._widen_citation(citation, passages) for citation in cited))
        # code is not made of sentences: half of it does another thing
        texts = [sentence.text] if sentence.form is Form.CODE else [c.text for c in split_claims(sentence.statement)]
        for text in texts:
            yield _Open(text, index, around)

    def _check_claims(self, claims: Sequence[_Open], passages: Sequence[Passage], run: Run) -> list[CheckedClaim]:
        best = self._find_best_support(claims, [claim.cited for claim in claims], run)
        everything = tuple(passage.chunk.text for passage in passages)
        doubtful = [i for i, support in enumerate(best) if not self._is_support(support)]
        wider = self._find_best_support([claims[i] for i in doubtful], [everything] * len(doubtful), run)
        for i, support in zip(doubtful, wider, strict=True):
            if support is not None:
                best[i] = _stronger_support(best[i], support)
        return [self._judge_claim(claim, support) for claim, support in zip(claims, best, strict=True)]

    def _find_best_support(
        self, claims: Sequence[_Open], texts: Sequence[Sequence[str]], run: Run
    ) -> list[Support | None]:
        """The strongest support of each claim among its texts; None where it has none."""
        pairs = [
            # an order to a model that stands in a source is evidence of nothing, least of all of what it orders
            ClaimPair(claim.text, without_instructions(text))
            for claim, own in zip(claims, texts, strict=True)
            for text in own
        ]
        supports = iter(self._ask_entailment(pairs, run))
        best: list[Support | None] = []
        for own in texts:
            strongest: Support | None = None
            for _ in own:
                strongest = _stronger_support(strongest, next(supports))
            best.append(strongest)
        return best

    def _ask_entailment(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        if not pairs:
            return []
        try:
            return self._entailment.check(pairs, run)
        except (ModelError, BudgetExceeded) as error:
            if self._fallback is None:
                raise
            run.note(Decision("verify", f"fell back to {self._fallback.name}", str(error)))
            return self._fallback.check(pairs, run)

    def _is_support(self, support: Support | None) -> bool:
        return support is not None and support.entailed > self._settings.support

    def _judge_claim(self, claim: _Open, support: Support | None) -> CheckedClaim:
        if support is None:
            verdict = Verdict(VerdictLabel.UNSUPPORTED, 0.0)
            return CheckedClaim(claim.text, claim.sentence, verdict, "there is no evidence")
        label = label_of(support, self._settings.support)
        if label is VerdictLabel.SUPPORTED and not claim.cited:
            verdict = Verdict(VerdictLabel.PARTLY, support.entailed)
            return CheckedClaim(claim.text, claim.sentence, verdict, UNCITED)
        verdict = Verdict(label, support.entailed)
        return CheckedClaim(claim.text, claim.sentence, verdict, support.reason)

    def _widen_citation(self, citation: Citation, passages: Sequence[Passage]) -> str:
        """The quote with the sentences around it within its passage; the quote alone where it has none."""
        passage = next(
            (
                p.chunk
                for p in passages
                if p.chunk.document_id == citation.document_id and p.chunk.span.contains(citation.span)
            ),
            None,
        )
        if passage is not None:
            return _widen_span(passage.text, citation.span.shift(-passage.span.start))
        document = self._document(citation.document_id)
        if document is None or citation.span.of(document.text) != citation.quote:
            return citation.quote
        return _widen_span(document.text, citation.span)


def label_of(support: Support, threshold: float) -> VerdictLabel:
    """Supported above the threshold; contradicted where contradiction wins; partly from the threshold's mirror image
    on.
    """
    if support.entailed > threshold:
        return VerdictLabel.SUPPORTED
    if support.contradicted > max(support.entailed, 1 - support.entailed - support.contradicted):
        return VerdictLabel.CONTRADICTED
    return VerdictLabel.PARTLY if support.entailed >= min(threshold, 1 - threshold) else VerdictLabel.UNSUPPORTED


def _stronger_support(one: Support | None, other: Support) -> Support:
    return other if one is None or other.entailed > one.entailed else one


def _quotes_whole_sentences(sentence: AnswerSentence, citation: Citation) -> bool:
    """Whether the sentence is one or several whole sentences of the quote, up to white space and the marks of its
    citations.

    Whole ones only: a part of a sentence can say the reverse of it.
    """
    claimed = plain_text(sentence.said)
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


def _widen_span(text: str, span: Span) -> str:
    sentences = split_sentences(text)
    touched = [i for i, sentence in enumerate(sentences) if sentence.overlap(span)]
    if not touched:
        return span.of(text)
    first, last = max(0, touched[0] - AROUND), min(len(sentences) - 1, touched[-1] + AROUND)
    return text[sentences[first].start : sentences[last].end]
