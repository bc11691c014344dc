"""What every audit log must do."""

from service_nouns import NOON, ODD, later

from ascertain.core.service.service import AuditEntry


def test_there_is_nothing_at_first(service):
    assert service.audit.entries() == []


def test_everything_of_an_entry_comes_back(reopen):
    entry = AuditEntry(NOON, "delete_document", "d\0\udc80", "failed", "acme\0", "3f9c02aa", "na\u00efve", "192.0.2.7")
    first = reopen()
    first.audit.note(entry)
    first.close()
    assert reopen().audit.entries() == [entry]


def test_the_last_noted_come_first_whatever_their_clocks_said(service):
    for number, day in enumerate((3, 1, 2)):
        service.audit.note(AuditEntry(later(days=day), "use_key", str(number)))
    assert [entry.subject for entry in service.audit.entries()] == ["2", "1", "0"]
    assert [entry.subject for entry in service.audit.entries(limit=1)] == ["2"]


def test_tenants_are_told_apart_to_the_character(service):
    for name in ODD:
        service.audit.note(AuditEntry(NOON, "use_key", f"of {name}", tenant=name))
    assert [[entry.subject for entry in service.audit.entries(name)] for name in ODD] == [
        [f"of {name}"] for name in ODD
    ]
    assert len(service.audit.entries()) == len(ODD)


def test_old_entries_are_deleted_of_one_tenant_or_of_all(service):
    for day, tenant in ((0, "acme"), (0, "press"), (1, "acme")):
        service.audit.note(AuditEntry(later(days=day), "use_key", f"{tenant} {day}", tenant=tenant))
    assert service.audit.delete_before(NOON) == 0
    assert service.audit.delete_before(later(days=1), "acme") == 1
    assert [entry.subject for entry in service.audit.entries()] == ["acme 1", "press 0"]
    assert service.audit.delete_before(later(days=1)) == 1
    assert [entry.subject for entry in service.audit.entries()] == ["acme 1"]
