"""Is what answers say of the whole collection true? (only, all, both, none, newest, oldest, highest, lowest, and how many)

A collection is made of dated reports with known subjects, each under several names: Bitcoin or BTC, Ethereum, ether or ETH, thefts under five words,
two companies, a price a day. Questions for news, for a period, for the newest, oldest, highest and lowest are asked of it, and every such
statement of an answer is compared with what was made. A weaker statement ("3 articles found") claims nothing of the rest and is counted
apart. Writes ``results/corpus_statements.json``.

    python -m bench.answers.corpus_statements [--home FOLDER]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from ascertain import Ascertain
from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.asking.requests import AskRequest
from bench.setting import circumstances, save, show_status

NOW = datetime(2026, 6, 30, 18, 0, tzinfo=UTC)
DAYS = 60
NAMES = {
    "bitcoin": ("Bitcoin", "BTC", "bitcoin"),
    "ethereum": ("Ethereum", "ether", "ETH"),
    "solana": ("Solana",),
    "theft": ("hack", "theft", "exploit", "stolen funds", "breach"),
    "Quillmark": ("Quillmark",),
    "Harrowgate Foods": ("Harrowgate Foods",),
    "ferry": ("ferry",),
    "litecoin": ("Litecoin", "LTC"),
}
CRYPTO = frozenset({"bitcoin", "ethereum", "solana", "litecoin"})
TEXTS = {
    "bitcoin": "{name} rose to ${price:,} on {day}, traders said. Volume was thin before the weekend.",
    "ethereum": "A fund bought 40,000 {name} in the week to {day}. The purchase was the largest of the spring.",
    "solana": "The network of {name} stood still for {price} minutes on {day}. Validators restarted it by hand.",
    "theft": "The lending site Brackenfield reported a {name} on {day}. Customers were told to change their keys.",
    "Quillmark": "{name} opened a warehouse in Leeds on {day}. The printer of labels employs 900 people.",
    "Harrowgate Foods": "{name} recalled a batch of oat biscuits on {day}. Nobody fell ill.",
    "ferry": "The {name} to the island of Staffa ran late on {day}. A valve had to be changed.",
    "litecoin": "{name} halved its reward on {day}. Miners had expected it for months.",
    "other": "The town council of Millbrook met on {day} and spoke of the new bridge. The vote is due in autumn.",
}
TITLES = {
    "bitcoin": "{name} at ${price:,}",
    "ethereum": "Fund buys {name}",
    "solana": "{name} network halts",
    "theft": "Brackenfield reports {name}",
    "Quillmark": "{name} opens warehouse",
    "Harrowgate Foods": "{name} recalls biscuits",
    "ferry": "Island {name} late again",
    "litecoin": "{name} halves reward",
    "other": "Council meets in Millbrook",
}
RATES = {
    "bitcoin": 14,
    "ethereum": 9,
    "solana": 1,
    "theft": 5,
    "Quillmark": 3,
    "Harrowgate Foods": 2,
    "ferry": 4,
    "litecoin": 2,
    "other": 18,
}


@dataclass(frozen=True, slots=True)
class Report:
    """One made report; ``price`` is what it gives, 0 for none."""

    subject: str
    title: str
    text: str
    day: date
    price: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about the collection, whether it is true, and what is."""

    question: str
    statement: str
    is_true: bool
    truth: str


def make_reports(seed: int) -> list[Report]:
    """The reports, in a random order of days."""
    chance = random.Random(seed)
    reports: list[Report] = []
    for subject, count in RATES.items():
        for number in range(count):
            day = (NOW - timedelta(days=chance.randrange(DAYS))).date()
            name = NAMES.get(subject, ("council",))[number % len(NAMES.get(subject, ("council",)))]
            price = {"bitcoin": 90_000 + 137 * chance.randrange(80), "solana": 35}.get(subject)
            shown = {"name": name, "day": f"{day.day} {day:%B %Y}", "price": price}
            reports.append(Report(subject, TITLES[subject].format(**shown), TEXTS[subject].format(**shown), day, price))
    # one aside names what its report is not of
    reports.append(
        Report(
            "other",
            "Council meets in Millbrook",
            "The council met on 2 June 2026. A member asked whether the town should buy bitcoin.",
            date(2026, 6, 2),
            0,
        )
    )
    chance.shuffle(reports)
    return reports


def list_questions() -> list[tuple[str, str]]:
    """Questions with the subject they are about, "" for all, "crypto" for the domain."""
    questions: list[tuple[str, str]] = []
    for words, subject in (
        ("bitcoin", "bitcoin"), ("BTC", "bitcoin"), ("ethereum", "ethereum"), ("ETH", "ethereum"), ("ether", "ethereum"), ("crypto", "crypto"),
        ("solana", "solana"), ("Quillmark", "Quillmark"), ("Harrowgate Foods", "Harrowgate Foods"), ("hacks", "theft"), ("ferry", "ferry"),
        ("litecoin", "litecoin"), ("thefts", "theft"), ("dogecoin", "none"), ("volleyball", "none"),
    ):  # fmt: skip
        questions += [
            (f"{words} news", subject),
            (f"any news on {words} this month?", subject),
            (f"newest article about {words}", subject),
            (f"oldest article about {words}", subject),
            (f"how is {words} doing?", subject),
            (f"what happened with {words} in June 2026?", subject),
        ]
    for when in ("this week", "this month", "in May 2026", "yesterday", "today", "in June 2026", "last week"):
        questions.append((f"what happened {when}?", ""))
    for which in ("highest", "lowest"):
        questions += [(f"{which} bitcoin price in June 2026", "bitcoin"), (f"{which} BTC price in May 2026", "bitcoin")]
    return questions


