"""``/v1/settings``: how answers are written and by which chat model, for keys of an administrator; what leaves the machine by it."""

from fastapi import APIRouter

from ascertain.app.choosing.changing import change_settings, check_address, list_destinations, read_configuration
from ascertain.app.choosing.configured import describe_models
from ascertain.app.choosing.servers import find_servers
from ascertain.app.choosing.trial import try_model
from ascertain.server.problems import describe_problems
from ascertain.server.service import Running
from ascertain.wire.models import ConfiguredModelsJson, FoundServerJson, ModelTrialJson
from ascertain.wire.settings import (
    AnswerSettingsJson,
    DestinationJson,
    FoundServersJson,
    SettingsBody,
    SettingsJson,
    TrialBody,
)

settings_router = APIRouter(prefix="/v1/settings", tags=["settings"])


@settings_router.get("", responses=describe_problems())
def show_settings(service: Running) -> SettingsJson:
    """Show the settings that can be changed while the service runs."""
    return _describe_settings(service, [])


@settings_router.patch("", responses=describe_problems(400))
def update_settings(body: SettingsBody, service: Running) -> SettingsJson:
    """Change settings: they count from the next question on, and are written into `ascertain.toml` of the home. Other processes of the
    same service go by them once they are started again.
    """
    return _describe_settings(
        service, change_settings(service.knowledge, {**read_configuration(body.configuration), **body.values})
    )


@settings_router.get("/servers", responses=describe_problems())
def list_servers() -> FoundServersJson:
    """Look for servers of models on the machine of the service, at the usual ports of its loopback address."""
    return FoundServersJson(servers=[FoundServerJson.from_noun(server) for server in find_servers()])


@settings_router.post("/trial", responses=describe_problems(400))
def try_chat_model(body: TrialBody, service: Running) -> ModelTrialJson:
    """Try a chat model with three small tasks that hold nothing of the documents; it may take a minute."""
    chat = service.knowledge.settings.models.chat
    check_address(body.base_url, chat.base_url)
    return ModelTrialJson.from_noun(try_model(body.model, chat.model_copy(update={"base_url": body.base_url})))


def _describe_settings(service: Running, remarks: list[str]) -> SettingsJson:
    settings = service.knowledge.settings
    destinations = [DestinationJson(what=what, where=where) for what, where in list_destinations(settings)]
    return SettingsJson(
        models=ConfiguredModelsJson.from_noun(describe_models(settings.models)),
        answers=AnswerSettingsJson.from_noun(settings.answers),
        destinations=destinations,
        remarks=remarks,
    )
