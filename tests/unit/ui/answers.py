"""Answers as the service gives them."""

from ascertain.wire.answers import AnswerJson, CitationJson, SentenceJson
from ascertain.wire.shape import PlaceJson


def a_place(**fields):
    known = {"page": None, "section": [], "speaker": None, "start_time": None, "end_time": None, "label": ""}
    return PlaceJson.model_validate({**known, **fields})


def a_citation(n=1, **fields):
    usual = {
        "document_id": "d1",
        "title": "Refunds",
        "url": None,
        "published_at": None,
        "quote": "Paid to the card.",
        "span": [10, 27],
        "place": a_place(),
        "source": "/shelf/refunds.md",
        "warning": None,
    }
    return CitationJson.model_validate({"n": n, **usual, **fields})


def a_sentence(text, verdict="supported", citations=(1,)):
    return SentenceJson(text=text, verdict=verdict, score=1.0, citations=list(citations))


def an_answer(*sentences, **fields):
    usual = {
        "id": "a1",
        "is_cached": False,
        "question": "How?",
        "standalone": None,
        "answer": " ".join(sentence.text for sentence in sentences),
        "type": "summary",
        "confidence": {"level": "high", "score": 91},
        "caveat": None,
        "groundedness": 1.0,
        "sentences": list(sentences),
        "citations": [a_citation()],
        "strategy": "hybrid",
        "attempts": 1,
        "decisions": [
            {"node": "judge", "outcome": "quality 84", "reason": "enough", "scores": {"quality": 84.0}, "seconds": 0.01}
        ],
        "usage": {"calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "tasks": {}},
        "conversation_id": "c1",
        "seconds": 0.31,
    }
    return AnswerJson.model_validate({**usual, **fields})
