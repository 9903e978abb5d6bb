"""Random URDF files: serial chains with everything in them that a reader may get wrong."""

import math

import numpy as np

from meshsim.algorithms.types.splitmix import SplitMix64

AXES = ("", '<axis xyz="0 0 1"/>', '<axis xyz="0 0 -1"/>', '<axis xyz="0 1 0"/>', '<axis xyz="-1 0 0"/>')


def random_urdf(n, seed):
    """Text of a URDF robot with `n` moving joints, the same for the same seed."""
    return _Writer(n, seed).text


class _Writer:
    """Writes a chain with fixed links in between, fixed side branches and fixed frames on the base."""

    def __init__(self, n, seed):
        self.random = SplitMix64(seed)
        self.links = []
        self.joints = []
        tip = self.add_fixed(self.add_link(self.draw(2) == 0))
        for i in range(n):
            link = self.add_link(has_inertial=True)
            kind = ("revolute", "continuous")[self.draw(2)]
            self.add_joint(f"move{i}", kind, tip, link, self.axis())
            tip = self.add_fixed(link)
        self.text = f'<robot name="random">{"".join(self.joints)}{"".join(self.links)}</robot>'

    def draw(self, count):
        return int(self.random.uniform(0, count))

    def numbers(self, bound, count=3):
        return " ".join(repr(self.random.uniform(-bound, bound)) for _ in range(count))

    def origin(self):
        if self.draw(4) == 0:
            return ""
        rpy = f' rpy="{self.numbers(math.pi)}"' if self.draw(4) else ""
        return f'<origin xyz="{self.numbers(0.5)}"{rpy}/>'

    def axis(self):
        if self.draw(2):
            return AXES[self.draw(len(AXES))]
        x, y, z = (self.random.uniform(-1, 1) for _ in range(3))
        length = math.hypot(x, y, z)
        return f'<axis xyz="{x / length!r} {y / length!r} {z / length!r}"/>'

    def add_link(self, has_inertial):
        name = f"link{len(self.links)}"
        self.links.append(f'<link name="{name}">{self.inertial() if has_inertial else ""}</link>')
        return name

    def inertial(self):
        B = np.array([[self.random.uniform(-0.3, 0.3) for _ in range(3)] for _ in range(3)])
        S = B @ B.T + 0.005 * np.eye(3)
        inertia = np.trace(S) * np.eye(3) - S
        entries = " ".join(f'i{"xyz"[i]}{"xyz"[j]}="{float(inertia[i, j])!r}"' for i in range(3) for j in range(i, 3))
        mass = self.random.uniform(0.5, 5)
        return f'<inertial>{self.origin()}<mass value="{mass!r}"/><inertia {entries}/></inertial>'

    def add_joint(self, name, kind, parent, child, axis=""):
        limit = '<limit lower="-4" upper="4" effort="9" velocity="9"/>' if kind == "revolute" else ""
        self.joints.append(
            f'<joint name="{name}" type="{kind}">{self.origin()}<parent link="{parent}"/>'
            f'<child link="{child}"/>{axis}{limit}</joint>'
        )

    def add_fixed(self, link):
        """Hang up to three fixed links on `link` or on one another, and return one of them all."""
        group = [link]
        for _ in range(self.draw(4)):
            child = self.add_link(self.draw(3) > 0)
            self.add_joint(f"fix_{child}", "fixed", group[self.draw(len(group))], child)
            group.append(child)
        return group[self.draw(len(group))]
