"""What a report says of each cost where a scheme was placed on another network, or why it says nothing."""

from dataclasses import replace

from tools.engine import machine

import meshsim as ms
from meshsim.algorithms.robots.state import default_state
from meshsim.experiments.front.run import _slopes
from meshsim.network import Network
from meshsim.topologies import pipeline

EACH = machine("overlap", startup=3, per_word=2, hop=1)


def placed(places, on):
    robot = ms.load_robot("chain:3:1")
    made = ms.load_scheme("wong-mesh").plan(robot, default_state(robot))
    return made.placed(on or Network(made.topology), {node: places(node) for node in made.topology})


def test_a_processor_and_a_wire_for_each():
    plan = placed(lambda node: node, None)
    found, inexact = _slopes(plan.run(EACH), plan)
    assert found["startup"].up > 0
    assert not inexact


def test_programs_that_share_a_processor():
    plan = placed(lambda _: 1, Network(pipeline(1)))
    run = plan.run(EACH)
    found, inexact = _slopes(run, plan)
    assert not found
    assert inexact == "(0,0) and (0,1) share processor 1, and whose turn it is depends on times"
    report = replace(ms.run("chain:3:1", "wong-mesh", EACH), slopes=found, inexact=inexact)
    assert f"sensitivities are not computed: {inexact}" in report.as_text()
