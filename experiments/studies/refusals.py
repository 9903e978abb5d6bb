"""Who takes no part in a comparison or a sweep, and why: a row for each, and sentences for people."""

from collections.abc import Sequence

from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.catalogue import SCHEMES, load_scheme
from meshsim.errors import MeshSimError
from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.baseline import subject

MOST_CASES = 3
"""Of cases that fail for the same reason, so many are named."""


def refusal(robot: str, scheme: str, why: str, case: str | None = None) -> Row:
    """What is told of one; `case` is the machine, network and so on, if it was refused there alone."""
    return {"robot": robot, "scheme": scheme, "case": case, "why": why}


def able(robot: str, names: Sequence[str]) -> tuple[list[Scheme], list[Row]]:
    """The schemes that take a robot, of those named or of all; and a refusal for each that does not."""
    mechanism, state = subject(robot)
    found, refused = [], []
    for scheme in map(load_scheme, names) if names else (each for each in SCHEMES.values() if each.make):
        try:
            scheme.plan(mechanism, state)
        except MeshSimError as error:
            refused.append(refusal(robot, scheme.name, str(error)))
        else:
            found.append(scheme)
    return found, refused


def sentences(refused: Sequence[Row]) -> list[str]:
    """A line for each robot and reason, with the schemes and cases that it holds for."""
    found: dict[tuple[str, str, bool], list[str]] = {}
    for row in refused:
        name = row["scheme"]
        if row["case"] is not None:
            key, who = (row["robot"], row["why"], True), row["case"]
        elif row["why"].startswith(f"{name} "):
            key, who = (row["robot"], row["why"].removeprefix(f"{name} "), False), name
        else:
            key, who = (row["robot"], row["why"], False), ""
        found.setdefault(key, []).append(who)
    return [f"{robot}: {_who(list(dict.fromkeys(who)), failed)}{why}" for (robot, why, failed), who in found.items()]


def _who(names: Sequence[str], failed: bool) -> str:
    if not failed:
        return f"{', '.join(names)} {'each ' if len(names) > 1 else ''}" if any(names) else ""
    more = f"; and {len(names) - MOST_CASES} more" if len(names) > MOST_CASES else ""
    return f"{'; '.join(names[:MOST_CASES])}{more}: "


def nothing_left(refused: Sequence[Row]) -> MeshSimError:
    """What is raised where nobody takes part."""
    why = "; ".join(sentences(refused)) or "no scheme of several processors takes the robot"
    return MeshSimError(f"nothing is left to compare: {why}")
