"""Quantities in full: every phrase with all that is read out of it, as a reader would."""

from __future__ import annotations

from dataclasses import fields

import pytest

from indexing.language import Quantity, quantities


def told(text: str, found: Quantity) -> str:
    """The words of a quantity, its kind, and what is not as it is where nothing is said."""
    said = [found.kind]
    for field in fields(Quantity)[3:]:
        value = getattr(found, field.name)
        if value is True:
            said.append(field.name)
        elif value != field.default:
            said.append(f"{field.name} {value:.9g}" if isinstance(value, float) else f"{field.name} {value}")
    return f"{text[found.start : found.end]}: {', '.join(said)}"


READ = [
    ('12.5%', '12.5%: number, value 12.5, unit %, place 0.1'),
    ('1,234.56', '1,234.56: number, value 1234.56, place 0.01'),
    ('1.234.567,8', '1.234.567,8: number, value 1234567.8, place 0.1'),
    ('16 000', '16 000: number, value 16000, place 1000'),
    ('1.25e-3', '1.25e-3: number, value 0.00125'),
    ('105', '105: number, value 105'),
    ('$1.2 million', '$1.2 million: number, value 1200000, unit $, place 100000, scaled'),
    ('US$5m', 'US$5m: number, value 5000000, unit $, place 1000000, scaled'),
    ('5 million', '5 million: number, value 5000000, place 1000000, scaled'),
    ('5m', '5m: number, value 5, unit m'),
    ('5M', '5M: number, value 5000000, place 1000000, scaled'),
    ('$5k', '$5k: number, value 5000, unit $, place 1000, scaled'),
    ('2 dozen', '2 dozen: number, value 24, place 12, scaled'),
    ('(3.4)', '3.4: number, value -3.4, place 0.1, sign ('),
    ('(3.4%)', '3.4%: number, value -3.4, unit %, place 0.1, sign ('),
    ('- 3.4', '3.4: number, value -3.4, place 0.1, sign -'),
    ('from 3 -4', '3: number, value 3 / 4: number, value -4, sign -'),
    ('-$1.2', '$1.2: number, value -1.2, unit $, place 0.1, sign -'),
    ('12) Twelfth', 'Twelfth: number, value 12, unit th'),
    ('Table 2', '2: label, value 2, unit table'),
    ('No. 7', '7: label, value 7, unit no'),
    ('1990s', '1990s: label, value 1990, unit decade'),
    ('3½', '3½: number, value 3.5, place 0.001'),
    ('3 ½', '3 ½: number, value 3.5, place 0.001'),
    ('twenty-one', 'twenty-one: number, value 21'),
    ('three thousand two hundred', 'three thousand two hundred: number, value 3200'),
    ('two and a half', 'two and a half: number, value 2.5'),
    ('half of it', 'half: number, value 0.5, soft'),
    ('a hundred', 'a hundred: number, value 100'),
    ('one boat', 'one: number, value 1, soft'),
    ('first', 'first: number, value 1, unit th'),
    ('21st', '21st: number, value 21, unit th'),
    ('one hundred km', 'one hundred km: number, value 100000, unit m, place 1000'),
    ('5 km', '5 km: number, value 5000, unit m, place 1000'),
    ('5 km/h', '5 km/h: number, value 5, unit km/h'),
    ('5 km²', '5 km²: number, value 5000000, unit m², place 1000000'),
    ('100 °C', '100 °C: number, value 100, unit °C, place 100'),
    ('5 µm', '5 µm: number, value 5e-06, unit m, place 1e-06'),
    ('5 x', '5 x: number, value 5, unit x'),
    ('3-fold', '3-fold: number, value 3, unit x'),
    ('5 bps', '5 bps: number, value 0.05, unit pp, place 0.01'),
    ('5 ‰', '5 ‰: number, value 0.5, unit %, place 0.1'),
    ('10 to 15 percent', '10: number, value 10, unit %, place 10 / 15 percent: number, value 15, unit %'),
    ('1.2 to $1.5', '1.2: number, value 1.2, unit $, place 0.1 / $1.5: number, value 1.5, unit $, place 0.1'),
    ('1 or 2 hours', '1: number, value 3600, unit s, place 3600 / 2 hours: number, value 7200, unit s, place 3600'),
    ('3 kg and 4', '3 kg: number, value 3, unit kg / 4: number, value 4'),
    ('about 5', '5: number, value 5, hedged'),
    ('nearly 5 million', '5 million: number, value 5000000, place 1000000, scaled, hedged'),
    ('at least 5', '5: number, value 5, bound 1'),
    ('no more than 5', '5: number, value 5, bound -1'),
    ('[12]', '12: label, value 12, unit ['),
    ('[3, 4-6]', '3: label, value 3, unit [ / 4: label, value 4, unit [ / 6: label, value 6, unit ['),
    ('2000 million', '2000 million: number, value 2e+09, place 1e+09, scaled'),
    ('1984', '1984: moment, year 1984'),
    ('in 1984', '1984: moment, year 1984'),
    ('−5', '5: number, value -5, sign -'),
    ('5.5.2021', '5.5.2021: moment, year 2021, month 5, day 5'),
    ('32.12.2024', ''),
    ('2021-03-04', '2021-03-04: moment, year 2021, month 3, day 4'),
    ('4 March', '4 March: moment, month 3, day 4'),
    ('4th of March 2021', '4th of March 2021: moment, year 2021, month 3, day 4'),
    ('may 5', '5: number, value 5'),
    ('May 5', 'May 5: moment, month 5, day 5'),
    ('in may 2021', '2021: moment, year 2021'),
    ('sept 3', 'sept 3: moment, month 9, day 3'),
    ("Q2 '19", "Q2 '19: moment, year 2019, quarter 2"),
    ('3Q19', '3Q19: moment, year 2019, quarter 3'),
    ('H1 2021', 'H1 2021: moment, year 2021, quarter 5'),
    ('2nd half of 2020', '2nd half of 2020: moment, year 2020, quarter 6'),
    ('5th quarter', '5th: number, value 5, unit th'),
    ('FY19', 'FY19: moment, year 2019'),
    ("FY '21", "FY '21: moment, year 2021"),
    ('2019/20', '2019: moment, year 2019 / 20: moment, year 2020'),
    ('2019-20', '2019: moment, year 2019 / 20: moment, year 2020'),
    ('1500', '1500: moment, year 1500'),
    ('2100', '2100: number, value 2100, place 100'),
    ('$2019', '$2019: number, value 2019, unit $'),
    ('31st March', '31st March: moment, month 3, day 31'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "read"), READ)
def test_what_is_read_out_of_a_phrase(text: str, read: str) -> None:
    assert " / ".join(told(text, found) for found in quantities(text)) == read
