"""A chat model summarises the stories of a digest, eight in one call, and says what they have in common.

It is shown the first sentences of each story and names those it rests on; everything it writes is checked together, in one call
at most (``answering.sourced_writing``).
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from ascertain.answering.checking.verification import Verify
from ascertain.answering.overviews.digests import StorySource, WrittenDigest
from ascertain.answering.units.candidates import collapse_spaces, count_noun
from ascertain.answering.writing.sourced_writing import SentenceReply, SourcedSentence, check_sentences, read_sentences
from ascertain.core.asking.answers import AnswerSentence, Citation
from ascertain.core.asking.runs import Run, Task
from ascertain.language.instructions import without_instructions
from ascertain.language.sentences import leans_on_previous
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data

BATCH = 8
"""Stories in one call: with six sentences of each about 2,500 tokens."""
OF_STORY, OF_OVERVIEW = 2, 2
"""Sentences on one story, and on what several have in common."""


class StoryReply(BaseModel):
    """What one story says."""

    story: int = Field(description="The number of the story.")
    sentences: list[SentenceReply]


class DigestReply(BaseModel):
    """A summary of each story, and what several of them have in common."""

    stories: list[StoryReply]
    overview: list[SentenceReply] = []


class ModelStoryWriter:
    """Has the model write; ``verify`` is the checker of answers."""

    def __init__(
        self, chat: Chat, prompts: Prompts, verify: Verify, node: str = "digest", prompt: str = "write_digest"
    ) -> None:
        """``prompt`` says what the stories are: news stories, or the sections of a document."""
        self._step = PromptedStep(chat, prompts, Task.WRITE, node, prompt)
        self._verify = verify

    def write(self, question: str, language: str, stories: Sequence[StorySource], run: Run) -> WrittenDigest | None:
        """Checked sentences on ``stories``; when a call fails, the following stories keep their quotations."""
        drafts: list[list[SourcedSentence]] = []
        overview: list[SourcedSentence] = []
        for start in range(0, len(stories), BATCH):
            batch = stories[start : start + BATCH]
            reply = self._ask(question, batch, run)
            if reply is None:
                break
            drafts += _read_stories(reply, batch)
            # what several have in common needs a call that has seen all of them
            if len(stories) <= BATCH:
                overview = _read_overview(reply, batch)
        drafts += [[] for _ in stories[len(drafts) :]]
        return self._check(question, stories, drafts, overview, run=run, language=language)

    def _ask(self, question: str, stories: Sequence[StorySource], run: Run) -> DigestReply | None:
        shown = (_show_story(number, story) for number, story in enumerate(stories, 1))
        return self._step.reply(
            DigestReply,
            run,
            question=as_data(question, "question"),
            stories="\n\n".join(shown),
            most=str(OF_STORY),
            most_overview=str(OF_OVERVIEW),
        )

    def _check(
        self,
        question: str,
        stories: Sequence[StorySource],
        drafts: Sequence[Sequence[SourcedSentence]],
        overview: Sequence[SourcedSentence],
        *,
        run: Run,
        language: str,
    ) -> WrittenDigest | None:
        every = [*(draft for own in drafts for draft in own), *overview]
        if not every:
            return None
        citations = [citation for story in stories for citation in story.citations]
        checked = check_sentences(every, citations, question, self._verify, run=run, language=language)
        left_out = sum(sentence is None for sentence in checked)
        if left_out and not run.is_distrusted:
            self._step.fell_back(run, f"{count_noun(left_out, 'sentence')} of {len(every)} not found in what it cites")
        rest = iter(checked)
        told = tuple(_keep_shown([next(rest) for _ in own]) for own in drafts)
        common = tuple(sentence for sentence in rest if sentence is not None)
        return WrittenDigest(common, told) if common or any(told) else None


def _show_story(number: int, story: StorySource) -> str:
    """A block with a line for each sentence, its key before it: a story has its title and date once."""
    first = story.citations[0] if story.citations else None
    date = first.published_at.date().isoformat() if first is not None and first.published_at else "unknown"
    title = without_instructions(first.title) if first is not None else ""
    lines = [f"({_name_key(each)}) {without_instructions(collapse_spaces(each.quote))}" for each in story.citations]
    return as_data("\n".join(lines), "story", {"number": str(number), "title": title, "date": date})


def _name_key(citation: Citation) -> str:
    return f"S{citation.number}"


def _read_stories(reply: DigestReply, stories: Sequence[StorySource]) -> list[list[SourcedSentence]]:
    """The sentences on each story, from its own sources; of two replies on one story the first counts."""
    replies: dict[int, StoryReply] = {}
    for each in reply.stories:
        replies.setdefault(each.story, each)
    return [
        read_sentences(
            replies[number].sentences if number in replies else (),
            {_name_key(citation): citation for citation in story.citations},
            OF_STORY,
        )
        for number, story in enumerate(stories, 1)
    ]


def _read_overview(reply: DigestReply, stories: Sequence[StorySource]) -> list[SourcedSentence]:
    """What is said of several stories: a sentence on one alone is no overview."""
    story_of = {citation.number: place for place, story in enumerate(stories) for citation in story.citations}
    sources = {_name_key(citation): citation for story in stories for citation in story.citations}
    drafts = read_sentences(reply.overview, sources, 2 * OF_OVERVIEW)
    return [each for each in drafts if len({story_of[number] for number in each.sources}) > 1][:OF_OVERVIEW]


def _keep_shown(checked: Sequence[AnswerSentence | None]) -> tuple[AnswerSentence, ...]:
    """The sentences that may be shown; none where the rest would begin with a sentence that depends on an omitted one."""
    shown = [sentence for sentence in checked if sentence is not None]
    if checked and checked[0] is None and shown and leans_on_previous(shown[0].text):
        return ()
    return tuple(shown)
