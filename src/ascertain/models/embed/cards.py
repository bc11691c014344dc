"""Facts about a model: prefixes, dimensions, price, scale of its cosines; and what its name in a setting adds.

``models.embedder`` and ``models.reranker`` take ``KIND:NAME?option=value&option=value``, written as in an address. What is known of common
models is in ``known.toml``, under the last part of their names, whatever the server.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ascertain.core.errors import ConfigurationError, did_you_mean

BUILT_IN = "all-MiniLM-L6-v2"
"""The model that comes with the package; named here, as its own module takes 50 ms to import."""
_OF_VECTORS = ("passage", "pooling", "dimensions", "revision")
"""Options that make other vectors of the same text: they belong to the name under which vectors are stored."""
_ONLY_FOR = {
    **dict.fromkeys(("query", "passage", "input_type", "pooling", "dimensions", "revision"), "models.embedder"),
    "labels": "models.entailment",
}
"""Options that mean something in one setting alone."""
_SAME = {"pooling", "passage"}
"""Of these, what makes another model of a known one where it is not as known."""


class ModelOptions(BaseModel):
    """The options of a model after its name; every option has a default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: str = Field(default="", description="Prefix of every question.")
    passage: str = Field(default="", description="Prefix of every text that is searched.")
    input_type: bool = Field(
        default=False,
        description="Whether the server gets the type query or document, as Voyage and some others require.",
    )
    pooling: Literal["", "mean", "cls", "last"] = Field(
        default="", description="How the vectors of the tokens become one; empty is the model's own way."
    )
    dimensions: int = Field(
        default=0,
        ge=0,
        le=16_384,
        description="Numbers of a vector that are kept, of a model trained for it (Matryoshka).",
    )
    window: int = Field(default=0, ge=0, description="Tokens of a text that the model reads; more are cut.")
    revision: str = Field(
        default="", description="Distinguishes vectors from those of an earlier model with the same name."
    )
    base_url: str = Field(default="", description="Address of a server, mostly ending in /v1.")
    key: str = Field(default="", description="Environment variable with the key.")
    usd: float = Field(default=0, ge=0, description="Price of a million tokens in dollars.")
    texts: int = Field(default=0, ge=0, le=2048, description="Texts in one request.")
    tokens: int = Field(default=0, ge=0, description="Tokens in one request, about.")
    requests: int = Field(default=4, ge=1, le=64, description="Requests under way at a time.")
    per_minute: int = Field(default=0, ge=0, description="Requests a minute; 0 is as many as the server takes.")
    labels: str = Field(
        default="",
        description="What a classifier's labels 0, 1, ... mean, with commas, where it has no names for them.",
    )
    retries: int = Field(default=5, ge=0, le=20, description="Further tries of a request that failed.")
    seconds: float = Field(default=60, gt=0, le=3600, description="Limit of one request.")


class KnownModel(ModelOptions):
    """An entry of ``known.toml``.

    ``slope`` and ``intercept`` bring its cosines onto the scale of the built-in model (``models.similarity``); ``source`` and ``as_of``
    say where the price is from. ``is_multilingual``: it also reads the sentences of answers, where the built-in model reads English only.
    """

    slope: float = Field(default=0, ge=0)
    intercept: float = 0
    is_multilingual: bool = False
    source: str = ""
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model as a setting names it. ``given`` are the options that were written there."""

    kind: str
    model: str
    given: Mapping[str, str]
    options: KnownModel
    is_known: bool

    @property
    def stored_name(self) -> str:
        """What vectors are stored under: a value of the setting, without what makes no other vectors."""
        kept = {name: self.given[name] for name in _OF_VECTORS if name in self.given}
        return f"{self.kind}:{self.model}" + (f"?{urlencode(kept)}" if kept else "")


def read_card(kind: str, name: str, setting: str) -> ModelCard:
    """The card of ``KIND:NAME?options``; raises ConfigurationError, naming ``setting``, for options that are unknown, or not allowed here."""
    model, _, text = name.partition("?")
    if not model:
        raise ConfigurationError(f"{setting} = {kind + ':' + name!r}: a model name is missing, as in {kind}:NAME")
    given = dict(parse_qsl(text, keep_blank_values=True))
    known = find_known_model(model)
    start: dict[str, Any] = known.model_dump() if known else {}
    for option in given:
        if option not in ModelOptions.model_fields:
            raise ConfigurationError(
                f"{setting} = {kind + ':' + name!r}: there is no option {option!r}{did_you_mean(option, ModelOptions.model_fields)}"
            )
        if (only := _ONLY_FOR.get(option, setting)) != setting:
            raise ConfigurationError(
                f"{setting} = {kind + ':' + name!r}: {option!r} is an option of {only}, and means nothing here"
            )
    try:
        options = KnownModel.model_validate({**start, **given})
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigurationError(f"{setting} = {kind + ':' + name!r}: {first['loc'][0]}: {first['msg']}") from error
    return ModelCard(kind, model, given, options, known is not None)


def find_known_model(name: str) -> KnownModel | None:
    """The entry of ``known.toml`` for a model, by its name in a setting or a store; None without one.

    Vectors that were shortened or made in another way than it says lie otherwise: of these nothing is known.
    """
    model, _, options = name.partition("?")
    known = _load_known().get(model.rpartition("/")[2].rpartition(":")[2].lower())
    said = dict(parse_qsl(options, keep_blank_values=True))
    if known is None or "revision" in said:
        return None
    is_other = any(said.get(option, value) != value for option, value in known.model_dump(include=_SAME).items())
    return None if is_other else known


def reads_english_only(name: str) -> bool:
    """Whether a model, by its name in a store, is known to have been made for English, as the built-in one was."""
    known = find_known_model(name)
    return known is not None and not known.is_multilingual


def find_price(name: str, value: str) -> str:
    """The price of a model for people, by its name in a store and the value of the setting; empty if unknown."""
    given = dict(parse_qsl(value.partition("?")[2])).get("usd")
    if given:
        return f"${given} a million tokens"
    known = find_known_model(name)
    return f"${known.usd:g} a million tokens ({known.source}, {known.as_of})" if known and known.usd else ""


@cache
def _load_known() -> Mapping[str, KnownModel]:
    text = files(__package__ or "").joinpath("known.toml").read_text("utf-8")
    return {name.lower(): KnownModel.model_validate(entry) for name, entry in tomllib.loads(text).items()}


def read_key(card: ModelCard, variable: str, setting: str) -> str:
    """The key of a model on a server: in the variable that its options name, else in ``variable``, which may be empty only for a
    your own server. Raises ConfigurationError if it is missing.
    """
    named = card.options.key
    if not named and card.options.base_url:
        return ""  # the key of a provider is for that provider alone
    key = os.environ.get(named or variable, "").strip()
    if not key:
        raise ConfigurationError(
            f"{setting} = '{card.kind}:{card.model}': the environment variable {named or variable} is empty; set it to the key"
            + ("" if named else f", or give your own server: {card.kind}:{card.model}?base_url=http://HOST/v1")
        )
    return key
