"""Which operations are for the operator alone."""

from ascertain.core.service.service import Role
from ascertain.interfaces.server.roles import OPERATORS, ROLES, find_need


def test_what_concerns_all_tenants_is_for_operators():
    assert find_need("POST", "/v1/settings/embedder/move").operator
    assert find_need("PATCH", "/v1/settings").operator
    assert not find_need("GET", "/v1/keys").operator
    assert {ROLES[operation] for operation in OPERATORS} == {Role.ADMIN}
    assert find_need("GET", "/v1/nothing") is None
