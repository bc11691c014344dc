"""Results of measuring and tuning on labelled questions."""

from pydantic import Field

from ascertain.app.wire.shape import Number, Shape


class TimingsJson(Shape):
    """Seconds: of adding the documents, and of a query by nearest-rank percentile."""

    index: float = Field(examples=[41.207])
    query_p50: float = Field(examples=[0.0193])
    query_p95: float = Field(examples=[0.0311])


class MeasuredJson(Shape):
    """The results on a set; see [benchmarks.md](benchmarks.md)."""

    set: str = Field(examples=["hotpot"])
    documents: int = Field(examples=[9811])
    queries: int = Field(description="Those that the metrics speak of.", examples=[1000])
    metrics: dict[str, Number | None] = Field(
        description="By name; null where there is nothing to divide by.", examples=[{"R@10": 0.8745, "nDCG@10": 0.8032}]
    )
    intervals: dict[str, tuple[Number, Number]] = Field(
        default={},
        description="Of the metrics that have one: where the figure lies with 95 % certainty, by the bootstrap over questions.",
        examples=[{"R@10": [0.8541, 0.8939], "nDCG@10": [0.7821, 0.8238]}],
    )
    seconds: TimingsJson


class ResultJson(Shape):
    """One question of a run."""

    set: str = Field(examples=["hotpot"])
    id: str = Field(examples=["q17"])
    question: str = Field(examples=["Which river flows through Lyon?"])
    seconds: float = Field(examples=[0.0193])
    scores: dict[str, float | None] = Field(
        description="The scores that are averaged; null where one does not apply.", examples=[{"R@10": 1.0}]
    )
    facts: dict[str, object] = Field(
        description="What was found or answered, and counts, by the kind of the run.",
        examples=[{"found": ["d3", "d9"]}],
    )


class RunJson(Shape):
    """A run of `eval`, as `--save` writes it and `eval compare` reads it."""

    format: int = Field(examples=[1])
    kind: str = Field(description="What was measured: retrieval, answers, ...", examples=["retrieval"])
    started: str = Field(examples=["2026-11-23T20:15:00+00:00"])
    seconds: float = Field(description="Of indexing, searching and answering.", examples=[61.2])
    versions: dict[str, str] = Field(examples=[{"ascertain": "0.1.0", "python": "3.11.7"}])
    settings: dict[str, object] = Field(
        description="Those that can change a figure, by dotted key.", examples=[{"retrieval.top_k": 10}]
    )
    options: dict[str, object] = Field(description="The options of the command.", examples=[{"every": 1}])
    sets: list[MeasuredJson]
    results: list[ResultJson]


class MetricChangeJson(Shape):
    """One figure of both runs, over the questions that have it in both."""

    name: str = Field(examples=["nDCG@10"])
    questions: int = Field(examples=[100])
    before: Number = Field(examples=[0.71])
    after: Number = Field(examples=[0.74])
    difference: Number = Field(examples=[0.03])
    interval: tuple[Number, Number] = Field(
        description="Where the difference lies with 95 % certainty.", examples=[[0.004, 0.057]]
    )
    p: Number = Field(description="Chance of such a difference if the runs were alike (permutation).", examples=[0.021])
    corrected: Number = Field(description="The same, corrected for the number of figures (Holm).", examples=[0.042])
    verdict: str = Field(description="better, worse, different or same.", examples=["better"])
    better: int = Field(description="Questions with more.", examples=[14])
    worse: int = Field(description="Questions with less.", examples=[5])
    equal: int = Field(examples=[81])


class QuestionChangeJson(Shape):
    """A question whose main score changed."""

    set: str = Field(examples=["hotpot"])
    id: str = Field(examples=["q17"])
    question: str = Field(examples=["Which river flows through Lyon?"])
    before: Number = Field(examples=[0.0])
    after: Number = Field(examples=[1.0])


