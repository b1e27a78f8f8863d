"""Rules and formulas in a model file: as trees of plain records, never as text to be run."""

from typing import Any

from unveil.count.expressions.nodes import Expression, Value
from unveil.errors import SettingsError
from unveil.synthesis.derived import Formula
from unveil.synthesis.model_columns import Doc, TypeDoc, type_doc, type_of
from unveil.synthesis.rules import WrittenRule


class RuleDoc(Doc, frozen=True, kw_only=True):
    """A rule, its columns and levels found."""

    text: str
    column: str
    given: Value
    condition: Expression
    zone: str | None


class FormulaDoc(Doc, frozen=True, kw_only=True):
    """A derived column."""

    column: str
    formula: str
    tree: Expression
    dtype: TypeDoc


def rule_doc(rule: Any) -> RuleDoc:
    """A rule for a model file, or a refusal where it is code."""
    if not isinstance(rule, WrittenRule):
        raise SettingsError(
            "A model file can hold rules that are written as text only. Write them as text, such as"
            " 'if age < 16 then marital = SINGLE'."
        )
    return RuleDoc(
        text=rule.text,
        column=rule.column,
        given=rule.given,
        condition=rule.condition,
        zone=rule.zone,
    )


def formula_doc(derived: Any) -> FormulaDoc:
    """A derived column for a model file, or a refusal where it is code."""
    if not isinstance(derived, Formula):
        raise SettingsError(
            "A model file can hold derived columns that are written as text only. Write them as"
            " formulas, such as 'weight / (height / 100) ^ 2'."
        )
    return FormulaDoc(
        column=derived.column,
        formula=derived.formula,
        tree=derived.tree,
        dtype=type_doc(derived.dtype),
    )


def rule_of(doc: RuleDoc) -> WrittenRule:
    """The rule that `rule_doc` wrote."""
    return WrittenRule(doc.text, doc.column, doc.given, doc.condition, doc.zone)


def formula_of(doc: FormulaDoc) -> Formula:
    """The derived column that `formula_doc` wrote."""
    return Formula(doc.column, doc.formula, doc.tree, type_of(doc.dtype))
