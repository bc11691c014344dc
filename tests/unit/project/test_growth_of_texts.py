"""No text, however it is made, takes more than linear work: each regular expression and each function of a text is given texts that grow.

All of them are discovered, so that a new rule is held to it as well. What is worse than linear must have a bound of length in the code that
hands texts to it; ``BOUNDED`` says where, and the bound is tried too.
"""

import sys
from itertools import islice
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "growth"))

from attacks import Attack, attacks_on, general_attacks
from measuring import find_growth, measure_work
from text_rules import Rule, TextFunction, list_functions, list_rules

from ascertain.questions import parts
from ascertain.questions.decomposition import MAX_CHARACTERS
from ascertain.questions.intent import LONGEST_ORDER
from ascertain.questions.kinds import analysis as analysis_questions
from ascertain.questions.kinds import documents as document_questions
from ascertain.questions.planning import LONGEST_GLOBAL, READ_FOR_TYPE
from ascertain.reports.research import subjects

QUESTIONS: dict[str, int] = {
    # questions of more characters are not taken apart (decomposition.MAX_CHARACTERS)
    "questions/decomposition.py": MAX_CHARACTERS,
    "en/nested_questions": MAX_CHARACTERS,
    # longer ones have no form of their own (planning.LONGEST_GLOBAL, LONGEST of analysis_questions and document_questions)
    "questions/planning.py": LONGEST_GLOBAL,
    "en/collection_questions": LONGEST_GLOBAL,
    "en/entity_questions": LONGEST_GLOBAL,
    "en/speaker_questions": LONGEST_GLOBAL,
    "en/analysis_questions": analysis_questions.LONGEST,
    "questions/kinds/analysis.py": analysis_questions.LONGEST,
    "en/document_questions": document_questions.LONGEST,
    "questions/kinds/documents.py": document_questions.LONGEST,
    "en/moment_questions": document_questions.LONGEST,
    "questions/kinds/moments.py": document_questions.LONGEST,
    # longer ones list nothing (subjects.LONGEST)
    "reports/research/subjects.py": subjects.LONGEST,
    # longer ones are not taken apart (parts.LONGEST)
    "questions/parts.py": parts.LONGEST,
    "en/question_parts": parts.LONGEST,
    # what is read of a question to know its type
    "en/question_types": READ_FOR_TYPE,
}
"""Rules of the wordings of questions, by the beginning of their place, with the most characters that their callers hand over, all white space
of it a single space.
"""
BOUNDED: dict[str, int] = {
    # a longer message holds more than an order (intent.LONGEST_ORDER)
    "en/orders": LONGEST_ORDER,
    # a line that begins a definition (code._LONGEST_DEFINITION)
    "documents/formats/technical/code.py": 400,
}
"""Rules and functions, by the beginning of their place, with the most characters that their callers hand over."""
LONGEST_AT_BOUND = 0.3
"""Seconds of processor time that one of these may take for a text as long as its bound; on any machine, for linear work takes milliseconds."""


def find_bound(where: str) -> int | None:
    return next((most for place, most in (QUESTIONS | BOUNDED).items() if where.startswith(place)), None)


def find_fault(where: str, work, attacks: list[Attack]) -> str | None:
    most = find_bound(where)
    if most is None:
        return find_growth(work, attacks)
    is_question = any(where.startswith(place) for place in QUESTIONS)

    def write(attack: Attack) -> str:
        text = attack.of_length(most)
        return " ".join(text.split()) if is_question else text

    slow = next((each for each in attacks if measure_work(work, write(each)) > LONGEST_AT_BOUND), None)
    return f"more than {LONGEST_AT_BOUND} s at its bound with {slow!r}" if slow else None


def check_rules(rules: list[Rule], general: list[Attack]) -> list[str]:
    faults = ((rule, find_fault(rule.where, rule.apply, [*attacks_on(rule.pattern), *general])) for rule in rules)
    return [f"{rule.where} ({rule.method}) {fault}: {rule.pattern.pattern[:200]}" for rule, fault in faults if fault]


def test_rules_and_functions_are_found():
    rules, functions = list_rules(), list_functions()
    assert len(rules) > 1_000
    assert len(functions) > 200
    assert any(rule.where.startswith("language/sentences.py") for rule in rules)
    assert any(function.where == "language/sentences.py:split_sentences" for function in functions)


def test_a_quadratic_rule_would_be_noticed():
    """The digits of a percentage, tried from each digit on."""
    import re

    rule = Rule("here", re.compile(r"\d+\s?%"), "search")
    assert find_growth(rule.apply, attacks_on(rule.pattern))
    mended = Rule("here", re.compile(r"(?<!\d)\d+\s?%"), "search")
    assert not find_growth(mended.apply, [*attacks_on(mended.pattern), *general_attacks()])


SAMPLE = 8
"""Every so manieth rule and function is tried at each run of the tests, against less; all are with the slow tests."""


@pytest.mark.timeout(900)
def test_no_regular_expression_of_a_sample_takes_more_than_linear_work():
    general = list(islice(general_attacks(), 3, None, 40))
    assert check_rules(list_rules()[::SAMPLE], general) == []


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_no_regular_expression_takes_more_than_linear_work_over_anything():
    assert check_rules(list_rules(), list(general_attacks())) == []


def check_functions(functions: list[TextFunction], attacks: list[Attack]) -> list[str]:
    faults = ((each.where, find_fault(each.where, each.call, attacks)) for each in functions)
    return [f"{where} {fault}" for where, fault in faults if fault]


@pytest.mark.timeout(900)
def test_no_function_of_a_sample_takes_more_than_linear_work():
    wanted = {".", " ", "1", "\n", "Aa ", "("}
    attacks = [each for each in general_attacks() if each.pump in wanted and each.tail.startswith("7x")]
    assert check_functions(list_functions()[::SAMPLE], attacks) == []


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_no_function_of_a_text_takes_more_than_linear_work_over_anything():
    assert check_functions(list_functions(), list(general_attacks())) == []
