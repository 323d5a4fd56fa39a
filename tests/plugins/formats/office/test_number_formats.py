"""Number formats: what a workbook shows of its numbers, as Excel and LibreOffice show them."""

from __future__ import annotations

import pytest

from plugins.formats.office.number_formats import BUILT_IN, format_number


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        (1234.5, "0", "1235"), (1234.5, "#,##0.00", "1,234.50"), (1234567.0, "#,##0", "1,234,567"),
        (0.0, "#,##0", "0"), (0.5, "0%", "50%"), (0.1234, "0.0%", "12.3%"), (2.675, "0.00", "2.68"),
        (-5.0, "0.00", "-5.00"), (-5.0, "0;(0)", "(5)"), (-5.0, '#,##0 "kg"', "-5 kg"),
        (0.0, '0;-0;"none"', "none"), (12.0, '"Nr. "000', "Nr. 012"), (1234.0, "[$€-407] #,##0.00", "€ 1,234.00"),
        (1234.0, "#,##0.00 [$€]", "1,234.00 €"), (5.0, "[Red]0.0", "5.0"), (1234567.0, '0.0,,"M"', "1.2M"),
        (12345.0, "0.00E+00", "1.23E+04"), (0.00012, "0.0E+0", "1.2E-4"), (2.5, "# ?/?", "2.5"),
        (1.5, "0.0##", "1.5"), (-0.001, "0.00", "0.00"), (150.0, '[>=100]"big";"small"', "big"),
        (50.0, '[>=100]"big";"small"', "small"), (-5.0, "[>=1000]0.0;0", "-5"), (5.0, "0,000", "0,005"),
        (0.0, "#,###", ""), (7.0, "@", "7"), (7.25, "General", "7.25"),
        (45429.0, "yyyy-mm-dd", "2024-05-17"), (45429.0, "dd.mm.yyyy", "17.05.2024"),
        (45429.0, "d mmmm yyyy", "17 May 2024"), (45429.0, "ddd, mmm d", "Fri, May 17"),
        (45429.75, "yyyy-mm-dd hh:mm", "2024-05-17 18:00"), (0.75, "h:mm AM/PM", "6:00 PM"),
        (0.5 + 61 / 86400, "hh:mm:ss", "12:01:01"), (1.5, "[h]:mm", "36:00"), (0.001, "mm:ss", "01:26"),
        (0.0000115741, "ss.00", "01.00"), (1.0, "yyyy-mm-dd", "1900-01-01"), (61.0, "yyyy-mm-dd", "1900-03-01"),
        (-1.0, "yyyy-mm-dd", "-1"), (1e9, "yyyy-mm-dd", "1000000000"), (45429.0, BUILT_IN[14], "2024-05-17"),
        (45429.999999, "yyyy-mm-dd hh:mm:ss", "2024-05-18 00:00:00"),
    ],
)  # fmt: skip
def test_numbers_dates_and_times(value: float, code: str, expected: str) -> None:
    assert format_number(value, code) == expected


@pytest.mark.parametrize(
    "code", ["", ";;;", '"', "[", "\\", "0" * 500, "#,##0" * 80, "E+", "[h", "?/?", "0.0.0", "%%%", "/", "[>=1.1.1]0"]
)
def test_no_format_breaks_it(code: str) -> None:
    for value in (0.0, -1.5, 1e22, 12345.678, float("inf")):
        assert isinstance(format_number(value, code), str)
