"""Fits ``src/ascertain/models/weights/{claim_words,claims,claim_contradictions}.json``: how the offline
checker weighs a claim.

    python bench/fit_claims.py [--table FILE] [--write]

Three logistic models. ``words``: is a plain word that the evidence lacks foreign to it, or said there in
other words; learned from the words that the annotators of summedits changed, by whether the change broke the
claim. ``claims``: is the claim supported; from summedits, begin and factcheck_gpt, each set alike in weight
and balanced within. ``contradictions``: is an unsupported claim denied by the evidence; refuted claims of
factcheck_gpt and negations and antonyms of summedits against what is merely not said. What was changed in a
claim is used for fitting only: the checker sees one claim and its evidence. Figures with documents and
domains left out are written by ``bench/claims_quality.py``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from claims_data import load_table
from claims_models import fit_all
from weights_file import write_weights

FITTED_FROM = {
    "claim_words": "words that annotators of summedits changed, by whether the change broke the claim",
    "claims": "summedits (5), begin (1), factcheck_gpt (1), balanced within each",
    "claim_contradictions": "refuted claims of factcheck_gpt, negations and antonyms of summedits, against what is merely "
    "not said",
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--table", type=Path, default=Path("/tmp/claims_table.pkl"), help="features, computed once")
    arguments.add_argument("--write", action="store_true", help="replace the shipped weights")
    given = arguments.parse_args()
    fitted = fit_all(load_table(given.table))
    for name, model in fitted.items():
        if given.write:
            write_weights(
                name,
                model["weights"],
                model["bias"],
                fitted_by="bench/fit_claims.py",
                fitted_from=FITTED_FROM[name] + "; bench/results/claims.json",
            )
    print(json.dumps(fitted, indent=1))


if __name__ == "__main__":
    main()
