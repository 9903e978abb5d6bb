"""Things by name: names alone make nothing, and a thing is called as its catalogue calls it."""

import pytest

from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.catalogue import Catalogue, Lazily, instances


def test_a_thing_is_made_once_and_when_it_is_asked_for():
    made = []

    def make():
        made.append("two")
        return 2

    numbers = Catalogue("number", Lazily({"two": make}), instances(int))
    numbers["three"] = 3
    assert (list(numbers), len(numbers), "two" in numbers, "four" in numbers) == (["two", "three"], 2, True, False)
    assert (numbers.names, made) == ("two, three", [])
    assert (numbers["two"], numbers.get("two"), dict(numbers)) == (2, 2, {"two": 2, "three": 3})
    assert made == ["two"]
    del numbers["three"]
    with pytest.raises(KeyError):
        numbers["three"]


def test_schemes_are_called_as_the_catalogue_calls_them():
    assert {name: scheme.name for name, scheme in SCHEMES.items()} == {name: name for name in SCHEMES}
