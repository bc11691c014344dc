"""Fields that several requests have."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ascertain.core.documents import DocumentKind
from ascertain.core.filters import Filter

LONGEST_TEXT = 100_000
"""Characters of a question; the limit that counts is ``workflow.questions.MAX_CHARACTERS``."""
MOST_VALUES = 100
"""Values of one condition of a filter."""


class Body(BaseModel):
    """A request; a field that is not known is an error, as a misspelt one would otherwise be left out in silence."""

    model_config = ConfigDict(extra="forbid")


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


Moment = Annotated[datetime, AfterValidator(_aware)]
"""A date or time; UTC where it names no zone."""

ID_PATTERN = r"^[^/\\?#\u0000-\u001f\u007f]*[^/\\?#\u0000-\u001f\u007f.][^/\\?#\u0000-\u001f\u007f]*$"
"""What can be one segment of a path: no slash, no control character, and not only dots."""

ConversationId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        pattern=ID_PATTERN,
        description="Names the conversation, as you like; the first question with it begins it.",
    ),
]
Short = Annotated[str, Field(min_length=1, max_length=1000)]
Tag = Annotated[str, Field(min_length=1, max_length=100)]
Profile = Annotated[
    str, Field(min_length=1, max_length=100, description="docs, news, papers, podcasts or one of your own.")
]


class FilterBody(Body):
    """Which documents may be used; within one field any value matches, and all fields that are given must match."""

    published_from: Moment | None = Field(default=None, description="On this moment or later.")
    published_before: Moment | None = Field(default=None, description="Before this moment.")
    kinds: list[DocumentKind] = Field(default=[], max_length=MOST_VALUES)
    sources: list[Short] = Field(
        default=[], max_length=MOST_VALUES, description="A source, a folder, or a beginning that ends in *."
    )
    tags: list[Tag] = Field(default=[], max_length=MOST_VALUES)
    document_ids: list[Short] = Field(default=[], max_length=MOST_VALUES)
    profiles: list[Profile] = Field(default=[], max_length=MOST_VALUES)

    @model_validator(mode="after")
    def _is_a_period(self) -> FilterBody:
        start, end = self.published_from, self.published_before
        if start and end and start >= end:
            raise ValueError("published_from is not before published_before: nothing can match")
        return self

    def filter(self, tenant: str) -> Filter:
        """As the app takes it."""
        return Filter(
            document_ids=tuple(self.document_ids),
            kinds=tuple(self.kinds),
            sources=tuple(self.sources),
            tags=tuple(self.tags),
            profiles=tuple(self.profiles),
            published_from=self.published_from,
            published_before=self.published_before,
            tenant=tenant,
        )
