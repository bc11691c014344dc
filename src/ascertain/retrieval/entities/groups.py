"""Sentences that name something: what else they name, and the groups they are quoted in.

What they name is known from the graph, or by its capitals where there is none.
"""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from ascertain.core.asking.plans import Asks, EntityQuestion
from ascertain.core.documents.blocks import Span
from ascertain.core.graph.nouns import Role
from ascertain.core.reports.overviews import Group
from ascertain.graph.snapshot import ROLES, Snapshot
from ascertain.language.instructions import without_instructions
from ascertain.language.names import names_in, words_of
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import content_terms
from ascertain.retrieval.entities.mentions import Statement, names_one, narrow_passage

_IN_TEXT = ROLES.index(Role.NAMED)


@dataclass(frozen=True, slots=True)
class Beside:
    """A thing and the sentences that name it beside the subject. ``key`` tells it from others, ``kind`` is "" if
    unknown.

    ``weight`` is the cosine of the two sets of sentences, as links of the graph are weighed (``graph.snapshot_links``);
    without a graph the share of the subject's sentences.
    """

    key: Hashable
    label: str
    kind: str
    statements: tuple[Statement, ...]
    weight: float


def named_beside(snapshot: Snapshot | None, subject: str, told: Sequence[Statement], language: str) -> list[Beside]:
    """What the sentences that name ``subject`` (``told``) also name, the strongest link first."""
    found = _by_graph(snapshot, subject, told, language) if snapshot else _by_capitals(subject, told)
    return sorted(found, key=lambda each: (-each.weight, each.label))


def _by_graph(snapshot: Snapshot, subject: str, told: Sequence[Statement], language: str) -> Iterator[Beside]:
    own, place = words_of(subject), snapshot.place(subject)
    found: dict[int, list[Statement]] = {}
    for each in told:
        for entity in _entities_in(snapshot, each, language):
            if entity != place:
                found.setdefault(entity, []).append(each)
    for entity, statements in found.items():
        thing = snapshot.at(entity)
        titles = {statement.chunk.title for statement in statements}
        if words_of(thing.label) != own and thing.label not in titles:
            shared = len(statements) / sqrt(len(told) * max(1, int(snapshot.place_counts[entity])))
            yield Beside(entity, thing.label, thing.kind, tuple(statements), min(1.0, shared))


def _entities_in(snapshot: Snapshot, statement: Statement, language: str) -> Iterator[int]:
    chunk = snapshot.chunk_place.get(statement.chunk.id)
    if chunk is None:
        return
    written: dict[int, set[str]] = {}
    for row in snapshot.by_chunk[chunk].tolist():
        if snapshot.mention_role[row] == _IN_TEXT and snapshot.mention_sentence[row] < statement.span.end:
            written.setdefault(int(snapshot.mention_entity[row]), set()).add(
                snapshot.written[int(snapshot.mention_name[row])]
            )
    for entity, names in written.items():
        if names_one(statement.text, sorted(names), language):
            yield entity


def _by_capitals(subject: str, told: Sequence[Statement]) -> Iterator[Beside]:
    written: dict[tuple[str, ...], str] = {}
    found: dict[tuple[str, ...], list[Statement]] = {}
    own = set(words_of(subject))
    for each in told:
        for words, name in names_in(each.text).items():
            is_speaker = words == words_of(each.place.speaker or "")
            if name[:1].isalpha() and not own & set(words) and not is_speaker:
                found.setdefault(words, []).append(each)
                written.setdefault(words, name)
    for words, statements in found.items():
        yield Beside(words, written[words], "", tuple(statements), len(statements) / len(told))


IN_GROUP = {Asks.SPEAKERS: 2, Asks.EPISODES: 2, Asks.TIMES: 5, Asks.WORDS: 5}
"""Places quoted of one speaker in one episode, by what is asked."""
OF_DOCUMENT = 2
MOST_OF_THING = 8
"""Sentences quoted of a thing that no speaker is asked about, over all documents."""
SAME = 0.5
"""Jaccard similarity of content terms from which two sentences of a report say the same."""
ASKS, HEADING = 8.0, 20.0
"""Content words that a question or a heading must have more than a statement to be quoted before it."""
LONGEST_STATEMENT = 300
"""Characters up to which the sentence after a mention is quoted with it where words are asked for."""
LONGEST_LABEL = 120


def label_of(speaker: str | None, title: str) -> str:
    """``Tyler Cowen (Episode 143)``, on one line and of bearable length; one alone where the other is not known."""
    name, episode = (_clean_label(text) for text in (speaker or "", title))
    return f"{name} ({episode})" if name and episode else name or episode


