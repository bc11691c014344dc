"""The service itself: its state, its problems, its background work and its keys."""

from typing import Literal, Self

from pydantic import Field

from ascertain.app.wire.shape import JsonObject, Shape, omit_fields
from ascertain.core.service.service import ApiKey, AuditEntry, Job, Role, User


class StatusJson(Shape):
    """The state of the service."""

    status: Literal["ok", "ready"]
    version: str = Field(examples=["0.1.0"])


class ReadyJson(StatusJson):
    """The state of a service that is ready."""

    chat_models_left_alone: int = Field(
        ge=0, description="Chat models that failed a short while ago; the rules answer in their place.", examples=[0]
    )


class SessionJson(Shape):
    """Who the caller is."""

    name: str | None = Field(
        description="Of the key, or of the user where there is none; null where the service is open.",
        examples=["alice"],
    )
    way: Literal["open", "key", "sign-in", "proxy"] = Field(
        description="How the caller came in: without a key, by one, at a provider, or by a proxy, which nobody can sign out of here.",
        examples=["key"],
    )
    tenant: str = Field(examples=["default"])
    user: str | None = Field(
        description="The user whose conversations and jobs are visible; null where the service is open.",
        examples=["alice"],
    )
    role: Role = Field(examples=["write"])
    is_admin: bool = Field(description="Whether keys and the audit log of the tenant are the caller's to see.")
    has_password: bool = Field(description="Whether the caller has a password of its own, and may change it.")
    is_operator: bool = Field(
        description="Whether what concerns all tenants is the caller's to change: settings, the embedding model, evaluations."
    )
    version: str = Field(description="Of the service.", examples=["0.1.0"])


class SignInJson(Shape):
    """How people come in, beside by a key."""

    provider: str | None = Field(
        description="What the provider is called that people sign in at; null where there is none.",
        examples=["Example"],
    )
    passwords: bool = Field(description="Whether there are people who sign in by name and password.")


class ServingJson(Shape):
    """Where the service answers."""

    url: str = Field(examples=["http://127.0.0.1:8000"])
    open: bool = Field(description="Whether it needs no key.")
    key: str | None = Field(default=None, description="The key that `--first-key` created; shown once.")


class FieldErrorJson(Shape):
    """One field that is wrong."""

    pointer: str = Field(
        description="A JSON pointer into the body, or the name of a parameter.", examples=["#/question"]
    )
    detail: str = Field(examples=["Field required"])


class ProblemJson(Shape):
    """A problem (RFC 9457)."""

    type: str = Field(examples=["urn:ascertain:problem:invalid-request"])
    title: str = Field(examples=["The request cannot be carried out as it is"])
    status: int = Field(ge=400, le=599, examples=[400])
    detail: str = Field(description="For people.", examples=["The question is empty."])
    instance: str = Field(description="The requested path.", examples=["/v1/ask"])
    request_id: str = Field(examples=["9d1c5e2a"])
    errors: list[FieldErrorJson] | None = Field(default=None, examples=[None])
    suggestions: list[str] | None = Field(default=None, description="Names similar to the unknown one.")

    def to_json(self) -> JsonObject:
        """The JSON object, without empty members."""
        return self.model_dump(mode="json", exclude_none=True)


class StreamProblemJson(Shape):
    """`error`: why a question failed."""

    problem: ProblemJson


class JobsJson(Shape):
    """The latest background work."""

    jobs: list[Job]


class SubmittedJson(Shape):
    """The job that does the work."""

    job: Job


class CancelledJson(Shape):
    """The job that was cancelled."""

    cancelled: str = Field(examples=["4f0c1d2e9a8b4c6d8e7f001122334455"])


class NewKeyJson(omit_fields(ApiKey)):
    """A key that was just made."""

    key: str = Field(description="The only time that it is shown.", examples=["ask_y8s8..."])

    @classmethod
    def of(cls, key: ApiKey, text: str) -> Self:
        """A key with its text."""
        return cls.model_validate({**key.to_json(), "key": text})


class KeyListJson(Shape):
    """The keys of a tenant, oldest first, including revoked ones."""

    keys: list[ApiKey]
    own: str | None = Field(description="The id of the calling key; null where the service is open.")


class UsersJson(Shape):
    """The people of a tenant who sign in by name and password, by name."""

    users: list[User]


class RemovedUserJson(Shape):
    """Who is let in no more."""

    removed: str = Field(examples=["kim"])


class AuditJson(Shape):
    """Who did what, the latest first."""

    entries: list[AuditEntry]


class RevokedJson(Shape):
    """The key that was revoked."""

    revoked: str = Field(examples=["3f9c02aa"])
