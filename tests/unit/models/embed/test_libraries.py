import json
from types import SimpleNamespace

import numpy as np
import pytest
from embedding_api import embeds, vector_of

from ascertain.core.errors import ConfigurationError, MissingExtra, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models.embed import libraries
from ascertain.models.registry import open_embedder
from ascertain.testing import EmbedderContract


def opened(value):
    return open_embedder(ModelSettings(embedder=value))


class TestLangChain(EmbedderContract):
    """The real ``init_embeddings`` with the real package of OpenAI, against a server on loopback."""

    @pytest.fixture
    def embedder(self, scripted_chat_server, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        scripted_chat_server.reply_by(embeds())
        embedder = opened(f"langchain:openai:tiny?base_url={scripted_chat_server.base_url}")
        yield embedder
        embedder._documents.__self__.client._client.close()


def test_langchain_without_the_package_of_a_provider_names_it():
    with pytest.raises(ConfigurationError, match="pip install langchain-mistralai"):
        opened("langchain:mistralai:mistral-embed")


def test_langchain_without_a_key_says_so_in_one_line(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY") as caught:
        opened("langchain:openai:text-embedding-3-small")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "extra"),
    [("fastembed:BAAI/bge-small-en-v1.5", "fastembed"), ("sentence-transformers:some/model", "torch")],
)
def test_a_library_that_is_not_there_is_told_with_its_extra(value, extra, monkeypatch):
    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr(libraries.importlib, "import_module", refuse)
    with pytest.raises(MissingExtra, match=rf"pip install .*\[{extra}\]"):
        opened(value)


class FakeTextEmbedding:
    """As fastembed's: a generator of vectors."""

    def __init__(self, model_name, threads):
        if "unknown" in model_name:
            raise ValueError(
                f"Model {model_name} is not supported in TextEmbedding.\nPlease check the supported models."
            )
        self.seen = seen

    def embed(self, texts, batch_size):
        seen.extend(texts)
        return (np.array(vector_of(text)) for text in texts)


seen: list[str] = []


@pytest.fixture
def fastembed(monkeypatch):
    seen.clear()
    monkeypatch.setattr(
        libraries.importlib, "import_module", lambda name: SimpleNamespace(TextEmbedding=FakeTextEmbedding)
    )


class TestFastembed(EmbedderContract):
    @pytest.fixture
    def embedder(self, fastembed):
        return opened("fastembed:some/model")


def test_prefixes_of_a_known_model_are_used_with_any_library(fastembed):
    embedder = opened("fastembed:BAAI/bge-small-en-v1.5")
    seen.clear()
    embedder.embed_documents(["rain"])
    embedder.embed_query("rain?")
    assert seen == ["rain", "Represent this sentence for searching relevant passages: rain?"]


def test_dimensions_are_cut_to_unit_length(fastembed):
    embedder = opened("fastembed:some/model?dimensions=8")
    assert (embedder.name, embedder.dimension) == ("fastembed:some/model?dimensions=8", 8)
    assert np.linalg.norm(embedder.embed_documents(["rain"])[0]) == pytest.approx(1, abs=1e-5)
    with pytest.raises(ModelError, match="have 64 dimensions, fewer than dimensions=100"):
        opened("fastembed:some/model?dimensions=100")


def test_a_model_that_the_library_does_not_know_is_told_in_one_line(fastembed):
    with pytest.raises(ModelError, match="not loaded: ValueError: Model unknown is not supported") as caught:
        opened("fastembed:unknown")
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory):
    """A real model of sentence-transformers, small and of random weights, where the library is installed."""
    library = pytest.importorskip("sentence_transformers", reason="ascertain[torch] is not installed")
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    letters = [*"abcdefghijklmnopqrstuvwxyz0123456789.?"]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(words), "utf-8")
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    BertModel(config).save_pretrained(folder / "bert")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    library.SentenceTransformer(str(folder / "bert")).save(str(folder / "whole"))
    return folder / "whole"


def test_a_real_model_of_sentence_transformers(tiny_model):
    embedder = opened(f"sentence-transformers:{tiny_model}")
    assert embedder.dimension == 32
    assert embedder.embed_query("rain") @ embedder.embed_documents(["rain"])[0] == pytest.approx(1, abs=1e-4)
    assert embedder.embed_documents(["rain " * 3000]).shape == (1, 32)


def test_pooling_is_chosen(tiny_model):
    mean = opened(f"sentence-transformers:{tiny_model}").embed_query("rain fell")
    first = opened(f"sentence-transformers:{tiny_model}?pooling=cls").embed_query("rain fell")
    assert mean @ first < 0.999


def test_prefixes_of_the_folder_are_used(tiny_model, tmp_path):
    import shutil

    folder = tmp_path / "prompted"
    shutil.copytree(tiny_model, folder)
    file = folder / "config_sentence_transformers.json"
    settings = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**settings, "prompts": {"query": "ask. ", "document": "told. "}}), "utf-8")
    prompted = opened(f"sentence-transformers:{folder}")
    plain = opened(f"sentence-transformers:{tiny_model}")
    assert prompted.embed_query("rain") @ plain.embed_query("ask. rain") == pytest.approx(1, abs=1e-4)
    assert prompted.embed_documents(["rain"])[0] @ plain.embed_query("told. rain") == pytest.approx(1, abs=1e-4)
