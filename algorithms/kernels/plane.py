"""The counted arithmetic of bodies in a plane: vectors are pairs, turning is a number, forces have a moment."""

from meshsim.counted import kernel

Pair = tuple[float, float]


@kernel(add=2)
def add_pairs(a: Pair, b: Pair) -> Pair:
    """a + b."""
    return a[0] + b[0], a[1] + b[1]


@kernel(add=2)
def subtract_pairs(a: Pair, b: Pair) -> Pair:
    """a - b."""
    return a[0] - b[0], a[1] - b[1]


@kernel(mul=2)
def scale_pair(s: float, v: Pair) -> Pair:
    """S times v."""
    return s * v[0], s * v[1]


@kernel(mul=2, add=2)
def axpy_pair(s: float, x: Pair, y: Pair) -> Pair:
    """Y + s x."""
    return y[0] + s * x[0], y[1] + s * x[1]


@kernel(mul=2, add=1)
def dot_pairs(a: Pair, b: Pair) -> float:
    """a . b."""
    return a[0] * b[0] + a[1] * b[1]


@kernel(mul=2, add=1)
def cross_pairs(a: Pair, b: Pair) -> float:
    """The moment of a force b that acts at a."""
    return a[0] * b[1] - a[1] * b[0]


@kernel(mul=4, add=2)
def turn_pair(turn: Pair, v: Pair) -> Pair:
    """V turned by the angle that has this sine and cosine."""
    s, c = turn
    return c * v[0] - s * v[1], s * v[0] + c * v[1]


@kernel(mul=2, add=2)
def carry_velocity(v: Pair, w: float, arm: Pair) -> Pair:
    """The velocity of a point at `arm`, of a body that turns at w."""
    return v[0] - w * arm[1], v[1] + w * arm[0]


@kernel(mul=3, add=2)
def carry_acceleration(a: Pair, w: float, arm: Pair) -> Pair:
    """The acceleration of a point at `arm`, of a body that turns at a constant w."""
    centripetal = w * w
    return a[0] - centripetal * arm[0], a[1] - centripetal * arm[1]


@kernel(mul=3, add=2)
def add_coriolis(a: Pair, w: float, rate: Pair) -> Pair:
    """A + 2 w x rate, of a body that slides so on one that turns."""
    twice = 2.0 * w
    return a[0] - twice * rate[1], a[1] + twice * rate[0]


@kernel(mul=2, add=2)
def carry_moment(n: float, arm: Pair, f: Pair) -> float:
    """The moment about a point, of a force at `arm` and a moment there."""
    return n + (arm[0] * f[1] - arm[1] * f[0])


@kernel(mul=6, add=4)
def carry_inertia(inertia: float, moment: Pair, mass: float, arm: Pair) -> float:
    """A second moment of mass about a point from that about another, at `arm`, and the first moment there."""
    return inertia + (arm[0] * (2.0 * moment[0] + mass * arm[0]) + arm[1] * (2.0 * moment[1] + mass * arm[1]))


@kernel(mul=5, add=2)
def body_force(mass: float, a: Pair, w: float, moment: Pair) -> Pair:
    """What a body's mass takes to move: its hinge accelerates by a, and it turns at a constant w."""
    centripetal = w * w
    return mass * a[0] - centripetal * moment[0], mass * a[1] - centripetal * moment[1]


# Triangles


@kernel(mul=5, add=3)
def triangle(d: Pair, square: float, more: float) -> tuple[float, float, float]:
    """Of a triangle on the side d: d . d, a . d and (d x a)^2, where a is its side from where d begins.

    `square` is a . a, and `more` is by how much it exceeds the square of the third side.
    """
    dd = d[0] * d[0] + d[1] * d[1]
    along = 0.5 * (dd + more)
    return dd, along, square * dd - along * along


@kernel(mul=6, add=2, div=1)
def side(d: Pair, dd: float, along: float, across: float) -> Pair:
    """The vector a, given d . d, a . d and d x a."""
    inverse = 1.0 / dd
    u, v = along * inverse, across * inverse
    return u * d[0] - v * d[1], u * d[1] + v * d[0]


@kernel(mul=6, add=2)
def turn_between(r: Pair, v: Pair, inverse: float) -> Pair:
    """The sine and cosine of the angle from r to v, which are of one length; `inverse` is 1 / (r . r)."""
    return (r[0] * v[1] - r[1] * v[0]) * inverse, (r[0] * v[0] + r[1] * v[1]) * inverse


@kernel(mul=1, add=1)
def less_square(square: float, x: float) -> float:
    """What x leaves of a square by Pythagoras."""
    return square - x * x


@kernel(mul=6, add=2)
def solve_pair(a: Pair, b: Pair, inverse: float, r: Pair) -> Pair:
    """The two numbers x and y for which x a + y b = r; `inverse` is 1 / (a x b)."""
    return (r[0] * b[1] - r[1] * b[0]) * inverse, (a[0] * r[1] - a[1] * r[0]) * inverse
