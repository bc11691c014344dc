"""Settings of the models: which ones, and how they are called."""

from typing import Literal

from pydantic import Field

from ascertain.core.settings.section import Section, Table


class TierSettings(Table):
    """The model of each task in this tier, named as ``models.chat.model`` is; those left out are that one, or the provider's.

    Name a cheaper one for a small task, a better one for writing.
    """

    rewrite: str = Field(default="", description="Makes follow-ups self-contained, words variants.")
    plan: str = Field(default="", description="Plans and splits questions.")
    judge: str = Field(default="", description="Scores passages and what was retrieved.")
    write: str = Field(default="", description="Writes answers.")
    verify: str = Field(default="", description="Checks claims against their evidence.")
    evaluate: str = Field(default="", description="Evaluates answers.")
    extract: str = Field(default="", description="Reads relations for the knowledge graph.")
    describe: str = Field(
        default="", description="Describes pictures of documents (ingest.describe_figures); it has to be one that sees."
    )


class ChatSettings(Section):
    """Chat models. Without one every step works by rules."""

    model: str = Field(
        default="",
        description="provider:model as LangChain's init_chat_model takes it (openai:gpt-6-luna, "
        "ollama:qwen3), or openai, anthropic, google_genai or ollama alone for its models of the tier; empty works offline, unless a "
        "tier is named. ascertain models shows, finds and tries some.",
    )
    base_url: str = Field(
        default="", description="Address of an OpenAI-compatible server, where the model is not the provider's own."
    )
    api_key_variable: str = Field(
        default="",
        description="Environment variable with the key; empty means the provider's own, name one for a "
        "server of yours.",
    )
    tier: Literal["none", "budget", "balanced", "premium"] = Field(
        default="none",
        description="Which of the three tables below applies; switch it to trade cost for quality. What a table leaves empty is "
        "models.chat.model, and where that is empty too a model of the provider whose key is set (models.md). none: models.chat.model for everything.",
    )
    budget: TierSettings = TierSettings()
    balanced: TierSettings = TierSettings()
    premium: TierSettings = TierSettings()
    timeout_seconds: float = Field(
        default=60,
        gt=0,
        le=3600,
        description="Limit of one call with its further tries; longer for a model on a slow machine.",
    )
    retries: int = Field(
        default=2, ge=0, le=10, description="Further tries after a failed call; more for a provider that is busy."
    )
    max_output_tokens: int = Field(
        default=2000, ge=16, le=200_000, description="Longest reply; more for models that think before they reply."
    )
    structured: Literal["json_schema", "json_object", "prompt"] = Field(
        default="json_schema",
        description="How structured replies are asked for; prompt is for servers that support neither of the others.",
    )
    at_once: int = Field(
        default=8,
        ge=1,
        le=8,
        description="Passages or claims that one request shows at most; 1 to 3 for a small model, which mixes them up when there are "
        "more (ascertain models try finds out), at the price of more calls.",
    )
    input_usd_per_million: float = Field(
        default=0,
        ge=0,
        description="Price of a million input tokens; set it so that usage shows dollars and budget.usd holds.",
    )
    output_usd_per_million: float = Field(
        default=0, ge=0, description="Price of a million output tokens; set it likewise."
    )


class ModelSettings(Section):
    """Which models are used."""

    embedder: str = Field(
        default="all-MiniLM-L6-v2",
        description="A built-in name, a folder with an ONNX model, openai:NAME, fastembed:NAME, sentence-transformers:NAME or "
        "langchain:PROVIDER:NAME, with ?options behind it (models.md); another for other languages or your field, then "
        "ascertain reindex.",
    )
    threads: int = Field(
        default=0,
        ge=0,
        description="Threads of the embedding model; 0 means all cores, fewer where others work on the machine.",
    )
    chat: ChatSettings = ChatSettings()
    reranker: str = Field(
        default="",
        description="A cross-encoder: a folder with model.onnx and tokenizer.json, a hub name, sentence-transformers:NAME, cohere:NAME, "
        "jina:NAME, voyage:NAME, or rerank:NAME?base_url=ADDRESS; empty reranks nothing, one finds better passages and takes longer.",
    )
    reader: str = Field(
        default="built-in",
        description="What reads passages to find the sentence that answers: built-in, the ONNX file of a reader "
        "that was trained on your own questions, or none for rules alone, which are quicker and less exact.",
    )
    second_reader: str = Field(
        default="auto",
        description="A large reader, which reads again the few sentences that the first finds best: auto (the package "
        "ascertain-reader-large where it is installed), the ONNX file of one, or none.",
    )
    entailment: str = Field(
        default="auto",
        description="What checks claims: auto (chat where there is a chat model, else rules), rules, chat, "
        "a folder with an ONNX model, a hub name, sentence-transformers:NAME, lettucedetect:NAME or "
        "tei:NAME?base_url=ADDRESS; a model of its own is stricter than rules and cheaper than chat.",
    )
