from pydantic import BaseModel, Field

from ascertain.models.chat.replies import asking_for, is_strict, reply_schema


class Part(BaseModel):
    default: str = "x"


class Report(BaseModel):
    """A report."""

    title: str
    properties: list[Part] = Field(default_factory=list)
    best: Part | None = None


class Scores(BaseModel):
    by_key: dict[str, int]


def test_schema_is_closed_and_every_key_required():
    schema = reply_schema(Report)
    assert schema["title"] == "Report"
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["title", "properties", "best"]
    part = schema["$defs"]["Part"]
    assert part["required"] == ["default"]
    assert part["properties"]["default"] == {"type": "string"}
    assert is_strict(schema)


def test_map_stays_a_map_and_is_not_strict():
    schema = reply_schema(Scores)
    assert schema["properties"]["by_key"]["additionalProperties"] == {"type": "integer"}
    assert not is_strict(schema)


def test_schema_in_words_names_the_class():
    assert '"title": "Report"' in asking_for(reply_schema(Report))
