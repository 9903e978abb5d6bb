"""meshsim: robot-dynamics algorithms on networks of processors, with real numbers and exact times.

>>> import meshsim as ms
>>> ms.run("puma600", "wong-mesh", "t800").time_us

All that the command line does is here by the same names. Names are imported when they are first used.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from meshsim.compiled import prefer

if TYPE_CHECKING:
    from meshsim.algorithms.robots.catalogue import load_robot as load_robot
    from meshsim.algorithms.robots.mechanism import Mechanism as Mechanism
    from meshsim.algorithms.robots.state import State as State
    from meshsim.algorithms.schemes.base.scheme import Scheme as Scheme
    from meshsim.algorithms.schemes.catalogue import load_scheme as load_scheme
    from meshsim.algorithms.solvers.base import Solver as Solver
    from meshsim.counted import kernel as kernel
    from meshsim.errors import MeshSimError as MeshSimError
    from meshsim.experiments.front.accuracy import accuracy as accuracy
    from meshsim.experiments.front.bench import bench as bench
    from meshsim.experiments.front.best import best as best
    from meshsim.experiments.front.compare import compare as compare
    from meshsim.experiments.front.compile import compile as compile
    from meshsim.experiments.front.example import example as example
    from meshsim.experiments.front.explain import explain as explain
    from meshsim.experiments.front.inverse import inverse as inverse
    from meshsim.experiments.front.listing import listing as listing
    from meshsim.experiments.front.look import look as look
    from meshsim.experiments.front.place import place as place
    from meshsim.experiments.front.realtime import realtime as realtime
    from meshsim.experiments.front.register import register as register
    from meshsim.experiments.front.reproduce import reproduce as reproduce
    from meshsim.experiments.front.resolve import load_machine as load_machine
    from meshsim.experiments.front.run import run as run
    from meshsim.experiments.front.simulate import simulate as simulate
    from meshsim.experiments.front.solve import solve as solve
    from meshsim.experiments.front.solvers import solvers as solvers
    from meshsim.experiments.front.stream import stream as stream
    from meshsim.experiments.front.sweep import sweep as sweep
    from meshsim.machine import LinkCosts as LinkCosts
    from meshsim.machine import Machine as Machine
    from meshsim.network import Network as Network
    from meshsim.plan import Plan as Plan
    from meshsim.program import Cpu as Cpu
    from meshsim.program import Steps as Steps
    from meshsim.recording import record as record
    from meshsim.retiming import retime as retime
    from meshsim.topologies.named import load_network as load_network
    from meshsim.version import __version__ as __version__

_FRONT = (
    "accuracy",
    "bench",
    "best",
    "compare",
    "compile",
    "example",
    "explain",
    "inverse",
    "listing",
    "look",
    "place",
    "realtime",
    "register",
    "reproduce",
    "run",
    "simulate",
)
_MODULES = {
    **{name: f"meshsim.experiments.front.{name}" for name in (*_FRONT, "solve", "solvers", "stream", "sweep")},
    "Cpu": "meshsim.program",
    "LinkCosts": "meshsim.machine",
    "Machine": "meshsim.machine",
    "Mechanism": "meshsim.algorithms.robots.mechanism",
    "MeshSimError": "meshsim.errors",
    "Network": "meshsim.network",
    "Plan": "meshsim.plan",
    "Scheme": "meshsim.algorithms.schemes.base.scheme",
    "Solver": "meshsim.algorithms.solvers.base",
    "State": "meshsim.algorithms.robots.state",
    "Steps": "meshsim.program",
    "__version__": "meshsim.version",
    "kernel": "meshsim.counted",
    "load_machine": "meshsim.experiments.front.resolve",
    "load_network": "meshsim.topologies.named",
    "load_robot": "meshsim.algorithms.robots.catalogue",
    "load_scheme": "meshsim.algorithms.schemes.catalogue",
    "record": "meshsim.recording",
    "retime": "meshsim.retiming",
}
"""Where each name comes from; the block above says the same to type checkers, and a test holds the two together."""


prefer(__path__)

if not TYPE_CHECKING:  # to a type checker there is nothing but the names above

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module 'meshsim' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


if "IPython" in sys.modules:  # a notebook, which is told how to show what is no result
    import_module("meshsim.experiments.pages.display").tell_notebook()
