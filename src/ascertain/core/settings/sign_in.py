"""Settings of signing in without a key: by a proxy that knows who asks, or at an OpenID Connect provider."""

from typing import Literal

from pydantic import Field

from ascertain.core.settings.section import Section


class ProxySettings(Section):
    """A proxy that signs people in and names them in a header."""

    addresses: tuple[str, ...] = Field(
        default=(),
        description="Addresses or networks of the proxies, such as 10.0.0.2 or 10.1.0.0/16; the headers below count in requests that come "
        "from these, and in no other.",
    )
    user_header: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9-]*$",
        description="Header that names the user, such as X-Forwarded-User; empty asks no proxy. The proxy must take it out of "
        "what its clients send.",
    )
    groups_header: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9-]*$",
        description="Header that names the groups of the user, with commas, such as X-Forwarded-Groups.",
    )


class OidcSettings(Section):
    """An OpenID Connect provider that people sign in at."""

    issuer: str = Field(
        default="",
        description="Address of the provider, exactly as it calls itself, such as https://login.example.org/realms/staff; empty asks none.",
    )
    client_id: str = Field(default="", description="The name that the provider knows this service by.")
    client_secret_variable: str = Field(
        default="",
        description="Environment variable with the secret that the provider gave; empty for a public client, which PKCE protects.",
    )
    label: str = Field(
        default="",
        max_length=60,
        description="What people call the provider, on the button of the page; empty shows its host.",
    )
    address: str = Field(
        default="",
        description="Where browsers reach this service, such as https://ask.example.org; empty goes by the request, which is right "
        "where no proxy changes it. The provider must allow /v1/sign-in/oidc/callback behind it.",
    )
    scopes: tuple[str, ...] = Field(
        default=("openid", "profile", "email"),
        description="What is asked for; more where the provider needs one for groups.",
    )
    user_claim: str = Field(
        default="sub",
        min_length=1,
        description="Claim that names the user. sub never changes and is nobody else's; take email or preferred_username where people cannot "
        "choose theirs and keys should name them. An email that is said not to be verified is refused.",
    )
    groups_claim: str = Field(default="groups", description="Claim that lists the groups of the user.")


class AccessSettings(Section):
    """What people may do who sign in at a provider or by a proxy. An entry is the name of a group, or user:NAME for one person."""

    default_role: Literal["none", "read", "write", "admin"] = Field(
        default="none", description="Role of those whom no list below names; none lets only those in that one names."
    )
    readers: tuple[str, ...] = Field(default=(), description="Who may ask and read.")
    writers: tuple[str, ...] = Field(default=(), description="Who may also add and delete documents.")
    admins: tuple[str, ...] = Field(
        default=(),
        description="Who may also see the audit log and keys of their tenant; in the service's own tenant its settings too.",
    )
    tenants: tuple[str, ...] = Field(
        default=(),
        description="Tenants of groups and people, as press-team=press; the first that fits counts, *=NAME fits everybody. Where there are "
        "entries and none fits, nobody is let in; without entries all belong to the tenant of the service.",
    )
    session_hours: float = Field(
        default=12,
        gt=0,
        le=720,
        description="How long somebody stays signed in; a change of groups counts from the next sign-in on.",
    )
