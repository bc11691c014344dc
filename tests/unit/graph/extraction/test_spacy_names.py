"""Names by real spaCy pipelines that are made here: one with rules, one trained on a few sentences."""

import importlib.util
import random

import pytest
import spacy

from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.core.settings import GraphSettings
from ascertain.graph.extraction import rules
from ascertain.graph.extraction.choosing import choose_extractor, extractor_note
from ascertain.graph.extraction.rules import RuleExtractor, installed_pipeline, spacy_extractor


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A pipeline that knows four names by rules, saved as users save theirs; a part of it is of no use for names."""
    pipeline = spacy.blank("en", meta={"name": "small", "version": "1.2.0"})
    pipeline.add_pipe("sentencizer")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "PERSON", "pattern": "the ada of byron"},
            {"label": "ORG", "pattern": "xaphista works"},
            {"label": "DATE", "pattern": "Monday Club"},
            {"label": "GPE", "pattern": [{"LOWER": "medalon"}]},
        ]
    )
    path = tmp_path_factory.mktemp("pipelines") / "ruled"
    pipeline.to_disk(path)
    return str(path)


@pytest.fixture
def read(folder, a_chunk):
    extractor = spacy_extractor(_news, folder)
    return lambda text, **options: extractor.read("hash", [a_chunk(text, **options)])


def _news(_name):
    from ascertain.core.settings.profiles import load_profile

    return load_profile("news")


def test_names_that_no_capital_shows_come_from_the_pipeline_with_their_kinds(read):
    graph = read("He met the ada of byron at xaphista works, and Nuria Ferrer.", start=10)
    assert [(m.name.written, m.name.kind, m.span.start) for m in graph.mentions] == [
        ("ada of byron", "Person", 21),
        ("xaphista works", "Organisation", 37),
        ("Nuria Ferrer", "", 57),
    ]


def test_dates_and_amounts_are_no_names_whatever_the_pipeline_calls_them(read):
    assert [m.name.written for m in read("In medalon it is 5 May.").mentions] == ["medalon"]


def test_relations_and_aliases_are_read_between_the_names_of_the_pipeline(read):
    graph = read("They say the ada of byron founded xaphista works (XW).")
    assert [(r.subject, r.predicate, r.object) for r in graph.relations] == [
        ("ada of byron", "founded", "xaphista work")
    ]


def test_a_document_says_the_same_whatever_is_read_with_it(folder, a_chunk):
    extractor = spacy_extractor(_news, folder)
    one = ("h1", [a_chunk("He met the ada of byron."), a_chunk("In medalon.", id="c2", start=30)])
    other = ("h2", [a_chunk("At xaphista works.", document_id="d2")])
    assert list(extractor.extract([one, other])) == [*extractor.extract([one]), *extractor.extract([other])]


def test_a_chunk_that_is_too_long_for_the_pipeline_is_read_by_rules(read, monkeypatch):
    monkeypatch.setattr(rules, "LONGEST_TEXT", 20)
    assert [m.name.written for m in read("He met the ada of byron and Nuria Ferrer.").mentions] == ["Nuria Ferrer"]


def test_the_extractor_is_named_after_the_pipeline_and_its_version(folder):
    assert spacy_extractor(None, folder).name == f"spacy-en_small-1.2.0-{RuleExtractor().name}"


def test_a_pipeline_trained_on_a_few_sentences_recognises_names_in_new_ones(tmp_path, a_chunk):
    from spacy.training import Example
    from spacy.util import fix_random_seed

    fix_random_seed(1)
    pipeline = spacy.blank("en")
    pipeline.add_pipe("ner").add_label("PERSON")
    people = ["quill", "tarn", "moss", "fenn", "harrow", "birch"]
    pairs = [
        (f"master {name} {verb} here .", {"entities": [(7, 7 + len(name), "PERSON")]})
        for name in people
        for verb in ("lives", "works")
    ]
    examples = [Example.from_dict(pipeline.make_doc(text), marks) for text, marks in pairs]
    pipeline.initialize(lambda: examples)
    rng = random.Random(1)
    for _ in range(20):
        rng.shuffle(examples)
        pipeline.update(examples, drop=0.1)
    pipeline.to_disk(tmp_path / "trained")
    graph = spacy_extractor(_news, str(tmp_path / "trained")).read("h", [a_chunk("master willow lives here .")])
    assert [(m.name.written, m.name.kind) for m in graph.mentions] == [("willow", "Person")]


def test_a_pipeline_that_is_missing_is_named_with_the_command_that_installs_it():
    with pytest.raises(ConfigurationError, match=r"python\S* -m spacy download xx_none_sm"):
        spacy_extractor(None, "xx_none_sm")


def test_a_pipeline_without_a_recogniser_is_refused(tmp_path):
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.to_disk(tmp_path / "blank")
    with pytest.raises(ConfigurationError, match="no part that recognises names"):
        spacy_extractor(None, str(tmp_path / "blank"))


def test_a_folder_that_holds_no_pipeline_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="could not be loaded"):
        spacy_extractor(None, str(tmp_path))


def test_without_spacy_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[nlp\]"):
        spacy_extractor(None)
    assert installed_pipeline() is None


class TestChoice:
    def test_auto_takes_spacy_where_its_pipeline_is_there(self, folder):
        settings = GraphSettings(pipeline=folder)
        assert choose_extractor(settings, _news).name.startswith("spacy-en_small")
        assert extractor_note(settings) == f"spaCy with {folder}, because it is installed (graph.extractor = 'auto')"

    def test_auto_takes_the_rules_where_the_pipeline_is_missing(self):
        settings = GraphSettings(pipeline="xx_none_sm")
        assert choose_extractor(settings, _news).name == RuleExtractor().name
        assert extractor_note(settings) == "rules, because xx_none_sm is not installed (graph.extractor = 'auto')"

    def test_auto_takes_the_rules_without_spacy(self, monkeypatch, folder):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        settings = GraphSettings(pipeline=folder)
        assert choose_extractor(settings, _news).name == RuleExtractor().name
        assert extractor_note(settings) == "rules, because spaCy is not installed (graph.extractor = 'auto')"

    def test_rules_are_taken_when_they_are_named(self, folder):
        settings = GraphSettings(extractor="rules", pipeline=folder)
        assert choose_extractor(settings, _news).name == RuleExtractor().name
        assert extractor_note(settings) == "rules (graph.extractor = 'rules')"

    def test_spacy_is_required_when_it_is_named(self):
        with pytest.raises(ConfigurationError):
            choose_extractor(GraphSettings(extractor="spacy", pipeline="xx_none_sm"), _news)

    def test_a_model_is_required_when_it_is_named(self):
        with pytest.raises(ConfigurationError, match=r"models\.chat\.model"):
            choose_extractor(GraphSettings(extractor="model"), _news)
