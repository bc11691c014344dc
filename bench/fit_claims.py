"""Fits ``src/ascertain/models/entail/data/claims.json``: how the offline checker weighs what it sees of a claim.

    python bench/fit_claims.py [--table FILE] [--write]

Three logistic models. ``words``: is a plain word that the evidence lacks foreign to it, or said there in other words; learned from the
words that the annotators of summedits changed, by whether the change broke the claim. ``claims``: is the claim supported; from
summedits, begin and factcheck_gpt, each set alike in weight and balanced within. ``contradictions``: is an unsupported claim denied by the
evidence; refuted claims of factcheck_gpt and negations and antonyms of summedits against what is merely not said. What was changed in a
claim is used for fitting only: the checker sees one claim and its evidence. Figures with documents and domains left out are
written by ``bench/claims_quality.py``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from claims_data import load_table
from claims_models import fit_all
from setting import ROOT

TARGET = ROOT / "src" / "ascertain" / "models" / "entail" / "data" / "claims.json"


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument(
        "--table", type=Path, default=Path("/tmp/claims_table.pkl"), help="features, computed once"
    )
    arguments.add_argument("--write", action="store_true", help="replace the shipped weights")
    given = arguments.parse_args()
    weights = fit_all(load_table(given.table))
    text = json.dumps(weights, indent=1) + "\n"
    if given.write:
        TARGET.write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
