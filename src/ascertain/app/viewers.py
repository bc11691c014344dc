"""Who owns what within a tenant, and the audit log.

Documents belong to a tenant. Conversations, research runs, jobs, and the answers that feedback is given on belong to the user that made them: the
one that a key names, or the key itself. Anyone who opens the knowledge base without a key, from the command line or at an open service, sees all of the
tenant; what they create has no owner, and is open to administrators.
"""

from __future__ import annotations

import getpass
import logging
import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ascertain.core.asking.requests import ConversationLabel
from ascertain.core.errors import AscertainError, NotYours
from ascertain.core.service.service import ApiKey, AuditEntry, Role

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.core.documents.documents import DocumentRecord
    from ascertain.stores.ports.service import ServiceStores

_logger = logging.getLogger(__name__)

LOCAL = "local"
"""The address of a command."""
_KEY = re.compile(r"ask_[A-Za-z0-9_-]{43}")


def _name_account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""  # an account without a name, as containers have them


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks at a tenant's data; ``user`` None sees all of it. ``account`` is named in the audit log where there is no user."""

    user: str | None = None
    role: Role = Role.ADMIN
    key_id: str = ""
    address: str = LOCAL
    account: str = field(default_factory=_name_account)

    @classmethod
    def of(cls, key: ApiKey, address: str) -> Viewer:
        """The owner of a key, at an address."""
        return cls(key.user, key.role, key.id, address, key.user)

    def owns(self, owner: str) -> bool:
        """Whether it may change what belongs to ``owner``, empty where there is no owner."""
        return self.user is None or self.user == owner or (not owner and self.role is Role.ADMIN)

    def sees(self, label: ConversationLabel) -> bool:
        """Whether it may read a conversation."""
        return label.is_shared or self.owns(label.owner)


def note_audit(
    service: ServiceStores, viewer: Viewer, tenant: str, action: str, subject: str, *, outcome: str = "done"
) -> None:
    """Write an entry to the audit log. It never contains a key, whatever people name their things."""
    entry = AuditEntry(
        datetime.now(UTC),
        action,
        _KEY.sub("ask_…", subject),
        outcome,
        tenant=tenant,
        key_id=viewer.key_id,
        user=viewer.user or viewer.account,
        address=viewer.address,
    )
    try:
        service.audit.note(entry)
    except AscertainError as error:
        # a full disk must not stop anyone from deleting
        _logger.warning("%s by %s could not be noted in the audit log: %s", action, entry.user, error)


@contextmanager
def audited(knowledge: Ascertain, action: str, subject: str) -> Generator[None]:
    """The action in the context is logged once it is over, also where it failed or was refused."""
    outcome = "failed"
    try:
        yield
        outcome = "done"
    except NotYours:
        outcome = "refused"
        raise
    finally:
        if knowledge.exists:
            _note_or_warn(knowledge, action, subject, outcome)


def _note_or_warn(knowledge: Ascertain, action: str, subject: str, outcome: str) -> None:
    try:
        service = knowledge.service
    except AscertainError as error:
        _logger.warning("%s could not be noted in the audit log: %s", action, error)
    else:
        note_audit(service, knowledge.viewer, knowledge.tenant, action, subject, outcome=outcome)


def find_label(knowledge: Ascertain, conversation_id: str) -> ConversationLabel:
    """The owner of a conversation, a run, or what was fetched for a single answer."""
    label = knowledge.opened.conversations().find_label(conversation_id, knowledge.tenant)
    if label.owner or label.is_shared:
        return label
    given = knowledge.service.feedback.get(conversation_id, knowledge.tenant)
    return ConversationLabel(owner=given.user) if given else label


def sees_conversation(knowledge: Ascertain, conversation_id: str) -> bool:
    """Whether a conversation may be read."""
    return knowledge.viewer.user is None or knowledge.viewer.sees(find_label(knowledge, conversation_id))


def check_own(knowledge: Ascertain, conversation_id: str) -> None:
    """Raise NotYours for a conversation that may not be changed."""
    if knowledge.viewer.user is not None and not knowledge.viewer.owns(find_label(knowledge, conversation_id).owner):
        raise NotYours("this conversation belongs to someone else; use another id")


def check_unclaimed(knowledge: Ascertain, conversation_id: str) -> None:
    """Raise NotYours where someone else has a conversation with this id; the next question takes a free id."""
    if knowledge.viewer.user is None:
        return
    has_turns = knowledge.opened.conversations().turns(conversation_id, knowledge.tenant)
    if has_turns or find_label(knowledge, conversation_id).owner:
        check_own(knowledge, conversation_id)


def select_visible(knowledge: Ascertain, records: Iterable[DocumentRecord]) -> list[DocumentRecord]:
    """Without those that were fetched for conversations and runs of others."""
    found = list(records)
    if knowledge.viewer.user is None:
        return found
    conversations = {record.conversation_id for record in found if record.conversation_id is not None}
    hidden = {each for each in conversations if not sees_conversation(knowledge, each)}
    return [record for record in found if record.conversation_id not in hidden]
