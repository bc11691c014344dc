import pytest
from pydantic import ValidationError

from ascertain.core.settings import ChunkerSettings, Settings


@pytest.mark.parametrize(
    ("sizes", "message"), [({"size": 500, "overlap": 500}, "overlap (500) must be smaller than size (500)")]
)
def test_sizes_that_contradict_each_other_are_refused(sizes: dict[str, int], message: str):
    with pytest.raises(ValidationError) as caught:
        ChunkerSettings.model_validate(sizes)
    assert message in str(caught.value)


def test_unknown_keys_are_refused():
    with pytest.raises(ValidationError):
        Settings.model_validate({"retrieval": {"topk": 3}})


def test_settings_cannot_change():
    with pytest.raises(ValidationError):
        Settings().profile = "news"  # type: ignore[misc]  # the point of the test
