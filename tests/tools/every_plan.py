"""Every scheme, solver and motion of ours, with loops and without, as a small plan, for tests that run them all.

Each is a label and a function that makes the plan. That function is given another one, which every number goes through
that the plan begins with: `float`, or what a test makes of them.
"""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
from tools.loop_mechanisms import SPACE, random_state
from tools.loops import Stepping, Task
from tools.loops import moving as moving_sites
from tools.random_robot import random_parts
from tools.schemes import CHAINS

from meshsim.algorithms.kernels.actuator import Drive, DryFriction
from meshsim.algorithms.motion.excavator_control import ACTUATORS, MODES, START, ExcavatorControl
from meshsim.algorithms.motion.motion import Feedback, Motion
from meshsim.algorithms.motion.pace import moving
from meshsim.algorithms.robots.body import Tie
from meshsim.algorithms.robots.catalogue import chain, excavator, load_robot
from meshsim.algorithms.robots.closure import assemble, consistent_rates
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.robots.tree import build
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.inverse import INVERSES
from meshsim.algorithms.schemes.loops.mesh_host import LoopHost
from meshsim.algorithms.schemes.loops.mesh_loops import OF_TREE, OPTIONS
from meshsim.algorithms.schemes.loops.mesh_small import small_plan
from meshsim.algorithms.schemes.loops.mesh_tree import tree_plan
from meshsim.algorithms.schemes.loops.method import Settings, evaluation
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.algorithms.schemes.loops.projection import TECHNIQUES
from meshsim.algorithms.solvers.catalogue import SOLVERS, symmetric_system
from meshsim.errors import MeshSimError
from meshsim.experiments.studies.bench.systolic import systolic_plan
from meshsim.plan import Plan

CHAIN = chain(4, 3)
MIXED = Mechanism(
    "mixed", tuple(replace(body, kind=("prismatic", "revolute")[i % 2]) for i, body in enumerate(CHAIN.bodies))
)
TREE = build("tree", *random_parts(5, 3))
TIED = Mechanism("tied", (*CHAIN.bodies[:2], replace(CHAIN.bodies[2], tie=Tie(0, -2.0, 0.3)), CHAIN.bodies[3]))
ROBOTS = TREE, MIXED, CHAIN, TIED
LOOPS = {name: load_robot(name) for name in ("3rrr", "3prr")}
STEWART = load_robot("stewart")
IN_SPACE = [SPACE[name] for name in ("within one tree", "welded to the ground")]


def every_plan():
    """All of them."""
    yield from schemes()
    yield from motions()
    yield from solvers()
    yield from methods()
    yield from inverses()
    yield from open_inverses()
    yield from meshes()
    yield "systolic array of the bench", lambda _: systolic_plan(3)


def labelled(*words, **options):
    return ", ".join([*map(str, words), *(f"{key}={value}" for key, value in options.items())])


def every_option(options):
    """The defaults, then every other value of each option with the others' defaults."""
    defaults = {name: values[0] for name, values in options.items()}
    yield defaults
    for name, values in options.items():
        for value in values[1:]:
            yield defaults | {name: value}


# Open mechanisms


def state_of(mechanism, number):
    n = len(mechanism.joints)
    draw = np.random.default_rng(n).uniform(-1.0, 1.0, (3, n)).tolist()
    return State(*(tuple(map(number, values)) for values in draw))


def driven_state(number):
    """The excavator's, whose torques are computed."""
    drives = [Drive(each, number(0.025), number(0.6 * each.supply), number(0.4 * each.supply)) for each in ACTUATORS]
    return replace(state_of(excavator(), number), drives=tuple(drives))


def fits(scheme, robot, options):
    """Whether a scheme takes a robot with these options: some are for chains, or for more bodies."""
    try:
        scheme.evaluation(robot, **options)
    except MeshSimError:
        return False
    return True


def schemes():
    for scheme in CHAINS.values():
        for options in every_option(scheme.options):
            robots = [robot for robot in ROBOTS if fits(scheme, robot, options)]
            for robot in robots if options == scheme.choose({}) else robots[:1]:
                make = lambda number, scheme=scheme, robot=robot, options=options: scheme.plan(  # noqa: E731
                    robot, state_of(robot, number), **options
                )
                yield labelled(scheme.name, robot.name, **options), make
        make = lambda number, scheme=scheme: scheme.plan(excavator(), driven_state(number))  # noqa: E731
        yield labelled(scheme.name, "driven"), make