def by_speaker(told: Sequence[Statement], asked: EntityQuestion, language: str) -> list[Group]:
    """By speaker and episode; who speaks of it most comes first, or the first episode where episodes are asked for."""
    grouped: dict[tuple[str, str], list[Statement]] = {}
    for each in told:
        grouped.setdefault((each.place.speaker or "", each.document.id), []).append(each)
    places = {key: _choose_places(statements, language) for key, statements in grouped.items()}
    counts: dict[str, int] = {}
    for (speaker, _), each in places.items():
        counts[speaker] = counts.get(speaker, 0) + len(each)

    def order(key: tuple[str, str]) -> tuple[object, ...]:
        speaker, document = key
        episode = (_natural_key(grouped[key][0].document.title), document)
        if asked.asks is Asks.EPISODES:
            return (*episode, -len(places[key]), speaker)
        return (-counts[speaker], speaker, *episode)

    return [_build_group(key[0], places[key], asked, language) for key in sorted(grouped, key=order)]


def _choose_places(statements: Sequence[Statement], language: str) -> list[Statement]:
    """The most informative sentence of each turn, in order of text."""
    best: dict[object, Statement] = {}
    for each in statements:
        if each.unit not in best or score_statement(each, language) > score_statement(best[each.unit], language):
            best[each.unit] = each
    return sorted(best.values(), key=lambda each: each.span)


def _build_group(speaker: str, places: Sequence[Statement], asked: EntityQuestion, language: str) -> Group:
    limit = IN_GROUP.get(asked.asks, OF_DOCUMENT)
    chosen = sorted(
        sorted(places, key=lambda each: (-score_statement(each, language), each.span))[:limit], key=lambda e: e.span
    )
    if asked.asks is Asks.WORDS:
        chosen = [_with_next(each) for each in chosen]
    passages = tuple(narrow_passage(each, asked.subject) for each in chosen)
    return Group(label_of(speaker, places[0].document.title), passages, len(places) - len(chosen))


def by_document(told: Sequence[Statement], asked: EntityQuestion, language: str) -> list[Group]:
    """Sentences that say something different each, at most so many a document, the document of the best one first."""
    by_document: dict[str, list[Statement]] = {}
    chosen: dict[str, list[Statement]] = {}
    for each in told:
        by_document.setdefault(each.document.id, []).append(each)
    ranked = {
        name: sorted(own, key=lambda each: (-score_statement(each, language), each.span))
        for name, own in by_document.items()
    }
    taken: list[frozenset[str]] = []
    # in turns: the best of every document before the second best of any
    for turn in range(OF_DOCUMENT):
        for name in sorted(ranked, key=lambda name: (-score_statement(ranked[name][0], language), name)):
            fresh = (each for each in ranked[name] if _is_new(each, taken, language))
            best = next(fresh, None) if sum(map(len, chosen.values())) < MOST_OF_THING else None
            if best is not None and len(chosen.get(name, ())) == turn:
                taken.append(_other_terms(best, language))
                chosen.setdefault(name, []).append(best)
    groups: list[Group] = []
    for name, own in chosen.items():
        passages = tuple(narrow_passage(each, asked.subject) for each in sorted(own, key=lambda each: each.span))
        groups.append(Group(label_of(None, own[0].document.title), passages, len(by_document[name]) - len(own)))
    return groups


def _is_new(statement: Statement, taken: Sequence[frozenset[str]], language: str) -> bool:
    terms = _other_terms(statement, language)
    return all(len(terms & other) < SAME * len(terms | other) for other in taken)


def _other_terms(statement: Statement, language: str) -> frozenset[str]:
    """The words of a sentence besides the name that they all have."""
    return frozenset(content_terms(statement.text, language)) - frozenset(content_terms(statement.form, language))


def score_statement(statement: Statement, language: str) -> float:
    """How informative a sentence is: its different content words up to twenty, more where the subject comes early in it,
    less where it asks or is a heading.
    """
    text = statement.text
    amount = float(min(len(_other_terms(statement, language)), 20))
    at = text.casefold().find(statement.form.casefold())
    early = 3.0 if 0 <= at <= len(text) / 3 else 0.0
    is_heading = text.lstrip().startswith("#") or text.strip() == statement.document.title
    return amount + early - (ASKS if is_question(statement) else 0.0) - (HEADING if is_heading else 0.0)


def is_question(statement: Statement) -> bool:
    """Whether a sentence asks."""
    return statement.text.rstrip("\"'”’)*_ ").endswith("?")


def _with_next(statement: Statement) -> Statement:
    """With the sentence after it, where that is the speaker's too and both are short: what is said of a thing follows
    its name.
    """
    start, end = statement.span
    after = Span(end, statement.unit.end)
    following = next(iter(split_sentences(after.of(statement.document.text))), None) if end < after.end else None
    if following is None or following.shift(end).end - start > LONGEST_STATEMENT:
        return statement
    return replace(statement, span=Span(start, following.shift(end).end))


def _natural_key(title: str) -> tuple[tuple[int, int, str], ...]:
    """For sorting "Episode 2" before "Episode 10"."""
    parts = re.findall(r"\d+|\D+", title.casefold())
    return tuple((0, int(part[:18]), "") if part.isdecimal() else (1, 0, part) for part in parts)


def _clean_label(text: str) -> str:
    """Text of a document as a label: visible characters on one line, without orders to a model."""
    line = " ".join("".join(c if c.isprintable() else " " for c in without_instructions(text)).split())
    return f"{line[: LONGEST_LABEL - 1]}…" if len(line) > LONGEST_LABEL else line
