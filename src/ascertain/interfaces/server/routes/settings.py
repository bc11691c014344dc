"""``/v1/settings``: how answers are written and by which chat model, for keys of an administrator; what leaves the machine."""

from typing import Annotated

from fastapi import APIRouter, Path

from ascertain.app.choosing.changing import change_settings, check_address, list_destinations, read_configuration
from ascertain.app.choosing.configured import describe_models
from ascertain.app.choosing.embedding import describe_use, estimate_move
from ascertain.app.choosing.news import list_news_choices, try_news_provider
from ascertain.app.choosing.servers import find_servers
from ascertain.app.choosing.trial import try_model
from ascertain.app.wire.service import SubmittedJson
from ascertain.app.wire.settings import (
    AnswerSettingsJson,
    DestinationJson,
    EmbedderBody,
    EmbedderJson,
    FoundServersJson,
    NewsChoicesJson,
    SettingsBody,
    SettingsJson,
    TrialBody,
)
from ascertain.core.service.model_choice import ModelTrial, MoveEstimate, NewsTrial
from ascertain.interfaces.server.identity import Known
from ascertain.interfaces.server.problems import describe_problems
from ascertain.interfaces.server.service import Running

settings_router = APIRouter(prefix="/v1/settings", tags=["settings"])


@settings_router.get("", responses=describe_problems())
def show_settings(service: Running) -> SettingsJson:
    """Show the settings that can be changed while the service runs."""
    return _describe_settings(service, [])


@settings_router.patch("", responses=describe_problems(400))
def update_settings(body: SettingsBody, service: Running) -> SettingsJson:
    """Change settings: they apply from the next question on, and are written into `ascertain.toml` of the home. Other processes of the
    same service apply them after a restart.
    """
    return _describe_settings(
        service, change_settings(service.knowledge.container, {**read_configuration(body.configuration), **body.values})
    )


@settings_router.get("/servers", responses=describe_problems())
def list_servers() -> FoundServersJson:
    """Look for servers of models on the machine of the service, at the default ports of its loopback address."""
    return FoundServersJson(servers=list(find_servers()))


@settings_router.post("/trial", responses=describe_problems(400))
def try_chat_model(body: TrialBody, service: Running) -> ModelTrial:
    """Try a chat model with three small tasks without content of the documents; it may take a minute."""
    chat = service.knowledge.settings.models.chat
    check_address(body.base_url, chat.base_url)
    return try_model(body.model, chat.model_copy(update={"base_url": body.base_url}))


@settings_router.get("/news", responses=describe_problems())
def list_news_providers(service: Running) -> NewsChoicesJson:
    """List the news providers that are installed: which are in use, which hosts they call, and what each lacks."""
    news = service.knowledge.settings.news
    choices = list(list_news_choices(news))
    return NewsChoicesJson(providers=choices, fallback=news.fallback)


@settings_router.post("/news/{name}/trial", responses=describe_problems(400))
def try_news(name: Annotated[str, Path(max_length=60)], service: Running) -> NewsTrial:
    """Ask a news provider for the news of the week, in fixed words; a provider may bill it."""
    return try_news_provider(service.knowledge.settings, name)


@settings_router.get("/embedder", responses=describe_problems())
def show_embedder(who: Known) -> EmbedderJson:
    """Show the embedding model, how many passages there are, and the last move to another model."""
    return EmbedderJson(model=describe_use(who.knowledge.container), move=who.knowledge.jobs.find_move())


@settings_router.post("/embedder/estimate", responses=describe_problems(400))
def estimate_embedder_move(body: EmbedderBody, service: Running) -> MoveEstimate:
    """Estimate a move to another embedding model. It embeds sample texts for that and nothing of the documents."""
    return estimate_move(service.knowledge.container, body.embedder)


@settings_router.post("/embedder/move", status_code=202, responses=describe_problems(400))
def begin_embedder_move(body: EmbedderBody, who: Known) -> SubmittedJson:
    """Re-embed everything, of all tenants, with another model in a background job: questions use the old vectors until all new ones
    are ready. A job that was stopped or failed resumes.
    """
    return SubmittedJson(job=who.knowledge.jobs.submit_move(body.embedder))


def _describe_settings(service: Running, remarks: list[str]) -> SettingsJson:
    settings = service.knowledge.settings
    destinations = [DestinationJson(what=what, where=where) for what, where in list_destinations(settings)]
    return SettingsJson(
        models=describe_models(settings.models),
        answers=AnswerSettingsJson.from_noun(settings.answers),
        destinations=destinations,
        remarks=remarks,
    )
