"""`meshsim example` in Python."""

from importlib.resources import files
from os import PathLike, fspath

from meshsim.errors import MeshSimError
from meshsim.experiments.reports.examples import CopyReport, Example, ExamplesReport
from meshsim.experiments.store.files import check_writable, whole_file
from meshsim.experiments.store.folders import out_folder

EXAMPLES: dict[str, Example] = {
    "ur5": Example(
        "a real arm as URDF",
        ("ur5.urdf",),
        "meshsim best --robot ur5.urdf --machine t800 --rate 1kHz",
    ),
    "arm": Example(
        "a robot as URDF, and a state by joint name",
        ("arm.urdf", "state.json"),
        "meshsim run wong-mesh --robot arm.urdf --state state.json --machine t800",
    ),
    "motion": Example(
        "a motion of a robot: positions, rates and accelerations by joint name",
        ("motion.csv", "arm.urdf"),
        "meshsim inverse one-saha --robot arm.urdf --machine t800 --profile motion.csv",
    ),
    "crane": Example(
        "a robot as TOML: joints that slide, swing two ways and turn",
        ("crane.toml",),
        "meshsim run one-wong --robot crane.toml --machine t800",
    ),
    "fourbar": Example(
        "a mechanism with a loop, as TOML",
        ("fourbar.toml",),
        "meshsim run projection --robot fourbar.toml --machine t800",
    ),
    "fivebar": Example(
        "a loop added to a URDF file",
        ("fivebar.toml", "fivebar.urdf"),
        "meshsim run projection --robot fivebar.toml --machine t800",
    ),
    "mjcf": Example(
        "a mechanism with a loop, as MJCF (needs the extra mjcf)",
        ("fourbar.xml",),
        "meshsim run projection --robot fourbar.xml --machine t800",
    ),
    "machine": Example(
        "a machine of your own, with every key",
        ("machine.toml",),
        "meshsim run wong-mesh --robot puma600 --machine machine.toml",
    ),
    "boards": Example(
        "a network as node-link JSON: two boards of four processors, with a slow bridge between them",
        ("boards.json",),
        "meshsim run wong-mesh --robot puma600 --machine t800 --network boards.json",
    ),
    "links": Example(
        "a sweep over link costs: who wins where, mesh or cubes",
        ("links.toml",),
        "meshsim sweep links.toml",
    ),
    "buffers": Example(
        "a sweep over buffers: what deeper ones buy as links get slower",
        ("buffers.toml",),
        "meshsim sweep buffers.toml",
    ),
    "latin": Example(
        "a sweep over a Latin hypercube of six costs",
        ("latin.toml", "arm.urdf"),
        "meshsim sweep latin.toml",
    ),
    "doubling": Example(
        "programs of your own: running sums by recursive doubling, for any network of 16 processors",
        ("doubling.py", "odd.json"),
        "meshsim solve doubling.py:DOUBLING --system odd.json --machine t800 --network pipeline:16 --placement blocks",
    ),
    "folded": Example(
        "a sweep on a network that is not the schemes' own: what switches between programs cost",
        ("folded.toml", "boards.json"),
        "meshsim sweep folded.toml",
    ),
}


def example(
    name: str | None = None, out: str | PathLike[str] = ".", force: bool = False
) -> ExamplesReport | CopyReport:
    """List the example files, or copy one, with what it needs, into a folder: all its files or none.

    Parameters
    ----------
    name : str, optional
        Which to copy; by default none.
    out : str or path
        The folder to copy to.
    force : bool
        Write over files that are there.

    Returns
    -------
    ExamplesReport or CopyReport
        The list; or the files that were copied, and a command to try.
    """
    if name is None:
        return ExamplesReport(EXAMPLES)
    if name not in EXAMPLES:
        raise MeshSimError(f"unknown example {name!r}; known: {', '.join(EXAMPLES)}")
    source, folder = files("meshsim") / "examples", out_folder(out)
    texts = {folder / each: (source / each).read_bytes() for each in EXAMPLES[name].files}
    for target, text in texts.items():
        check_writable(target)
        if target.exists() and target.read_bytes() != text and not force:
            raise MeshSimError(f"{target} must be the example's own or not be there; --force writes over it")
    for target, text in texts.items():
        with whole_file(target) as temporary:
            temporary.write_bytes(text)
    return CopyReport(fspath(out), list(map(str, texts)), EXAMPLES[name].command)
