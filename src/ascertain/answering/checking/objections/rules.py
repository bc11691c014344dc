"""All rules that may object to a sentence, in order."""

from __future__ import annotations

from ascertain.answering.checking.evidence import Statement
from ascertain.answering.checking.objections.objection import Case, Objection
from ascertain.answering.checking.objections.wrong_bindings import (
    find_crossed_figure,
    find_stray_figure,
    find_swap,
    find_turned_bound,
    find_turned_preposition,
)
from ascertain.answering.checking.objections.wrong_code import find_foreign_code, find_foreign_inline_code
from ascertain.answering.checking.objections.wrong_figures import find_wrong_figure
from ascertain.answering.checking.objections.wrong_names import find_wrong_name, find_wrong_speaker
from ascertain.answering.checking.objections.wrong_rows import find_wrong_row
from ascertain.answering.checking.objections.wrong_sense import (
    find_absent_words,
    find_added_cause,
    find_denial,
    find_opposite,
    find_part_as_whole,
    find_plan_as_fact,
)
from ascertain.answering.checking.objections.wrong_subjects import find_other_subject, find_turned_roles
from ascertain.core.asking.answers import Form

_RULES = (
    find_wrong_figure,
    find_wrong_name,
    find_wrong_speaker,
    find_denial,
    find_opposite,
    find_plan_as_fact,
    find_part_as_whole,
    find_turned_bound,
    find_turned_preposition,
    find_stray_figure,
    find_crossed_figure,
    find_wrong_row,
    find_swap,
    find_other_subject,
    find_turned_roles,
    find_added_cause,
    find_absent_words,
    find_foreign_inline_code,
)


def find_objection(statement: Statement) -> Objection | None:
    """The first objection to ``statement``; None where there is none."""
    if statement.form is Form.CODE:
        return find_foreign_code(Case(statement))
    case = Case(statement)
    if not case.is_comparable:
        return None
    return next((objection for rule in _RULES if (objection := rule(case)) is not None), None)
