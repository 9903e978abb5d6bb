"""Times and rates as users type them."""

import argparse

import pytest
from tools.command import call, run_json

from meshsim.experiments.cli.units import hertz, seconds

SMALL = ("realtime", "one-wong", "--robot", "chain:2:1", "--machine", "t800")


@pytest.mark.parametrize(("text", "value"), [
    ("0.01", 0.01), ("1e-3", 0.001), ("2", 2.0), ("2s", 2.0), ("1ms", 0.001), ("250us", 0.00025), ("250 us", 0.00025),
    ("7\N{MICRO SIGN}s", 7e-6), ("7\N{GREEK SMALL LETTER MU}s", 7e-6), ("3ns", 3e-9), ("1.5min", 90.0),
    ("-1ms", -0.001),
])  # fmt: skip
def test_a_time_is_in_seconds_to_the_last_bit(text, value):
    assert seconds(text) == value


@pytest.mark.parametrize(("text", "value"), [("1000", 1000.0), ("50Hz", 50.0), ("1kHz", 1e3), ("2.5MHz", 2.5e6)])
def test_a_rate_is_in_hertz(text, value):
    assert hertz(text) == value


@pytest.mark.parametrize("text", ["", "ms", "1kHz", "1 2ms", "1sec", "1Ms", "x", "1e99999999999999999999s"])
def test_what_is_no_time(text):
    with pytest.raises(argparse.ArgumentTypeError) as error:
        seconds(text)
    assert str(error.value) == (f"must be a time such as 0.01, 10ms or 250us (units: s, ms, us, ns, min), not {text!r}")


@pytest.mark.parametrize("text", ["", "Hz", "1ms", "1khz", "1mHz"])
def test_what_is_no_rate(text):
    with pytest.raises(argparse.ArgumentTypeError) as error:
        hertz(text)
    assert str(error.value) == f"must be a rate such as 1000 or 1kHz (units: Hz, kHz, MHz), not {text!r}"


def test_a_command_takes_units(capsys):
    assert run_json(capsys, *SMALL, "--step", "10ms") == run_json(capsys, *SMALL, "--step", "0.01")


def test_a_command_tells_what_a_time_is(capsys):
    status, out, err = call(capsys, *SMALL, "--step", "1kHz")
    assert (status, out) == (2, "")
    assert err.startswith("meshsim realtime: error: argument --step: must be a time such as 0.01, 10ms or 250us (units")


def test_a_motion_in_milliseconds(capsys, tmp_path):
    words = ("simulate", "one-wong", *SMALL[2:], "--step", "5ms", "--duration", "20ms", "--strip", "0,10ms")
    found = run_json(capsys, *words, "--quiet", "--out", tmp_path)
    assert (found["steps"], found["step_s"]) == (4, 0.005)