def is_of(report: Report, subject: str) -> bool:
    """Whether a report names a subject."""
    said = f"{report.title} {report.text}".casefold()
    if subject == "crypto":
        return any(is_of(report, each) for each in CRYPTO)
    return not subject or any(
        re.search(rf"\b{re.escape(name.casefold())}", said) for name in NAMES.get(subject, ("~",))
    )


_PERIOD = re.compile(r"dated (\d+ \w+ \d{4})(?: to (\d+ \w+ \d{4})| or later)?")


def read_claims(question: str, subject: str, answer: Answer, reports: Sequence[Report]) -> Iterator[Claim]:
    """The statements about the collection in the first lines of an answer, with what is true."""
    lead = answer.text.split("\n\n")[0]
    on = [each for each in reports if is_of(each, subject)]
    if found := re.search(r"Nothing of the last (\d+) days", lead):
        since = NOW.date() - timedelta(days=int(found[1]))
        count = sum(each.day >= since for each in on)
        yield Claim(question, found[0], count == 0, f"{count} reports")
    period = _PERIOD.search(lead)
    within = [each for each in on if _lies_in(each.day, period)]
    if found := re.search(r"The only article|Both articles|All ([\d,]+) articles", lead):
        said = {"The only article": 1, "Both articles": 2}.get(found[0]) or int((found[1] or "0").replace(",", ""))
        yield Claim(question, lead, said == len(within), f"{len(within)} reports")
    elif found := re.search(r"The (newest|oldest) of ([\d,]+) articles?[^:]*(?<!that were found):", lead):
        day = (max if found[1] == "newest" else min)(each.day for each in on) if on else None
        shown = f"{day.day} {day:%B %Y}" if day else "none"
        is_true = shown in answer.text and int(found[2].replace(",", "")) == len(within)
        yield Claim(question, lead, is_true, f"{shown}, {len(within)} reports")
    elif found := re.search(r"The (highest|lowest) of ([\d,]+) figures", lead):
        days = [each for each in within if each.price and _is_in_month(each.day, question)]
        value = (max if found[1] == "highest" else min)(each.price for each in days)
        yield Claim(question, lead, f"{value:,}" in answer.text, f"{value:,} of {len(days)} figures")
    elif found := re.search(r"(?:[\d,]+ of )(at least )?([\d,]+) articles? about", lead):
        said = int(found[2].replace(",", ""))
        yield Claim(question, lead, said <= len(within) if found[1] else said == len(within), f"{len(within)} reports")


def _is_in_month(day: date, question: str) -> bool:
    return f"{day:%B}" in question


def _lies_in(day: date, period: re.Match[str] | None) -> bool:
    if period is None:
        return True
    first = datetime.strptime(period[1], "%d %B %Y").date()
    if "or later" in period[0]:
        return day >= first
    last = datetime.strptime(period[2], "%d %B %Y").date() if period[2] else first
    return first <= day <= last


def write_feed(reports: Sequence[Report], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "reports.jsonl"
    rows = (
        {
            "title": each.title,
            "text": each.text,
            "published_at": f"{each.day}T09:00:00Z",
            "url": f"https://reports.example/{number}",
        }
        for number, each in enumerate(reports)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def ask_collection(
    reports: Sequence[Report], questions: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str, Answer]]:
    """Each question with its subject and the answer from a knowledge base of ``reports``."""
    with tempfile.TemporaryDirectory() as scratch:
        environ = {"ASCERTAIN_NOW": NOW.isoformat()}
        with Ascertain.open(Path(scratch) / "kb", profile="news", environ=environ) as knowledge:
            knowledge.add([str(write_feed(reports, Path(scratch) / "feed"))])
            for number, (question, subject) in enumerate(questions, 1):
                show_status(f"{number} of {len(questions)}")
                yield question, subject, knowledge.ask(AskRequest(question, use_cache=False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[7, 8], help="a collection for each")
    parser.add_argument("--show", action="store_true", help="print every statement")
    chosen = parser.parse_args()
    questions = list_questions()
    claims: list[Claim] = []
    weak = refused = 0
    for seed in chosen.seeds:
        reports = make_reports(seed)
        for question, subject, answer in ask_collection(reports, questions):
            own = list(read_claims(question, subject, answer, reports))
            claims += own
            is_refused = answer.type is AnswerType.REJECTION
            refused += is_refused
            weak += " found" in answer.text.split("\n\n")[0] and not is_refused
            if chosen.show:
                print(question, "|", answer.text.split("\n\n")[0][:160], "|", [(c.is_true, c.truth) for c in own])
    false = [each for each in claims if not each.is_true]
    results: dict[str, object] = {
        "about": "statements about a whole collection in answers, compared with a made collection; false ones are the error",
        **circumstances(),
        "collections": len(chosen.seeds),
        "questions": len(questions) * len(chosen.seeds),
        "statements": len(claims),
        "false": [{"question": e.question, "statement": e.statement, "truth": e.truth} for e in false],
        "weaker": weak,
        "refused": refused,
    }
    print(
        json.dumps(
            {key: results[key] for key in ("statements", "false", "weaker", "refused")}, indent=1, ensure_ascii=False
        )
    )
    save("corpus_statements", results)


if __name__ == "__main__":
    main()
