"""Times and rates as users type them: 1ms, 250us, 1kHz; a bare number is in s, or in Hz."""

import argparse
from collections.abc import Mapping
from decimal import Decimal

SECONDS = {"s": "1", "ms": "1e-3", "us": "1e-6", "ns": "1e-9", "min": "60"}
HERTZ = {"Hz": "1", "kHz": "1e3", "MHz": "1e6"}
_MICRO = ("\N{MICRO SIGN}", "\N{GREEK SMALL LETTER MU}")


def seconds(text: str) -> float:
    """A time in seconds."""
    return _in_units(text, SECONDS, "a time such as 0.01, 10ms or 250us")


def hertz(text: str) -> float:
    """A rate in hertz."""
    return _in_units(text, HERTZ, "a rate such as 1000 or 1kHz")


def _in_units(text: str, units: Mapping[str, str], wanted: str) -> float:
    """What a text says in the first of some units, as exact as a float can be: 250us is 0.00025."""
    written = text.strip()
    for micro in _MICRO:
        written = written.replace(micro, "u")
    unit = max((each for each in units if written.endswith(each)), key=len, default="")
    try:
        return float(Decimal(written.removesuffix(unit).rstrip()) * Decimal(units.get(unit, "1")))
    except (ArithmeticError, ValueError):
        known = ", ".join(units)
        raise argparse.ArgumentTypeError(f"must be {wanted} (units: {known}), not {text!r}") from None
