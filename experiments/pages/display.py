"""What a notebook shows of a network, of a machine and of a page. Results say themselves what it shows of them."""

import sys
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshsim.machine import Machine
    from meshsim.network import Network


class Shown:
    """A page in the cell of a notebook."""

    def __init__(self, html: str, height: int) -> None:
        self.html = html
        self.height = height

    def _repr_html_(self) -> str:
        """The page in a frame of its own, which may run its scripts and hand out files, and nothing else."""
        frame = f'sandbox="allow-scripts allow-downloads" width="100%" height="{self.height}" style="border: 0"'
        return f'<iframe srcdoc="{escape(self.html)}" {frame}></iframe>'


def tell_notebook() -> None:
    """Have IPython show networks and machines; by name, so that neither is imported before one is shown."""
    shell = sys.modules["IPython"].get_ipython()
    if shell is not None:
        as_html = shell.display_formatter.formatters["text/html"]
        as_html.for_type_by_name("meshsim.network", "Network", network_html)
        as_html.for_type_by_name("meshsim.machine", "Machine", machine_html)


def network_html(network: "Network") -> str:
    """A line of what it is, and a drawing."""
    from meshsim.experiments.pages.drawing import network_svg  # here: it needs matplotlib, which is slow to import

    switches = sum(network.is_switch(node) for node in network.graph)
    what = [f"{len(network.processors)} processors", f"{network.graph.number_of_edges()} links"]
    what += [f"{switches} switch elements"] if switches else []
    what += [f"{len(network.dead)} dead"] if network.dead else []
    return (
        f"<div>{escape(network.name)}: {', '.join(what)}; {escape(network.routing)} routing</div>{network_svg(network)}"
    )


def machine_html(machine: "Machine") -> str:
    """Its costs in ticks and microseconds."""
    links = machine.links
    costs = {
        **machine.operations,
        "kernel call": machine.kernel_overhead,
        "start of a message": links.startup,
        "word of a message": links.per_word,
        "set-up": links.setup,
        "receive": links.receive,
        "hop": links.hop,
        "switch of programs": machine.switch,
    }
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{ticks}</td><td>{machine.microseconds(ticks):.{machine.decimals}f}</td></tr>"
        for name, ticks in costs.items()
        if ticks
    )
    about = f"{machine.name}: a tick is {machine.tick_ns:g} ns; messages are {links.discipline}"
    head = "<tr><th></th><th>ticks</th><th>us</th></tr>"
    measured = f"<p>and {len(machine.kernels)} kernels with times of their own</p>" if machine.kernels else ""
    text = f"<p>{escape(machine.description)}</p>" if machine.description else ""
    return f"<table><caption>{escape(about)}</caption>{head}{rows}</table>{measured}{text}"
