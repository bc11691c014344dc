"""What the labels of models for natural language inference and fact checking mean."""

from collections.abc import Sequence

from ascertain.models.ports import Support

ENTAILS = ("entailment", "entail", "entails", "entailed", "consistent", "supported", "support", "supports", "factual")
CONTRADICTS = ("contradiction", "contradict", "contradicted", "contradicts", "refuted", "refute", "refutes")
OTHERS = (
    "neutral",
    "not entailment",
    "no entailment",
    "not enough info",
    "inconsistent",
    "not supported",
    "hallucinated",
)
"""Labels that mean neither, but are names."""


def find_label(labels: Sequence[str], meanings: Sequence[str]) -> int | None:
    """The place of the first label with one of these meanings, however it is spelt; None without one."""
    return next((i for i, label in enumerate(labels) if spell_label(label) in meanings), None)


def spell_label(label: str) -> str:
    """``Not_Entailment`` and ``not-entailment`` are ``not entailment``."""
    return " ".join(label.lower().replace("_", " ").replace("-", " ").split())


def weigh_chances(entailed: float, contradicted: float) -> Support:
    """The support of a claim, whose chances may be of two windows and so sum to more than 1."""
    denied = min(contradicted, 1 - entailed)
    return Support(entailed, denied, "the evidence denies it" if denied > max(entailed, 0.5) else "")
