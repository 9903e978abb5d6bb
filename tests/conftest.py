"""What all tests run in."""

import gc
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("MESHSIM_PURE", "1")  # the Python modules are the truth: they are what is tested
settings.register_profile("untimed", deadline=None)  # no test fails because other work takes the processor
settings.load_profile("untimed")


def pytest_configure():
    """Let interrupts through: a shell ignores them for what it starts in the background, and children inherit that.

    A page is of usual width, whatever the terminal is that tests are started from. The garbage collector walks what
    lives long less often than usual: that takes an eighth of the time.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["COLUMNS"] = "120"
    gc.set_threshold(5000, 10, 50)


LONGEST = ("test_exhibits", "test_sweep", "test_cli", "test_loops", "test_installed", "test_loop_stepping")
"""Files that take long: begun first, so that no process waits for one of them at the end."""


@pytest.hookimpl(tryfirst=True)  # before slow ones are left out
def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.stem not in LONGEST)
    met = Counter()
    for item in items:
        if (mark := item.get_closest_marker("sampled")) is not None:
            place, (every,) = (item.path, item.originalname), mark.args
            if met[place] % every:
                item.add_marker("slow")
            met[place] += 1


def pytest_collection_finish():
    """Modules and tests live to the end: the garbage collector need not walk them again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_users_files():
    """What a test took from a user's file is forgotten: results that are kept depend on it."""
    from meshsim.catalogue import FILES

    before = dict(FILES)
    yield
    FILES.clear()
    FILES.update(before)


@pytest.fixture(scope="module", params=["numpy", "compiled"])
def both_ways(request):
    """Re-timing by numpy and by a compiled loop, however little there is to do."""
    from meshsim import lanes

    if request.param == "compiled":
        pytest.importorskip("numba", reason="numba is not installed: nothing is compiled (pip install meshsim[fast])")
    worth, lanes.WORTH = lanes.WORTH, {"numpy": 2**62, "compiled": 0}[request.param]
    yield
    lanes.WORTH = worth


@pytest.fixture
def forgotten():
    """What a test registers or declares is gone after it."""
    from meshsim.algorithms.kernels.catalogue import KERNELS
    from meshsim.experiments.front.register import CATALOGUES

    kept = [*(catalogue.added for catalogue in CATALOGUES.values()), KERNELS]
    before = [dict(each) for each in kept]
    yield
    for each, known in zip(kept, before, strict=True):
        each.clear()
        each.update(known)


@pytest.fixture(autouse=True)
def sketches(request, monkeypatch):
    """Pictures and animations are made, but neither laid out nor drawn, unless a test asks for them `in_full`.

    What a fixture of a module or of all draws, it draws in full.
    """
    if "in_full" in request.fixturenames:
        return
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from meshsim.experiments.figures import animation, saving

    monkeypatch.setattr(saving, "as_given", lambda _figure: None)
    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", lambda _engine, _figure: None)
    monkeypatch.setattr(Figure, "savefig", lambda _figure, path, **_: Path(path).touch())
    monkeypatch.setattr(animation, "save_animation", lambda _run, _title, path, _frames: Path(path).touch())


@pytest.fixture
def in_full():
    """Pictures are laid out and drawn."""