class ComparisonJson(Shape):
    """Two runs over the same questions."""

    kind: str = Field(examples=["retrieval"])
    before: str = Field(examples=["keyword"])
    after: str = Field(examples=["hybrid"])
    questions: int = Field(description="In both runs.", examples=[100])
    left_out: int = Field(description="In one run only.", examples=[0])
    main: str = Field(description="The score that `changed` is based on.", examples=["nDCG@10"])
    metrics: list[MetricChangeJson]
    changed: list[QuestionChangeJson]
    settings: dict[str, tuple[object, object]] = Field(
        description="Settings and options that differ, with both values.", examples=[{"retrieval.top_k": [5, 10]}]
    )
    versions: dict[str, tuple[object, object]] = Field(examples=[{"ascertain": ["0.1.0", "0.2.0"]}])


class SweepJson(Shape):
    """One combination of settings of a sweep."""

    values: dict[str, object] = Field(examples=[{"retrieval.top_k": 5}])
    main: str = Field(description="The score that `mean` is of.", examples=["nDCG@10"])
    mean: Number = Field(examples=[0.8032])
    interval: tuple[Number, Number] = Field(examples=[[0.78, 0.82]])
    seconds: Number = Field(description="Of a question, the median.", examples=[0.0193])
    run: str = Field(description="The file of its run, for `eval compare`.", examples=["sweep/top_k=5.json"])
    is_worth_having: bool = Field(description="No other is at least as good and as quick.", examples=[True])


class FigureJson(Shape):
    """A mean over questions."""

    mean: Number = Field(examples=[0.91])
    interval: tuple[Number, Number] = Field(description="Where it lies with 95 % certainty.", examples=[[0.85, 0.96]])


class TierJson(Shape):
    """The results of a tier of chat models on a set of questions."""

    tier: str = Field(description="offline, budget, balanced or premium.", examples=["premium"])
    models: dict[str, str] = Field(description="By task; empty offline.", examples=[{"write": "openai:gpt-5"}])
    questions: int = Field(examples=[100])
    main: str = Field(description="The figure that tiers are compared by.", examples=["answer_in_text"])
    figures: dict[str, FigureJson] = Field(examples=[{"answer_in_text": {"mean": 0.91, "interval": [0.85, 0.96]}}])
    dollars: Number = Field(description="Of a question, the mean.", examples=[0.0031])
    calls: Number = Field(description="Of chat models, a question.", examples=[5.2])
    tokens: Number = Field(description="In and out, a question.", examples=[4180.0])
    seconds: Number = Field(description="Of a question, the median.", examples=[3.4])
    seconds_p95: Number = Field(examples=[8.1])
    chance: Number | None = Field(
        description="p of the difference to the first tier listed, corrected (Holm); null for that one.",
        examples=[0.012],
    )
    run: str = Field(description="The file of its run, for `eval compare`.", examples=["tiers/premium.json"])
    is_worth_having: bool = Field(description="No other is at least as good, as cheap and as quick.", examples=[True])


class ExportedRunJson(Shape):
    """A run that was sent to LangSmith or to an OTLP collector."""

    questions: int = Field(examples=[100])
    spans: int | None = Field(default=None, description="Sent to a collector.", examples=[300])
    dataset: str | None = Field(default=None, description="Its name at LangSmith.", examples=["golden"])
    experiment: str | None = Field(default=None, description="Its name there.", examples=["hybrid 2026-11-23 20:15:00"])


class FusionTuningJson(Shape):
    """Weights of the search, fitted to questions with relevant texts."""

    questions: int = Field(examples=[120])
    before: float = Field(description="nDCG@10 under the settings as they are.", examples=[0.71])
    after: float = Field(description="nDCG@10 on questions the new weights were not fitted on.", examples=[0.74])
    values: dict[str, int | float] = Field(examples=[{"retrieval.fusion.dense_weight": 0.6}])


