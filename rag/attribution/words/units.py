"""The scales, currencies and units that a quantity may have, with the words for them. Keys are lower case."""

from __future__ import annotations

SCALES = {
    "hundred": 1e2,
    "hundreds": 1e2,
    "dozen": 12.0,
    "k": 1e3,
    "thousand": 1e3,
    "thousands": 1e3,
    "tausend": 1e3,
    "000": 1e3,
    "lakh": 1e5,
    "m": 1e6,
    "mm": 1e6,
    "mn": 1e6,
    "mio": 1e6,
    "million": 1e6,
    "millions": 1e6,
    "millionen": 1e6,
    "crore": 1e7,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "billions": 1e9,
    "mrd": 1e9,
    "milliarde": 1e9,
    "milliarden": 1e9,
    "trillion": 1e12,
    "trillions": 1e12,
    "tn": 1e12,
}
SCALE_WORDS = tuple(word for word in SCALES if len(word) > 2 and word != "000")
"""The scales that are words of their own; the others stand at a number ("1.2M", "$5m")."""

CURRENCIES = {
    "us$": "$",
    "$": "$",
    "usd": "$",
    "dollar": "$",
    "dollars": "$",
    "€": "€",
    "eur": "€",
    "euro": "€",
    "euros": "€",
    "£": "£",
    "gbp": "£",
    "pounds": "£",
    "sterling": "£",
    "¥": "¥",
    "jpy": "¥",
    "yen": "¥",
    "rmb": "yuan",
    "cny": "yuan",
    "yuan": "yuan",
    "chf": "franc",
    "francs": "franc",
    "₹": "rupee",
    "inr": "rupee",
    "rupees": "rupee",
    "rs": "rupee",
    "nt$": "nt$",
    "hk$": "hk$",
    "s$": "s$",
    "a$": "a$",
    "c$": "c$",
    "r$": "r$",
    "₩": "won",
    "krw": "won",
    "crowns": "crown",
    "cents": "cent",
}

_UNIT_FAMILIES = {
    "%": "% 1, percent 1, per_cent 1, pct 1, prozent 1, pour_cent 1, ‰ 0.1",
    "pp": "percentage_points 1, percentage_point 1, pp 1, ppt 1, basis_points 0.01, bps 0.01",
    "m": "m 1, metre 1, metres 1, meter 1, meters 1, km 1000, kilometre 1000, kilometres 1000, kilometer 1000, "
    "kilometers 1000, cm 0.01, centimetres 0.01, centimeters 0.01, mm 0.001, millimetre 0.001, millimetres 0.001, "
    "millimeters 0.001, µm 1e-6, μm 1e-6, nm 1e-9",
    "mile": "mile 1, miles 1, mi 1",
    "foot": "ft 1, foot 1, feet 1, inch 0.0833333333, inches 0.0833333333, yards 3",
    "m²": "m² 1, m2 1, sq_m 1, sqm 1, square_metres 1, square_meters 1, ha 10000, hectare 10000, hectares 10000, "
    "km² 1e6, square_kilometres 1e6, square_kilometers 1e6",
    "acre": "acre 1, acres 1",
    "foot²": "sq_ft 1, square_feet 1, square_foot 1",
    "mile²": "square_miles 1",
    "kg": "kg 1, kilogram 1, kilograms 1, kilogramme 1, g 0.001, gram 0.001, grams 0.001, mg 1e-6, t 1000, "
    "tonne 1000, tonnes 1000",
    "lb": "lb 1, lbs 1, oz 0.0625, ounces 0.0625",
    "ton": "ton 1, tons 1",
    "l": "l 1, litre 1, litres 1, liter 1, liters 1, ml 0.001, millilitres 0.001",
    "gallon": "gallon 1, gallons 1, gal 1",
    "s": "s 1, sec 1, second 1, seconds 1, ms 0.001, milliseconds 0.001, min 60, mins 60, minute 60, minutes 60, "
    "h 3600, hr 3600, hrs 3600, hour 3600, hours 3600",
    "day": "day 1, days 1, week 7, weeks 7, tage 1, wochen 7",
    "month": "month 1, months 1, year 12, years 12, decade 120, decades 120, jahre 12, monate 1, ans 12",
    "W": "w 1, watt 1, watts 1, kw 1000, mw 1e6, gw 1e9",
    "Wh": "wh 1, kwh 1000, mwh 1e6, gwh 1e9, twh 1e12",
    "V": "v 1, volt 1, volts 1, mv 0.001, kv 1000",
    "A": "amps 1, ampere 1, ma 0.001, mah 0.001",
    "Hz": "hz 1, khz 1e3, mhz 1e6, ghz 1e9",
    "byte": "bytes 1, kb 1e3, mb 1e6, gb 1e9, tb 1e12",
    "bit/s": "bps. 1, kbps 1e3, mbps 1e6, gbps 1e9",
    "°C": "°c 1, degrees_celsius 1, celsius 1",
    "°F": "°f 1, degrees_fahrenheit 1, fahrenheit 1",
    "°": "° 1, degrees 1, degree 1",
    "km/h": "km/h 1, kph 1, kilometres_per_hour 1, kilometers_per_hour 1",
    "mph": "mph 1, miles_per_hour 1",
    "m/s": "m/s 1",
    "Pa": "pa 1, kpa 1e3, mpa 1e6, bar 1e5, mbar 100",
    "psi": "psi 1",
    "x": "x 1, times 1, fold 1, -fold 1",
}
UNITS = {
    name.strip().replace("_", " "): (base, float(factor))
    for base, names in _UNIT_FAMILIES.items()
    for name, factor in (pair.rsplit(" ", 1) for pair in names.split(", "))
}
"""The units as written -> the unit their family is measured in, and how many of that they are."""
