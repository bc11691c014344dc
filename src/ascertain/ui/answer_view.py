"""An answer as the page shows it: pure functions from the service's JSON to what ``assets/answer.js`` draws."""

from __future__ import annotations

from collections.abc import Mapping

from ascertain.ui.found_view import found_data
from ascertain.ui.steps import path_rows
from ascertain.ui.wording import count, day, recording_time, shortened
from ascertain.wire.answers import AnswerJson, CitationJson, SentenceJson

VERDICTS: Mapping[str, tuple[str, str]] = {
    "supported": ("✓", "supported by its sources"),
    "partly": ("~", "only partly supported by its sources"),
    "unsupported": ("?", "not supported by its sources"),
    "contradicted": ("!", "contradicted by its sources"),
}
KINDS: Mapping[str, str] = {
    "rejection": "No answer in the documents",
    "web_augmented_answer": "With sources from the web",
    "analysis": "Analysis",
    "report": "Report",
}
LEVELS: Mapping[str, tuple[str, str]] = {
    "high": ("High confidence", "The passages found speak plainly for this answer."),
    "medium": (
        "Medium confidence",
        "The passages found speak for this answer, but not plainly. Look at its sources.",
    ),
    "low": (
        "Low confidence",
        "Little was found that speaks for this answer. Do not rely on it without its sources.",
    ),
    "none": ("No confidence", "Nothing found was good enough to answer from."),
}
MEANING = (
    "The number is the chance, from 0 to 100, that the passages answer the question. It is calculated from the evidence; "
    "no writer of answers can set it."
)
QUOTE_CHARACTERS = 220
"""Of a quote in the list of sources; the whole one is shown with the source."""


def answer_data(answer: AnswerJson, thumb: str | None) -> dict[str, object]:
    """Everything shown of an answer; ``thumb`` is what the reader thought of it, ``up`` or ``down``."""
    is_greeting = answer.type == "greeting"
    citations = {citation.n: citation for citation in answer.citations}
    paragraphs = _paragraphs(answer, citations)
    return {
        "standalone": answer.standalone,
        "kind": answer.type.value,
        "label": KINDS.get(answer.type),
        "paragraphs": paragraphs,
        "plain": _plain(answer),
        "caveat": answer.caveat,
        "confidence": None if is_greeting else _confidence(answer),
        "tally": _tally(answer.sentences),
        "sources": [_source(citation) for citation in answer.citations],
        "facts": [] if is_greeting else _facts(answer),
        "can_judge": bool(answer.id) and not is_greeting,
        "thumb": thumb,
        "found": found_data(answer.citations),
        "steps": [] if is_greeting else path_rows(answer.decisions),
    }


def place_words(citation: CitationJson) -> str:
    """Where a quote stands: ``Ana Flores, 03:46``, ``p. 3, Results``; empty when nothing is known."""
    return citation.place.label


def turn_words(citation: CitationJson) -> tuple[str, str]:
    """Speaker and time of a quote from a recording; both empty when it is none."""
    place = citation.place
    return place.speaker or "", recording_time(place.start_time, place.end_time)


def _paragraphs(answer: AnswerJson, citations: Mapping[int, CitationJson]) -> list[list[dict[str, object]]]:
    """The sentences, in the paragraphs of the answer's text; ``heading`` and ``time`` are what it says before one: who says it, and when."""
    paragraphs: list[list[dict[str, object]]] = []
    end = 0
    for sentence in answer.sentences:
        start = max(answer.answer.find(sentence.text, end), end)
        between = answer.answer[end:start]
        if not paragraphs or "\n" in between:
            paragraphs.append([])
        *heading, time = between.split("\n")
        end = start + len(sentence.text)
        mark, meaning = VERDICTS.get(sentence.verdict, ("?", sentence.verdict))
        numbers = [n for n in sentence.citations if n in citations]
        paragraphs[-1].append(
            {
                "text": sentence.text,
                "heading": [line for line in heading if line.strip()],
                "time": time.strip(),
                "verdict": sentence.verdict.value,
                "mark": mark,
                "meaning": meaning,
                "citations": [{"n": n, "label": _label(citations[n])} for n in numbers],
            }
        )
    return paragraphs


def _plain(answer: AnswerJson) -> list[str]:
    """The lines of a reply without sentences, or those after the last sentence of an answer."""
    end = 0
    for sentence in answer.sentences:
        start = answer.answer.find(sentence.text, end)
        end = end if start < 0 else start + len(sentence.text)
    return [line for line in answer.answer[end:].splitlines() if line.strip()]


def _label(citation: CitationJson) -> str:
    return ", ".join(part for part in (citation.title, place_words(citation)) if part)


def _confidence(answer: AnswerJson) -> dict[str, object]:
    given = answer.confidence
    title, meaning = LEVELS.get(given.level, (given.level, ""))
    return {
        "level": given.level.value,
        "title": title,
        "score": given.score,
        "meaning": f"{meaning} {MEANING}",
    }


def _tally(sentences: list[SentenceJson]) -> str:
    if not sentences:
        return ""
    supported = sum(sentence.verdict == "supported" for sentence in sentences)
    if supported == len(sentences):
        every = "The sentence is" if supported == 1 else f"All {supported} sentences are"
        return f"{every} supported by the sources"
    return f"{supported} of {count(len(sentences), 'sentence')} supported by the sources"


def _source(citation: CitationJson) -> dict[str, object]:
    return {
        "n": citation.n,
        "title": citation.title,
        "place": place_words(citation),
        "date": day(citation.published_at),
        "quote": shortened(citation.quote, QUOTE_CHARACTERS),
        "warning": citation.warning,
        "how": citation.explanation,
    }


def _facts(answer: AnswerJson) -> list[str]:
    usage = answer.usage
    spent = "no model calls"
    if usage.calls:
        tokens = usage.input_tokens + usage.output_tokens
        cost = f", ${usage.cost_usd:.4f}" if usage.cost_usd else ""
        spent = f"{count(usage.calls, 'model call')}, {tokens:,} tokens{cost}"
    searches = f"{answer.strategy} search" + (f", {answer.attempts} rounds" if answer.attempts > 1 else "")
    again = ["answered before"] if answer.is_cached else []
    return [*again, f"{answer.seconds:.1f} s", searches, spent]
