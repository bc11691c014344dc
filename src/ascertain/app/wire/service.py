"""The service itself: its state, its problems, its background work and its keys."""

from typing import Literal

from pydantic import Field

from ascertain.app.wire.shape import Date, JsonObject, NounShape, Shape
from ascertain.core.service.service import ApiKey, AuditEntry, Job, Role, User

JobStateName = Literal["queued", "running", "finished", "failed", "cancelled"]


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


class JobJson(NounShape[Job]):
    """Background work."""

    id: str = Field(examples=["4f0c1d2e9a8b4c6d8e7f001122334455"])
    kind: str = Field(
        description="`files` (`done` and `total` in bytes), `addresses` (in addresses), `source` or `embedder` (in passages).",
        examples=["files"],
    )
    what: str = Field(examples=["report.pdf, notes.txt and 3 more"])
    state: JobStateName = Field(examples=["running"])
    done: int = Field(examples=[120000])
    total: int = Field(examples=[480000])
    created_at: Date = Field(examples=["2024-12-05T18:00:00+00:00"])
    updated_at: Date = Field(examples=["2024-12-05T18:00:07+00:00"])
    reason: str = Field(description="Why it failed; one that failed can be run again.", examples=[""])
    report: dict[str, object] = Field(
        description=(
            "That of `add --json` once the job has finished or failed; what a killed process had added "
            "counts as unchanged."
        ),
        examples=[{}],
    )


class JobsJson(Shape):
    """The latest background work."""

    jobs: list[JobJson]


class SubmittedJson(Shape):
    """The job that does the work."""

    job: JobJson


class CancelledJson(Shape):
    """The job that was cancelled."""

    cancelled: str = Field(examples=["4f0c1d2e9a8b4c6d8e7f001122334455"])


class KeyJson(NounShape[ApiKey]):
    """An API key as it is listed."""

    id: str = Field(examples=["3f9c02aa"])
    name: str = Field(description="Who uses it.", examples=["alice"])
    tenant: str = Field(examples=["default"])
    hint: str = Field(description="The beginning of the key.", examples=["ask_y8s8"])
    requests_per_minute: int = Field(description="0 is without a limit.", examples=[120])
    user: str = Field(description="Whose conversations, jobs, runs and feedback it opens.", examples=["alice"])
    role: Role = Field(examples=["write"])
    is_sign_in: bool = Field(
        description="Whether it stands for a browser in which somebody signed in; revoking it signs them out."
    )
    created_at: Date = Field(description="When its text was made.", examples=["2024-12-05T18:00:00+00:00"])
    expires_at: Date | None = Field(description="When it expires; null for never.")
    last_used_at: Date | None = Field(description="To the minute.")
    revoked_at: Date | None


class NewKeyJson(KeyJson):
    """A key that was just made."""

    key: str = Field(description="The only time that it is shown.", examples=["ask_y8s8..."])


class KeyListJson(Shape):
    """The keys of a tenant, oldest first, including revoked ones."""

    keys: list[KeyJson]
    own: str | None = Field(description="The id of the calling key; null where the service is open.")


class UserJson(NounShape[User]):
    """Somebody who signs in by name and password."""

    name: str = Field(examples=["kim"])
    tenant: str = Field(examples=["default"])
    role: Role = Field(examples=["write"])
    changed_at: Date = Field(description="When the password was set.", examples=["2024-12-05T18:00:00+00:00"])


class UsersJson(Shape):
    """The people of a tenant who sign in by name and password, by name."""

    users: list[UserJson]


class RemovedUserJson(Shape):
    """Who is let in no more."""

    removed: str = Field(examples=["kim"])


class AuditEntryJson(NounShape[AuditEntry]):
    """An action of a user."""

    moment: Date = Field(examples=["2024-12-05T18:00:00+00:00"])
    action: str = Field(examples=["delete_documents"])
    subject: str = Field(description="What it was done to.", examples=["document_ids 2b5c5f3e0e9d4f1c8a77"])
    outcome: str = Field(description="`done`, `failed` or `refused`.", examples=["done"])
    tenant: str = Field(examples=["default"])
    key_id: str = Field(description="Empty where no key was used.", examples=["3f9c02aa"])
    user: str = Field(description="Of the key, or of the account that the command ran as.", examples=["alice"])
    address: str = Field(description="That it came from; `local` for a command.", examples=["192.0.2.7"])


class AuditJson(Shape):
    """Who did what, the latest first."""

    entries: list[AuditEntryJson]


class RevokedJson(Shape):
    """The key that was revoked."""

    revoked: str = Field(examples=["3f9c02aa"])
