"""A log: its pages change nothing, and what does not fit is refused."""

import pytest
from tools.engine import do, machine, plan, recv, send

from meshsim import log
from meshsim.errors import MeshSimError
from meshsim.log import Log
from meshsim.machine import LARGEST
from meshsim.network import Network
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import retime
from meshsim.topologies.mesh import square_mesh

PLAN = plan({"a": [do(1), send("b")] * 40, "b": [recv("a"), do(2)] * 40})


def test_pages_change_nothing(monkeypatch):
    turned = []
    turn = Log.turn_page
    monkeypatch.setattr(Log, "turn_page", lambda self: turned.append(self) or turn(self))
    for made in (PLAN, PLAN.placed(Network(square_mesh(1, 1)), "blocks", PRESETS["t800"])):
        whole = made.run(PRESETS["t800"])
        rows, accounts = list(whole.trace.rows()), whole.trace.accounts()
        few = len(turned)
        with monkeypatch.context() as patch:
            patch.setattr(log, "PAGE", 7)
            paged = made.run(PRESETS["t800"])
            assert list(paged.trace.rows()) == rows
            assert paged.trace.accounts() == accounts
        assert len(turned) - few > few + 5
        turned.clear()


@pytest.mark.parametrize("sends", [1, 10])
@pytest.mark.parametrize("adds", [10**6, 10**7])
def test_ticks_that_do_not_fit_are_refused(adds, sends):
    """Of one kernel, of one work or of many steps: what is kept in 64 bits does not wrap around."""
    count = 10**7 // adds
    a = [*[do(adds)] * count, send("b")] if sends == 1 else [do(adds), send("b")] * count
    made = plan({"a": a, "b": [recv("a") for step in a if step[0] == "send"]})
    dear = machine("rendezvous", costs={"add": LARGEST})
    assert made.run(dear, trace=False).ticks == 10**7 * LARGEST > 2**63
    with pytest.raises(MeshSimError, match=r"a traced run must end before tick 2\^63"):
        made.run(dear)
    recording, _ = record(made)
    with pytest.raises(MeshSimError, match=r"must stay below 2\^63 ticks"):
        retime(recording, [dear])
