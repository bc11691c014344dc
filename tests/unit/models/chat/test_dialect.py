import pytest

from ascertain.models.chat.provider import Dialect


@pytest.mark.parametrize(
    ("dialect", "refusal", "next_one"),
    [
        (Dialect("json_schema"), "unknown field response_format", Dialect("json_object")),
        (Dialect("json_object"), "unknown field response_format", Dialect("prompt")),
        (Dialect("prompt"), "unknown field", None),
        (Dialect("json_schema"), "temperature must be 1", Dialect("json_schema", temperature=False)),
        (Dialect("prompt", temperature=False), "temperature must be 1", None),
        (
            Dialect("json_schema", old_limit=True),
            "use max_completion_tokens instead of max_tokens",
            Dialect("json_schema"),
        ),
        (Dialect("json_schema"), "maximum context length is 8192 tokens", None),
        (Dialect("json_schema"), "the prompt is too long", None),
    ],
)
def test_concession(dialect: Dialect, refusal: str, next_one: Dialect | None):
    assert dialect.conceding(refusal) == next_one


def test_concessions_end():
    dialect, made = Dialect("json_schema", old_limit=True), 0
    while (simpler := dialect.conceding("temperature max_tokens")) is not None:
        dialect, made = simpler, made + 1
    assert made == 4
