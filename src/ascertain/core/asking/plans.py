"""Plans: what a question wants and how it is to be looked up."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from ascertain.core.asking.passages import Strategy
from ascertain.core.reports.analysis import AnalysisQuestion


class Intent(StrEnum):
    """What a message is for; the last and the first never touch the stores."""

    GREETING = "greeting"
    KNOWLEDGE = "knowledge"
    ANALYSIS = "analysis"
    OUT_OF_SCOPE = "out_of_scope"


class QuestionType(StrEnum):
    """What kind of answer a question wants; the last four belong to the news domain."""

    FACTUAL = "factual"
    CONCEPTUAL = "conceptual"
    COMPARATIVE = "comparative"
    PROCEDURAL = "procedural"
    PRICE = "price"
    NEWS = "news"
    ANALYSIS = "analysis"
    GENERAL = "general"


class Complexity(StrEnum):
    """How much has to be brought together; only complex questions are split."""

    SIMPLE = "simple"
    MODERATE = "moderate"
    COMPLEX = "complex"


class SubQueryType(StrEnum):
    """What one part of a complex question looks for."""

    FACTUAL = "factual"
    CONCEPTUAL = "conceptual"
    METHODOLOGICAL = "methodological"


@dataclass(frozen=True, slots=True)
class SubQuery:
    """One part of a complex question; ``priority`` 1 is looked up first."""

    text: str
    type: SubQueryType
    priority: int


class Sources(StrEnum):
    """Where a question is searched."""

    PASSAGES = "passages"
    GRAPH = "graph"
    BOTH = "both"


class GraphQuery(StrEnum):
    """What a question asks of the knowledge graph."""

    NONE = "none"
    ENTITY = "entity"
    MULTI_HOP = "multi_hop"
    CROSS_DOCUMENT = "cross_document"
    GLOBAL = "global"


class Asks(StrEnum):
    """What an entity question wants of all that is said of its subject."""

    SPEAKERS = "speakers"
    """Who speaks of it."""
    EPISODES = "episodes"
    """In which recordings or documents it is spoken of."""
    TIMES = "times"
    """When in them."""
    WORDS = "words"
    """What is said of it."""
    TOGETHER = "together"
    """What else is named with it."""
    CONNECTION = "connection"
    """How it is connected with another thing."""


@dataclass(frozen=True, slots=True)
class EntityQuestion:
    """A question that is answered by every place that names something, not by the best few passages.

    ``subject`` and ``other`` are words of the question; ``speaker`` is whose words are wanted, "" for anybody's.
    Without a subject all that the speaker says is wanted. ``spoken`` restricts it to recordings. ``kind`` is the type
    of thing wanted beside the subject, as the question says it, in the singular and in lower case: "company".
    """

    asks: Asks
    subject: str
    speaker: str = ""
    other: str = ""
    kind: str = ""
    spoken: bool = False


@dataclass(frozen=True, slots=True)
class GlobalQuestion:
    """A question about the documents as a whole: their themes, or what they say in short.

    ``focus`` are words that narrow it, "" for everything; ``most`` is how many themes are wanted, 0 where that is not
    said.
    """

    focus: str = ""
    most: int = 0


@dataclass(frozen=True, slots=True)
class DigestQuestion:
    """A question for what is new, or for what a period brought: answered by its stories, newest first.

    ``focus`` are words that narrow it, "" for everything. Without a period in the question it is about the last
    ``days``, or, where those hold nothing, about the time before; with 0, about all of the time. ``by_date`` asks for
    one document: the ``newest`` or the ``oldest``. ``by_value`` asks for the ``lowest`` or ``highest`` of the figures that the
    period holds, of one series of reports. ``for_articles``: it asks that only of the articles that were fetched
    for a conversation; of documents it asks for a fact.
    """

    focus: str = ""
    days: int = 0
    by_date: Literal["", "newest", "oldest"] = ""
    by_value: Literal["", "lowest", "highest"] = ""
    for_articles: bool = False


class Aspect(StrEnum):
    """What of a whole document is wanted."""

    OVERVIEW = "overview"
    """What it says, along its headings."""
    DECISIONS = "decisions"
    TASKS = "tasks"
    """Who does what, and by when."""
    OBLIGATIONS = "obligations"
    RISKS = "risks"
    DEADLINES = "deadlines"
    OPEN_POINTS = "open_points"
    RECOMMENDATIONS = "recommendations"
    REQUESTS = "requests"
    """What it asks of its reader."""
    TIMELINE = "timeline"
    PEOPLE = "people"
    CHANGES = "changes"
    """What differs between two documents, or two versions of one."""
    RELEASE = "release"
    """When a version came out."""
    LIST = "list"
    """Every entry of a list, a column or a section that the question names."""
    MOMENT = "moment"
    """What is said at a time of a recording, or between two."""
    COUNT = "count"
    """How many documents there are; this and those below are about their metadata, not their texts."""
    TITLES = "titles"
    NEWEST = "newest"
    OLDEST = "oldest"
    ADDED_LAST = "added_last"
    PERIOD = "period"
    """From when to when they are."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a recording, in seconds from its beginning, or back from its end where ``is_from_end``; ``end`` is None where it goes on
    to the end. One moment where both are equal. ``phrase`` is how the question writes where it begins.
    """

    start: float
    end: float | None
    phrase: str
    is_from_end: bool = False

    @property
    def is_moment(self) -> bool:
        """Whether it is a point and not a length of time."""
        return self.start == self.end


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """A question that one document answers as a whole, or a few of them, along their headings.

    ``name`` is what the question calls the document, "" where it names none; ``focus`` what of it is wanted: the entries of a
    list, the party of an obligation, or what may have changed. ``other`` is the document that it is compared with. ``is_explicit``: the wording asks for a whole document and for nothing else, so that the
    nearest one serves where none is called so. Of records ``name`` is the kind that is meant, "" for all, and ``focus`` the subject. ``stretch`` is what of a recording is wanted, of ``speaker`` alone where one is named.
    """

    aspect: Aspect
    name: str = ""
    focus: str = ""
    is_explicit: bool = False
    other: str = ""
    stretch: Stretch | None = None
    speaker: str = ""

    @property
    def is_of_records(self) -> bool:
        """Whether it asks about documents as such, which no text of theirs answers."""
        return self.aspect in _OF_RECORDS


_OF_RECORDS = frozenset({Aspect.COUNT, Aspect.TITLES, Aspect.NEWEST, Aspect.OLDEST, Aspect.ADDED_LAST, Aspect.PERIOD})


@dataclass(frozen=True, slots=True)
class Plan:
    """``expand`` says whether variants of the question are searched too; ``entity_question`` is set where every place
    that names something is wanted, ``global_question`` where the documents as a whole are asked about, ``document_question``
    where a whole document may be,
    ``digest_question`` where news or a period are, ``analysis_question`` where every document of a period is. ``wording`` is
    the question in the words of who asks it: what chat models read, where rules read it with slang written out.
    """

    intent: Intent
    type: QuestionType
    complexity: Complexity
    reason: str
    sub_queries: tuple[SubQuery, ...] = ()
    sources: Sources = Sources.PASSAGES
    graph_query: GraphQuery = GraphQuery.NONE
    expand: bool = False
    entity_question: EntityQuestion | None = None
    global_question: GlobalQuestion | None = None
    digest_question: DigestQuestion | None = None
    analysis_question: AnalysisQuestion | None = None
    document_question: DocumentQuestion | None = None
    wording: str = ""

    @property
    def searches(self) -> bool:
        """Whether the stores are asked at all."""
        return self.intent in {Intent.KNOWLEDGE, Intent.ANALYSIS}


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """``confidence`` is 0..1."""

    strategy: Strategy
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class Variant:
    """Another wording of a question; ``kind`` is technical, simple, aspect, hyde or step_back."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Refinement:
    """What follows a poor retrieval: another wording, and why."""

    query: str
    reason: str
    added: tuple[str, ...] = field(default=())
