"""Writes a corpus with known truth for ``analysis_quality.py``: 400 dated articles of 8 sources on made-up markets.

Planted: the mood of each article, moves of prices, contradictions of two sources, an asset that rises and then falls, forecasts by named
people, near-duplicates, and three articles of another subject. The sentences were written without a look at the lexicon, and are in
headlines, plain reports, negations and figures.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

ARTICLES, DAYS = 400, 60
MIXED = 0.4
"""Share of the longer articles of a mood that hold one sentence of the other."""
FIRST = datetime(2025, 4, 17, tzinfo=UTC)
SOURCES = (
    "Harbour Post",
    "Ledger Weekly",
    "Northwire",
    "The Quoin",
    "Block Gazette",
    "Meridian Daily",
    "Tape & Ticker",
    "Oakfield News",
)
ASSETS = {"Bitcoin": 92_000.0, "Solana": 148.0, "Cardano": 0.71, "Litecoin": 88.0, "Avalanche": 21.5, "Chainlink": 14.8}
FIRMS = (
    "Kestrel Pay",
    "Brightwater",
    "Halvorsen Bank",
    "Tamarind Labs",
    "Orrin Exchange",
    "Pellworth",
    "Vantor",
    "Silica Trust",
)
PEOPLE = (
    "Ines Okafor",
    "Tomas Reindl",
    "Maya Lindqvist",
    "Jonas Petrov",
    "Aroha Ngata",
    "Luca Ferrante",
    "Hana Sato",
    "Peter Osei",
)
HOUSES = ("Carrow Research", "Delmont Capital", "Fenwick Partners", "Goldhawk", "Ridgeway Advisers")
PERIOD_QUESTION = "What is the sentiment in the articles?"

# {a} an asset, {f} a firm, {p} a person, {h} a house, {n} a number, {m} millions, {city} a city
POSITIVE_TITLES = (
    "{f} celebrates record quarter with {a} service",
    "Investors cheer as {a} network passes crucial test",
    "{a} wins over sceptics",
    "Strong demand lifts {a} ecosystem",
    "{f} secures landmark licence for {a} trading",
    "{a} upgrade goes smoothly, users delighted",
    "Confidence in {a} returns",
    "{f} beats expectations on {a} boom",
    "Praise for {a} after flawless launch",
    "Optimism grows around {a}",
    "Why {a} holders have reason to smile",
    "{a} developers honoured for breakthrough",
)
POSITIVE = (
    "The upgrade of {a} was a success, and users praised how fast payments have become.",
    "{f} reported the best results in its history and thanked its loyal customers.",
    "Analysts at {h} called the progress of {a} impressive.",
    "The partnership with {f} is a great opportunity for {a}, said {p}.",
    "Developers are excited about the new tools, which make {a} easier and safer to use.",
    "{f} won an award for its excellent protection of customers.",
    "The regulator approved the {a} fund of {f}, which supporters hailed as a breakthrough.",
    "Not a single outage troubled {a} this spring, a remarkable achievement.",
    "Customers are happy with {f}, a survey of {h} found.",
    "There is no sign of weakness: {a} is healthier than ever, {p} said.",
    "Profits of {f} soared, and the firm hired {n} people.",
    "{a} has gained the trust of large banks, a strong vote of confidence.",
    "The outlook has improved a lot, and the mood among {a} investors is upbeat.",
    "The rescue of {f} succeeded, to the relief of its customers.",
    "{p} of {h} is optimistic and sees solid growth for {a}.",
    "Fees on {a} fell to a fraction of what they were, which users welcomed.",
    "Nobody lost money, and {f} earned respect for its quick and honest answer.",
    "Unemployment in the sector fell, a welcome improvement for {city}.",
)
NEGATIVE_TITLES = (
    "{f} hit by outage, {a} users furious",
    "Hackers drain {f} wallets",
    "Fears mount over {a}",
    "{a} suffers as investors flee",
    "{f} under investigation for fraud",
    "Scandal at {f} shakes {a} community",
    "{a} network fails again",
    "Layoffs at {f} after dismal quarter",
    "Lawsuit threatens {a} project",
    "Panic at {f} as withdrawals are frozen",
    "Doubts about {a} deepen",
    "{a} in trouble after botched update",
)
NEGATIVE = (
    "The outage of {a} lasted {n} hours and angered thousands of users.",
    "{f} admitted serious mistakes and warned of heavy losses.",
    "Critics called the plan of {f} reckless and dangerous.",
    "Thieves stole {m} million dollars from {f}, the worst attack of the year.",
    "Investors are worried that {a} may never regain their trust.",
    "The update failed, and {a} was not able to process payments.",
    "Prosecutors accuse {f} of fraud and of misleading its customers.",
    "Customers of {f} are not happy: complaints rose by {n} percent.",
    "{p} of {h} described the state of {a} as a disaster.",
    "{f} cut {n} jobs after a terrible quarter.",
    "The bug destroyed the savings of many holders of {a}.",
    "Fees on {a} rose so much that small payments no longer make sense.",
    "Nothing has improved at {f}, and the crisis is getting worse.",
    "The collapse of {f} left creditors with nothing.",
    "{p} has lost confidence in {a} and sold everything.",
    "A court rejected the appeal of {f}, a bitter defeat for the firm.",
    "Inflation rose again, which hurts risky assets such as {a}.",
    "Banks refuse to work with {f} because of its poor controls.",
)
NEUTRAL_TITLES = (
    "{f} to publish {a} report on Thursday",
    "What {a} is and how it works",
    "Committee in {city} discusses {a}",
    "{f} moves office to {city}",
    "{a}: the figures of the week",
    "Conference on {a} opens in {city}",
    "{f} names {p} to its board",
    "How validators of {a} are chosen",
    "Number of {a} wallets at {n} thousand",
    "{f} files annual report",
)
NEUTRAL = (
    "The conference takes place in {city} from Monday to Wednesday.",
    "{f} has its seat in {city} and employs {n} people.",
    "{a} uses a network of computers that keep a common ledger.",
    "The committee will meet again in September.",
    "{p} joined {f} in 2021 after nine years at {h}.",
    "The report of {f} has {n} pages and is published in English and German.",
    "A spokesperson of {f} declined to comment.",
    "{a} is one of {n} assets that {f} lists.",
    "The rules apply to firms with a seat in the European Union.",
    "The firm was founded in {city} in 2016.",
    "Transactions of {a} are recorded in blocks.",
    "{h} publishes its figures at the beginning of each month.",
    "The deadline for comments is the end of the month.",
    "The paper compares {a} with other networks.",
    "{f} did not say when the office opens.",
    "{p} spoke for {n} minutes.",
)
MOVE_UP = (
    "{a} rose {x} percent to ${y} on {date}.",
    "{a} gained {x} % on {date} and climbed to ${y}.",
    "The price of {a} jumped {x} percent to ${y} on {date}.",
    "{a} closed up {x} percent at ${y} on {date}.",
    "On {date} {a} advanced by {x} percent to ${y}.",
)
MOVE_DOWN = (
    "{a} fell {x} percent to ${y} on {date}.",
    "{a} lost {x} % on {date} and dropped to ${y}.",
    "The price of {a} slid {x} percent to ${y} on {date}.",
    "{a} closed down {x} percent at ${y} on {date}.",
    "On {date} {a} retreated by {x} percent to ${y}.",
)
FORECASTS_UP = (
    "{p} of {h} expects {a} to rise to ${y} by the end of the year.",
    "“{a} could double by autumn,” said {p}.",
    "{a} will climb above ${y} within the next six months, according to {p}.",
    "{p} predicts that {a} will reach ${y} next year.",
)
FORECASTS_DOWN = (
    "{p} of {h} expects {a} to fall to ${y} by the end of the year.",
    "“{a} could drop by half until autumn,” said {p}.",
    "{a} will sink below ${y} within the next six months, according to {p}.",
    "{p} warned that {a} may slide to ${y} next year.",
)
CITIES = ("Lisbon", "Tallinn", "Porto", "Graz", "Leeds", "Malmo", "Turin", "Cork")
OTHER = (
    (
        "How to prune an apple tree",
        "Prune an apple tree in late winter. Remove crossing branches first. A sharp saw leaves a clean cut that heals well.",
    ),
    (
        "Old lighthouse opens as museum",
        "The lighthouse on the northern cape opens its doors to visitors. Families can climb 212 steps and enjoy a beautiful view.",
    ),
    (
        "Recipe: leek and potato soup",
        "Slice three leeks and fry them in butter. Add potatoes and stock, and cook for twenty minutes. The soup is wonderful with bread.",
    ),
)


@dataclass
class Truth:
    """What was planted, by the address of the article."""

    moods: dict[str, str] = field(default_factory=dict)
    sentences: list[tuple[str, str]] = field(default_factory=list)
    moves: list[dict[str, object]] = field(default_factory=list)
    contradictions: list[tuple[str, str]] = field(default_factory=list)
    forecasts: list[dict[str, object]] = field(default_factory=list)
    duplicates: list[tuple[str, str]] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    peak: str = ""


class Writer:
    """Writes one corpus; everything by chance comes of ``seed``."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.truth = Truth()
        self.articles: list[dict[str, str]] = []
        self.seed = seed

    def write(self) -> list[dict[str, str]]:
        """The articles in order of their dates."""
        self._contradictions()
        self._courses()
        self._others()
        duplicates = 12
        while len(self.articles) < ARTICLES - duplicates:
            self._plain_article()
        self._duplicates(duplicates)
        return sorted(self.articles, key=lambda each: each["published_at"])

    def fill(self, template: str, **given: str) -> str:
        """A template with names by chance where none are given."""
        choose = self.random.choice
        values = {"a": choose(list(ASSETS)), "f": choose(FIRMS), "p": choose(PEOPLE), "h": choose(HOUSES)}
        values |= given
        # what is told of one thing twice is told alike: only what is planted contradicts
        known = random.Random(
            f"{self.seed} {template} {[values[name] for name in 'afph' if f'{{{name}}}' in template]}"
        )
        seat = random.Random(f"{self.seed} {values['f']}")
        values |= {"n": str(known.randint(3, 95)), "m": str(known.randint(4, 180)), "city": seat.choice(CITIES)}
        return template.format(**values)

    def add(self, title: str, sentences: list[str], day: int, source: str, mood: str | None = None) -> str:
        """One article; its address."""
        url = f"https://news.example/{self.seed}/{len(self.articles):03d}"
        moment = FIRST + timedelta(days=day, hours=self.random.randint(6, 20))
        content = " ".join(sentences)
        self.articles.append(
            {"title": title, "content": content, "source": source, "published_at": moment.isoformat(), "url": url}
        )
        if mood is not None:
            self.truth.moods[url] = mood
        return url

    def _label(self, templates: tuple[str, ...], mood: str, count: int, **given: str) -> list[str]:
        written = [self.fill(each, **given) for each in self.random.sample(templates, count)]
        self.truth.sentences += [(each, mood) for each in written]
        return written

    def _sides(self, mood: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return {
            "positive": (POSITIVE_TITLES, POSITIVE),
            "negative": (NEGATIVE_TITLES, NEGATIVE),
            "neutral": (NEUTRAL_TITLES, NEUTRAL),
        }[mood]

    def _plain_article(self) -> None:
        day = self.random.randrange(DAYS)
        mood = self.random.choices(("positive", "negative", "neutral"), (0.42, 0.33, 0.25))[0]
        asset, firm = self.random.choice(list(ASSETS)), self.random.choice(FIRMS)
        titles, sentences = self._sides(mood)
        title = self._label(titles, mood, 1, a=asset, f=firm)[0]
        own = self._label(sentences, mood, self.random.randint(2, 4), a=asset, f=firm)
        aside = self._label(NEUTRAL, "neutral", self.random.randint(1, 2), a=asset, f=firm) if mood != "neutral" else []
        if mood != "neutral" and len(own) > 2 and self.random.random() < MIXED:
            # a good article says something bad too; its mood is still that of most of it
            aside += self._label(
                self._sides("negative" if mood == "positive" else "positive")[1],
                "negative" if mood == "positive" else "positive",
                1,
                a=asset,
                f=firm,
            )
        body = [f"{firm}, a crypto firm, works with {asset}.", *own, *aside]
        if self.random.random() < 0.06:
            body.append(self._forecast(asset))
        self.add(title, body, day, self.random.choice(SOURCES), mood)

    def _forecast(self, asset: str) -> str:
        up = self.random.random() < 0.5
        person = self.random.choice(PEOPLE)
        level = ASSETS[asset] * (1.4 if up else 0.6) * self.random.uniform(0.9, 1.1)
        text = self.fill(
            self.random.choice(FORECASTS_UP if up else FORECASTS_DOWN), a=asset, p=person, y=format_price(level)
        )
        self.truth.forecasts.append(
            {"text": text, "speaker": person, "asset": asset, "direction": "up" if up else "down"}
        )
        return text

    def _move_article(self, asset: str, day: int, percent: float, level: float, source: str) -> str:
        up = percent > 0
        size = f"{abs(percent):.1f}"
        template = self.random.choice(MOVE_UP if up else MOVE_DOWN)
        moment = FIRST + timedelta(days=day)
        date = f"{moment.day} {moment:%B %Y}"
        told = template.format(a=asset, x=size, y=format_price(level), date=date)
        mood = "positive" if up else "negative"
        titles, sentences = self._sides(mood)
        title = self._label(titles, mood, 1, a=asset)[0]
        return self.add(
            title,
            [told, *self._label(sentences, mood, 2, a=asset), "The crypto market is open around the clock."],
            day,
            source,
            mood,
        )

    def _courses(self) -> None:
        """Litecoin rises for half of the period and falls for the other; the others move by chance. No two moves of one day."""
        top = DAYS // 2 + self.random.randint(-4, 4)
        level, best = ASSETS["Litecoin"], 0.0
        for day in range(2, DAYS - 1, 3):
            percent = self.random.uniform(3.0, 7.0) * (1 if day <= top else -1)
            level *= 1 + percent / 100
            if level > best:
                best, self.truth.peak = level, (FIRST + timedelta(days=day)).date().isoformat()
            self._plant_move("Litecoin", day, percent, level)
        for asset in ("Bitcoin", "Solana", "Cardano"):
            level = ASSETS[asset]
            for day in sorted(self.random.sample(range(DAYS), 7)):
                if (asset, day) in self._taken:
                    continue
                percent = self.random.choice((-1, 1)) * self.random.uniform(1.0, 9.0)
                level *= 1 + percent / 100
                self._plant_move(asset, day, percent, level)

    def _plant_move(self, asset: str, day: int, percent: float, level: float) -> None:
        url = self._move_article(asset, day, percent, level, self.random.choice(SOURCES))
        told = (FIRST + timedelta(days=day)).date().isoformat()
        direction = "up" if percent > 0 else "down"
        shown = float(format_price(level).replace(",", ""))
        self.truth.moves.append(
            {
                "url": url,
                "asset": asset,
                "day": told,
                "direction": direction,
                "percent": round(abs(percent), 1),
                "level": shown,
            }
        )

    _taken: set[tuple[str, int]]

    def _contradictions(self) -> None:
        """Six: sizes and directions of moves, amounts of thefts and fines, and what one says and another denies."""
        self._taken = set()
        for asset, other in (("Bitcoin", -1), ("Solana", 1)):
            day = self.random.randrange(5, DAYS - 5)
            self._taken.add((asset, day))
            percent = self.random.uniform(3, 6)
            first, second = self.random.sample(SOURCES, 2)
            level = ASSETS[asset]
            one = self._move_article(asset, day, percent, level * (1 + percent / 100), first)
            two_percent = -percent if other < 0 else percent + 3.2
            two = self._move_article(asset, day, two_percent, level * (1 + two_percent / 100), second)
            self.truth.contradictions.append((one, two))
            for url, size in ((one, percent), (two, two_percent)):
                told = (FIRST + timedelta(days=day)).date().isoformat()
                self.truth.moves.append(
                    {
                        "url": url,
                        "asset": asset,
                        "day": told,
                        "direction": "up" if size > 0 else "down",
                        "percent": round(abs(size), 1),
                        "level": float(format_price(level * (1 + size / 100)).replace(",", "")),
                    }
                )
        for kind in ("theft", "fine", "denial", "denial"):
            self._plant_dispute(kind)

    _disputes = 0

    def _plant_dispute(self, kind: str) -> None:
        firm = f"{self.random.choice(('Marlow', 'Tessera', 'Quillan', 'Drayton', 'Ostrava'))} {('Vault', 'Swap', 'Custody', 'Bridge')[self._disputes % 4]}"
        self._disputes += 1
        day = self.random.randrange(5, DAYS - 5)
        first, second = self.random.sample(SOURCES, 2)
        low = self.random.randint(20, 80)
        pairs = {
            "theft": (
                f"Attackers stole {low} million dollars from the platform {firm} on Tuesday.",
                f"Attackers stole {low + 14} million dollars from the platform {firm} on Tuesday, police said.",
            ),
            "fine": (
                f"The regulator fined {firm} {low} million euros for missing controls.",
                f"The regulator fined {firm} {low + 9} million euros for missing controls, according to a letter.",
            ),
            "denial": (
                f"{firm} has stopped all withdrawals of its customers.",
                f"{firm} denied that it has stopped all withdrawals of its customers.",
            ),
        }
        told = pairs[kind]
        urls = []
        for source, sentence in zip((first, second), told, strict=True):
            title = self.fill("{f} and the week in the crypto markets")
            body = [sentence, *self._label(NEUTRAL, "neutral", 2)]
            urls.append(self.add(title, body, day + len(urls), source))
        self.truth.contradictions.append((urls[0], urls[1]))

    def _others(self) -> None:
        for title, text in OTHER:
            self.truth.others.append(self.add(title, [text], self.random.randrange(DAYS), self.random.choice(SOURCES)))

    def _duplicates(self, count: int) -> None:
        """Copies by other sources with a line of their own; they say the same, so they are no articles of their own."""
        longest = [each for each in self.articles if len(each["content"]) > 330 and each["url"] in self.truth.moods]
        for each in self.random.sample(longest, count):
            url = f"https://news.example/{self.seed}/d{len(self.truth.duplicates):02d}"
            moment = datetime.fromisoformat(each["published_at"]) + timedelta(minutes=self.random.randint(5, 180))
            copy = {**each, "url": url, "published_at": moment.isoformat(), "source": self.random.choice(SOURCES)}
            copy["content"] = each["content"] + " (wire)"
            self.articles.append(copy)
            self.truth.duplicates.append((url, each["url"]))


def format_price(level: float) -> str:
    """As reports write it."""
    return f"{level:,.0f}" if level >= 1000 else f"{level:,.2f}"


def write_corpus(seed: int, file: Path) -> Truth:
    """Write the articles as JSON lines and give what was planted."""
    writer = Writer(seed)
    articles = writer.write()
    file.write_text("".join(json.dumps(each) + "\n" for each in articles), "utf-8")
    return writer.truth
