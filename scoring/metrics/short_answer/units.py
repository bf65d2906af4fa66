"""Units after numbers, so that 2 km are 2,000 m and 12 kg are no 12 pounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple


class Unit(NamedTuple):
    """Unit of a number."""

    dimension: str
    factor: Fraction
    """Amount of one such unit in the dimension's basic unit."""


PER_CENT: Final = Unit("share", Fraction(1, 100))
_TABLE: Final = {
    "share": "1/100 % percent pct prozent vh процентов процента процент; 1/1000 ‰",
    "length": (
        "1 m metre metres meter meters metern mètre mètres metro metros м; 1000 km kilometre kilometres kilometer "
        "kilometers kilometern kilomètre kilomètres kilómetro kilómetros км; 1/100 cm centimetre centimetres "
        "centimeter centimeters см; 1/1000 mm millimetre millimetres millimeter millimeters; 1609.344 mi mile miles; "
        "0.3048 ft foot feet; 0.0254 inch inches; 0.9144 yd yard yards"
    ),
    "mass": (
        "1 kg kilogram kilograms kilogramme kilogrammes kilo kilos; 1/1000 g gram grams gramme grammes; "
        "1/1000000 mg milligram milligrams; 1000 t tonne tonnes; 0.45359237 lb lbs pound pounds; 0.028349523125 oz "
        "ounce ounces"
    ),
    "time": (
        "1 s sec secs second seconds; 60 min mins minute minutes; 3600 h hr hrs hour hours stunde stunden; "
        "86400 day days tag tage; 604800 week weeks"
    ),
    "years": "1 yr yrs year years jahr jahre jahren; 1/12 month months",
    "area": (
        "1 m2 m^2 square_metre square_metres square_meter square_meters; 1000000 km2 km^2 square_kilometre "
        "square_kilometres square_kilometer square_kilometers; 10000 ha hectare hectares; 4046.8564224 acre acres"
    ),
    "speed": (
        "1 m/s metres_per_second meters_per_second; 5/18 km/h kph kilometres_per_hour kilometers_per_hour; "
        "0.44704 mph miles_per_hour"
    ),
    "celsius": "1 °c celsius degrees_celsius degree_celsius",
    "fahrenheit": "1 °f fahrenheit degrees_fahrenheit degree_fahrenheit",
    "degrees": "1 ° degree degrees grad",
    "dollars": "1 $ us$ usd dollar dollars; 1/100 cent cents",
    "euros": "1 € eur euro euros",
    "sterling": "1 £ gbp",
    "yen": "1 ¥ jpy yen 円",
    "yuan": "1 cny rmb yuan 元",
    "rupees": "1 ₹ inr rupee rupees",
}
UNITS: Final[dict[str, Unit]] = {
    name.replace("_", " "): Unit(dimension, Fraction(group.split()[0]))
    for dimension, groups in _TABLE.items()
    for group in groups.split("; ")
    for name in group.split()[1:]
}
"""Units by their names in lower case."""