MOVED = ("wong-mesh", "dca", "one-wong")
"""Schemes that are moved in all ways; what moves the others is the same."""


def motions():
    for scheme in CHAINS.values():
        some = scheme.name not in MOVED
        for order in (2,) if some else (1, 2, 4):
            yield labelled(scheme.name, "motion", order=order), partial(motion_plan, scheme, order)
        modes = MODES if scheme.evaluation(excavator()).gathering else ()  # without, commands come nowhere
        for mode in modes[:1] if some else modes:
            yield labelled(scheme.name, "control", mode), partial(control_plan, scheme, mode)
        if not some:
            yield labelled(scheme.name, "motion", "dry friction"), partial(sticking_plan, scheme)


def motion_plan(scheme, order, number):
    motion = Motion(CHAIN, state_of(CHAIN, number), 0.001, 2, order, friction=(0.3,) * CHAIN.n)
    return moving(scheme.evaluation(CHAIN), motion)


def sticking_plan(scheme, number):
    """Joints that slide at first, then stick."""
    dry = (DryFriction(2.0, 3.0, 90.0, 20.0, 0.5), DryFriction(900.0, 900.0, 90.0, 20.0)) * 2
    return moving(scheme.evaluation(CHAIN), Motion(CHAIN, state_of(CHAIN, number), 0.001, 3, dry_friction=dry))


def control_plan(scheme, mode, number):
    robot, h = excavator(), 0.01
    start = State(tuple(map(number, START)), tuple(map(number, (0.0,) * robot.n)), (0.0,) * robot.n)
    motion = Motion(robot, start, h, 3, actuators=ACTUATORS, control=ExcavatorControl(mode, h))
    return moving(scheme.evaluation(robot), motion)


# Solvers


def solvers():
    for solver in SOLVERS.values():
        for n in (1, 2, 5):
            yield labelled(solver.name, n=n), partial(solver_plan, solver, n)


def solver_plan(solver, n, number):
    """As the solver itself makes it, which takes arrays of floats alone."""
    A, b = symmetric_system(n, n)
    array = solver.array(n)
    programs = dict(array.cells)
    for node, column in zip(array.edges, [*A.T.tolist(), b.tolist()], strict=True):
        programs[node] = partial(array.cells[node], row=list(map(number, column)))
    return Plan(array.topology, programs, lambda results: results[array.output])


# Mechanisms with loops


def moving_state(mechanism):
    """Positions, and rates that the loops allow."""
    q = assemble(mechanism)
    return q, consistent_rates(mechanism, q, np.linspace(0.3, 0.5, len(mechanism.actuated)))


def methods():
    for method in METHODS.values():
        given = [(mechanism, moving_state(mechanism)) for mechanism in LOOPS.values()]
        if method.name == "denoc":  # which takes legs and a platform
            given.append((STEWART, moving_state(STEWART)))
        elif method.name != "elimination":  # which is for a plane
            given += [(mechanism, random_state(mechanism, 5)) for mechanism in IN_SPACE]
        for network, distribution in product(method.layouts, method.distributions):
            for technique in TECHNIQUES if method.name == "projection" else TECHNIQUES[:1]:
                settings = Settings(k=120.0, d=3.0, distribution=distribution, technique=technique)
                for mechanism, at in given:
                    label = labelled(method.name, mechanism.name, network, distribution, technique)
                    yield label, partial(method_plan, method, mechanism, at, network, settings)
            for mechanism in LOOPS.values() if method.name == "denoc" else ():
                settings = Settings(distribution=distribution, recursion="paper")
                label = labelled(method.name, mechanism.name, network, "paper")
                yield label, partial(method_plan, method, mechanism, moving_state(mechanism), network, settings)
            settings = Settings(k=120.0, d=3.0, distribution=distribution)
            if network != "complete":  # whose programs are those of the star
                label = labelled(method.name, "motion", network, distribution)
                yield label, partial(method_motion, method, network, settings, Stepping(h=0.001))
            unknown = distribution == "held" or (method.keeps_all_rates and distribution == "full")
            if network == "star" and not unknown:
                label = labelled(method.name, "adaptive motion", network, distribution)
                yield label, partial(method_motion, method, network, settings, Stepping())


