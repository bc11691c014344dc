"""What every store of people who sign in by name must do."""

import pytest
from service_nouns import ODD, a_user, later

from ascertain.core.service.service import Role


def test_there_is_nobody_at_first(service):
    assert service.users.users() == []
    assert service.users.find("kim") is None
    assert not service.users.delete("kim")


@pytest.mark.parametrize("odd", ODD)
def test_everything_of_somebody_comes_back(reopen, odd):
    user = a_user(odd, tenant=f"{odd}acme", role=Role.ADMIN)
    first = reopen()
    first.users.put(user, f"secret {odd}")
    first.close()
    assert reopen().users.find(odd) == (user, f"secret {odd}")


def test_names_are_one_of_a_kind_in_all_tenants_and_listed_in_order(service):
    service.users.put(a_user("lee"), "one")
    service.users.put(a_user("kim"), "two")
    service.users.put(a_user("kim", tenant="acme", role=Role.READ, changed_at=later(hours=1)), "three")
    assert [(user.name, user.tenant) for user in service.users.users()] == [("kim", "acme"), ("lee", "default")]
    assert service.users.find("kim")[1] == "three"
    assert service.users.find("Kim") is None


def test_who_is_deleted_is_gone_and_others_stay(service):
    service.users.put(a_user("lee"), "one")
    service.users.put(a_user("kim"), "two")
    assert service.users.delete("kim")
    assert [user.name for user in service.users.users()] == ["lee"]