class BehaviourJson(Shape):
    """What some settings do on the labelled questions."""

    coverage: float = Field(description="Share answered.", examples=[0.92])
    risk: float | None = Field(description="Share of wrong among these.", examples=[0.08])
    calibration_error: float | None = Field(description="Of the confidence.", examples=[0.05])
    brier: float | None = Field(description="Of the confidence.", examples=[0.1])


class AnswerTuningJson(Shape):
    """The rejection threshold and the confidence, fitted to questions with known answers."""

    questions: int = Field(examples=[120])
    before: BehaviourJson
    after: BehaviourJson | None = Field(description="Null where no threshold meets the risk.")
    bound: float | None = Field(description="The highest risk that is still likely.", examples=[0.097])
    values: dict[str, int | float] = Field(examples=[{"answers.rejection_threshold": 41}])


class TuningJson(Shape):
    """Settings fitted to labelled questions."""

    set: str = Field(examples=["questions"])
    fusion: FusionTuningJson | None = Field(description="Null where the labels do not allow it.")
    answers: AnswerTuningJson | None = Field(description="Null where the labels do not allow it.")
    values: dict[str, int | float] = Field(
        description="All settings to write, by dotted key.", examples=[{"answers.rejection_threshold": 41}]
    )
    written: str | None = Field(description="The file that they were written into, with `--write`.", examples=[None])


class KeptRunJson(Shape):
    """A run in the folder `evaluation` of the home."""

    name: str = Field(examples=["hybrid"])
    kind: str = Field(examples=["answers"])
    started: str = Field(examples=["2026-11-23T20:15:00+00:00"])
    questions: int = Field(examples=[20])
    main: str = Field(description="The score that `mean` is of.", examples=["answer_in_text"])
    mean: Number = Field(examples=[0.9])
    interval: tuple[Number, Number] = Field(examples=[[0.75, 1.0]])


class KeptGoldenJson(Shape):
    """A golden set in that folder."""

    name: str = Field(examples=["golden"])
    questions: int = Field(examples=[20])
    validated: int = Field(examples=[12])


class KeptEvaluationsJson(Shape):
    """The contents of that folder."""

    runs: list[KeptRunJson] = Field(description="The latest first.")
    golden: list[KeptGoldenJson]


class QuotedPlaceJson(Shape):
    """A document that answers a question, with the words that do and the text around them."""

    source: str = Field(examples=["docs/retention.md"])
    grade: int = Field(description="2: it answers, 1: it helps.", examples=[2])
    quote: str = Field(examples=["after a grace period of 72 hours"])
    before: str = Field(examples=["Data that no snapshot uses is deleted"])
    after: str = Field(examples=["The newest snapshot stays."])
    is_there: bool = Field(description="Whether the document contains the quote.", examples=[True])


class GoldenQuestionJson(Shape):
    """A question of a golden set beside the places that it was made from."""

    id: str = Field(examples=["p001"])
    question: str = Field(examples=["How long is removed data kept?"])
    answers: list[str] = Field(examples=[["72 hours"]])
    answerable: bool = Field(examples=[True])
    places: list[QuotedPlaceJson]
    tags: list[str] = Field(examples=[["number"]])
    note: str = Field(examples=[""])
    validated: bool = Field(examples=[False])
    validated_by: str = Field(examples=[""])


class GoldenQuestionsJson(Shape):
    """The questions of a golden set."""

    questions: list[GoldenQuestionJson]


class JudgedQuestionBody(Shape):
    """A question as a person left it, which makes it validated."""

    question: str = Field(min_length=1, max_length=2000, examples=["How long is removed data kept?"])
    answers: list[str] = Field(default=[], max_length=50, examples=[["72 hours", "three days"]])
    answerable: bool = Field(default=True, examples=[True])
    grade: int | None = Field(default=None, ge=1, le=3, description="For all its documents.", examples=[2])
    validated_by: str = Field(default="", max_length=200, examples=["Kim"])
