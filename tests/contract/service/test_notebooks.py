"""What every store of notebooks must do."""

import pytest
from service_nouns import ODD, a_notebook, later


def names(service, tenant="default"):
    return [notebook.name for notebook in service.notebooks.notebooks(tenant)]


def test_there_are_none_at_first(service):
    assert service.notebooks.notebooks() == []
    assert service.notebooks.get("manuals") is None
    assert not service.notebooks.delete("manuals")


@pytest.mark.parametrize("odd", ODD)
def test_everything_of_a_notebook_comes_back(reopen, odd):
    notebook = a_notebook(odd, name=odd, sources=(odd, "upload:*"), owner=odd, is_shared=True, tenant=f"{odd}acme")
    first = reopen()
    first.notebooks.put(notebook)
    first.close()
    second = reopen()
    assert second.notebooks.get(odd, f"{odd}acme") == notebook
    assert second.notebooks.notebooks(f"{odd}acme") == [notebook]


def test_one_takes_the_place_of_another_of_its_id(service):
    service.notebooks.put(a_notebook("n", name="before", owner="kim"))
    after = a_notebook("n", name="after", sources=("a", "b"), is_shared=True, changed_at=later(hours=1))
    service.notebooks.put(after)
    assert service.notebooks.notebooks() == [after]


def test_a_deleted_one_is_gone_and_others_stay(service):
    service.notebooks.put(a_notebook("n", name="one"))
    service.notebooks.put(a_notebook("m", name="two"))
    assert service.notebooks.delete("n")
    assert names(service) == ["two"]


def test_tenants_do_not_meet(service):
    service.notebooks.put(a_notebook("n", name="ours", tenant="acme"))
    service.notebooks.put(a_notebook("n", name="theirs", tenant="other"))
    assert (names(service, "acme"), names(service, "other"), names(service)) == (["ours"], ["theirs"], [])
    assert not service.notebooks.delete("n", "nobody")
    assert service.notebooks.delete("n", "acme")
    assert names(service, "other") == ["theirs"]