def method_plan(method, mechanism, at, network, settings, number):
    places = method.places(mechanism, network, settings, at[0])
    states, torques = method.begin(places, *at), method.torques(places, [0.5] * mechanism.n)
    followed = [[tuple(map(number, values)) for values in some] for some in (states, torques)]
    return evaluation(method, places, *followed)


def method_motion(method, network, settings, stepping, _number):
    mechanism = LOOPS["3rrr"]
    q, qd = moving_state(mechanism)
    feedback = Feedback(3.0, 0.2, lambda _t: (q[list(mechanism.actuated)], np.ones(3)))
    if method.name == "elimination":  # which knows no angles of the driven joints here
        feedback = None
    task = Task(mechanism, q, qd, lambda _: (0.1, 0.2, 0.3), 0.002, feedback)
    return moving_sites(method, method.places(mechanism, network, settings, q), task, stepping)


def inverses():
    for inverse in INVERSES.values():
        for mechanism, network in product(LOOPS.values(), inverse.layouts):
            for reacting in (False, True) if inverse.reactions else (False,):
                label = labelled(inverse.name, mechanism.name, network, *(["reactions"] if reacting else []))
                yield label, partial(inverse_plan, inverse, mechanism, network, reacting, {})
    for mechanism, network in product(LOOPS.values(), INVERSES["denoc"].layouts):
        label = labelled("denoc", mechanism.name, network, recursion="paper")
        yield label, partial(inverse_plan, INVERSES["denoc"], mechanism, network, False, {"recursion": "paper"})
    yield "denoc, stewart, star", partial(inverse_plan, INVERSES["denoc"], STEWART, "star", False, {})


def inverse_plan(inverse, mechanism, network, reacting, options, number):
    q, qd = moving_state(mechanism)
    number = float if inverse.name == "denoc" else number  # whose joints at the platform are found off line
    motion = [np.array(list(map(number, values.tolist()))) for values in (q, qd, 0.5 * qd)]
    return inverse.plan(mechanism, network, motion, reacting, **options)


def open_inverses():
    """Torques of mechanisms without loops."""
    for scheme in SCHEMES.values():
        if scheme.inverse is None or scheme.wants:
            continue
        robots = [robot for robot in ROBOTS if scheme.takes.issuperset(robot.needs)]
        for options in every_option({name: scheme.options[name] for name in scheme.inverse_settings({})}):
            for robot in robots if options == scheme.inverse_settings({}) else robots[:1]:
                yield (
                    labelled(scheme.name, robot.name, "torques", **options),
                    partial(torque_plan, scheme, robot, options, False),
                )
        for robot in robots if scheme.inversion(robots[0]).with_reactions() else ():
            yield labelled(scheme.name, robot.name, "reactions"), partial(torque_plan, scheme, robot, {}, True)


def torque_plan(scheme, robot, options, reacting, number):
    state = state_of(robot, number)
    inversion = scheme.inversion(robot, **options)
    found = inversion.with_reactions() if reacting else inversion
    return found.plan(*(np.array(values) for values in (state.q, state.qd, state.tau)))


def meshes():
    for options in every_option(OPTIONS):
        if options["variant"] == "tree" or all(options[name] == OPTIONS[name][0] for name in OF_TREE):
            yield labelled("wong-mesh-loops", **options), partial(mesh_plan, options)


def mesh_plan(options, number):
    """As `mesh_loops_plan` makes it, which takes arrays of floats alone."""
    mechanism = LOOPS["3prr"]
    q, qd = (list(map(number, values.tolist())) for values in moving_state(mechanism))
    tau = [number(0.5)] * mechanism.n
    host = LoopHost.of(mechanism, q, qd, options["rates"] == "sent")
    return small_plan(host, tau) if options["variant"] == "small" else tree_plan(host, tau, options)
