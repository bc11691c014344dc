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
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ascertain.app.asking.visibility import bind_tenant
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import ConversationLabel
from ascertain.core.errors import AscertainError, NotYours
from ascertain.core.service.service import ApiKey, AuditEntry, Role

if TYPE_CHECKING:
    from ascertain.app.container.container import Container
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
    service: ServiceStores, viewer: Viewer, tenant: str, action: str, *, subject: str, outcome: str = "done"
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


@dataclass(frozen=True, slots=True)
class Access:
    """What a viewer may see and change of a tenant, and the log of what it does."""

    container: Container
    tenant: str
    viewer: Viewer

    @contextmanager
    def audited(self, action: str, subject: str) -> Generator[None]:
        """The action in the context is logged once it is over, also where it failed or was refused."""
        outcome = "failed"
        try:
            yield
            outcome = "done"
        except NotYours:
            outcome = "refused"
            raise
        finally:
            if self.container.is_there:
                self._note_or_warn(action, subject, outcome)

    def _note_or_warn(self, action: str, subject: str, outcome: str) -> None:
        try:
            service = self.container.service
        except AscertainError as error:
            _logger.warning("%s could not be noted in the audit log: %s", action, error)
        else:
            note_audit(service, self.viewer, self.tenant, action, subject=subject, outcome=outcome)

    def find_label(self, conversation_id: str) -> ConversationLabel:
        """The owner of a conversation, a run, or what was fetched for a single answer."""
        label = self.container.conversations.find_label(conversation_id, self.tenant)
        if label.owner or label.is_shared:
            return label
        given = self.container.service.feedback.get(conversation_id, self.tenant)
        return ConversationLabel(owner=given.user) if given else label

    def sees_conversation(self, conversation_id: str) -> bool:
        """Whether a conversation may be read."""
        return self.viewer.user is None or self.viewer.sees(self.find_label(conversation_id))

    def check_own(self, conversation_id: str) -> None:
        """Raise NotYours for a conversation that may not be changed."""
        if self.viewer.user is not None and not self.viewer.owns(self.find_label(conversation_id).owner):
            raise NotYours("this conversation belongs to someone else; use another id")

    def change_label(self, conversation_id: str, **changes: str | bool) -> None:
        """Change fields of a conversation's label; NotYours for a conversation of another user."""
        self.check_own(conversation_id)
        store = self.container.conversations
        store.label(conversation_id, replace(store.find_label(conversation_id, self.tenant), **changes), self.tenant)

    def check_unclaimed(self, conversation_id: str) -> None:
        """Raise NotYours where someone else has a conversation with this id; the next question takes a free id."""
        if self.viewer.user is None:
            return
        has_turns = self.container.conversations.turns(conversation_id, self.tenant)
        if has_turns or self.find_label(conversation_id).owner:
            self.check_own(conversation_id)

    def list_documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """The records of the documents that ``filter`` selects, in order of source."""
        return self.select_visible(self.container.store().documents(bind_tenant(filter, self.tenant)))

    def select_visible(self, records: Iterable[DocumentRecord]) -> list[DocumentRecord]:
        """Without those that were fetched for conversations and runs of others."""
        found = list(records)
        if self.viewer.user is None:
            return found
        conversations = {record.conversation_id for record in found if record.conversation_id is not None}
        hidden = {each for each in conversations if not self.sees_conversation(each)}
        return [record for record in found if record.conversation_id not in hidden]
