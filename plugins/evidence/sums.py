"""Recompute a value from the working that its sentence states: 5.34% (margin, 2024: Surplus 1,082 / Revenue 20,250)."""

from __future__ import annotations

import ast
import operator
import re

MOST_CHARS = 2000
_NUMBER = r"[$€£¥]?\d[\d,]*(?:\.\d+)?%?"
_FIGURE = rf"(?:\({_NUMBER}\)|[-–−]?{_NUMBER})"
_ALONE, _LAST = re.compile(rf"(\(*)({_FIGURE})(\)*)"), re.compile(rf"()({_FIGURE})(\)*)")
_AVERAGE = "the average of "
_SIGN, _YEAR, _UNIT = re.compile(r" ([-+×/]) "), re.compile(r"(?:, |; )\d{4}: "), re.compile(r", in [a-z]+$")
_SCALE = re.compile(r"\d (?:thousand|million|billion)\b")
_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def recompute(text: str, short: str) -> tuple[bool, str, list[str]] | None:
    """Return whether the formula in a sentence gives the value `short` at its start, the recomputed value, its numbers.

    None for a sentence without a formula in brackets, such as a count, or with numbers of several scales.
    """
    body = text.removeprefix(short).strip()
    is_working = len(text) <= MOST_CHARS and re.fullmatch(_FIGURE, short) and re.fullmatch(r"\(.*\)\.", body)
    if not is_working or _SCALE.search(body):
        return None
    figures: list[str] = []
    try:
        values = [_value(working, figures) for working in _YEAR.split(_UNIT.sub("", body[1:-2]))[1:]]
        value = sum(values) / len(values)
    except (ValueError, SyntaxError, ArithmeticError, RecursionError):
        return None
    if short.endswith("%") and not (len(figures) == 1 and "%" in figures[0]):
        value *= 100
    last_digit = 10.0 ** -len(short.rstrip("%)").partition(".")[2])
    return abs(value - _number(short)) <= 0.5000001 * last_digit, f"{value:,.6g}", figures


def _value(working: str, figures: list[str]) -> float:
    """Return the value of a formula, and append its numbers to `figures`. Raises an error unless it can be parsed."""
    expression, label = "", ""
    parts = _SIGN.split(working)
    for term, sign in zip(parts[::2], [*parts[1::2], ""], strict=True):
        operand = _operand(label + term)
        label = "" if operand else f"{label}{term} {sign} "  # the label of a row may have signs too
        if operand:
            opening, own, closing = operand
            figures += own
            value = sum(map(_number, own)) / len(own)
            expression += f"{opening}({value!r}){closing}{sign.replace('×', '*')}"
    return _evaluate(ast.parse(expression, mode="eval").body)


def _operand(text: str) -> tuple[str, list[str], str] | None:
    """Split `(Surplus 1,082` into opening brackets, numbers (two of an average), closing brackets; None without."""
    before, _, last = text.rpartition(" ")
    match = _LAST.fullmatch(last) if before else _ALONE.fullmatch(last)
    if match is None:
        return None
    words = before.lstrip("(")
    opening = match[1] or before[: len(before) - len(words)]
    first = words.removesuffix(" and").rpartition(" ")[2]
    is_average = words.startswith(_AVERAGE) and words.endswith(" and") and re.fullmatch(_FIGURE, first)
    return opening, [first, match[2]] if is_average else [match[2]], match[3]


def _number(figure: str) -> float:
    """Return the value of a number as written: brackets and minus signs make it negative."""
    value = float(re.sub(r"[^\d.]", "", figure))
    return -value if figure[0] in "(-–−" else value


def _evaluate(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=float(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _SIGNS:
            return float(_SIGNS[type(sign)](_evaluate(left), _evaluate(right)))
    raise ValueError(ast.dump(node)[:80])
