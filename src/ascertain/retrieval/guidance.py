"""What to do about each thing that can be wrong with a retrieval.

One sentence an issue, addressed to whoever words the question anew: the rules follow it, a model is told it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ascertain.core.judgements import RetrievalIssue

GUIDANCE: Mapping[RetrievalIssue, str] = MappingProxyType(
    {
        RetrievalIssue.PARTIAL_COVERAGE: (
            "The passages answer a part of the question. Keep the words of that part to a minimum and ask for the part "
            "that is missing, in the vocabulary of the passages that fit."
        ),
        RetrievalIssue.MISSING_KEY_INFO: (
            "What the question turns on is not in the passages. Name exactly that: the missing name in quotes, the "
            "missing figure, date or step in plain words, and nothing beside it that was found already."
        ),
        RetrievalIssue.INCOMPLETE_CONTEXT: (
            "The passages mention the matter without explaining it. Ask more widely: for the definition, the background "
            "or the steps around it."
        ),
        RetrievalIssue.DOMAIN_MISALIGNMENT: (
            "The passages speak of the matter in another vocabulary than the question. Use the terms of the documents: "
            "write out abbreviations, replace everyday words by technical ones."
        ),
        RetrievalIssue.LOW_CONFIDENCE: (
            "Nothing found is close to the question. Shorten it to its few telling words, without the phrasing around them."
        ),
        RetrievalIssue.MIXED_RELEVANCE: (
            "Good and bad passages are mixed. Keep the words that set the good ones apart, and drop those that the bad "
            "ones share with the question."
        ),
        RetrievalIssue.OFF_TOPIC: (
            "The passages are about something else. Put the subject of the question first and by its full name, and "
            "leave out words with more than one meaning."
        ),
        RetrievalIssue.WRONG_DOMAIN: (
            "The passages come from another field. Add a word or two that name the field of the question."
        ),
    }
)
