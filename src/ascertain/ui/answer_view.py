"""An answer as the page shows it: pure functions from the service's JSON to what ``assets/answer.js`` draws."""

from collections.abc import Mapping, Sequence

from ascertain.core.answers import Form, carry_span, find_answering_words
from ascertain.core.forms import PlacedSentence, place_sentences
from ascertain.core.status import format_count
from ascertain.ui.graph.drawing import Edge, Node, draw_graph, layers_narrow, layers_wide
from ascertain.ui.markup import format_day, recording_time, shorten_text, split_at_answer
from ascertain.ui.progress import path_rows
from ascertain.wire.answers import AnswerJson, CitationJson, CitedWayJson, SentenceJson

QUESTION = "question"
CITATION, ENTITY, START = "citation:", "entity:", "start:"
"""How ids of nodes begin: a cited passage by number, an entity by id, a document that is not cited."""
MOST_DRAWN = 6
"""Documents; more would not be looked at. All are in the list of sources."""
TITLE_CHARACTERS = 60
VERDICTS: Mapping[str, tuple[str, str]] = {
    "supported": ("✓", "supported by its sources"),
    "inferred": ("~", "inferred from its sources"),
    "not_in_sources": ("?", "not in its sources"),
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
    "medium": ("Medium confidence", "The passages found speak for this answer, but not plainly. Look at its sources."),
    "low": ("Low confidence", "Little was found that speaks for this answer. Do not rely on it without its sources."),
    "none": ("No confidence", "Nothing found was good enough to answer from."),
}
MEANING = (
    "The number is the chance, from 0 to 100, that the passages answer the question. "
    "It is calculated from the evidence; no writer of answers can set it."
)
QUOTE_CHARACTERS = 220
"""Of a quote in the list of sources; the whole one is shown with the source."""


def found_data(citations: Sequence[CitationJson]) -> dict[str, object] | None:
    """How the graph led to the sources, which ``assets/answer.js`` draws; None where it led to none.

    From left to right: the question, the documents that the search found, the names that the graph went over, and the
    passages cited.
    """
    led = _group_led(citations)[:MOST_DRAWN]
    if not led:
        return None
    nodes, edges, layers = _build_graph(led, citations)
    return {
        "wide": draw_graph(nodes, edges, layers_wide(layers)),
        "tall": draw_graph(nodes, edges, layers_narrow(layers)),
        "label": "How the graph led to the sources",
        "legend": [],
    }


def _group_led(citations: Sequence[CitationJson]) -> list[list[CitationJson]]:
    """Those that the graph led to; of one document and by one way together."""
    groups = dict[str, list[CitationJson]]()
    for citation in citations:
        if way := citation.way:
            groups.setdefault(f"{citation.document_id} {way.model_dump_json()}", []).append(citation)
    return list(groups.values())


def _build_graph(
    led: Sequence[Sequence[CitationJson]], citations: Sequence[CitationJson]
) -> tuple[list[Node], list[Edge], list[list[str]]]:
    nodes = {QUESTION: Node(QUESTION, "Your question", "start")}
    # by their order of appearance, each once
    starts, entities, ends = dict[str, None](), dict[str, None](), dict[str, None]()
    edges = dict[tuple[str, str], Edge]()
    for group in led:
        way = group[0].way
        if way is None:
            continue
        end = _citation_node(group)
        start = _start_node(way, group, citations)
        over = [Node(f"{ENTITY}{each.id}", each.name, title=f"Look at {each.name}") for each in way.entities]
        for node in (start, *over, end):
            nodes.setdefault(node.id, node)
        if start.id != QUESTION:
            starts[start.id] = None
            edges.setdefault((QUESTION, start.id), Edge(QUESTION, start.id))
        for node in over:
            entities[node.id] = None
            edges.setdefault((start.id, node.id), Edge(start.id, node.id))
            edges.setdefault((node.id, end.id), Edge(node.id, end.id))
        ends[end.id] = None
    # one that another was found from stands where the way begins
    layers = [[QUESTION], [*starts], [*entities], [end for end in ends if end not in starts]]
    return list(nodes.values()), list(edges.values()), layers


def _citation_node(group: Sequence[CitationJson]) -> Node:
    first = group[0]
    numbers = ", ".join(str(citation.n) for citation in group)
    title = shorten_text(first.title, TITLE_CHARACTERS)
    told = f"Open source {first.n}: {first.title}"
    return Node(f"{CITATION}{first.n}", f"{numbers} · {title}", "passage", title=told)


def _start_node(way: CitedWayJson, group: Sequence[CitationJson], citations: Sequence[CitationJson]) -> Node:
    """Where a way begins: the question, or a document, by the number of a citation from it where there is one."""
    document = way.start
    if document is None:
        return Node(QUESTION, "Your question", "start")
    for other in citations:
        if other.document_id == document.document_id and other not in group:
            return _citation_node([other])
    return Node(f"{START}{document.document_id}", shorten_text(document.title, TITLE_CHARACTERS), "start")


