"""Topic tags: what a chunk is about, in a few words; by rules, or by a chat model with the rules behind it.

Names of the profile's vocabulary, phrases that the document comes back to (``graph.extraction.terms``), words of the headings
that the text takes up, and subjects of the document that the chunk itself speaks of. All are in lower case and in the singular, so that one topic has one name.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pydantic import BaseModel, Field

from ascertain.core.asking.passages import Filter
from ascertain.core.asking.runs import Run, Task
from ascertain.core.documents.documents import Chunk, fold_topic
from ascertain.core.errors import AscertainError
from ascertain.core.settings.profiles import Profile
from ascertain.documents.ingest.profiling.signs import builtin_rules
from ascertain.graph.extraction.terms import Terms, document_terms
from ascertain.graph.extraction.words import CALENDAR, VAGUE, VERBS, Reading, Word, read_chunk, sentence_of
from ascertain.graph.keys import singular_form
from ascertain.language.instructions import without_instructions
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, content_terms, fold_words, stem_word, word_informativeness
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.stores.ports.chunks import CompleteStore, IndexedDocument

MOST_NAMES, MOST_PHRASES, MOST_WORDS, MOST_SUBJECTS = 2, 2, 1, 1
"""Topics of each sort that a chunk has: of more, the demo corpus showed asides (by judgement)."""
OFTEN = 2
"""Times that a chunk says a name or a phrase that is one of its topics; one in its headings counts as once more."""
LEAST_TELLING = 0.45
"""What the words of a phrase tell on average, 0 to 1: less has "first time" and "other side"."""
TELLING_ALONE = 0.85
"""The same of a single word; less has "note", "cost" and "result"."""
DISTINCT_WORDS = 4
"""Different words of a subject in a chunk; of the document, ``rules.toml`` asks for three."""
PART_CHUNKS = 500
"""Chunks read at a time, a long book: their words are some hundred thousand objects, and while Python's garbage collection goes
through those of a text ten times as long, a service answers no one for seconds.
"""
_BRACKETS = re.compile(r"(?:(?<!\s)\s+)?\([^)]{0,500}\)")


class Unwanted(AscertainError):
    """The current document is no longer wanted."""


def tag_chunks(
    chunks: Sequence[Chunk], profile: Profile | None = None, goes_on: Callable[[], bool] = lambda: True
) -> list[Chunk]:
    """The chunks of one document, each with its topics; parents, which are not searched, have none.

    Of a document of more than ``PART_CHUNKS`` chunks each such part has its own terms. Raises Unwanted between two parts once
    ``goes_on`` returns false.
    """
    vocabulary = _read_vocabulary(profile) if profile is not None else None
    tagged: list[Chunk] = []
    for start in range(0, len(chunks), PART_CHUNKS):
        if start and not goes_on():
            raise Unwanted
        tagged += _tag_part(chunks[start : start + PART_CHUNKS], vocabulary)
    return tagged


def _tag_part(chunks: Sequence[Chunk], vocabulary: "_Vocabulary | None") -> list[Chunk]:
    readings = {chunk.id: read_chunk(chunk) for chunk in chunks if not chunk.is_parent}
    terms = document_terms(readings.values())
    return [
        replace(chunk, topics=tuple(_find_topics(readings[chunk.id], terms, vocabulary)))
        if chunk.id in readings
        else chunk
        for chunk in chunks
    ]


def _find_topics(reading: Reading, terms: Terms, vocabulary: "_Vocabulary | None") -> Iterator[str]:
    """Names first, then phrases, a word of the headings, the subject; none inside another."""
    found = vocabulary.find_names(reading.chunk) if vocabulary else []
    for candidates, most in ((_find_phrases(reading, terms), MOST_PHRASES), (_find_headed(reading, terms), MOST_WORDS)):
        known = {stem_word(word, ENGLISH) for topic in found for word in topic.split()}
        new = [each for each in candidates if not {stem_word(word, ENGLISH) for word in each.split()} <= known]
        found = [*found, *new[:most]]
    yield from dict.fromkeys([*found, *_find_subjects(reading)])


def _find_phrases(reading: Reading, terms: Terms) -> list[str]:
    """Phrases that the chunk comes back to, the most frequent and informative first."""
    counts: Counter[str] = Counter()
    heading = fold_words(reading.chunk.heading)
    for sentence in reading.sentences:
        for first, end in terms.within(sentence, reading.chunk.text):
            counts[" ".join(singular_form(word.small) for word in sentence.words[first:end])] += 1
    for phrase in counts:
        counts[phrase] += phrase in heading
    telling = {
        phrase: sum(word_informativeness(stem_word(word, ENGLISH), ENGLISH) for word in phrase.split())
        / len(phrase.split())
        for phrase, count in counts.items()
        if count >= OFTEN
    }
    phrases = [phrase for phrase, weight in telling.items() if weight >= LEAST_TELLING]
    return sorted(phrases, key=lambda phrase: (-counts[phrase] * telling[phrase], phrase))


def _find_headed(reading: Reading, terms: Terms) -> list[str]:
    """Single words of the headings that the text says often, the most frequent first; none that is of a phrase."""
    title = sentence_of(reading.chunk.heading)
    headed = {word.small for word in title.words} if title else set[str]()
    wanted = {word for word in headed - STOP_WORDS - VERBS - VAGUE - CALENDAR if len(word) > 2 and word[0].isalpha()}
    forms = wanted | {singular_form(word) for word in wanted}
    forms -= {word for term in terms.kept for word in term}
    said = Counter(_name_form(word) for sentence in reading.sentences for word in sentence.words)
    often = [
        form
        for form in forms
        if said[form] >= OFTEN and word_informativeness(stem_word(form, ENGLISH), ENGLISH) >= TELLING_ALONE
    ]
    return sorted(often, key=lambda form: (-said[form], form))


def _name_form(word: Word) -> str:
    """A word in the singular; one with a capital as it is: Atkins."""
    return word.small if word.written[0].isupper() else singular_form(word.small)


def _find_subjects(reading: Reading) -> list[str]:
    """Subjects of the document that the chunk itself has enough words of, the strongest first."""
    profile = reading.chunk.document_profile
    said = {word.small for sentence in reading.sentences for word in sentence.words}
    domains = builtin_rules().domains
    held = {name: len(said & domains[name]) for name in (profile.domains if profile else ()) if name in domains}
    found = [name.replace("_", " ") for name, count in held.items() if count >= DISTINCT_WORDS]
    return found[:MOST_SUBJECTS]


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """``topics`` by what stands for them in a text; ``pattern`` finds any of these."""

    pattern: re.Pattern[str] | None
    topics: Mapping[str, str]

    def find_names(self, chunk: Chunk) -> list[str]:
        """Topics that the chunk names often, the most frequent first."""
        if self.pattern is None:
            return []
        counts = Counter(self.topics[match[0]] for match in self.pattern.finditer(fold_words(chunk.text)))
        headed = {self.topics[match[0]] for match in self.pattern.finditer(fold_words(chunk.heading))}
        weighed = {topic: count + (topic in headed) for topic, count in counts.items()}
        often = [topic for topic, count in weighed.items() if count >= OFTEN]
        return sorted(often, key=lambda topic: (-weighed[topic], topic))[:MOST_NAMES]


@lru_cache(maxsize=32)
def _index_vocabulary(pairs: tuple[tuple[str, str], ...]) -> _Vocabulary:
    topics = dict(pairs)
    longest_first = sorted(topics, key=lambda form: (-len(form), form))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)") if topics else None
    return _Vocabulary(pattern, topics)


def _read_vocabulary(profile: Profile) -> _Vocabulary:
    """What a profile's aliases stand for, by itself and by the aliases that mean nothing else."""
    topics: dict[str, str] = {}
    for table in profile.aliases.values():
        for aliases, is_sure in ((table.strong, True), (table.ambiguous, False)):
            for alias, meant in aliases.items():
                written = fold_words(_BRACKETS.sub("", meant)).removeprefix("the ").strip()
                topic = " ".join((*written.split()[:-1], singular_form(written.split()[-1]))) if written else ""
                if not topic:
                    continue
                topics.setdefault(written, topic)
                topics.setdefault(topic, topic)
                if is_sure:
                    topics[fold_words(alias)] = topic
    return _index_vocabulary(tuple(sorted(topics.items())))


