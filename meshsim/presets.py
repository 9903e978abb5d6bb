"""Machines by name. Every number has its source beside it; what has none is called an assumption.

Sections and tables are of Wong's thesis unless said otherwise.
"""

from dataclasses import replace
from os.path import isfile

from meshsim.catalogue import Catalogue, instances
from meshsim.errors import MeshSimError
from meshsim.machine import LinkCosts, LocalCosts, Machine, read_machine

_IDEAL = Machine(
    name="ideal",
    tick_ns=500,
    operations={
        "mul": 2,  # 1 us, sec. 3.5.1
        "add": 1,  # half a multiply, sec. 4.7.5
        "div": 2,  # as a multiply, sec. 4.5.1
        "sqrt": 2,  # assumption: as a multiply; the thesis gives none
        "sincos": 0,  # left out of the counts, sec. 4.2
    },
    links=LinkCosts("free"),  # "solely on computational costs", sec. 4.7
    description="The counting assumption of the thesis's sec. 4.7 and Table 4.8: multiply 1 us, add 0.5 us, "
    "words free. Assumption: a square root costs as a multiply.",
)

_T800 = Machine(
    name="t800",
    tick_ns=100,
    operations={
        "mul": 10,  # 1 us, sec. 3.5.1
        "add": 5,  # 0.5 us, sec. 3.5.1
        "div": 10,  # as a multiply, sec. 4.5.1
        "sqrt": 20,  # assumption: two multiplies
        "sincos": 140,  # 7 us each of sine and cosine, sec. 3.5.1: only 14 us a joint gives its 2.02 ms
    },
    # Links carry 1.7 MB/s one way (netlib, machines/fpst.tex): about 2.3 us a 32-bit word. Three words take
    # about 12 us (sec. 4.2): 5.1 us are left for the start-up.
    # A T800 has no router: on a network that is not a program's own its processors forward messages. Assumption: the
    # processor spends as much on one as a switch takes.
    links=LinkCosts("rendezvous", startup=51, per_word=23, duplex="full", routing="processor", hop=10),
    switch=10,  # 1 us: "process context switching time can be as little as one microsecond" (classiccmp.org/transputer)
    # Assumptions: a message between programs of one processor is a copy in memory on the chip, which takes a cycle an
    # access (data sheets of the family, "Memory"), at 20 MHz: two cycles of 50 ns a word, to read and to write it. It
    # begins with as much as a switch takes.
    local=LocalCosts(startup=10, per_word=1),
    description="Inmos T800 by the thesis's operation times (sec. 3.5.1), communication not overlapped "
    "(sec. 5.5.1). Assumption: a square root costs two multiplies.",
)

_T800_OVERLAP = replace(
    _T800,
    name="t800-overlap",
    # Assumptions: setting up a transfer is hidden (sec. 4.2 assumes so and doubts it), one message of buffer.
    links=replace(_T800.links, discipline="overlap", setup=0, buffers=1),
    description="As t800, with communication hidden behind arithmetic as the thesis's sec. 4.2 assumes. "
    "Assumptions: set-up costs nothing, one buffer a channel, at the receiver; a square root costs two multiplies.",
)

_T800_POSTED = replace(
    _T800_OVERLAP,
    name="t800-posted",
    # A transputer's link moves words from memory to memory: nothing holds a message before its receiver has asked.
    links=replace(_T800_OVERLAP.links, discipline="posted"),
    description="As t800-overlap, without a buffer at the receiver: a transfer begins when the receiver has asked, as "
    "on the transputer's links, which move words between memories. Assumptions: set-up and receiving cost nothing, one "
    "buffer a channel, at the sender; a square root costs two multiplies.",
)

_T800_MEASURED = Machine(
    name="t800-measured",
    tick_ns=50,
    # A matrix-vector product, 12 us in theory, took 14 us as an expression in plain variables, 56 us with computed
    # indices in a subroutine, and 9 us to call that (sec. 5.5.1). Assumption: a kernel on vectors that Table 5.5 does
    # not list slows down by the same 56/12, taken as 4.7, and pays the same call.
    operations={
        "mul": 94,  # 4.7 us
        "add": 47,  # 2.35 us
        "div": 94,  # as a multiply, sec. 4.5.1
        "sqrt": 188,  # assumption: two multiplies
        "sincos": 280,  # 14 us
    },
    links=LinkCosts("rendezvous", startup=102, per_word=46, duplex="full", routing="processor", hop=20),  # as t800
    switch=20,  # 1 us, as t800
    local=LocalCosts(startup=20, per_word=2),  # assumptions, as t800
    kernel_overhead=180,  # 9 us
    kernels={  # Table 5.5
        "add_vectors": 360,  # 18 us
        "subtract_vectors": 360,  # 18 us
        "matvec": 1260,  # 63 us
        "rotate": 1300,  # 65 us, its A c
        "rotate_twist": 1300,  # 65 us: the same product in the thesis's general subroutine
        # Print has 14 us for the cross product and 34 us for the scaling: taken as swapped, since
        # in theory they are 7.5 and 3 us.
        "cross": 680,  # 34 us
        "scale": 280,  # 14 us
        "sine_cosine": 280,  # 14 us, sec. 3.5.1; assumption: a library routine, its call included
        # Numbers in plain variables, as the solver's cells have them (eq. 4.30), are expressions in no subroutine:
        # a multiply takes 1.15 us and an add 0.6 us, which makes the 14 us above.
        "pass_on": 0,
        "add": 12,
        "subtract": 12,
        "axpy": 35,
        "negative_ratio": 23,
        # Assumption: a one-processor solver is one subroutine on a matrix; its steps have computed indices, no call.
        "subtract_product": 141,
        "ratio": 94,
        "excess": 47,
        "square_root": 188,
    },
    description="Inmos T800 as measured in C (thesis sec. 5.5.1, Table 5.5; its cross product and scaling "
    "are taken as swapped in print). Assumptions: kernels on vectors that it does not list pay a 9 us call and run "
    "4.7 times slower than theory, a one-processor solver's steps the same without the call, single numbers 7/6 "
    "times; a square root costs two multiplies; sine and cosine keep 7 us each.",
)

PRESETS = Catalogue(
    "machine",
    {machine.name: machine for machine in (_IDEAL, _T800, _T800_OVERLAP, _T800_POSTED, _T800_MEASURED)},
    instances(Machine),
)


def load_machine(text: str) -> Machine:
    """Find a machine by what a user typed.

    Parameters
    ----------
    text : str
        The name of a machine that is built in, registered or installed, a path to a TOML file (it ends with
        ``.toml``, or the file exists), or ``file.py:NAME``.

    Returns
    -------
    Machine
        The machine.

    Raises
    ------
    MeshSimError
        If it is none of these; the message lists the names.
    """
    if text not in PRESETS and (text.endswith(".toml") or isfile(text)):
        return read_machine(text)
    machine = PRESETS.find(text)
    if machine is None:
        raise MeshSimError(f"machine must be a .toml file or one of {PRESETS.names}, not {text!r}")
    return machine
