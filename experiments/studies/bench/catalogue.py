"""What can be measured, by name."""

from functools import partial

from meshsim.experiments.studies.bench.arithmetic import written
from meshsim.experiments.studies.bench.compiled_arithmetic import (
    articulated_bodies,
    call_of_loops,
    call_of_tree,
    whole_step,
)
from meshsim.experiments.studies.bench.growth import growth, memory
from meshsim.experiments.studies.bench.measuring import Bench
from meshsim.experiments.studies.bench.mesh import mesh, placed
from meshsim.experiments.studies.bench.peers.running import peers
from meshsim.experiments.studies.bench.retiming import large_retiming, retiming
from meshsim.experiments.studies.bench.systolic import systolic
from meshsim.experiments.studies.core import core

BENCHES = {
    "systolic": Bench(
        "Messages per second on a systolic array of K rows and columns that multiplies matrices, one float a message; "
        "`ratio` is that over the same array in SimPy as it is usually written.",
        {f"systolic {size}": partial(systolic, size) for size in (8, 32, 48)},
    ),
    "mesh": Bench(
        "A step of forward dynamics of a chain of n joints on the triangular mesh.",
        {f"mesh {n}": partial(mesh, n) for n in (16, 32)},
    ),
    "placed": Bench(
        "How much longer a step of 12 joints takes to simulate on networks that are not its own: `ratio`.",
        {"placed": placed},
    ),
    "retime": Bench(
        "A step of 32 joints, recorded and re-timed for thousands of machines of all disciplines; `ratio` is over "
        "simulating it for each, `plain_ratio` over doing so in plain SimPy, `numpy_plain_ratio` the same without the "
        "extra `fast`. Of 64 joints, re-timing alone, for hundreds of machines with one schedule; `record_ratio` is "
        "recording over simulating.",
        {"retime 32": retiming, "retime 64": large_retiming},
    ),
    "written": Bench(
        "The numbers of one evaluation on the PUMA, written out as one function in Python; `ratio` is over the same "
        "with calls of kernels, `simulated_ratio` over simulating it. Compiled, over Python: a call "
        "(`compiled_ratio`), of mechanisms with loops as well, and a whole step of a motion (`step_ratio`). Beside "
        "them, Pinocchio's articulated bodies on one core.",
        {
            **{f"written {scheme}": partial(written, scheme) for scheme in ("wong-mesh", "one-wong")},
            **{f"written {each} compiled": partial(call_of_tree, each) for each in ("wong-mesh", "one-featherstone")},
            **{f"written {name} compiled": partial(call_of_loops, name) for name in ("3rrr", "stewart")},
            "written step": whole_step,
            "written pinocchio": articulated_bodies,
        },
    ),
    "growth": Bench(
        "Time and memory against the joints of a chain on the triangular mesh: simulating a step, the same traced, "
        "recording it, making its schedule, and re-timing it for 256 machines. Exponents are fitted from 16 joints on.",
        {"growth": growth},
    ),
    "memory": Bench(
        "By how much memory grows at most during a run, for each of its messages.",
        {
            f"memory {what}": partial(memory, what, stage, size)
            for what, stage, size in (
                ("systolic-48", "systolic", 48),
                ("systolic-48-traced", "systolic traced", 48),
                ("mesh-128-traced", "traced", 128),
                ("mesh-200", "engine", 200),
            )
        },
    ),
    "peers": Bench(
        "The systolic array in other simulators, where they are installed: messages per second, and how many times as "
        "many `meshsim` passes. SimGrid computes the same numbers and ends at the same tick; reading its platform is "
        "not counted. LogGOPSim computes no numbers.",
        {"peers": peers},
    ),
}
CORES = {
    "core": Bench(
        "Articulated bodies by Pinocchio on one core of this computer, and what an operation then costs.",
        {"core": core},
    ),
}
"""They measure the computer, not the simulator, and need Pinocchio: not measured unless told."""