CHUNKS_A_CALL = 8
"""About 2,500 tokens at 1,000 characters a chunk."""
MOST_BY_MODEL = 4
LONGEST_TOPIC = 4
"""Words of a topic that a model names; longer ones are clauses."""
EXPORTED_AT_ONCE = 50
PROMPT = "tag_topics"


class TaggedChunk(BaseModel):
    """What the model says that one text is about."""

    number: int = Field(description="The number of the text.")
    topics: list[str] = Field(default=[], description="Up to four topics, the strongest first.")


class TopicsReply(BaseModel):
    """The topics of all of them."""

    texts: list[TaggedChunk]


class ModelTagger:
    """Asks the chat model, a few chunks a call; chunks that it does not tag validly keep the topics of the rules."""

    def __init__(self, chat: Chat, prompts: Prompts, run: Run) -> None:
        self._step = PromptedStep(chat, prompts, Task.EXTRACT, "topics", PROMPT)
        self._run = run

    def tag(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """The chunks of one document, which the rules have tagged already."""
        shown = [chunk for chunk in chunks if not chunk.is_parent]
        read: dict[str, tuple[str, ...]] = {}
        for start in range(0, len(shown), CHUNKS_A_CALL):
            batch = shown[start : start + CHUNKS_A_CALL]
            texts = (without_instructions(chunk.indexed_text) for chunk in batch)
            as_texts = "\n\n".join(as_data(text, "text", {"number": str(n)}) for n, text in enumerate(texts, 1))
            reply = self._step.reply(TopicsReply, self._run, texts=as_texts)
            for each in reply.texts if reply else ():
                if 0 < each.number <= len(batch):
                    chunk = batch[each.number - 1]
                    read[chunk.id] = tuple(_keep_topics(each.topics, chunk)) or chunk.topics
        return [replace(chunk, topics=read.get(chunk.id, chunk.topics)) for chunk in chunks]


def _keep_topics(named: Sequence[str], chunk: Chunk) -> list[str]:
    """Topics of a few words of which the chunk has one at least: a topic that it shares no word with is a guess."""
    held = set(content_terms(chunk.indexed_text, ENGLISH))
    folded = dict.fromkeys(fold_topic(topic) for topic in named)
    kept = [each for each in folded if len(each.split()) <= LONGEST_TOPIC and held & set(content_terms(each, ENGLISH))]
    return kept[:MOST_BY_MODEL]


def tag_store(
    store: CompleteStore, profiles: Mapping[str, Profile], tagger: ModelTagger | None = None, *, again: bool = False
) -> int:
    """Give topics to the stored documents that have none, or ``again`` to all; how many documents changed.

    Each is written again as a whole, with the vectors that it has.
    """
    changed = 0
    for tenant in store.tenants():
        names = [record.id for record in store.documents(Filter(tenant=tenant)) if record.chunks]
        for start in range(0, len(names), EXPORTED_AT_ONCE):
            written: list[IndexedDocument] = []
            for found in store.export(names[start : start + EXPORTED_AT_ONCE]):
                if not again and any(chunk.topics for chunk in found.chunks):
                    continue
                tagged = tag_chunks(found.chunks, profiles.get(found.document.profile))
                tagged = tagger.tag(tagged) if tagger else tagged
                if tagged != list(found.chunks):
                    written.append(replace(found, chunks=tagged))
            store.upsert(written)
            changed += len(written)
    return changed
