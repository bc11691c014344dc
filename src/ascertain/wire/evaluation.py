"""What measuring and tuning on labelled questions came to."""

from pydantic import Field

from ascertain.wire.shape import Number, Shape


class TimingsJson(Shape):
    """Seconds: of adding the documents, and of a query by nearest-rank percentile."""

    index: float = Field(examples=[41.207])
    query_p50: float = Field(examples=[0.0193])
    query_p95: float = Field(examples=[0.0311])


class MeasuredJson(Shape):
    """What was measured on a set; see [benchmarks.md](benchmarks.md)."""

    set: str = Field(examples=["hotpot"])
    documents: int = Field(examples=[9811])
    queries: int = Field(description="Those that the metrics speak of.", examples=[1000])
    metrics: dict[str, Number | None] = Field(
        description="By name; null where there is nothing to divide by.", examples=[{"R@10": 0.8745, "nDCG@10": 0.8032}]
    )
    seconds: TimingsJson


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
    after: BehaviourJson | None = Field(description="Null where no threshold keeps the risk.")
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