def answer_data(answer: AnswerJson, thumb: str | None) -> dict[str, object]:
    """Everything shown of an answer; ``thumb`` is what the reader thought of it, ``up`` or ``down``."""
    is_greeting = answer.type == "greeting"
    citations = {citation.n: citation for citation in answer.citations}
    paragraphs = _answer_paragraphs(answer, citations)
    return {
        "standalone": answer.standalone,
        "kind": answer.type.value,
        "label": KINDS.get(answer.type),
        "paragraphs": paragraphs,
        "plain": _plain_lines(answer),
        "caveat": answer.caveat,
        "confidence": None if is_greeting else _confidence_view(answer),
        "tally": _tally_support(answer.sentences),
        "sources": [_source_view(citation) for citation in answer.citations],
        "facts": [] if is_greeting else _answer_facts(answer),
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


def _answer_paragraphs(answer: AnswerJson, citations: Mapping[int, CitationJson]) -> list[list[dict[str, object]]]:
    """The sentences by paragraph; ``heading`` and ``time`` are what stands before one: who says it, and when."""
    paragraphs: list[list[dict[str, object]]] = []
    placed, _ = _place_sentences(answer)
    for part, sentence in zip(placed, answer.sentences, strict=True):
        if not paragraphs or "\n" in part.between or part.opening:
            paragraphs.append([])
        *heading, time = part.between.split("\n")
        mark, meaning = VERDICTS.get(sentence.verdict, ("?", sentence.verdict))
        numbers = [n for n in sentence.citations if n in citations]
        cited = (citations[n].to_citation() for n in numbers)
        statement = part.sentence.statement
        paragraphs[-1].append(
            {
                "text": split_at_answer(statement, find_answering_words(statement, cited)),
                "form": sentence.form.value,
                "heading": [line for line in heading if line.strip()],
                "time": time.strip() or _show_marker(part),
                "verdict": sentence.verdict.value,
                "mark": mark,
                "meaning": meaning,
                "citations": [{"n": n, "label": _citation_label(citations[n])} for n in numbers],
            }
        )
    return paragraphs


def _place_sentences(answer: AnswerJson) -> tuple[list[PlacedSentence], str]:
    return place_sentences(answer.answer, [each.to_sentence() for each in answer.sentences])


def _show_marker(part: PlacedSentence) -> str:
    """What stands before an item, a step and a row."""
    form = part.sentence.form
    return part.opening.strip() if form is Form.STEP else "•" if form in (Form.ITEM, Form.ROW) else ""


def _plain_lines(answer: AnswerJson) -> list[str]:
    """The lines of a reply without sentences, or those after the last sentence of an answer."""
    _, rest = _place_sentences(answer)
    return [line for line in rest.splitlines() if line.strip()]


def _citation_label(citation: CitationJson) -> str:
    return ", ".join(part for part in (citation.title, place_words(citation)) if part)


def figure_words(citation: CitationJson) -> str:
    """That the quote is a model's description of a figure; empty where it is the document's words."""
    return citation.figure.to_figure().label if citation.figure else ""


def _confidence_view(answer: AnswerJson) -> dict[str, object]:
    given = answer.confidence
    title, meaning = LEVELS.get(given.level, (given.level, ""))
    return {"level": given.level.value, "title": title, "score": given.score, "meaning": f"{meaning} {MEANING}"}


def _tally_support(sentences: list[SentenceJson]) -> str:
    if not sentences:
        return ""
    supported = sum(sentence.verdict.is_sound for sentence in sentences)
    if supported == len(sentences):
        every = "The sentence is" if supported == 1 else f"All {supported} sentences are"
        return f"{every} supported by the sources"
    return f"{supported} of {format_count(len(sentences), 'sentence')} supported by the sources"


def _source_view(citation: CitationJson) -> dict[str, object]:
    quote, answer = shorten_text(citation.quote, QUOTE_CHARACTERS), citation.to_citation().answer_in_quote
    return {
        "n": citation.n,
        "title": citation.title,
        "place": " · ".join(filter(None, (place_words(citation), figure_words(citation)))),
        "date": format_day(citation.published_at),
        "quote": split_at_answer(quote, answer and carry_span(citation.quote, answer, quote)),
        "warning": citation.warning,
        "how": citation.explanation,
    }


def _answer_facts(answer: AnswerJson) -> list[str]:
    usage = answer.usage
    spent = "no model calls"
    if usage.calls:
        tokens = usage.input_tokens + usage.output_tokens
        cost = f", ${usage.cost_usd:.4f}" if usage.cost_usd else ""
        spent = f"{format_count(usage.calls, 'model call')}, {tokens:,} tokens{cost}"
    searches = f"{answer.strategy} search" + (f", {answer.attempts} rounds" if answer.attempts > 1 else "")
    again = ["answered before"] if answer.is_cached else []
    return [*again, f"{answer.seconds:.1f} s", searches, spent]
