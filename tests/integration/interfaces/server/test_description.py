"""The description of the service: each response has an example that its schema allows."""

import importlib
import pkgutil

import pytest

import ascertain.app.wire
import ascertain.core.graph
from ascertain.app.wire.shape import Shape
from ascertain.core.serialisation import Serialisable

WITHOUT_TEXT = {"image/png", "image/jpeg", "application/octet-stream"}
"""A picture or a file has no example that fits into a description."""
SHAPES = {
    name: each
    for package in (ascertain.core, ascertain.core.graph, ascertain.app.wire)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    for name, each in vars(importlib.import_module(module.name)).items()
    if isinstance(each, type) and issubclass(each, (Shape, Serialisable))
}


@pytest.fixture
def responses(client):
    """Every response of every operation that may have a body: what names it, and its content by media type."""
    described = client.get("/openapi.json").raise_for_status().json()
    return [
        (f"{method.upper()} {path} {status} {media_type}", media_type, content)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        for status, response in operation["responses"].items()
        for media_type, content in response.get("content", {}).items()
    ]


def test_every_response_has_an_example_of_its_shape(responses):
    assert len([each for each in responses if each[1] == "application/json"]) >= 25
    for name, media_type, content in responses:
        if media_type in WITHOUT_TEXT:
            continue
        assert content.get("example"), name
        if media_type in {"application/json", "application/problem+json"}:
            shape = SHAPES[content["schema"]["$ref"].rpartition("/")[2]]
            if issubclass(shape, Serialisable):
                assert shape.from_json(content["example"]).to_json() == content["example"]
            else:
                shape.model_validate(content["example"], extra="forbid")


def test_nothing_is_said_in_two_shapes_of_one_name(client):
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    assert [name for name in schemas if name.endswith(("-Input", "-Output"))] == []


def test_no_field_is_required_twice(client):
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    required = {name: schema.get("required", []) for name, schema in schemas.items()}
    assert [name for name, fields in required.items() if len(fields) != len(set(fields))] == []
