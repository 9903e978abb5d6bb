"""Saha's arms as printed and as meant, against motions made with other tools."""

import numpy as np
import pytest
from tools.motion import oracle

from meshsim.experiments.exhibits.base.saha_arms import PUMA, STANFORD, fall, torques

CASES = {
    "saha_puma_corrected": PUMA["Table 3, m_2 and b_6 corrected"],
    "saha_puma_as_printed": PUMA["Table 3 as printed"],
    "saha_stanford": STANFORD["theta_2(0) = pi/2, as in sec. 2.5.2"],
    "saha_stanford_theta2_0_as_in_table4": STANFORD["theta_2(0) = 0, as in Table 4"],
}


def test_every_reading_is_known():
    assert {*CASES.values()} == {*PUMA.values(), *STANFORD.values()}


@pytest.mark.parametrize("seconds", [0.2, pytest.param(1.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_free_fall(name, seconds):
    """Fourth-order steps of 0.001 s leave less than 1e-7 rad, where joints go round at up to 30 rad/s."""
    known, moved = oracle("saha_trajectories")[name]["freefall"], fall(CASES[name], seconds)
    until = [k for k, t in enumerate(known["t"]) if t <= seconds + 1e-9]
    rows = [round(known["t"][k] / 0.001) for k in until]
    assert len(until) > 1
    assert moved.t[rows] == pytest.approx([known["t"][k] for k in until], abs=1e-12)
    assert moved.q[rows] == pytest.approx(np.array(known["q"])[until], abs=1e-7)
    assert moved.qd[rows] == pytest.approx(np.array(known["qd"])[until], abs=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_torques_along_the_profile(name):
    known, (t, tau) = oracle("saha_trajectories")[name], torques(CASES[name])
    rows = [int(np.abs(t - each).argmin()) for each in known["t"]]
    assert tau[rows] == pytest.approx(np.array(known["tau"]), abs=1e-8, rel=1e-12)


def test_readings_differ():
    for cases in (PUMA, STANFORD):
        first, second = (torques(case)[1] for case in cases.values())
        assert np.abs(first - second).max() > 1e-2
