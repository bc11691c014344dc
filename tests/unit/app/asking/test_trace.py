from ascertain.app.asking.rendering import readable_path
from ascertain.core.asking.answers import Decision
from ascertain.core.asking.runs import FELL_BACK


def test_reads_as_a_path_from_the_first_search_to_the_answer():
    path = readable_path(
        [
            Decision("rewrite", "as asked", "stands alone"),
            Decision("plan", "knowledge, factual, simple", ""),
            Decision("search", "3 passages", "inner detail of the search"),
            Decision("retrieve", "3 passages", "keyword search, 3 kept as evidence"),
            Decision("judge", "quality 42: missing_key_info", "missing: Ether"),
            Decision("refine", "When did Ethereum move?", "names the coin"),
            Decision("retrieve", "5 passages", "keyword search, 5 kept as evidence"),
            Decision("judge", "quality 68", ""),
            Decision("generate", "2 sentences", ""),
            Decision("check", "2 of 3 claims supported", ""),
            Decision("evaluate", "score 71", ""),
            Decision("finish", "answered", "confidence 64 (medium)"),
        ]
    )
    assert path == (
        "knowledge, factual, simple → keyword search found 3 passages, quality 42: missing_key_info → "
        "rewrote as “When did Ethereum move?” → keyword search found 5 passages, quality 68 → "
        "wrote 2 sentences, 2 of 3 claims supported, score 71 → answered, confidence 64 (medium)"
    )


def test_a_step_that_fell_back_is_never_silent():
    fallen = Decision("plan", FELL_BACK, "the model was too slow")
    assert readable_path([fallen]) == "plan fell back to rules (the model was too slow)"


def test_an_empty_record_is_an_empty_path():
    assert readable_path([]) == ""
