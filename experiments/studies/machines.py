"""Machines as users name them, with the kernels they price checked against those that exist."""

from meshsim.algorithms.kernels.catalogue import KERNELS
from meshsim.errors import MeshSimError
from meshsim.machine import Machine
from meshsim.presets import load_machine


def known_machine(text: str) -> Machine:
    """A preset or a TOML file whose measured kernels all exist."""
    machine = load_machine(text)
    for name in machine.kernels:
        if name not in KERNELS:
            raise MeshSimError(f"unknown kernel {name!r} in [kernels] of {text}; known: {', '.join(sorted(KERNELS))}")
    return machine
