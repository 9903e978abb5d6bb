"""Stored states of robots, whose numbers were computed with 40 digits and rounded."""

import json

import pytest
from tools.paths import DATA

from meshsim.algorithms.robots.body import Body
from meshsim.algorithms.robots.catalogue import ROBOTS, chain, excavator, puma600
from meshsim.algorithms.robots.mechanism import Mechanism


def stored_mechanism(bodies):
    """A mechanism from stored bodies."""

    def rows(matrix):
        return tuple(map(tuple, matrix))

    return Mechanism(
        "stored",
        tuple(
            Body(
                name=f"link{i}",
                joint=f"joint{i}",
                kind={"R": "revolute", "P": "prismatic"}[body["jtype"]],
                parent=body["parent"],
                rotation=rows(body["R"]),
                position=tuple(body["p"]),
                mass=body["mass"],
                com=tuple(body["com"]),
                inertia=rows(body["I"]),
            )
            for i, body in enumerate(bodies)
        ),
    )


def stored_cases():
    """Every stored state with its mechanism: numbers computed with 40 digits and rounded."""
    for make in (puma600, excavator):
        for i, state in enumerate(json.loads((DATA / f"wong_{make().name}.json").read_text())["states"]):
            yield pytest.param(make(), state, id=f"{make().name}-{i}")
    named = {"wong_torso_literal": "torso", "wong_torso_l6": "torso:l6", "wong_torso_axes_fixed": "torso:axes"}
    named |= {"saha_puma": "saha-puma:printed", "saha_puma_corrected": "saha-puma", "saha_stanford": "stanford"}
    for file, name in named.items():
        for i, state in enumerate(json.loads((DATA / f"{file}.json").read_text())["states"]):
            yield pytest.param(ROBOTS[name](), state, id=f"{name}-{i}")
    for file in ("random_chains_mixed_RP", "random_trees_dfs"):
        for item in json.loads((DATA / f"{file}.json").read_text())["items"]:
            for i, state in enumerate(item["states"]):
                yield pytest.param(stored_mechanism(item["bodies"]), state, id=f"{file}-{item['n']}-{i}")
    for item in json.loads((DATA / "random_chains_1_16.json").read_text())["items"]:
        for i, state in enumerate(item["states"]):
            yield pytest.param(chain(item["n"], item["seed"]), state, id=f"chain{item['n']}-{i}")
