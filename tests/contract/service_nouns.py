"""Builders of what a service keeps, and texts that are hard to keep."""

import time
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from ascertain.core.service.service import ApiKey, GivenAnswer, Job, LoggedEvent, Notebook, Role, User
from ascertain.stores.ports.service import CachedAnswer

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECONDS = 60
"""How long a server may take to see that a process is gone."""

ODD = (
    "plain",
    "",
    " ",
    "Plain",
    "\u00e9",
    "e\u0301",
    "数学 🎈",
    "nul\0nul",
    "lone\udc80",
    "\ufdd0dc80",
    "'; DROP TABLE jobs; --",
    "?%s%",
    "x" * 5000,
    "x" * 5000 + "y",
    "\U0010ffff",
)
"""Names that are different to the character."""

texts = st.text(st.characters(codec=None), max_size=6) | st.sampled_from(ODD)
tenants = st.sampled_from(("default", "acme", "Acme", "acme\0", ""))


def later(**steps):
    return NOON + timedelta(**steps)


def a_key(id="key", **fields):
    usual = {"name": "laptop", "tenant": "default", "hint": "asc_12", "created_at": NOON, "requests_per_minute": 60}
    return ApiKey(id=id, **(usual | fields))


def a_user(name="kim", **fields):
    usual = {"tenant": "default", "role": Role.WRITE, "changed_at": NOON}
    return User(name=name, **(usual | fields))


def a_notebook(id="notebook", **fields):
    usual = {"name": "manuals", "sources": ("upload:*",), "changed_at": NOON}
    return Notebook(id=id, **(usual | fields))


def a_job(id="job", **fields):
    usual = {"kind": "upload", "what": "three files", "created_at": NOON, "updated_at": fields.get("created_at", NOON)}
    return Job(id=id, **(usual | fields))


def a_given_answer(name="answer", **fields):
    usual = {"answered_at": NOON, "question": "why?", "answer_type": "summary", "strategy": "hybrid", "confidence": 70}
    return GivenAnswer(answer_id=name, **(usual | fields))


def a_cached_answer(question="why?", **fields):
    usual = {"scope": "scope", "corpus": "c1", "answer": {"text": "Because."}, "stored_at": NOON}
    return CachedAnswer(question=question, **(usual | fields))


def events(*numbers, last=None):
    return [LoggedEvent(number, "text", {"text": f"word {number}"}, number == last) for number in numbers]


def eventually(holds):
    end = time.monotonic() + SECONDS
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return held
